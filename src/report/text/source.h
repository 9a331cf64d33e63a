/*
 * Lines of source, shown as compilers show them:
 *
 *      12 |     acct->balance += amount;
 *         |                   ^
 */
#ifndef DARN_REPORT_SOURCE_H
#define DARN_REPORT_SOURCE_H

#include <stdio.h>

#include "report/text/ink.h"

/* The file, to be read; NULL when it cannot be. `dir` may be NULL. */
FILE *darn_source_open(const char *dir, const char *file);

/* The line of the file, without its end; NULL when it cannot be read. `dir` may be NULL. The caller
 * frees it. */
char *darn_source_line(const char *dir, const char *file, unsigned line);

/* Shows the line, and a caret under the column (counted in bytes from 1, as compilers do; 0 for
 * none). Tabs become blanks; of a long line only the surroundings of the column are shown. Prints
 * nothing when there is no such line. */
void darn_source_show(struct darn_ink *ink, const char *dir, const char *file, unsigned line,
                      unsigned column);

#endif
