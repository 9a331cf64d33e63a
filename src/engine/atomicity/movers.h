/*
 * Which locks can be passed over when events are classified by how they commute (Wang & Stoller
 * 5.5): an acquire is a right-mover and a release a left-mover, but both are both-movers if only
 * one thread uses the lock, or if whoever holds it holds another one all the time.
 *
 * What is known is what was seen so far: asked at the end, it is the offline classification, and
 * asked in between that of Atomizer.
 */
#ifndef DARN_ENGINE_MOVERS_H
#define DARN_ENGINE_MOVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"

struct darn_mover_lock {
    uint32_t thread;     /* that used it first */
    bool is_shared;      /* another one did, too */
    uint32_t protectors; /* lockset: what was held whenever it was */
};

/* A zeroed struct knows no lock; `sets` and `held` are set by the owner. */
struct darn_movers {
    struct darn_locksets *sets;
    const struct darn_held *held;
    struct darn_map ids; /* of addresses + 1 */
    struct darn_mover_lock *all;
    size_t count, capacity;
};

void darn_movers_free(struct darn_movers *movers);

/* Before the thread has the lock, and before it has given it back. */
void darn_movers_acquire(struct darn_movers *movers, uint32_t thread, uint64_t lock);
void darn_movers_release(struct darn_movers *movers, uint32_t thread, uint64_t lock);

/* Whether acquiring and releasing it are both-movers. */
bool darn_movers_are_both(const struct darn_movers *movers, uint64_t lock);

size_t darn_movers_memory(const struct darn_movers *movers);

#endif
