/*
 * In programs that are built to be healed (darn cc --only): that they are, and in the place of what
 * the runtime does not have there. Memory, time and messages are left alone: nobody asks.
 */
#define _GNU_SOURCE
#include <time.h>

#include "runtime/control/vtime.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

const char darn_production[] = "darn cc --only";

/* The clock is libc's own there: no system call. */
void darn_time_init(void)
{
    darn_os_use_clock(clock_gettime);
}
