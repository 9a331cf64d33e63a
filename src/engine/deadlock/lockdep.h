/*
 * Lock dependencies: a thread asks for a lock while it holds others. Collected from the events of a
 * trace, each one once, however often it happens: their number is that of the ways in which the
 * program nests its locks, not that of its steps.
 *
 * A dependency is told from others by the locks held with where each was acquired, the lock asked
 * for with its mode and where, and the slot of its thread (periods.h): threads of which one can
 * only begin after the other has been joined share theirs, so a thread for each request costs
 * nothing.
 *
 * What is one and what is not:
 *   - An acquisition that gives up (DARN_EVENT_TRY) waits for nobody: no dependency. The lock
 *     counts as held all the same.
 *   - A lock that the thread has already is a recursive one: no dependency.
 *   - The mutex that comes back at the end of a wait for a condition variable is acquired like any
 *     other, also when the wait had a timeout.
 *   - A request that is never granted until the trace ends is a dependency; if the thread has the
 *     lock itself, in a mode that excludes the other, the thread waits for itself.
 *   - A thread that joins another asks for its end. To the other it is a lock that it holds all its
 *     life. That is why acquisitions with nothing else held are dependencies, too ("lone").
 */
#ifndef DARN_ENGINE_LOCKDEP_H
#define DARN_ENGINE_LOCKDEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "engine/common/engine.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"
#include "engine/common/periods.h"
#include "engine/common/threads.h"
#include "engine/deadlock/moments.h"
#include "engine/deadlock/deadlock_objects.h"

/* The most dependencies, and the most lone ones: a program may have a lock in each of millions of
 * blocks. */
#define DARN_LOCKDEP_MOST (1u << 21)
#define DARN_LOCKDEP_LONE (1u << 18)

struct darn_lockdep {
    uint64_t place; /* of the acquisition (place.h) */
    uint32_t asked; /* object; of a JOIN, the thread */
    uint32_t holding;
    uint32_t slot;
    uint32_t site, stack;
    uint8_t kind; /* DARN_EVENT_ACQUIRE, DARN_EVENT_REQUEST, DARN_EVENT_JOIN */
    uint8_t lock; /* enum darn_event_lock */
    bool is_self; /* it waits for itself */
    struct darn_moments moments;
};

struct darn_lockdep_thread;

struct darn_lockdeps {
    const struct darn_engine_config *config;
    struct darn_objects locks;
    struct darn_locksets *sets;
    struct darn_held *held; /* its locks are objects, not addresses */
    struct darn_periods *periods;
    struct darn_threads threads;
    struct darn_lockdep_thread *states; /* by the index of the thread */
    size_t state_capacity;
    struct darn_lockdep *all; /* in the order in which they were first seen */
    size_t count, capacity;
    struct darn_htable table; /* of dependencies + 1 */
    uint32_t lone;
    uint64_t dropped; /* those for which there was no room, each time */
};

/* false when there is no memory; the struct can be freed in any case. */
bool darn_lockdeps_init(struct darn_lockdeps *deps, const struct darn_engine_config *config);
void darn_lockdeps_free(struct darn_lockdeps *deps);

void darn_lockdeps_event(struct darn_lockdeps *deps, const struct darn_event *event);

/* The trace has ended: what was requested and not granted becomes a dependency. */
void darn_lockdeps_finish(struct darn_lockdeps *deps);

/* Where a lock of a holding was acquired; 0 also if it is not in it. */
uint64_t darn_lockdep_place_held(const struct darn_lockdeps *deps, uint32_t holding, uint32_t lock);

size_t darn_lockdeps_memory(const struct darn_lockdeps *deps);

#endif
