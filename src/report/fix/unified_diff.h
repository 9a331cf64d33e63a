/* A unified diff of two texts, for patch -p1. */
#ifndef DARN_REPORT_FIX_UNIFIED_DIFF_H
#define DARN_REPORT_FIX_UNIFIED_DIFF_H

#include <stdio.h>

/* Prints nothing when they are the same. Returns how many lines are taken away or added. */
unsigned darn_unified_diff(const char *before, const char *after, const char *name, FILE *out);

#endif
