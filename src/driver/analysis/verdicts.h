/*
 * The findings of an analysis: what several engines or several traces tell of is one.
 */
#ifndef DARN_DRIVER_VERDICTS_H
#define DARN_DRIVER_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "report/finding.h"
#include "report/suppress.h"
#include "report/symbol/module.h"

struct darn_verdict {
    struct darn_finding *finding;
    uint32_t trace;         /* the last one that it was found in */
    uint64_t count_earlier; /* in the traces before that */
};

struct darn_verdicts {
    struct darn_verdict *items; /* in the order of their first appearance */
    size_t count, room;
    struct darn_map by_id; /* hash of the id to index + 1 */
};

/* A zeroed struct has none. */
void darn_verdicts_free(struct darn_verdicts *verdicts);

/* Takes the finding over, completes it (report/predict.h) and keeps it. One that is there already
 * gets the engine added to its own. Engines count in different ways, so in one trace the largest
 * count stands; those of different traces add up. The result is its index. */
size_t darn_verdicts_add(struct darn_verdicts *verdicts, struct darn_finding *finding,
                         uint32_t trace, struct darn_modules *modules);

/* Whether an engine is one of those that have told of the same: "eraser, hb". */
bool darn_verdict_is_by(const char *engines, const char *engine);

/* Whether it is a race that only engines tell of that go by locks, and not by what orders accesses:
 * something that they do not see may keep the two apart. */
bool darn_verdict_is_suspicion(const struct darn_finding *finding);

/* Drops those that are suppressed. No more are to be added after it. */
void darn_verdicts_suppress(struct darn_verdicts *verdicts,
                            struct darn_suppressions *suppressions);

#endif
