/*
 * Systematic search: every state that a run has come through is a place to leave it. A deviation is
 * a script (strategy.h): that of its parent and one switch more. A state that was seen before is
 * not left again. The cheapest deviations are tried first: what counts is preemptions (Musuvathi
 * and Qadeer 2007) when states are told apart exactly, and else all switches (Emmi et al. 2011),
 * since with many threads there are far too many orders without any preemption.
 */
#ifndef DARN_SEARCH_FRONTIER_H
#define DARN_SEARCH_FRONTIER_H

#include "search/search.h"
#include "search/search_state.h"
#include "search/trail.h"

#define DARN_FRONTIER_NODES ((1u << 20) - 1) /* deviations, tried or not */

struct darn_frontier;

struct darn_frontier_options {
    enum darn_state_grade grade;
    uint32_t bound; /* the highest cost; UINT32_MAX: no limit */
    uint64_t seed;
};

/* NULL when there is no memory. */
struct darn_frontier *darn_frontier_new(const struct darn_frontier_options *options);
void darn_frontier_free(struct darn_frontier *frontier);

/* As of a search (search.h). Sets plan, switches and origin of the task. */
bool darn_frontier_next(struct darn_frontier *frontier, struct darn_task *task, bool *later);

/* Only of its own tasks, by their origin. */
void darn_frontier_tell(struct darn_frontier *frontier, uint32_t origin,
                        const struct darn_trail *trail);

/* The runs that were given out. */
size_t darn_frontier_size(const struct darn_frontier *frontier);

/* Nothing is left, and nothing was forgotten for want of memory. */
bool darn_frontier_exhausted(const struct darn_frontier *frontier);

#endif
