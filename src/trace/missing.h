/*
 * What a trace does not have, and why.
 */
#ifndef DARN_TRACE_MISSING_H
#define DARN_TRACE_MISSING_H

#include <stdint.h>

/* The word for an enum darn_trace_why. */
const char *darn_missing_why(uint32_t why);

#endif
