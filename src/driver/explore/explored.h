/*
 * What an exploration has found, told to its listener as it goes.
 */
#ifndef DARN_DRIVER_EXPLORED_H
#define DARN_DRIVER_EXPLORED_H

#include <stdbool.h>
#include <stdint.h>

#include "report/finding.h"

struct darn_explored {
    const struct darn_finding *finding;
    uint64_t schedule;  /* the number of the one that shows it; 0: one that was given */
    const char *ending; /* how it ended, in words; empty: well, but two threads have met */
    const char *story;  /* its last steps; empty: none */
    bool is_variant;    /* it has the same cause as an earlier one, and a line will do */
    bool differs;       /* it did not happen again when the same schedule was followed */
};

#endif
