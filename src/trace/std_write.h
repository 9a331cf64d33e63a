/*
 * Writing events in the STD text form. What it has no word for becomes the nearest thing that means
 * the same to an analysis of happens-before; docs/trace-format.md has the list, and what is lost.
 */
#ifndef DARN_TRACE_STD_WRITE_H
#define DARN_TRACE_STD_WRITE_H

#include <stdio.h>

#include "trace/trace.h"

/* No line, one, or several. `trace` is where the event is from. */
void darn_std_write_event(FILE *to, const struct darn_trace *trace, const struct darn_event *event);

#endif
