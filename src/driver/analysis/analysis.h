/*
 * Engines over traces: what they predict, put together as findings.
 */
#ifndef DARN_DRIVER_ANALYSIS_H
#define DARN_DRIVER_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/process/listener.h"
#include "driver/analysis/explain.h"
#include "driver/analysis/lineup.h"
#include "driver/analysis/places.h"
#include "driver/analysis/unit_hints.h"
#include "driver/analysis/unit_names.h"
#include "driver/analysis/verdicts.h"
#include "report/explain/explain_finding.h"
#include "report/predict.h"
#include "report/suppress.h"
#include "report/symbol/module.h"

/* A zeroed struct has the defaults. Texts may be NULL or empty. */
struct darn_analysis_options {
    const char *engines; /* names separated by commas, or `all` (lineup.h) */
    const char *suppressions;
    bool ignore_sync;   /* take no notice of recognised spins */
    bool suspect;       /* nor of order that only may be there: what is found will be tried */
    bool ignore_atomic; /* atomic accesses are plain ones */
    bool ignore_escape; /* atomicity: all memory has escaped */
    bool ignore_order;  /* atomicity: fork, join and barriers order nothing */
    const char *transactions, *no_transactions; /* names of functions (unit_names.h) */
    uint64_t block_work;                        /* 0: as much as the engine likes */
    uint64_t block_events, block_count;         /* the same; of 32 bits */
    bool prefix;            /* of a damaged trace, analyze what comes before the damage */
    char *const *arguments; /* of the program that was recorded, for advice; ends with NULL */
    bool sure_first;        /* suspicions (verdicts.h) have no number */
    const char *explain;    /* the number or id of the finding that is to be told at length */
    double until; /* darn_clock: from then on neither events nor symbols are looked at; 0: none */
};

/* Begins with the first four; the rest is what came of it. */
struct darn_analysis {
    const struct darn_analysis_options *options;
    struct darn_listener *listener;
    /* Is given the finding of options->explain while its trace is open. */
    void (*explained)(void *context, const struct darn_explain_job *job);
    void *context;

    struct darn_lineup lineup;
    struct darn_verdicts verdicts;          /* suppressed ones, too */
    struct darn_suppressions *suppressions; /* NULL: none */
    uint64_t events;                        /* that were read, */
    uint64_t lost;                          /* and that the traces lack: this many, */
    bool at_least;                          /* or more */
    double reading;                         /* in seconds */
    bool cut_off;                           /* options->until was over before all was done */
    /* Its own. */
    struct darn_explain explain;
    struct darn_modules modules;
    struct darn_unit_names unit_names;
    struct darn_unit_hints hints;
    uint32_t trace;     /* the number of the present one */
    bool has_functions; /* it has them */
};

/* What can be refused before there is a trace. 0, or DARN_REFUSED; to be
 * ended in either case. */
int darn_analysis_begin(struct darn_analysis *analysis);
void darn_analysis_end(struct darn_analysis *analysis);

/* One trace; the findings of several are put together. 0 or DARN_REFUSED. */
int darn_analysis_read(struct darn_analysis *analysis, const char *path);

/* Its parts, for who feeds the engines by himself (follow_analysis.h): what the engines are told,
 * what one of them predicts as a finding, and the end of a trace. The result is the index of the
 * verdict. */
struct darn_engine_config darn_analysis_config(const struct darn_analysis *analysis,
                                               const struct darn_places *places, bool in_order);
size_t darn_analysis_add(struct darn_analysis *analysis, const struct darn_predicted *predicted);
void darn_analysis_close(struct darn_analysis *analysis, struct darn_trace *trace,
                         const char *path);

/* Warns of what may be the reason that something was not found: bounds of engines, and, with
 * `hints`, functions that are not there. */
void darn_analysis_warn(const struct darn_analysis *analysis, bool hints);

/* The findings of one trace without those that are suppressed. 0 or DARN_REFUSED. The caller
 * frees them. */
int darn_analysis_collect(const struct darn_analysis_options *options,
                          struct darn_listener *listener, const char *path,
                          struct darn_verdicts *verdicts);

#endif
