/*
 * In programs that are built to be healed (darn cc --only): that they are, and in the place of what
 * the runtime does not have there. Memory, time and messages are left alone: nobody asks.
 */
#include "runtime/state.h"
#include "runtime/vtime.h"

const char darn_production[] = "darn cc --only";

void darn_time_init(void)
{
}
