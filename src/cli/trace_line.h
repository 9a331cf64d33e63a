/*
 * darn trace: what is in a trace.
 */
#ifndef DARN_CLI_TRACE_LINE_H
#define DARN_CLI_TRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/say.h"
#include "trace/trace.h"

/* Prints every event in a line of its own. The result of the last darn_trace_next. */
int darn_trace_dump(struct darn_trace *trace);

/* Counts the events, and says what there is. 0, or -1 for damage: nothing is printed then. */
int darn_trace_stat(struct darn_trace *trace, const char *path, bool json);

#endif
