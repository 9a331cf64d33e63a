/*
 * The search for cycles in a lock graph.
 *
 * Found are cycles of shapes in which each waits for the next, and of which any two could wait at
 * the same time: no lock is held by both in modes that exclude each other (a gate lock is one), and
 * they have been seen in concurrent periods of different threads. That all of them can wait
 * together is left to the caller to find out. A cycle of which a part is a cycle is none. (It takes
 * read locks to make one: a lock that is held exclusively is held by one thread of a cycle alone.)
 *
 * Short ones come first: all of two steps, then all of three, and so on. Each is found once, from
 * that of its shapes with the smallest number. The search is cut off when it has done more than its
 * share of work; what it has not seen by then is not found, and this is counted.
 */
#ifndef DARN_ENGINE_CYCLES_H
#define DARN_ENGINE_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "engine/deadlock/lockgraph.h"

/* How much is done for one component, and for all together: comparisons, more or less. */
#define DARN_CYCLES_WORK     (16u << 20)
#define DARN_CYCLES_WORK_ALL (64u << 20)

struct darn_cycle {
    uint32_t component;
    uint32_t count;
    uint32_t shapes[DARN_PREDICTION_STEPS]; /* each asks for what the next holds */
};

/* Whether longer cycles than this are still of interest in this component. What the visitor does,
 * it takes from `work`. */
typedef bool darn_cycle_visitor(void *to, const struct darn_cycle *cycle, uint64_t *work);

/* Returns how many components were not searched to the end for want of work. */
uint64_t darn_cycles_find(const struct darn_lockgraph *graph, darn_cycle_visitor *visit, void *to);

#endif
