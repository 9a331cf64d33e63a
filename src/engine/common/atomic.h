/*
 * What atomic accesses, fences and accesses of recognised spins hand on from one thread to another.
 * The rules are in order.h.
 */
#ifndef DARN_ENGINE_ATOMIC_H
#define DARN_ENGINE_ATOMIC_H

#include <stddef.h>
#include <stdint.h>

#include "engine/common/clock.h"
#include "trace/event.h"

/* What fences of one thread are about. */
struct darn_atomic_thread {
    struct darn_stamp released; /* at its last fence that releases */
    struct darn_stamp loaded;   /* by relaxed loads, for the next fence that acquires */
};

struct darn_atomics;

/* NULL when there is no memory. The clocks are the caller's. */
struct darn_atomics *darn_atomics_create(struct darn_clocks *clocks);
void darn_atomics_destroy(struct darn_atomics *atomics);

/* The two halves of an access that is synchronization, or of a fence. The flags of the event are
 * those that count: what is to be ignored has been taken out. */
void darn_atomics_before(struct darn_atomics *atomics, struct darn_atomic_thread *thread,
                         struct darn_stamp *now, const struct darn_event *event);
void darn_atomics_after(struct darn_atomics *atomics, struct darn_atomic_thread *thread,
                        struct darn_stamp *now, const struct darn_event *event);

/* The thread has ended. */
void darn_atomics_leave(struct darn_atomics *atomics, struct darn_atomic_thread *thread);

void darn_atomics_forget(struct darn_atomics *atomics, uint64_t address, uint64_t size);
size_t darn_atomics_memory(const struct darn_atomics *atomics);

#endif
