#include "engine/common/held.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/htable.h"
#include "engine/common/threads.h"

struct one {
    struct darn_held_lock *locks;
    size_t capacity;
    uint32_t count;
    uint32_t set;
    uint32_t holding;
    uint32_t holder; /* its index in `holders`, while count is not 0 */
};

struct darn_held {
    struct darn_locksets *sets;
    struct darn_threads threads;
    struct one *all; /* by the index of the thread */
    size_t capacity;
    uint32_t *holders; /* threads that hold something: where the owner of a lock is looked for */
    size_t holder_count, holder_capacity;
    struct darn_holding *holdings;
    size_t holding_count, holding_capacity;
    struct darn_htable table; /* of holdings */
    size_t lock_memory;
};

struct darn_held *darn_held_create(struct darn_locksets *sets)
{
    struct darn_held *held = calloc(1, sizeof(*held));

    if (!held)
        return NULL;
    held->sets = sets;
    held->holdings = darn_grow(NULL, &held->holding_capacity, 1, sizeof(*held->holdings));
    held->holding_count = 1; /* DARN_HOLDING_NOTHING: no lock, the empty set */
    return held;
}

void darn_held_destroy(struct darn_held *held)
{
    if (!held)
        return;
    for (uint32_t i = 0; i < held->threads.count; i++)
        free(held->all[i].locks);
    free(held->all);
    free(held->holders);
    free(held->holdings);
    darn_htable_free(&held->table);
    darn_threads_free(&held->threads);
    free(held);
}

static const struct one *find_thread(const struct darn_held *held, uint32_t thread)
{
    uint32_t known = darn_threads_find(&held->threads, thread);

    return known ? &held->all[known - 1] : NULL;
}

static uint32_t hash_holding(uint32_t outer, const struct darn_held_lock *lock)
{
    uint64_t key = darn_fold(lock->lock, (uint64_t)outer << 32);

    return darn_spread(key ^ (((uint64_t)lock->stack << 32 | lock->site) + lock->kind));
}

static bool is_with(const struct darn_holding *holding, uint32_t outer,
                    const struct darn_held_lock *lock)
{
    return holding->lock == lock->lock && holding->outer == outer && holding->site == lock->site &&
           holding->stack == lock->stack && holding->kind == lock->kind;
}

/* The holding that has one lock more. */
static uint32_t with(struct darn_held *held, uint32_t outer, const struct darn_held_lock *lock)
{
    uint32_t hash = hash_holding(outer, lock), known, set;
    size_t at = hash;

    while ((known = darn_htable_next(&held->table, hash, &at))) {
        if (is_with(&held->holdings[known], outer, lock))
            return known;
    }
    set = darn_lockset_add(held->sets, held->holdings[outer].set, lock->lock,
                           darn_lock_is_exclusive(lock->kind));
    held->holdings = darn_grow(held->holdings, &held->holding_capacity, held->holding_count + 1,
                               sizeof(*held->holdings));
    held->holdings[held->holding_count] =
        (struct darn_holding){.lock = lock->lock,
                              .outer = outer,
                              .set = set,
                              .site = lock->site,
                              .stack = lock->stack,
                              .count = held->holdings[outer].count + 1,
                              .kind = lock->kind};
    darn_htable_add(&held->table, hash, (uint32_t)held->holding_count);
    return (uint32_t)held->holding_count++;
}

/* Makes the holding anew from the lock at `from` on; what is before it has not changed. */
static void rebuild(struct darn_held *held, struct one *one, uint32_t from)
{
    while (held->holdings[one->holding].count > from)
        one->holding = held->holdings[one->holding].outer;
    for (uint32_t i = from; i < one->count; i++)
        one->holding = with(held, one->holding, &one->locks[i]);
    one->set = held->holdings[one->holding].set;
}

static struct darn_held_lock *lock_in(const struct one *one, uint64_t lock)
{
    /* Locks are mostly given back in the reverse order. */
    for (uint32_t i = one->count; i-- > 0;) {
        if (one->locks[i].lock == lock)
            return &one->locks[i];
    }
    return NULL;
}

static void become_holder(struct darn_held *held, uint32_t index)
{
    held->holders = darn_grow(held->holders, &held->holder_capacity, held->holder_count + 1,
                              sizeof(*held->holders));
    held->all[index].holder = (uint32_t)held->holder_count;
    held->holders[held->holder_count++] = index;
}

static void hold_nothing(struct darn_held *held, struct one *one)
{
    uint32_t last = held->holders[--held->holder_count];

    held->holders[one->holder] = last;
    held->all[last].holder = one->holder;
}

