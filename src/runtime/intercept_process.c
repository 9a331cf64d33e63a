/* The ways a process ends without running its destructors, and the fork that runs no handlers. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "runtime/intercept.h"
#include "runtime/state.h"

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
