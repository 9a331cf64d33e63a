/*
 * The heart of `darn analyze`, for the other commands that have a trace: engines over traces, and
 * what they predict as reports.
 */
#ifndef DARN_CLI_ANALYSIS_H
#define DARN_CLI_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "driver/analysis/verdicts.h"

#define DARN_EXIT_FINDINGS 66 /* there are findings */

/* A zeroed struct but for `command` has the defaults. Texts may be NULL or empty. */
struct darn_analysis_options {
    const char *command; /* in messages: `darn COMMAND: …` */
    const char *engines; /* names separated by commas, or `all` (lineup.h) */
    const char *json;    /* append the findings to this file, too */
    const char *suppressions;
    const char *strip_path_prefix;
    uint32_t color;     /* enum darn_color */
    bool ignore_sync;   /* take no notice of recognised spins */
    bool ignore_atomic; /* atomic accesses are plain ones */
    bool ignore_escape; /* atomicity: all memory has escaped */
    bool ignore_order;  /* atomicity: fork, join and barriers order nothing */
    const char *transactions, *no_transactions; /* names of functions (unit_names.h) */
    uint64_t block_work; /* 0: as much as the engine likes */
    uint64_t block_events, block_count; /* the same; of 32 bits */
    bool prefix;        /* of a damaged trace, analyze what comes before the damage */
    char *const *arguments; /* of the program that was recorded, for advice; ends with NULL */
    const char *explain; /* the number or id of the finding that is told at length, and no other */
    bool stats;         /* print what each engine costs */
    bool quiet;         /* when nothing is found, say nothing */
    FILE *out;          /* where the reports go; NULL: stdout */
};

/* What can be refused before there is a trace. 0, or an exit status after one line on stderr. */
int darn_analysis_check(const struct darn_analysis_options *options);

/* The result is an exit status: 0 nothing found, DARN_EXIT_FINDINGS, or 2 after one line on stderr:
 * then nothing was printed or written. 1 when the output could not be written. */
int darn_analysis_run(const struct darn_analysis_options *options, const char *path);

/* The same for several traces, the findings of which are put together. */
int darn_analysis_run_all(const struct darn_analysis_options *options, char *const *paths,
                          size_t count);

/* The findings of a trace without those that are suppressed, for a command that goes on with them:
 * nothing is printed. 0, or an exit status after one line on stderr. The caller frees them. */
int darn_analysis_collect(const struct darn_analysis_options *options, const char *path,
                          struct darn_verdicts *verdicts);

#endif
