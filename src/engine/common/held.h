/*
 * Which locks each thread holds, from the ACQUIRE and RELEASE events: in order of acquisition, with
 * where they were acquired.
 *
 * What a thread holds is a number too, the *holding*: it stands for the list of the locks with
 * their sites and stacks. A step that is remembered keeps four bytes, and has both its lockset and
 * what a report needs. Holdings form a tree: each is the one before the last acquisition plus one
 * lock. They are never given back; there are as many as the program has ways to come to its locks.
 *
 * A trace may come from elsewhere, and semaphores are used as locks. So a release by a thread that
 * does not hold the lock takes it from the thread that does (of several readers, from the one that
 * was first to acquire it), and a release of a lock that nobody holds is counted and changes
 * nothing.
 */
#ifndef DARN_ENGINE_HELD_H
#define DARN_ENGINE_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "engine/common/lockset.h"

#define DARN_HOLDING_NOTHING 0u

/* One lock of a holding; the locks acquired before it are in `outer`. */
struct darn_holding {
    uint64_t lock;
    uint32_t outer; /* holding; DARN_HOLDING_NOTHING at the end */
    uint32_t set;   /* lockset of the whole */
    uint32_t site, stack;
    uint32_t count; /* of locks in the whole */
    uint8_t kind;   /* enum darn_event_lock */
};

/* What one thread holds now. */
struct darn_held_lock {
    uint64_t lock;
    uint32_t site, stack; /* of the first acquisition, when there are several */
    uint32_t depth;       /* 1, or more for a recursive lock */
    uint8_t kind;         /* enum darn_event_lock; the strongest, when there are several */
};

struct darn_held_thread {
    uint32_t set; /* lockset */
    uint32_t holding;
    uint32_t count;
    const struct darn_held_lock *locks; /* in order of acquisition; until the next event */
};

struct darn_held;

/* The sets are the caller's, and live longer. NULL when there is no memory. */
struct darn_held *darn_held_create(struct darn_locksets *sets);
void darn_held_destroy(struct darn_held *held);

/* Takes notice of ACQUIRE, RELEASE and EXIT, and of no other event. When an engine asks about the
 * locks that were held at an ACQUIRE, it asks before. */
void darn_held_event(struct darn_held *held, const struct darn_event *event);

struct darn_held_thread darn_held_of(const struct darn_held *held, uint32_t thread);
uint32_t darn_held_set(const struct darn_held *held, uint32_t thread);
uint32_t darn_held_holding(const struct darn_held *held, uint32_t thread);

/* Of a lock that the thread holds; NULL when it does not. */
const struct darn_held_lock *darn_held_find(const struct darn_held *held, uint32_t thread,
                                            uint64_t lock);

/* Of any holding but DARN_HOLDING_NOTHING; valid until the next event. */
const struct darn_holding *darn_holding(const struct darn_held *held, uint32_t holding);
uint32_t darn_holding_set(const struct darn_held *held, uint32_t holding);

/* Writes the locks of a holding into a step, in order of acquisition. Of more than fit, those
 * acquired last. */
void darn_holding_fill(const struct darn_held *held, uint32_t holding,
                       struct darn_prediction_step *step);

size_t darn_held_memory(const struct darn_held *held);

static inline bool darn_lock_is_exclusive(uint8_t kind)
{
    return kind != DARN_EVENT_RDLOCK;
}

#endif
