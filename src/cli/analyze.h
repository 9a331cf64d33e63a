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
#include "report/export/collection.h"
#include "report/text/style.h"

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
    size_t told;             /* so many were printed when they were found */
};

/* They fill that struct. */
extern const struct darn_option darn_analyze_options[];

/* Whether --engine=help was asked for, and answered with that exit status. */
bool darn_analyze_lists_engines(const struct darn_analyze_line *line, int *status);

/* What can be refused before there is a trace. 0, or an exit status after one line on stderr. */
int darn_analyze_check(const struct darn_analyze_line *line);

/* Its parts, for who prints findings as they come: where they go and how, the file of known ones
 * (which can be read: that was checked); what can be refused without reading a trace (0 or an exit
 * status; to be ended in either case); and the report at the end: 0 or an exit status. */
FILE *darn_analyze_output(const struct darn_analyze_line *line);
struct darn_style darn_analyze_style(const struct darn_analyze_line *line);
void darn_analyze_read_baseline(const struct darn_analyze_line *line,
                                struct darn_collection *baseline);
int darn_analyze_begin(const struct darn_analyze_line *line, struct darn_analysis *analysis);
int darn_analyze_report(const struct darn_analyze_line *line, const struct darn_analysis *analysis);

/* The result is an exit status: 0 nothing found, DARN_EXIT_FINDINGS, or 2 after one line on stderr:
 * then nothing was printed or written. 1 when the output could not be written. */
int darn_analyze_traces(const struct darn_analyze_line *line, char *const *paths, size_t count);

/* Prints the names of all engines, and what they do. */
void darn_analyze_engines(FILE *out);

#endif
