/*
 * darn report over files: the findings of many runs, merged, compared with those of yesterday, for
 * people and for other tools.
 */
#ifndef DARN_CLI_REPORT_FILES_H
#define DARN_CLI_REPORT_FILES_H

#include <stdbool.h>

#include "report/text/style.h"

/* What the line says. */
struct darn_report_files {
    const char *sarif;        /* a file that is written; or NULL */
    const char *annotate;     /* github, gitlab; or NULL */
    const char *baseline;     /* what was known before; or NULL */
    const char *suppressions; /* or NULL */
    bool json, all;
};

/* The paths are files of JSON Lines, or directories of hunts. Returns an exit status. */
int darn_report_merge(const struct darn_report_files *wanted, const struct darn_style *style,
                      char *const *paths, int count);

/* Writes SARIF alone, of the same. 0 or an exit status. */
int darn_report_sarif(const struct darn_report_files *wanted, const struct darn_style *style,
                      char *const *paths, int count);

struct darn_shown;

/* The page and the tracks (driver/play/shown.h), without what is suppressed or known by the
 * baseline. Returns an exit status. */
int darn_report_show(const struct darn_report_files *wanted, const struct darn_style *style,
                     struct darn_shown *shown, char *const *paths, int count);

#endif
