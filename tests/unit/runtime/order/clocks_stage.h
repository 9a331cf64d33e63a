/* The clocks of so many threads as a test has: THREADS, which it names before. */
#ifndef DARN_TESTS_CLOCKS_STAGE_H
#define DARN_TESTS_CLOCKS_STAGE_H

#include <stdlib.h>

#include "runtime/order/clocks.h"

static struct darn_thread_clock *clocks; /* [THREADS] */

static void begin_clocks(void)
{
    clocks = calloc(THREADS, sizeof(*clocks));
    for (int i = 0; i < THREADS; i++)
        darn_clock_begin(&clocks[i]);
}

static int end_clocks(void **state)
{
    (void)state;
    for (int i = 0; i < THREADS; i++)
        darn_clock_end(&clocks[i]);
    free(clocks);
    return 0;
}

#endif
