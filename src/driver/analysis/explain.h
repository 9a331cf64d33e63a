/*
 * Which finding `darn analyze --explain=FINDING` means, and which prediction it was made of
 * (report/explain tells it).
 */
#ifndef DARN_DRIVER_EXPLAIN_H
#define DARN_DRIVER_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "driver/analysis/verdicts.h"

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

/* Which verdict is meant: by its id, or by its number in the list of those that are printed, from 1
 * on: neither what is suppressed is, nor, if what is sure comes first, suspicions. -1 when there is
 * none. */
int64_t darn_explain_choose(const char *name, const struct darn_verdicts *verdicts,
                            struct darn_suppressions *suppressions, bool sure_first);

#endif
