/*
 * The command line of `darn analyze`, and its report: darn predict and the runtime's own report ask
 * for the same.
 */
#ifndef DARN_CLI_ANALYZE_H
#define DARN_CLI_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "driver/analysis/analysis.h"
#include "cli/say.h"

/* What the line says. */
struct darn_analyze_line {
    const char *command; /* in messages: `darn COMMAND: …` */
    struct darn_analysis_options wanted;
    const char *json;     /* append the findings to this file, too */
    const char *sarif;    /* and put them into this one */
    const char *baseline; /* what this file has is known, and not reported */
    const char *strip_path_prefix;
    uint32_t color; /* enum darn_color */
    bool stats;     /* print what each engine costs */
    bool quiet;     /* when nothing is found, say nothing */
    bool all;       /* also what has the same cause as another one (report/cause.h) */
    bool numbered;  /* say how to have a finding told at length */
    /* With wanted.sure_first suspicions (driver/analysis/verdicts.h) are only counted, in one line,
     * and give no exit status. */
    const char *suspects;    /* this file has them, */
    bool suspects_asked_for; /* because the user has named it */
    char *const *program;    /* with its arguments: what darn hunt is to try them with */
    FILE *out;               /* where the reports go; NULL: stdout */
};

/* They fill that struct. */
extern const struct darn_option darn_analyze_options[];

/* Whether --engine=help was asked for, and answered with that exit status. */
bool darn_analyze_lists_engines(const struct darn_analyze_line *line, int *status);

/* What can be refused before there is a trace. 0, or an exit status after one line on stderr. */
int darn_analyze_check(const struct darn_analyze_line *line);

/* The result is an exit status: 0 nothing found, DARN_EXIT_FINDINGS, or 2 after one line on stderr:
 * then nothing was printed or written. 1 when the output could not be written. */
int darn_analyze_traces(const struct darn_analyze_line *line, char *const *paths, size_t count);

/* Prints the names of all engines, and what they do. */
void darn_analyze_engines(FILE *out);

#endif
