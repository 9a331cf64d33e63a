/* The machine of a test of the strategies, made before it and given back after it. */
#ifndef DARN_TESTS_STRATEGY_STAGE_H
#define DARN_TESTS_STRATEGY_STAGE_H

#include "strategy_fixture.h"

static struct sim *s;

static inline int set_up(void **state)
{
    (void)state;
    s = sim_new();
    return s ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    sim_free(s);
    return 0;
}

#endif
