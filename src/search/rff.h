/*
 * Reads-from directed search, after the fuzzer RFF (Wolff et al., ASPLOS 2024): a plan is a few
 * wishes which write a read shall see, or shall not. What has shown a new pair is kept and changed
 * further; combinations of pairs that were rare are preferred. Before that, every pair that is
 * possible by the objects of its places and that no run has shown is wished for by itself.
 */
#ifndef DARN_SEARCH_RFF_H
#define DARN_SEARCH_RFF_H

#include "search/coverage.h"
#include "search/know.h"
#include "search/search.h"

struct darn_rff {
    uint64_t random;
    /* Private. */
    struct darn_array corpus;
    struct darn_array pairs;
    struct darn_array listed; /* by object: how much of it is in pairs */
    struct darn_map known;    /* pairs that are listed */
    uint64_t listed_runs;
    size_t at; /* the next of the pairs to wish for */
    uint32_t rounds;
};

/* False when nothing is known of the program yet. */
bool darn_rff_next(struct darn_rff *rff, const struct darn_know *know,
                   const struct darn_coverage *coverage, struct darn_task *task);
/* The coverage is that with the run of the task, which may be anybody's. */
void darn_rff_tell(struct darn_rff *rff, const struct darn_coverage *coverage,
                   const struct darn_task *task);
void darn_rff_free(struct darn_rff *rff);

#endif
