/*
 * From what an engine predicts to a finding, with the names that the trace has for threads, sites,
 * variables and locks.
 */
#ifndef DARN_REPORT_PREDICT_H
#define DARN_REPORT_PREDICT_H

#include "engine/common/engine.h"
#include "report/finding.h"
#include "report/symbol/module.h"
#include "trace/trace.h"

struct darn_predicted {
    const struct darn_trace *trace;
    const char *path; /* of the trace: the locations of a text trace are shown as its lines */
    const struct darn_prediction *prediction;
    const char *engine;
    const struct darn_event *block; /* the ALLOC of the block that a race is about; NULL: unknown */
    const struct darn_prediction_step *guards; /* accesses of the trace to the same memory: each
                                                  place of each thread once */
    size_t guard_count;
};

/* Makes the finding, which knows no symbols yet. A race whose sites are known has its id already.
 * The caller frees it. */
struct darn_finding *darn_finding_predicted(const struct darn_predicted *predicted);

/* Completes it: by darn_resolve_in for a recorded program, while a text trace has nothing to be
 * looked up. */
void darn_finding_complete(struct darn_finding *finding, struct darn_modules *modules);

#endif
