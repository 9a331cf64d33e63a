/*
 * Delta debugging (Zeller & Hildebrandt 2002) over the switches of a schedule: a list that fails
 * becomes one of which no switch can be left out. Pure: who calls it makes the runs.
 */
#ifndef DARN_SEARCH_DDMIN_H
#define DARN_SEARCH_DDMIN_H

#include <stddef.h>

#include "schedule/strategy.h"

enum darn_ddmin_answer {
    DARN_DDMIN_PASSES, /* the bug does not show with these switches */
    DARN_DDMIN_FAILS,  /* it does */
    DARN_DDMIN_STOP,   /* no time is left: what was found so far is the result */
};

/* Asked for a part of the list, in the order of the list; never for the whole. */
typedef enum darn_ddmin_answer darn_ddmin_test(void *context, const struct darn_switch *switches,
                                               size_t count);

/* The whole list is known to fail. Shortens it in place and returns how many are left: unless the
 * test has said stop, leaving out any single one of them passes. */
size_t darn_ddmin(struct darn_switch *switches, size_t count, darn_ddmin_test *test, void *context);

#endif
