#include "engine/atomicity/movers.h"

#include <stdlib.h>

#include "base/grow.h"

void darn_movers_free(struct darn_movers *movers)
{
    darn_map_free(&movers->ids);
    free(movers->all);
    *movers = (struct darn_movers){.sets = NULL};
}

/* NULL when it was never acquired. */
static struct darn_mover_lock *find_lock(const struct darn_movers *movers, uint64_t lock)
{
    uintptr_t id = darn_map_get(&movers->ids, lock, 0);

    return id ? &movers->all[id - 1] : NULL;
}

void darn_movers_acquire(struct darn_movers *movers, uint32_t thread, uint64_t lock)
{
    uint32_t held = darn_lockset_exclusive(movers->sets, darn_held_set(movers->held, thread));
    struct darn_mover_lock *known = find_lock(movers, lock);

    if (known) {
        known->is_shared |= known->thread != thread;
        known->protectors = darn_lockset_intersect(movers->sets, known->protectors, held);
        return;
    }
    movers->all =
        darn_grow(movers->all, &movers->capacity, movers->count + 1, sizeof(*movers->all));
    movers->all[movers->count++] = (struct darn_mover_lock){.thread = thread, .protectors = held};
    darn_map_put(&movers->ids, lock, movers->count);
}

/* Locks that are still held are no longer protected by this one. */
void darn_movers_release(struct darn_movers *movers, uint32_t thread, uint64_t lock)
{
    struct darn_held_thread now = darn_held_of(movers->held, thread);

    for (uint32_t i = 0; i < now.count; i++) {
        struct darn_mover_lock *known = find_lock(movers, now.locks[i].lock);

        if (known && now.locks[i].lock != lock)
            known->protectors = darn_lockset_remove(movers->sets, known->protectors, lock);
    }
}

bool darn_movers_are_both(const struct darn_movers *movers, uint64_t lock)
{
    const struct darn_mover_lock *known = find_lock(movers, lock);

    return known && (!known->is_shared || known->protectors != DARN_LOCKSET_EMPTY);
}

size_t darn_movers_memory(const struct darn_movers *movers)
{
    return movers->capacity * sizeof(*movers->all) + darn_map_memory(&movers->ids);
}
