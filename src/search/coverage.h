/* What all the runs of a search have shown so far, counted. */
#ifndef DARN_SEARCH_COVERAGE_H
#define DARN_SEARCH_COVERAGE_H

#include "search/search.h"
#include "base/map.h"

#define DARN_COVERAGE_FRESH 8

struct darn_coverage {
    struct darn_search_stats stats;
    struct darn_map reads;        /* reads-from pairs (darn_coverage_pair): in how many runs */
    struct darn_map orders;       /* partial orders: likewise */
    struct darn_map combinations; /* of all pairs of a run: likewise */
    uint64_t expected_steps;      /* of a run: a mean that forgets the old ones */
    /* The last run: */
    uint32_t new_reads;
    struct darn_block_read fresh[DARN_COVERAGE_FRESH]; /* the first ones of them */
    bool new_order;
    uint64_t combination;
};

void darn_coverage_add(struct darn_coverage *coverage, const struct darn_outcome *outcome);
void darn_coverage_free(struct darn_coverage *coverage);

uint64_t darn_coverage_pair(uint64_t read, uint64_t write);
bool darn_coverage_has(const struct darn_coverage *coverage, uint64_t read, uint64_t write);

#endif
