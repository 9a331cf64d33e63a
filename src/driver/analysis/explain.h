/*
 * `darn analyze --explain=FINDING`: one finding at length. The report comes first, then what the
 * trace knows besides (witness.h): each step with its transaction and locks, what the threads did
 * in between, which lock is missing or given back, what could have put the steps in order, who else
 * touches the same memory, and for reduction the pattern of the transaction and where it breaks.
 */
#ifndef DARN_CLI_EXPLAIN_H
#define DARN_CLI_EXPLAIN_H

#include <stddef.h>
#include <stdio.h>

#include "driver/analysis/lineup.h"
#include "driver/analysis/verdicts.h"
#include "cli/witness.h"
#include "report/text/style.h"

/* Which prediction each verdict was made of: the first one. */
struct darn_explain {
    struct darn_explain_origin {
        uint32_t entry, prediction; /* of the lineup, of its engine */
    } * origins;
    size_t count, room;
};

void darn_explain_free(struct darn_explain *explain);

/* The verdict comes from a prediction. Without memory it cannot be explained. */
void darn_explain_note(struct darn_explain *explain, size_t verdict, size_t entry,
                       size_t prediction);

/* Which verdict is meant: by its id, or by its number in the list of those that are not suppressed,
 * from 1 on. -1 when there is none. */
int64_t darn_explain_choose(const char *name, const struct darn_verdicts *verdicts,
                            const struct darn_suppressions *suppressions);

/* What is needed to tell names. */
struct darn_explain_job {
    const struct darn_finding *finding;
    const struct darn_engine *engine;
    const void *state; /* of the engine, after finish */
    size_t prediction; /* index */
    const struct darn_witness *witness;
    const struct darn_trace *trace;
    const char *path; /* of the trace */
    struct darn_modules *modules;
    const struct darn_style *style;
};

/* explain_print.c: the explanation, without the report. */
void darn_explain_print(FILE *out, const struct darn_explain_job *job);

#endif
