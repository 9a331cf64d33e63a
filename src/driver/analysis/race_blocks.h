/*
 * Which block of the heap a race is about.
 *
 * Engines do not know of blocks, and when they have seen the whole trace the block may long be
 * another one's. So the trace is read a second time, and looked at where it comes to the addresses
 * in question: memory is bounded by the number of the races.
 */
#ifndef DARN_DRIVER_RACE_BLOCKS_H
#define DARN_DRIVER_RACE_BLOCKS_H

#include "engine/common/engine.h"
#include "trace/trace.h"

struct darn_race_blocks {
    struct darn_race_wanted *wanted; /* sorted by address when it is complete */
    size_t count, room;
};

/* A zeroed struct wants none. */
void darn_race_blocks_free(struct darn_race_blocks *blocks);

/* Asks for the block of a race. Without memory it is not found. */
void darn_race_blocks_want(struct darn_race_blocks *blocks, const struct darn_prediction *race);

/* Reads the trace from its beginning. */
void darn_race_blocks_find(struct darn_race_blocks *blocks, struct darn_trace *trace);

/* The ALLOC of the block that the race is about; NULL when there is none. */
const struct darn_event *darn_race_blocks_get(const struct darn_race_blocks *blocks,
                                              const struct darn_prediction *race);

#endif
