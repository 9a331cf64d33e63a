#include "driver/process/signal_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/children.h"
#include "driver/process/private.h"

#define STATUS_CANNOT_RUN 127
#define TOGETHER_NS       INT64_C(500000000) /* signals that come so close are one */
#define MOST_ROUNDS       5000               /* of a millisecond each */

/* By which the kernel tells the child that the parent is gone. */
#define GONE SIGPWR

static pid_t parent, worker;

/* ---- all that was started: on system calls alone, as a handler needs it ---- */

static void kill_children(int task, const char *thread)
{
    char path[64], list[4096];
    ssize_t length = 0;
    int fd;

    strcpy(stpncpy(path, thread, sizeof(path) - sizeof("/children")), "/children");
    fd = openat(task, path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, list, sizeof(list) - 1);
        close(fd);
    }
    darn_children_kill(list, length);
}

/* linux_dirent64: getdents(2) */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

static void kill_listed(void)
{
    _Alignas(struct entry) char list[4096];
    int task = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got;

    while (task >= 0 && (got = syscall(SYS_getdents64, task, list, sizeof(list))) > 0)
        for (long at = 0; at < got;) {
            const struct entry *entry = (const struct entry *)(list + at);

            if (entry->name[0] != '.')
                kill_children(task, entry->name);
            at += entry->length;
        }
    if (task >= 0)
        close(task);
}

/* Those below a process that was killed become our own children: one layer after the other. */
static void kill_all(void)
{
    const struct timespec moment = {0, 1000000};

    for (int rounds = 0; rounds < MOST_ROUNDS; rounds++) {
        pid_t ended;

        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0 && errno == ECHILD)
            return;
        kill_listed();
        nanosleep(&moment, NULL);
    }
}

/* ---- the child, which works ---- */

static void end_without_parent(int number)
{
    (void)number;
    if (getpid() != worker || getppid() == parent)
        return;
    kill_all();
    _exit(128 + SIGKILL);
}

/* What lies in the private directory is removed by the next command. */
static void begin_work(void)
{
    struct sigaction action = {.sa_handler = end_without_parent};

    worker = getpid();
    sigfillset(&action.sa_mask);
    sigaction(GONE, &action, NULL);
    prctl(PR_SET_PDEATHSIG, GONE);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != parent)
        _exit(128 + SIGKILL);
}

/* ---- the parent, which waits ---- */

static void end_like(int status)
{
    sigset_t none;

    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    prctl(PR_SET_DUMPABLE, 0); /* the core is that of the child */
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

/* What comes from the terminal comes to the child as well. */
static bool is_for_us_alone(const siginfo_t *info)
{
    return info->si_code <= 0;
}

static void wait_for_worker(const sigset_t *signals)
{
    siginfo_t info;
    int status = 0;

    while (waitpid(worker, &status, WNOHANG) == 0) {
        int number = sigwaitinfo(signals, &info);

        if (number > 0 && number != SIGCHLD && is_for_us_alone(&info))
            kill(worker, number);
    }
    if (WIFSIGNALED(status)) {
        kill_all();
        darn_private_sweep();
    }
    end_like(status);
}

/* All but those that stop a process: the terminal stops both, and the shell continues both. */
static void choose_signals(sigset_t *signals)
{
    static const int others[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGWINCH};

    sigfillset(signals);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        sigdelset(signals, others[i]);
}

void darn_guard(void)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, child;
    sigset_t signals, old;

    parent = getpid();
    choose_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &old);
    sigaction(SIGCHLD, &usual, &child); /* who ignores it cannot wait */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    worker = fork();
    if (worker > 0)
        wait_for_worker(&signals);
    sigaction(SIGCHLD, &child, NULL);
    if (worker == 0)
        begin_work();
    else
        prctl(PR_SET_CHILD_SUBREAPER, 0);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void darn_guard_child(pid_t maker)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != maker)
        _exit(STATUS_CANNOT_RUN);
}

int darn_guard_asked(void)
{
    static _Atomic int64_t last = -TOGETHER_NS;
    static atomic_int times;
    struct timespec now;
    int64_t moment, before;

    clock_gettime(CLOCK_MONOTONIC, &now);
    moment = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    before = atomic_load(&last);
    if (moment - before < TOGETHER_NS || !atomic_compare_exchange_strong(&last, &before, moment))
        return 0;
    return atomic_fetch_add(&times, 1) + 1;
}
