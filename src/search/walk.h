/* The plans that need little or nothing from earlier runs: random, PCT, POS, SURW. */
#ifndef DARN_SEARCH_WALK_H
#define DARN_SEARCH_WALK_H

#include "search/coverage.h"
#include "search/search.h"
#include "search/trail.h"

/* A run as a sample of what is to be expected: who did something to what. */
struct darn_walk {
    uint64_t random;
    /* Private. */
    uint32_t steps_of[DARN_SLOTS];
    uint32_t slots;
    struct darn_array touches;
    struct darn_array objects; /* that two slots touch */
};

void darn_walk_learn(struct darn_walk *walk, const struct darn_result *result,
                     const struct darn_trail *trail);
void darn_walk_free(struct darn_walk *walk);

void darn_walk_pct(const struct darn_coverage *coverage, uint32_t depth, struct darn_task *task);
void darn_walk_surw(struct darn_walk *walk, struct darn_task *task);

#endif
