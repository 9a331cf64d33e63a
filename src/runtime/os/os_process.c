/* What is done in processes of their own, so that the program does not see it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/os/os.h"
#include "runtime/os/os_call.h"

/*
 * What is started must not be seen by the program's wait() nor send it SIGCHLD, and must not show
 * up in its table of files. A child without an exit signal is unseen, but only until it executes a
 * program; so there are two: the first, the keeper, has a table of files of its own, starts the
 * program, feeds it, waits for it and ends with its status. Both run in our memory on system calls
 * alone, with all signals blocked as their creator has them. If the program under test dies
 * meanwhile, its last report is still printed: the keeper does not need it.
 */

/* One at a time: the findings' lock. */
static struct {
    struct darn_os_program program;
    int pair[2];
} started;
static _Alignas(64) unsigned char keeper_stack[8192], program_stack[8192];

static void lead_to(int fd, int number)
{
    if (fd < 0)
        fd = (int)CALL3(SYS_open, "/dev/null", O_WRONLY, 0);
    if (fd != number)
        CALL3(SYS_dup3, fd, number, 0);
}

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int execute(void *unused)
{
    (void)unused;
    CALL3(SYS_dup3, started.pair[1], 0, 0);
    lead_to(started.program.output, 1);
    lead_to(started.program.errors, 2);
    CALL3(SYS_close_range, 3, ~0u, 0);
    CALL3(SYS_execve, started.program.path, started.program.arguments, started.program.environment);
    for (;;)
        CALL1(SYS_exit, DARN_OS_NOT_STARTED);
}

/* As much as it takes now, without SIGPIPE when nobody reads: what is left of it. */
static size_t feed(int socket, size_t left)
{
    const char *end = started.program.input + started.program.length;
    long sent = 1;

    while (left && sent > 0) {
        sent = call(SYS_sendto, socket, (long)(end - left), (long)left, MSG_NOSIGNAL | MSG_DONTWAIT,
                    0, 0);
        if (sent > 0)
            left -= (size_t)sent;
    }
    if (left && sent != -EAGAIN && sent != -EINTR)
        left = 0; /* nobody reads any more */
    if (!left)
        CALL2(SYS_shutdown, socket, SHUT_WR);
    return left;
}

/* For a hundredth of a second, or until a child has ended. */
static void await_child(void)
{
    uint64_t ends = UINT64_C(1) << (SIGCHLD - 1);
    const struct timespec moment = {0, 10000000};

    CALL4(SYS_rt_sigtimedwait, &ends, NULL, &moment, sizeof(ends));
}

/* It may be where not even that reaches it: then it is left to the system. */
static void end(int child)
{
    CALL2(SYS_kill, child, SIGKILL);
    for (int tries = 0; tries < 20; tries++) {
        if (CALL4(SYS_wait4, child, NULL, __WALL | WNOHANG, NULL) != 0)
            return;
        await_child();
    }
}

