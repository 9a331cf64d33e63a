#include "driver/process/server.h"

#include <errno.h>
#include <signal.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "driver/process/listener.h"
#include "driver/process/process_state.h"
#include "driver/process/server_private.h"
#include "driver/process/sh.h"
#include "driver/process/wall_clock.h"

#define START_MS  60000 /* constructors may do a lot */
#define GRACE_MS  3000  /* between the end of a run and the answer of the server */
#define MOST_LOST 3     /* times that a server is started again for the same run */

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Not private futexes: two processes share the words. */
static void futex_wake(volatile uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Milliseconds until the time of all runs is over, rounded up. */
static uint64_t left_ms(const struct darn_server *server)
{
    double left = server->options.until - darn_clock();

    return !server->options.until ? UINT64_MAX : left > 0 ? (uint64_t)(left * 1000) + 1 : 0;
}

static bool is_over(const struct darn_server *server)
{
    return atomic_load(&server->interrupted) || !left_ms(server);
}

/* How long is waited before we look whether all is well. */
static int tick_of(const struct darn_server *server)
{
    uint64_t left = left_ms(server);
    int tick = server->client.command ? DARN_CLIENT_TICK_MS : DARN_SERVER_TICK_MS;

    return left && left < (uint64_t)tick ? (int)left : tick;
}

static void futex_wait(const struct darn_server *server, volatile uint32_t *word, uint32_t value)
{
    struct timespec tick = {0, tick_of(server) * 1000000L};

    syscall(SYS_futex, word, FUTEX_WAIT, value, &tick, NULL, 0);
}

static uint32_t load(const volatile uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Whether the process has ended by itself; then `status` is what wait() says. */
static bool has_ended(struct darn_server *server, int *status)
{
    if (server->pid > 0 && waitpid(server->pid, status, WNOHANG) == 0)
        return false;
    darn_server_kill_rest(server);
    return true;
}

static const char *last_line(struct darn_server *server)
{
    size_t length;
    char *text = (char *)darn_server_output(server, &length), *line;

    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* It was to wait before main, and has ended. */
static int refuse_ended(struct darn_server *server, int status)
{
    const char *name = server->options.program[0], *line;

    server->has_output = false;
    line = last_line(server);
    if (WIFSIGNALED(status))
        return darn_tell_refusal(server->options.listener,
                                 "%s ended by signal %d before it could be controlled%s%s", name,
                                 WTERMSIG(status), *line ? ": " : "", line);
    return darn_tell_refusal(
        server->options.listener, "%s ended with status %d before it could be controlled%s%s", name,
        WEXITSTATUS(status), *line ? ": " : "; was it linked by this darn?", line);
}

static int refuse_refused(struct darn_server *server)
{
    return darn_tell_refusal(server->options.listener,
                             "%s was linked by another version of darn; link it again with darn cc",
                             server->options.program[0]);
}

/* Waits until it waits for commands. 0, DARN_REFUSED or DARN_LATE. */
static int await_ready(struct darn_server *server, bool quiet)
{
    struct darn_control_block *block = server->block;
    uint64_t end = now_ms() + START_MS;
    int status;

    while (!load(&block->ready) && !load(&block->refused)) {
        futex_wait(server, &block->ready, 0);
        if (load(&block->ready) || load(&block->refused))
            break;
        if (has_ended(server, &status))
            return quiet ? DARN_REFUSED : refuse_ended(server, status);
        if (atomic_load(&server->interrupted))
            return DARN_REFUSED;
        if (is_over(server)) {
            if (!quiet)
                darn_tell_note(server->options.listener,
                               "the time was over before %s could be run under control; "
                               "--seconds=S gives more",
                               server->options.program[0]);
            return DARN_LATE;
        }
        if (now_ms() > end)
            return quiet ? DARN_REFUSED
                         : darn_tell_refusal(server->options.listener,
                                             "%s does not come to main within %d s",
                                             server->options.program[0], START_MS / 1000);
    }
    return 0;
}

/* 0, DARN_REFUSED or DARN_LATE, after one line unless `quiet`. */
static int start(struct darn_server *server, bool quiet)
{
    int result = darn_server_spawn(server), status;

    if (result)
        return quiet ? DARN_REFUSED
                     : darn_tell_refusal(server->options.listener, "%s cannot be started: %s",
                                         server->options.program[0], strerror(-result));
    status = await_ready(server, quiet);
    if (!status && server->block->refused == DARN_REFUSED_THREADS)
        server->anew = true;
    else if (!status && server->block->refused)
        status = refuse_refused(server);
    if (status || server->anew)
        darn_server_kill(server);
    return status;
}

struct darn_server *darn_server_start(const struct darn_server_options *options, int *status)
{
    struct darn_server *server = darn_need_zeroed(1, sizeof(*server));

    server->options = *options;
    server->client = (struct darn_client){.command = options->with, .stop = options->stop};
    server->block_fd = server->out_fd = server->in_fd = -1;
    atomic_init(&server->interrupted, false);
    *status = darn_server_prepare(server);
    if (!*status)
        *status = start(server, false);
    if (*status) {
        darn_server_stop(server);
        return NULL;
    }
    return server;
}

void darn_server_stop(struct darn_server *server)
{
    if (!server)
        return;
    darn_server_kill(server);
    darn_modules_close(&server->modules);
    free(server->keys);
    free(server->output);
    darn_server_release(server);
    free(server);
}

struct darn_control_block *darn_server_block(struct darn_server *server)
{
    return server->block;
}

void darn_server_set_timeout(struct darn_server *server, uint32_t ms)
{
    server->options.timeout_ms = ms;
}

void darn_server_set_stillness(struct darn_server *server, uint32_t ms)
{
    server->still_ms = ms;
}

void darn_server_set_until(struct darn_server *server, double until)
{
    server->options.until = until;
}

void darn_server_interrupt(struct darn_server *server)
{
    atomic_store(&server->interrupted, true);
    darn_server_kill_run(server);
}

uint32_t darn_server_learned(const struct darn_server *server)
{
    return server->learned;
}

/* One run, while it is waited for. */
struct watch {
    bool asked;             /* to tell where it is */
    uint64_t start, killed; /* in milliseconds; 0: it was not killed */
    bool too_long, stopped; /* stopped: the time of all runs was over */
    uint64_t moved;         /* when it was last seen to do anything, */
    uint64_t steps, ticks;  /* after so many steps and ticks of the processor */
};

/* Whether the process stands still. */
static bool is_stopped(pid_t pid)
{
    char state = darn_process_state(pid);

    return state == 'T' || state == 't';
}

static bool is_held(struct darn_server *server)
{
    return server->block->request.flags & DARN_RUN_HOLD && is_stopped(server->block->child);
}

static pid_t running(const struct darn_server *server)
{
    return server->anew ? server->pid : server->block->child;
}

/* It may wait for somebody who does not come. */
static bool is_still(const struct darn_server *server, struct watch *watch, uint64_t now)
{
    uint64_t steps = server->block->progress, ticks;

    if (!server->still_ms)
        return false;
    ticks = darn_process_ticks(running(server));
    if (!watch->moved || steps != watch->steps || ticks != watch->ticks) {
        watch->moved = now;
        watch->steps = steps;
        watch->ticks = ticks;
    }
    return now - watch->moved > server->still_ms;
}

/* Looks after a run that takes long. False when there is nothing left to wait for. */
static bool look_after(struct darn_server *server, struct watch *watch)
{
    uint32_t limit = server->options.timeout_ms;
    uint64_t now = now_ms();

    darn_server_output_show(server);
    if (watch->killed && now - watch->killed > GRACE_MS)
        return false;
    if (watch->killed)
        return true;
    watch->too_long = watch->asked || (limit && now - watch->start > limit) ||
                      is_still(server, watch, now) || darn_server_output_is_too_long(server);
    watch->stopped = is_over(server);
    if (!watch->too_long && !watch->stopped)
        return true;
    if (!watch->stopped && !watch->asked && server->block->child > 0) {
        watch->asked = true; /* where its threads are; it gets until the next look */
        kill(server->block->child, DARN_SIGNAL_TELL);
        return true;
    }
    watch->killed = now;
    if (server->anew)
        darn_server_kill(server);
    else
        darn_server_kill_run(server);
    return true;
}

static enum darn_server_result result_of(const struct darn_server *server,
                                         const struct watch *watch)
{
    struct darn_result *result = &server->block->result;

    if (watch->stopped || atomic_load(&server->interrupted))
        return DARN_SERVER_STOPPED;
    if (!watch->too_long)
        return DARN_SERVER_RAN;
    /* That it was killed is our doing. */
    result->end = DARN_END_NONE;
    result->status = 0;
    return DARN_SERVER_TIMEOUT;
}

static void look_after_client(struct darn_server *server)
{
    darn_client_look(&server->client, running(server), server->block->idle);
    if (server->client.has_stopped)
        server->block->client = 0;
}

/* The command is under way: waits for the answer. */
static enum darn_server_result await_answer(struct darn_server *server, uint32_t number)
{
    struct darn_control_block *block = server->block;
    struct watch watch = {.start = now_ms()};
    uint32_t seen;
    int status;

    while ((seen = load(&block->done)) != number) {
        futex_wait(server, &block->done, seen);
        look_after_client(server);
        if (load(&block->done) == number)
            break;
        if (is_held(server))
            return DARN_SERVER_HELD;
        if (has_ended(server, &status))
            return is_over(server) ? DARN_SERVER_STOPPED : DARN_SERVER_LOST;
        if (!look_after(server, &watch)) {
            darn_server_kill(server);
            break;
        }
    }
    return result_of(server, &watch);
}

static uint32_t give_command(struct darn_control_block *block)
{
    uint32_t number = block->command + 1;

    memset(&block->result, 0, offsetof(struct darn_result, threads));
    block->idle = 0;
    block->what = DARN_COMMAND_RUN;
    __atomic_store_n(&block->command, number, __ATOMIC_RELEASE);
    return number;
}

static enum darn_server_result lose(struct darn_server *server, const char *why)
{
    snprintf(server->loss, sizeof(server->loss), "%s %s", server->options.program[0], why);
    return DARN_SERVER_LOST;
}

const char *darn_server_loss(const struct darn_server *server)
{
    return server->loss;
}

/* By a server that waits. LOST only after it was started again in vain. */
static enum darn_server_result run_forked(struct darn_server *server)
{
    enum darn_server_result result = DARN_SERVER_LOST;

    for (int i = 0; i <= MOST_LOST && result == DARN_SERVER_LOST; i++) {
        uint32_t number;

        if (server->pid <= 0 && start(server, true)) {
            if (is_over(server))
                return DARN_SERVER_STOPPED;
            lose(server, "cannot be started again");
            continue;
        }
        number = give_command(server->block);
        futex_wake(&server->block->command);
        result = await_answer(server, number);
        if (result == DARN_SERVER_LOST)
            lose(server, "ends its own fork server");
    }
    return result;
}

/* The program ended; what it did not say itself is said by its status. */
static void complete(struct darn_result *result, int status)
{
    if (result->end != DARN_END_NONE && result->end != DARN_END_EXIT)
        return;
    result->end = DARN_END_EXIT;
    result->status = status;
}

/* Waits for the end of a process of its own for this run. */
static enum darn_server_result await_end(struct darn_server *server)
{
    struct watch watch = {.start = now_ms()};
    int status = 0, handle = (int)syscall(SYS_pidfd_open, server->pid, 0);
    struct pollfd end = {.fd = handle, .events = POLLIN};
    bool ended;

    while (!(ended = has_ended(server, &status)) && look_after(server, &watch)) {
        if (server->pid <= 0)
            break;
        if (is_held(server)) {
            close(handle);
            return DARN_SERVER_HELD;
        }
        poll(&end, 1, handle < 0 ? 1 : tick_of(server));
        look_after_client(server);
    }
    if (handle >= 0)
        close(handle);
    if (ended)
        complete(&server->block->result, status);
    return result_of(server, &watch);
}

/* By a process of its own: the program cannot serve. */
static enum darn_server_result run_anew(struct darn_server *server)
{
    enum darn_server_result result;

    give_command(server->block);
    if (darn_server_spawn(server))
        return lose(server, "cannot be started again");
    result = await_end(server);
    if (result == DARN_SERVER_RAN && !server->block->result.steps && !server->block->progress)
        return lose(server, "starts threads before main: its runs cannot be controlled");
    return result;
}

/* False when it was stopped meanwhile. */
static bool reset(struct darn_server *server)
{
    struct darn_sh sh = {
        .command = server->options.reset,
        .input = -1,
        .stop = &server->interrupted,
    };
    uint64_t left = left_ms(server);
    int status;

    if (!sh.command)
        return true;
    if (left < UINT32_MAX)
        sh.timeout_ms = (uint32_t)left;
    status = darn_sh(&sh);
    if (status && status != -EINTR && status != -ETIMEDOUT)
        darn_tell_warning(server->options.listener, "the command of --reset failed: %s",
                          sh.command);
    return status != -EINTR && status != -ETIMEDOUT;
}

enum darn_server_result darn_server_run(struct darn_server *server)
{
    enum darn_server_result result;

    if (is_over(server) || !reset(server))
        return DARN_SERVER_STOPPED;
    darn_server_output_begins(server);
    darn_client_begin(&server->client);
    server->block->client = server->client.command != NULL;
    result = server->anew ? run_anew(server) : run_forked(server);
    darn_client_end(&server->client);
    if (darn_client_has_ended(&server->client, server->block->result.status))
        server->block->result.status = 0; /* as it was asked to */
    darn_server_output_show(server);
    return result;
}
