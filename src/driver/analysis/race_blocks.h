/*
 * Which block of the heap a race is about, and under which locks its memory is accessed elsewhere.
 *
 * Engines do not know of blocks, and when they have seen the whole trace the block may long be
 * another one's. Nor do they keep accesses that race with nobody. So the trace is read a second
 * time, and looked at where it comes to the addresses in question: memory is bounded by the number
 * of the races.
 */
#ifndef DARN_DRIVER_RACE_BLOCKS_H
#define DARN_DRIVER_RACE_BLOCKS_H

#include "engine/common/engine.h"
#include "engine/common/held.h"
#include "trace/trace.h"

struct darn_race_blocks {
    struct darn_race_wanted *wanted; /* sorted by address when it is complete */
    size_t count, room;
    struct darn_locksets *sets;
    struct darn_held *held; /* what the threads of the trace hold; NULL: no memory */
};

/* So many different accesses of each race are remembered. */
#define DARN_RACE_USES 8

/* A zeroed struct wants none. */
void darn_race_blocks_free(struct darn_race_blocks *blocks);

/* Asks for the block of a race. Without memory it is not found. */
void darn_race_blocks_want(struct darn_race_blocks *blocks, const struct darn_prediction *race);

/* Reads the trace from its beginning. */
void darn_race_blocks_find(struct darn_race_blocks *blocks, struct darn_trace *trace);

/* Accesses to the memory of the race, each place of each thread once, with the locks that were
 * held: how many are filled in. */
size_t darn_race_blocks_uses(const struct darn_race_blocks *blocks,
                             const struct darn_prediction *race,
                             struct darn_prediction_step uses[DARN_RACE_USES]);

/* The ALLOC of the block that the race is about; NULL when there is none. */
const struct darn_event *darn_race_blocks_get(const struct darn_race_blocks *blocks,
                                              const struct darn_prediction *race);

#endif
