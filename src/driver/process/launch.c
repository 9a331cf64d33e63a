#include "driver/process/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/options_print.h"
#include "driver/process/signal_guard.h"
#include "driver/process/installation.h"
#include "driver/process/program.h"
#include "driver/process/listener.h"

#define STATUS_CANNOT_RUN 127

#define MEANWHILE_TICK_MS 10

/* The last part of a path. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int refuse_unfound(struct darn_listener *listener, const char *name, int result)
{
    if (result == -EACCES)
        return darn_tell_refusal(listener, "%s is not an executable file", name);
    if (result != -ENOENT)
        return darn_tell_refusal(listener, "%s: %s", name, strerror(-result));
    if (strchr(name, '/'))
        return darn_tell_refusal(listener, "%s: there is no such program", name);
    if (access(name, X_OK) == 0)
        return darn_tell_refusal(listener, "%s was not found in PATH; did you mean ./%s?", name,
                                 name);
    return darn_tell_refusal(listener, "%s was not found in PATH", name);
}

int darn_check_program(struct darn_listener *listener, const char *name,
                       enum darn_program_wanted wanted, char *path, size_t size)
{
    int result = darn_find_program(name, path, size);
    const char *foreign;

    if (result)
        return refuse_unfound(listener, name, result);
    if (wanted == DARN_PROGRAM_ANY)
        return 0;
    result = darn_program_kind(path);
    if (result == DARN_PROGRAM_WATCHED)
        return 0;
    foreign = darn_program_foreign(path);
    if (result == DARN_PROGRAM_SCRIPT && foreign) /* a runner of tests, maybe */
        darn_tell_warning(listener, "%s %s", name, foreign);
    if (result == DARN_PROGRAM_SCRIPT)
        return 0;
    if (result < 0)
        return darn_tell_refusal(listener, "%s cannot be read: %s", name, strerror(-result));
    if (result == DARN_PROGRAM_UNKNOWN)
        return darn_tell_refusal(listener,
                                 "%s is neither a program nor a script that begins with #!", name);
    if (result == DARN_PROGRAM_PLAIN && foreign)
        return darn_tell_refusal(listener, "%s %s%s", name, foreign,
                                 wanted == DARN_PROGRAM_BY_DEFAULT ? " (--any runs it as it is)"
                                                                   : "");
    return darn_tell_refusal(
        listener, "%s was not compiled by darn; compile it with: darn cc -g -pthread ... -o %s%s",
        name, base_name(name),
        wanted == DARN_PROGRAM_BY_DEFAULT ? " (--any runs it as it is)" : "");
}

int darn_make_absolute(struct darn_listener *listener, struct darn_options *options,
                       const char *name, const char *path)
{
    char absolute[DARN_OPTIONS_PATH], error[DARN_OPTIONS_ERROR];
    int result = darn_absolute_path(path, absolute, sizeof(absolute));

    if (result)
        return darn_tell_refusal(listener, "%s: %s: %s", name, path, strerror(-result));
    if (darn_options_set(options, name, absolute, error, sizeof(error)))
        return darn_tell_refusal(listener, "%s", error);
    return 0;
}

int darn_pass_options(struct darn_listener *listener, const struct darn_options *options)
{
    static char text[DARN_OPTIONS_TEXT];
    char own[PATH_MAX], error[DARN_OPTIONS_ERROR];

    if (darn_options_format(options, text, sizeof(text), error, sizeof(error)))
        return darn_tell_refusal(listener, "%s", error);
    if ((text[0] ? setenv(DARN_OPTIONS_VARIABLE, text, 1) : unsetenv(DARN_OPTIONS_VARIABLE)) ||
        (darn_own_path(own, sizeof(own)) == 0 && setenv(DARN_COMMAND_VARIABLE, own, 1)))
        return darn_tell_refusal(listener, "the environment cannot be set: %s", strerror(errno));
    return 0;
}

/* Who is to be quiet is not started otherwise. */
static void send_to_nowhere(int fd)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere < 0)
        _exit(STATUS_CANNOT_RUN);
    dup2(nowhere, fd);
    close(nowhere);
}

/* What a shell makes of it: 128 and the number of the signal that ended the program. */
static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static volatile pid_t running;

