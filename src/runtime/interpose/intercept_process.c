/* The ways a process ends without running its destructors, and the fork that runs no handlers. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/control/turn.h"
#include "runtime/interpose/intercept.h"
#include "runtime/os/log.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/watch/sampler.h"

#define FRAME __builtin_frame_address(0)

/* What threads do that are still alive is of interest to who records or learns: they get so long,
 * and this if all of them wait for something. In nanoseconds. */
#define LIVING_GET  UINT64_C(2000000000)
#define WAITING_GET UINT64_C(200000000)
#define LOOK_EVERY  UINT64_C(1000000)

static void await_threads(void)
{
    uint64_t begin = darn_os_now(), moved = begin, now = begin;

    while (darn_threads_alive() > 1 && now - begin < LIVING_GET && now - moved < WAITING_GET) {
        darn_os_sleep(LOOK_EVERY);
        now = darn_os_now();
        if (darn_threads_running() > 1)
            moved = now;
    }
}

/* The process is about to end, and its threads with it. `frame` is NULL when main returns. */
static void leave(const void *frame)
{
    bool learns = darn_state.mode == DARN_MODE_RECORD || darn_state.mode == DARN_MODE_LEARN;

    darn_turn_finish(frame);
    if (learns && darn_state.ready && darn_os_process_id() == darn_state.pid)
        await_threads();
}

/*
 * The status is changed here, where it does no harm: what runs at the exit runs as it would have. A
 * return from main calls an exit that cannot be intercepted, so main is called by us.
 */
DARN_INTERCEPT(void, exit, int status)
{
    leave(FRAME);
    darn_ends_with(darn_exit_status(status));
    DARN_REAL(exit)(darn_exit_status(status));
    __builtin_unreachable();
}

typedef int main_function(int argc, char **argv, char **environment);

static main_function *program_main;

static int run_main(int argc, char **argv, char **environment)
{
    struct darn_thread *thread = darn_thread_self();
    int status;

    if (darn_control)
        darn_control_serve();
    if (thread) /* what it runs may be code that darn has not compiled */
        thread->start.c11 = (int (*)(void *))(uintptr_t)program_main;
    status = program_main(argc, argv, environment);
    leave(NULL);
    darn_ends_with(darn_exit_status(status));
    DARN_REAL(exit)(darn_exit_status(status));
    __builtin_unreachable();
}

DARN_INTERCEPT(int, __libc_start_main, main_function *main, int argc, char **argv,
               void (*init)(void), void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    program_main = main;
    return DARN_REAL(__libc_start_main)(run_main, argc, argv, init, fini, loader_fini, stack_end);
}

DARN_INTERCEPT(void, _exit, int status)
{
    leave(FRAME);
    DARN_REAL(_exit)(darn_finish(status));
    __builtin_unreachable();
}

DARN_INTERCEPT(void, _Exit, int status)
{
    leave(FRAME);
    DARN_REAL(_Exit)(darn_finish(status));
    __builtin_unreachable();
}

DARN_INTERCEPT(void, quick_exit, int status)
{
    leave(FRAME);
    DARN_REAL(quick_exit)(darn_finish(status));
    __builtin_unreachable();
}

/* fork calls the handlers that darn_init has registered; _Fork calls none. */
DARN_INTERCEPT(pid_t, _Fork, void)
{
    pid_t child;

    if (!darn_state.ready)
        return DARN_REAL(_Fork)();
    darn_before_fork();
    child = DARN_REAL(_Fork)();
    if (child)
        darn_after_fork_in_parent();
    else
        darn_after_fork_in_child();
    return child;
}

/*
 * What only a process of one thread may do (CLONE_NEWUSER) is refused while ours is there. It is
 * counted by the kernel for some moments after its end.
 */
#define ALONE_TRIES 1000

#define CALL_ALONE(call)                                                                           \
    ({                                                                                             \
        int tries = darn_sampler_stop() ? ALONE_TRIES : 0, alone_result;                           \
        while ((alone_result = (call)) != 0 && errno == EINVAL && tries-- > 0)                     \
            darn_os_yield();                                                                       \
        alone_result;                                                                              \
    })

DARN_INTERCEPT(int, unshare, int flags)
{
    return CALL_ALONE(DARN_REAL(unshare)(flags));
}

DARN_INTERCEPT(int, setns, int fd, int type)
{
    return CALL_ALONE(DARN_REAL(setns)(fd, type));
}

/* A daemon leaves the terminal and the pipes of who started it, and so do we. */
static void leave_session(void)
{
    darn_log_drop(1);
    darn_log_drop(2);
}

DARN_INTERCEPT(pid_t, setsid, void)
{
    pid_t session = DARN_REAL(setsid)();

    if (session >= 0)
        leave_session();
    return session;
}

DARN_INTERCEPT(int, daemon, int keeps_directory, int keeps_files)
{
    int result = DARN_REAL(daemon)(keeps_directory, keeps_files);

    if (result == 0)
        leave_session();
    return result;
}
