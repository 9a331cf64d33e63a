/*
 * What a trace does not tell, said by each command that reads it: what is missing may be what a
 * finding was missing.
 */
#ifndef DARN_DRIVER_GAPS_H
#define DARN_DRIVER_GAPS_H

#include "driver/process/listener.h"
#include "trace/trace.h"

/* Warns of gaps in a trace that was read to its end. */
void darn_warn_of_gaps(struct darn_listener *listener, const char *path,
                       const struct darn_trace *trace);

#endif