/* Whoever signals a whole group signals our parent as well, which passes it on (signal_guard.c):
 * what the program has had comes once more, and not to us. */
#define TWIN_MS 2000

static volatile sig_atomic_t was_seen[NSIG];
static volatile int64_t ended;

/* Whoever ends us means the program. */
static void pass_on(int number)
{
    was_seen[number] = 1;
    if (running > 0 && darn_guard_asked())
        kill(running, number);
}

static int64_t milliseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* How long to wait for the end of the program before the next look at it, or at its client. */
static int tick_of(const struct darn_launch_limit *limit, int64_t left)
{
    int64_t tick = limit->client.command ? DARN_CLIENT_TICK_MS
                   : limit->meanwhile    ? MEANWHILE_TICK_MS
                                         : INT_MAX;

    return (int)(left < tick ? left : tick);
}

/* Kills the program when its time is over. Without pidfd (before Linux 5.3) there is no limit. */
static void guard(pid_t child, struct darn_launch_limit *limit)
{
    int64_t end = limit->milliseconds ? milliseconds_now() + limit->milliseconds : INT64_MAX;
    struct darn_client *client = &limit->client;
    struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
    int64_t left;
    int ready = -1;

    darn_client_begin(client);
    while (wait.fd >= 0 && ready <= 0 && (left = end - milliseconds_now()) > 0) {
        if (client->command)
            darn_client_look(client, child, client->was_started || darn_client_is_awaited(child));
        if (limit->meanwhile)
            limit->meanwhile(limit->context);
        ready = poll(&wait, 1, tick_of(limit, left));
    }
    darn_client_end(client);
    limit->was_reached = wait.fd >= 0 && ready <= 0;
    if (limit->was_reached)
        kill(child, SIGKILL);
    if (wait.fd >= 0)
        close(wait.fd);
}

/* Ctrl-C is for the program: we want to see how it ends. */
static void leave_to_program(int number)
{
    was_seen[number] = 1;
}

static void end_unless_twin(int number)
{
    if (was_seen[number] && milliseconds_now() - ended < TWIN_MS) {
        was_seen[number] = 0;
        return;
    }
    signal(number, SIG_DFL);
    raise(number);
}

static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static void take_signals(struct sigaction old[FORWARDED])
{
    for (size_t i = 0; i < FORWARDED; i++) {
        bool is_key = forwarded[i] == SIGINT || forwarded[i] == SIGQUIT;
        struct sigaction action = {.sa_handler = is_key ? leave_to_program : pass_on};

        was_seen[forwarded[i]] = 0;
        sigaction(forwarded[i], &action, &old[i]);
    }
}

static void give_signals(const struct sigaction old[FORWARDED])
{
    const struct sigaction twin = {.sa_handler = end_unless_twin, .sa_flags = SA_RESTART};

    ended = milliseconds_now();
    for (size_t i = 0; i < FORWARDED; i++) {
        bool is_twin_due = was_seen[forwarded[i]] && old[i].sa_handler == SIG_DFL;

        sigaction(forwarded[i], is_twin_due ? &twin : &old[i], NULL);
    }
}

int darn_launch(struct darn_listener *listener, char **program, bool quiet,
                struct darn_launch_limit *limit)
{
    struct sigaction old[FORWARDED];
    pid_t self = getpid(), child;
    int status = 0;

    fflush(NULL);
    take_signals(old);
    child = fork();
    if (child == 0) {
        darn_guard_child(self);
        for (size_t i = 0; i < FORWARDED; i++)
            sigaction(forwarded[i], &old[i], NULL);
        if (quiet) {
            send_to_nowhere(STDOUT_FILENO);
            send_to_nowhere(STDERR_FILENO);
        }
        execvp(program[0], program);
        _exit(STATUS_CANNOT_RUN);
    }
    running = child;
    if (child > 0 && (limit->milliseconds || limit->client.command || limit->meanwhile))
        guard(child, limit);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    give_signals(old);
    if (child < 0) {
        darn_tell_refusal(listener, "%s cannot be started: %s", program[0], strerror(errno));
        return STATUS_CANNOT_RUN;
    }
    return darn_client_has_ended(&limit->client, status) ? 0 : status_of(status);
}
