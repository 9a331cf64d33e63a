/*
 * Which thread has which slot of the clocks. Thread numbers are never used again, slots are: clocks
 * have as many entries as threads live side by side, also when a program starts thousands.
 *
 * A thread that has ended leaves its slot to a thread whose creator knows everything that happened
 * in the slot: all that the old thread touched and handed on. Then the old thread's steps happen
 * before all of the new one's, and the two can share one line of time without a wrong answer. After
 * a join this is the case; for a detached thread, when the creator has met it at a lock or the like
 * after its last access.
 *
 * The other way would be sparse clocks, with entries for the threads that one has heard of only.
 * But one hears of all in the end, the dead included, and a question would be a search instead of
 * an index.
 *
 * Threads of which nobody ever learns would make clocks grow for ever. So of those at most
 * DARN_SLOTS_DEAD are kept; beyond that the oldest slot is given away without asking, and
 * what its thread did counts as having happened before the new thread: races may be missed, none is
 * made up. This is counted, and clocks become `careful`.
 */
#ifndef DARN_ENGINE_THREAD_SLOTS_H
#define DARN_ENGINE_THREAD_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/clock.h"

#define DARN_SLOTS_DEAD 1024u

/* A zeroed struct has no slots yet. */
struct darn_slots {
    struct darn_clock_slot *slots;
    size_t count, capacity;
    uint32_t *dead; /* slots without a thread, the oldest first */
    size_t dead_count, dead_capacity;
    size_t owner_count;
    uint64_t forced;
};

void darn_slots_free(struct darn_slots *slots);

/* A slot for the thread, with its first time: a stamp without a clock. `creator` is what the
 * creator of the thread knows; NULL when nobody is known to have made it. */
struct darn_stamp darn_slots_take(struct darn_slots *slots, uint32_t thread,
                                  const struct darn_stamp *creator);

/* The thread has ended at `now`, and this is not handed on yet; `used`: it has touched something
 * since it last handed anything on. */
void darn_slots_leave(struct darn_slots *slots, const struct darn_stamp *now, bool used);

/* The number of the thread that lived in this epoch. */
uint32_t darn_slots_thread(const struct darn_slots *slots, darn_epoch epoch);

size_t darn_slots_memory(const struct darn_slots *slots);

#endif
