/*
 * Objects that synchronize threads: locks, barriers, condition variables, semaphores, messages; and
 * what they hand on from one thread to another. The rules are in order.h.
 */
#ifndef DARN_ENGINE_SYNC_H
#define DARN_ENGINE_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/clock.h"
#include "trace/event.h"

struct darn_generation;

/* What one thread is about; zeroed at first. */
struct darn_sync_thread {
    struct darn_generation *arrived; /* at a barrier, and has not departed */
    uint64_t waits_for;              /* condition variable */
    uint32_t number;                 /* of the condition variable when the wait began */
};

struct darn_syncs;

/* NULL when there is no memory. The clocks are the caller's. */
struct darn_syncs *darn_syncs_create(struct darn_clocks *clocks);
void darn_syncs_destroy(struct darn_syncs *syncs);

/* What an event of a thread with the clock `now` acquires, and what it releases. Events of other
 * kinds do nothing. */
void darn_syncs_before(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                       struct darn_stamp *now, const struct darn_event *event);
void darn_syncs_after(struct darn_syncs *syncs, struct darn_sync_thread *thread,
                      struct darn_stamp *now, const struct darn_event *event);

/* The thread has ended. */
void darn_syncs_leave(struct darn_syncs *syncs, struct darn_sync_thread *thread);

void darn_syncs_forget(struct darn_syncs *syncs, uint64_t address, uint64_t size);
size_t darn_syncs_memory(const struct darn_syncs *syncs);

#endif
