#include "driver/campaign/campaign_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/children.h"
#include "driver/process/sh.h"
#include "driver/process/signal_guard.h"
#include "driver/process/wall_clock.h"

#define TICK_MS     20
#define MOST_ROUNDS 2000 /* of killing, a millisecond each */

static atomic_bool asked_to_end;

static void ask_to_end(int number)
{
    (void)number;
    atomic_store(&asked_to_end, true);
}

/* ---- in the process of the test ---- */

static void limit(int what, uint64_t most)
{
    struct rlimit wanted = {most, most};

    setrlimit(what, &wanted);
}

static void become(const struct darn_campaign_child *child, int output, int why)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    int null = open("/dev/null", O_RDONLY), error;
    sigset_t none;

    setsid(); /* no terminal: who wants to read a password gets an error */
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    limit(RLIMIT_FSIZE, child->file_size);
    limit(RLIMIT_CORE, 0);
    execvp(child->command[0], child->command);
    error = errno;
    (void)!write(why, &error, sizeof(error));
    _exit(127);
}

/* The process of the test, or a negative errno. */
static pid_t start(const struct darn_campaign_child *child, int output)
{
    pid_t self = getpid(), pid;
    int why[2], error = 0;

    if (pipe2(why, O_CLOEXEC))
        return -errno;
    pid = fork();
    if (pid == 0) {
        darn_guard_child(self);
        become(child, output, why[1]);
    }
    if (pid < 0)
        error = errno;
    close(why[1]);
    while (pid > 0 && read(why[0], &error, sizeof(error)) < 0 && errno == EINTR)
        ;
    close(why[0]);
    if (pid > 0 && error)
        waitpid(pid, NULL, 0);
    return error ? -error : pid;
}

/* ---- in the process that watches ---- */

/* Whether there was anybody: all that the test has started are children of ours by now, since we
 * are the reaper of what loses its parent. */
static bool kill_all(void)
{
    char path[64], list[4096];
    bool was_any = false;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    for (int rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        pid_t ended;
        ssize_t length;
        int fd;

        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0 && errno == ECHILD)
            return was_any;
        was_any = true;
        fd = open(path, O_RDONLY | O_CLOEXEC);
        length = fd < 0 ? 0 : read(fd, list, sizeof(list) - 1);
        close(fd);
        darn_children_kill(list, length);
        usleep(1000);
    }
    return was_any;
}

/* Takes what has been printed; false at the end of it. */
static bool drain(int from, int to, struct darn_campaign_end *end)
{
    static char bytes[65536];
    ssize_t length;

    while ((length = read(from, bytes, sizeof(bytes))) > 0) {
        if (end->printed < DARN_CAMPAIGN_OUTPUT)
            (void)!write(to, bytes, (size_t)length);
        end->printed += (uint64_t)length;
        if (length < (ssize_t)sizeof(bytes))
            break;
    }
    return length != 0;
}

static void watch(const struct darn_campaign_child *child, pid_t pid, int from, int to,
                  struct darn_campaign_end *end)
{
    double deadline = darn_clock() + child->timeout_ms / 1000.0;
    struct pollfd wait[2] = {{.fd = from, .events = POLLIN},
                             {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN}};

    while (waitpid(pid, &end->status, WNOHANG) == 0) {
        poll(wait, 2, TICK_MS);
        if (wait[0].fd >= 0 && !drain(from, to, end))
            wait[0].fd = -1; /* it has closed its output: nothing comes any more */
        if (!end->timed_out && (darn_clock() > deadline || atomic_load(&asked_to_end))) {
            end->timed_out = true;
            kill(pid, SIGKILL);
        }
    }
    close(wait[1].fd);
}

static void run(const struct darn_campaign_child *child, struct darn_campaign_end *end)
{
    int output[2], to = open(child->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    double began = darn_clock();
    struct statvfs disk;
    pid_t pid;

    if (to < 0 || pipe2(output, O_CLOEXEC)) {
        end->error = errno;
        return;
    }
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    pid = start(child, output[1]);
    close(output[1]);
    if (pid < 0) {
        end->error = -pid;
        return;
    }
    watch(child, pid, output[0], to, end);
    end->seconds = darn_clock() - began;
    end->left = kill_all();
    end->disk_full = fstatvfs(to, &disk) == 0 && !disk.f_bavail;
    drain(output[0], to, end);
    close(output[0]);
    if (child->oracle && !end->timed_out) {
        int said = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : 128 + WTERMSIG(end->status);
        struct darn_sh sh = {.command = child->oracle,
                             .input = to,
                             .stop = &asked_to_end,
                             .timeout_ms = child->timeout_ms};

        lseek(to, 0, SEEK_SET);
        end->oracle = darn_sh_oracle(&sh, said);
    }
}

static void set_environment(char *const *environment)
{
    for (; *environment; environment++)
        putenv(*environment);
}

static void work(const struct darn_campaign_child *child, struct darn_campaign_end *end)
{
    struct sigaction action = {.sa_handler = ask_to_end};
    struct darn_sh reset = {.command = child->reset,
                            .input = -1,
                            .stop = &asked_to_end,
                            .timeout_ms = child->timeout_ms};

    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN; /* the terminal's is for the campaign, which asks us */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    set_environment(child->environment);
    if (chdir(child->directory)) {
        end->error = errno;
        return;
    }
    end->reset_failed = child->reset && darn_sh(&reset) != 0;
    run(child, end);
    kill_all();
}

pid_t darn_campaign_child_start(const struct darn_campaign_child *child,
                                struct darn_campaign_end *end)
{
    pid_t self = getpid(), pid;

    memset(end, 0, sizeof(*end));
    pid = fork();
    if (pid == 0) {
        darn_guard_child(self);
        work(child, end);
        __atomic_store_n(&end->is_over, true, __ATOMIC_RELEASE);
        _exit(0);
    }
    return pid < 0 ? -errno : pid;
}
