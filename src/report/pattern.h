/*
 * The pattern language of suppressions, TSan's: a pattern matches anywhere in the text; `*` stands
 * for anything, `^` for the beginning, `$` for the end.
 */
#ifndef DARN_REPORT_PATTERN_H
#define DARN_REPORT_PATTERN_H

#include <stdbool.h>

/* A missing or empty text matches nothing. */
bool darn_pattern_matches(const char *pattern, const char *text);

#endif
