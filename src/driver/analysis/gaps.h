/*
 * What a trace does not tell, said by each command that reads it: what is missing may be what a
 * finding was missing.
 */
#ifndef DARN_CLI_GAPS_H
#define DARN_CLI_GAPS_H

#include "trace/trace.h"

/* Warns of gaps in a trace that was read to its end. */
void darn_warn_of_gaps(const char *command, const char *path, const struct darn_trace *trace);

#endif
