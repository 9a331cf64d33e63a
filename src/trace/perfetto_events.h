/* The events of a trace as tracks for a trace viewer (perfetto.h). */
#ifndef DARN_TRACE_PERFETTO_EVENTS_H
#define DARN_TRACE_PERFETTO_EVENTS_H

#include <stdio.h>

#include "trace/trace.h"

/* Reads the trace twice: an arrow is begun only if it is known to end. The result of the last
 * darn_trace_next; what comes before damage is written all the same. */
int darn_trace_perfetto(struct darn_trace *trace, FILE *out);

#endif
