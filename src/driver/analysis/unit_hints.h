/*
 * What may be wrong when functions are expected to be atomic and nothing is found: the trace has no
 * functions, or not those that the command line names.
 */
#ifndef DARN_DRIVER_UNIT_HINTS_H
#define DARN_DRIVER_UNIT_HINTS_H

#include <stdbool.h>

#include "driver/process/listener.h"
#include "driver/analysis/unit_names.h"
#include "trace/trace.h"

/* All zero at the beginning. */
struct darn_unit_hints {
    char *unknown[2]; /* names that no function had so far, between blanks: include, exclude */
    bool has_functions;
};

/* One more trace, with functions (BEGIN) or without. */
void darn_unit_hints_trace(struct darn_unit_hints *hints, const struct darn_unit_names *names,
                           const struct darn_trace *trace, bool has_functions);

/* Warns of what is wrong, if anything is. */
void darn_unit_hints_tell(const struct darn_unit_hints *hints, struct darn_listener *listener);
void darn_unit_hints_free(struct darn_unit_hints *hints);

#endif