static void acquire(struct darn_held *held, const struct darn_event *event)
{
    uint32_t index = darn_threads_index(&held->threads, event->thread);
    struct darn_held_lock *lock;
    struct one *one;
    size_t before;

    held->all = darn_grow(held->all, &held->capacity, held->threads.count, sizeof(*held->all));
    one = &held->all[index];
    lock = lock_in(one, event->target);
    if (lock) {
        lock->depth++;
        if (darn_lock_is_exclusive(event->lock) && !darn_lock_is_exclusive(lock->kind)) {
            lock->kind = event->lock;
            rebuild(held, one, (uint32_t)(lock - one->locks));
        }
        return;
    }
    if (!one->count)
        become_holder(held, index);
    before = one->capacity;
    one->locks = darn_grow(one->locks, &one->capacity, (size_t)one->count + 1, sizeof(*one->locks));
    held->lock_memory += (one->capacity - before) * sizeof(*one->locks);
    one->locks[one->count] = (struct darn_held_lock){.lock = event->target,
                                                     .site = event->site,
                                                     .stack = event->stack,
                                                     .depth = 1,
                                                     .kind = event->lock};
    one->holding = with(held, one->holding, &one->locks[one->count++]);
    one->set = held->holdings[one->holding].set;
}

static void release(struct darn_held *held, const struct darn_event *event)
{
    uint32_t known = darn_threads_find(&held->threads, event->thread);
    struct one *one = known ? &held->all[known - 1] : NULL;
    struct darn_held_lock *lock = one ? lock_in(one, event->target) : NULL;
    uint32_t at;

    for (size_t i = 0; !lock && i < held->holder_count; i++) {
        one = &held->all[held->holders[i]];
        lock = lock_in(one, event->target);
    }
    if (!lock)
        return; /* nobody held it */
    if (--lock->depth)
        return;
    at = (uint32_t)(lock - one->locks);
    one->count--;
    memmove(lock, lock + 1, (one->count - at) * sizeof(*lock));
    rebuild(held, one, at);
    if (!one->count)
        hold_nothing(held, one);
}

/* Numbers of threads are never used again, so what the thread took with it stays locked. */
static void leave(struct darn_held *held, uint32_t thread)
{
    uint32_t known = darn_threads_find(&held->threads, thread);
    struct one *one = known ? &held->all[known - 1] : NULL;

    if (!one)
        return;
    if (one->count)
        hold_nothing(held, one);
    held->lock_memory -= one->capacity * sizeof(*one->locks);
    free(one->locks);
    *one = (struct one){0};
}

void darn_held_event(struct darn_held *held, const struct darn_event *event)
{
    switch (event->kind) {
    case DARN_EVENT_ACQUIRE:
        acquire(held, event);
        break;
    case DARN_EVENT_RELEASE:
        release(held, event);
        break;
    case DARN_EVENT_EXIT:
        leave(held, event->thread);
        break;
    default:
        break;
    }
}

struct darn_held_thread darn_held_of(const struct darn_held *held, uint32_t thread)
{
    const struct one *one = find_thread(held, thread);

    if (!one)
        return (struct darn_held_thread){0};
    return (struct darn_held_thread){one->set, one->holding, one->count, one->locks};
}

uint32_t darn_held_set(const struct darn_held *held, uint32_t thread)
{
    const struct one *one = find_thread(held, thread);

    return one ? one->set : DARN_LOCKSET_EMPTY;
}

uint32_t darn_held_holding(const struct darn_held *held, uint32_t thread)
{
    const struct one *one = find_thread(held, thread);

    return one ? one->holding : DARN_HOLDING_NOTHING;
}

const struct darn_held_lock *darn_held_find(const struct darn_held *held, uint32_t thread,
                                            uint64_t lock)
{
    const struct one *one = find_thread(held, thread);

    return one ? lock_in(one, lock) : NULL;
}

const struct darn_holding *darn_holding(const struct darn_held *held, uint32_t holding)
{
    return &held->holdings[holding];
}

uint32_t darn_holding_set(const struct darn_held *held, uint32_t holding)
{
    return held->holdings[holding].set;
}

void darn_holding_fill(const struct darn_held *held, uint32_t holding,
                       struct darn_prediction_step *step)
{
    uint32_t count = held->holdings[holding].count;

    if (count > DARN_PREDICTION_LOCKS)
        count = DARN_PREDICTION_LOCKS;
    step->lock_count = count;
    while (count-- > 0) {
        const struct darn_holding *from = &held->holdings[holding];

        step->locks[count] = (struct darn_prediction_lock){
            .lock = from->lock, .site = from->site, .stack = from->stack, .kind = from->kind};
        holding = from->outer;
    }
}

size_t darn_held_memory(const struct darn_held *held)
{
    return sizeof(*held) + darn_threads_memory(&held->threads) +
           held->capacity * sizeof(*held->all) + held->lock_memory +
           held->holder_capacity * sizeof(*held->holders) +
           held->holding_capacity * sizeof(*held->holdings) + darn_htable_memory(&held->table);
}