/* Feeds the program, and waits for its end. One that hangs is killed. */
static int tend(int child)
{
    uint64_t start = darn_os_now(), moved = start, used = 0, now;
    size_t left = feed(0, started.program.length);
    int status = 0;

    while (CALL4(SYS_wait4, child, &status, __WALL | WNOHANG, NULL) == 0) {
        uint64_t time = darn_os_time_used(child, DARN_OS_PROCESS);
        size_t before = left;

        if (left)
            left = feed(0, left);
        now = darn_os_now();
        if (time != used || left != before)
            moved = now;
        used = time;
        if (now - moved > started.program.idle || now - start > started.program.most) {
            end(child);
            return DARN_OS_HUNG;
        }
        await_child();
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : DARN_OS_LOST;
}

static int keep_program(void)
{
    int child;

    if (CALL4(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, started.pair) < 0)
        return DARN_OS_NOT_STARTED;
    child = clone(execute, program_stack + sizeof(program_stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
                  NULL);
    if (child < 0)
        return DARN_OS_NOT_STARTED;
    /* The program under test may count on being the last who holds one of its files. */
    CALL3(SYS_dup3, started.pair[0], 0, 0);
    CALL3(SYS_close_range, 1, ~0u, 0);
    return tend(child);
}

static int keep(void *unused)
{
    /* The program may ignore SIGCHLD: then there would be nothing to wait for. The table of signal
     * handlers is our own as well. */
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {SIG_DFL, 0, NULL, 0};

    (void)unused;
    CALL4(SYS_rt_sigaction, SIGCHLD, &action, NULL, sizeof(action.mask));
    for (;;)
        CALL1(SYS_exit, keep_program());
}

int darn_os_run(const struct darn_os_program *program)
{
    uint64_t mask = darn_os_block_signals();
    int saved = errno, status = 0, keeper;
    long ended = -1;

    started.program = *program;
    keeper = darn_os_confined ? -EPERM
                              : clone(keep, keeper_stack + sizeof(keeper_stack), CLONE_VM, NULL);
    errno = saved; /* the only way in which libc's clone touches anything of ours */
    while (keeper > 0 && (ended = CALL4(SYS_wait4, keeper, &status, __WALL, NULL)) == -EINTR)
        ;
    darn_os_restore_signals(mask);
    if (keeper <= 0)
        return DARN_OS_NOT_STARTED;
    return ended == keeper && WIFEXITED(status) ? WEXITSTATUS(status) : DARN_OS_LOST;
}

static size_t read_file(const char *path, char *to, size_t size)
{
    int fd = darn_os_open(path, O_RDONLY);
    size_t used = 0;
    long got;

    if (fd < 0)
        return 0;
    while (used < size && (got = CALL3(SYS_read, fd, to + used, size - used)) > 0)
        used += (size_t)got;
    CALL1(SYS_close, fd);
    return used;
}

struct reading {
    const char *path;
    char *to;
    size_t size, used;
};

static int read_elsewhere(void *argument)
{
    struct reading *reading = argument;

    reading->used = read_file(reading->path, reading->to, reading->size);
    for (;;)
        CALL1(SYS_exit, 0);
}

size_t darn_os_read_file(const char *path, char *to, size_t size)
{
    struct reading reading = {path, to, size, 0};
    int saved = errno, child;

    if (darn_os_confined)
        return 0;
    child = clone(read_elsewhere, keeper_stack + sizeof(keeper_stack), CLONE_VM | CLONE_VFORK,
                  &reading);
    errno = saved;
    if (child > 0)
        CALL4(SYS_wait4, child, NULL, __WALL, NULL);
    else
        reading.used = read_file(path, to, size);
    return reading.used;
}

struct errand {
    int (*work)(void *);
    void *argument;
    int result;
};

static int run_errand(void *argument)
{
    struct errand *errand = argument;

    errand->result = errand->work(errand->argument);
    for (;;)
        CALL1(SYS_exit, 0);
}

int darn_os_elsewhere(int (*work)(void *), void *argument, void *stack, size_t size)
{
    struct errand errand = {work, argument, -EINTR}; /* should somebody kill it */
    uint64_t mask = darn_os_block_signals();
    int saved = errno;
    int child = clone(run_errand, (char *)stack + size, CLONE_VM | CLONE_VFORK, &errand);

    errno = saved;
    if (child > 0)
        CALL4(SYS_wait4, child, NULL, __WALL, NULL);
    else
        errand.result = work(argument);
    darn_os_restore_signals(mask);
    return errand.result;
}

int darn_os_parent_id(void)
{
    return (int)CALL1(SYS_getppid, 0);
}

long darn_os_list(int fd, void *to, size_t size)
{
    return CALL3(SYS_getdents64, fd, to, size);
}

int darn_os_poll_now(void *fds, unsigned long count)
{
    long result = CALL3(SYS_poll, fds, count, 0);

    return result < 0 ? -1 : (int)result;
}

int darn_os_select_now(int count, void *reads, void *writes, void *errors)
{
    struct timeval now = {0};
    long result =
        call(SYS_select, count, (long)reads, (long)writes, (long)errors, (long)&now, DARN_OS_MARK);

    return result < 0 ? -1 : (int)result;
}

int darn_os_has_children(void)
{
    siginfo_t info;

    return call(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, DARN_OS_MARK) ==
           0;
}
