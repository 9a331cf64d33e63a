#include "search/coverage.h"

#include "base/random.h"

uint64_t darn_coverage_pair(uint64_t read, uint64_t write)
{
    return darn_mix_two(read, write);
}

bool darn_coverage_has(const struct darn_coverage *coverage, uint64_t read, uint64_t write)
{
    return darn_map_get(&coverage->reads, darn_coverage_pair(read, write), 0) > 0;
}

/* True the first time. */
static bool count(struct darn_map *table, uint64_t key)
{
    bool added;

    ++*darn_map_at(table, key, &added);
    return added;
}

void darn_coverage_add(struct darn_coverage *coverage, const struct darn_outcome *outcome)
{
    const struct darn_result *result = outcome->result;
    struct darn_search_stats *stats = &coverage->stats;
    uint32_t reads = outcome->reads ? result->read_count : 0;

    stats->schedules++;
    stats->steps += result->steps;
    if (result->steps > stats->longest)
        stats->longest = result->steps;
    coverage->expected_steps = coverage->expected_steps
                                   ? (7 * coverage->expected_steps + result->steps + 4) / 8
                                   : result->steps;
    coverage->new_reads = 0;
    coverage->combination = 0;
    for (uint32_t i = 0; i < reads && i < DARN_BLOCK_READS; i++) {
        uint64_t pair = darn_coverage_pair(outcome->reads[i].read, outcome->reads[i].write);

        if (count(&coverage->reads, pair)) {
            if (coverage->new_reads < DARN_COVERAGE_FRESH)
                coverage->fresh[coverage->new_reads] = outcome->reads[i];
            coverage->new_reads++;
        }
        coverage->combination += darn_mix(pair);
    }
    coverage->new_order = count(&coverage->orders, result->partial_order);
    count(&coverage->combinations, coverage->combination);
    stats->reads = coverage->reads.count;
    stats->partial_orders = coverage->orders.count;
}

void darn_coverage_free(struct darn_coverage *coverage)
{
    darn_map_free(&coverage->reads);
    darn_map_free(&coverage->orders);
    darn_map_free(&coverage->combinations);
}
