/* The ways a process ends without running its destructors, and the fork that runs no handlers. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "runtime/control.h"
#include "runtime/intercept.h"
#include "runtime/state.h"

/*
 * The status is changed here, where it does no harm: what runs at the exit runs as it would have. A
 * return from main calls an exit that cannot be intercepted, so main is called by us.
 */
DARN_INTERCEPT(void, exit, int status)
{
    darn_ends_with(darn_exit_status(status));
    DARN_REAL(exit)(darn_exit_status(status));
    __builtin_unreachable();
}

typedef int main_function(int argc, char **argv, char **environment);

static main_function *program_main;

static int run_main(int argc, char **argv, char **environment)
{
    if (darn_control)
        darn_control_serve();
    exit(program_main(argc, argv, environment));
}

DARN_INTERCEPT(int, __libc_start_main, main_function *main, int argc, char **argv,
               void (*init)(void), void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    program_main = main;
    return DARN_REAL(__libc_start_main)(run_main, argc, argv, init, fini, loader_fini, stack_end);
}

DARN_INTERCEPT(void, _exit, int status)
{
    DARN_REAL(_exit)(darn_finish(status));
    __builtin_unreachable();
}

DARN_INTERCEPT(void, _Exit, int status)
{
    DARN_REAL(_Exit)(darn_finish(status));
    __builtin_unreachable();
}

DARN_INTERCEPT(void, quick_exit, int status)
{
    DARN_REAL(quick_exit)(darn_finish(status));
    __builtin_unreachable();
}

/* fork calls the handlers that darn_init has registered; _Fork calls none. */
DARN_INTERCEPT(pid_t, _Fork, void)
{
    pid_t child;

    darn_before_fork();
    child = DARN_REAL(_Fork)();
    if (child)
        darn_after_fork_in_parent();
    else
        darn_after_fork_in_child();
    return child;
}

/* What was learned so far must not be lost with the process. */
DARN_INTERCEPT(int, execve, const char *path, char *const arguments[], char *const environment[])
{
    darn_keep_learned();
    return DARN_REAL(execve)(path, arguments, environment);
}

DARN_INTERCEPT(int, execv, const char *path, char *const arguments[])
{
    darn_keep_learned();
    return DARN_REAL(execv)(path, arguments);
}

DARN_INTERCEPT(int, execvp, const char *file, char *const arguments[])
{
    darn_keep_learned();
    return DARN_REAL(execvp)(file, arguments);
}

DARN_INTERCEPT(int, execvpe, const char *file, char *const arguments[], char *const environment[])
{
    darn_keep_learned();
    return DARN_REAL(execvpe)(file, arguments, environment);
}
