/* Where an event of a trace happened, in words. */
#ifndef DARN_TRACE_PLACE_H
#define DARN_TRACE_PLACE_H

#include "trace/trace.h"

/* Room for what darn_trace_place writes. */
#define DARN_TRACE_PLACE 1024

/* As `bank.c:12:9`, as the location of a text trace, or as a place in a module; empty when it is
 * not known. Returns `to`. */
const char *darn_trace_place(const struct darn_trace *trace, uint32_t site, uint32_t stack,
                             char *to, size_t size);

/* Names come from files: what would move the cursor is shown as '?'. */
void darn_trace_printable(char *text);

#endif
