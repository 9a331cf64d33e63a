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
