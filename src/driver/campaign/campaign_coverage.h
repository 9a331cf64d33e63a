/*
 * Reading coverage (src/trace/covered.h), and what people ask about it.
 */
#ifndef DARN_DRIVER_CAMPAIGN_COVERAGE_H
#define DARN_DRIVER_CAMPAIGN_COVERAGE_H

#include <stdbool.h>

#include "base/map.h"
#include "driver/campaign/campaign_facts.h"
#include "driver/process/listener.h"
#include "report/symbol/module.h"
#include "trace/covered.h"

/* Which place in the source a call is: its key there is the same in every build. A zeroed struct
 * knows none. */
struct darn_campaign_calls {
    struct darn_modules modules;
    struct darn_text_pool pool;
    struct darn_map places; /* from keys of the file to struct darn_campaign_site */
};

void darn_campaign_calls_free(struct darn_campaign_calls *calls);

/* Adds what the file has; a line that was cut off in the end is none. 0; a negative errno; -EINVAL:
 * it is no coverage. */
int darn_campaign_coverage_read(struct darn_campaign_coverage *coverage,
                                struct darn_campaign_calls *calls, const char *path);

/* "a pair of accesses": what a fact of this kind is. */
const char *darn_campaign_kind_words(enum darn_coverage_kind kind);

/* ---- the share of what is possible ---- */

/* A site of the profile: it touches memory that threads share. */
struct darn_campaign_shared {
    uint64_t key;
    char *file, *variable; /* a variable that has no name is nobody else's */
    char *place;           /* FILE:LINE:COLUMN OP VARIABLE */
    const char *function;  /* as the coverage names it; NULL: nothing of it was seen */
    bool writes;
    int64_t possible, seen; /* pairs in which it is the second */
};

struct darn_campaign_share {
    struct darn_campaign_shared *sites;
    size_t count, room;
    int64_t possible, seen;
};

/* Pairs are possible between sites of the profile that name the same variable, one of which writes.
 * Of different variables that are called the same, too many are. 0 or a negative errno; -EINVAL: it
 * is no profile. */
int darn_campaign_share(struct darn_campaign_share *share,
                        const struct darn_campaign_coverage *coverage, const char *profile);

/* Each pair that is possible. */
void darn_campaign_share_each(const struct darn_campaign_share *share,
                              const struct darn_campaign_coverage *coverage,
                              void (*visit)(void *context, size_t first, size_t second, bool seen),
                              void *context);
void darn_campaign_share_free(struct darn_campaign_share *share);

#endif
