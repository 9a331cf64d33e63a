/*
 * What a program under test asks of `darn report` (docs/raw-finding-format.md).
 */
#ifndef DARN_CLI_REPORT_RAW_H
#define DARN_CLI_REPORT_RAW_H

#include <stdbool.h>

/* What is on stdin: a raw finding; the findings of a run that ends (`summary`); a trace of its
 * synchronization (`locks`). Returns an exit status. */
int darn_report_input(bool summary, bool locks);

/* Whether the files that DARN_OPTIONS names can be used: 0, or an exit status. */
int darn_report_check(void);

#endif
