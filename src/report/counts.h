/*
 * The counts in a file of JSON Lines, and whether what was predicted was observed since, brought up
 * to date in place.
 *
 * A finding is written when it is first seen; how often it was seen is known at the end of the run.
 * Another process may be appending to the same file at any moment, so lines must not move: a count
 * is followed by blanks, `"count":1         ,`, and the number is overwritten there. So are the
 * words of what was predicted: those of what is observed fit into their place.
 */
#ifndef DARN_REPORT_COUNTS_H
#define DARN_REPORT_COUNTS_H

#include <stdio.h>

#include "report/summary.h"

/* Prints the JSON text of a finding with blanks after its count. */
void darn_counts_print(FILE *out, const char *json);

/* Sets the counts, those of 0 excepted, and the certainty of the findings that this process wrote.
 * 0, or a negative errno. A line that was
 * changed by others and has no room for its number is left alone. */
int darn_counts_update(const char *path, const struct darn_summary *summary);

#endif
