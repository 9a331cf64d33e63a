/*
 * `darn analyze --explain=FINDING`: one finding at length. The report comes first, then what the
 * trace knows besides (witness.h): each step with its transaction and locks, what the threads did
 * in between, which lock is missing or given back, what could have put the steps in order, who else
 * touches the same memory, and for reduction the pattern of the transaction and where it breaks.
 */
#ifndef DARN_REPORT_EXPLAIN_FINDING_H
#define DARN_REPORT_EXPLAIN_FINDING_H

#include <stddef.h>
#include <stdio.h>

#include "engine/common/engine.h"
#include "report/explain/witness.h"
#include "report/finding.h"
#include "report/symbol/module.h"
#include "report/text/style.h"

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
};

/* The explanation, without the report. */
void darn_explain_print(FILE *out, const struct darn_explain_job *job,
                        const struct darn_style *style);

#endif
