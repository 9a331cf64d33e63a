#include "runtime/order/wheres.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/report/counters.h"

/* Of the locks that are held, the last ones. */
#define LOCKS 4

struct where {
    uint64_t hash; /* of what follows, with no more of the stack than is known at once */
    uint32_t thread;
    uint32_t lock_count;
    uint8_t object;               /* enum darn_touch_object */
    bool is_short;                /* there was no room for its locks */
    bool is_gone;                 /* the site was that of a module that is no longer there */
    const struct darn_site *site; /* NULL: free */
    uintptr_t address;            /* of the first access; others may be to other memory */
    struct darn_stack stack;
    struct darn_thread_lock locks[LOCKS];
};

/* Numbers are cells of a table with open addressing, from 1 on. They are never given back. */
#define WHERES 16384
#define PROBES 64

/*
 * A program with thousands of locks has more places than there is room. Where and by whom is what a
 * report needs most: from so many numbers on, new ones have no locks, and then no stack either.
 */
#define MOST_WITH_LOCKS  (WHERES / 2)
#define MOST_WITH_STACKS (WHERES / 4 * 3)

/* What is known of threads, also after their end: the last ones. */
#define THREADS 1024

struct origin {
    uint32_t number, parent;
    int tid;
    bool is_known, has_parent;
    char name[16];
    struct darn_stack created;
};

static struct where *wheres;
static struct origin *origins;
static _Atomic uint32_t taken; /* of the numbers */

/* Protects what is added to both. Taken with signals blocked. */
static struct darn_spin lock;

bool darn_wheres_open(void)
{
    if (!wheres)
        wheres = darn_os_allocate(WHERES * sizeof(*wheres));
    if (!origins)
        origins = darn_os_allocate(THREADS * sizeof(*origins));
    return wheres && origins;
}

static void note_origin(const struct darn_thread *thread)
{
    struct origin *origin = &origins[thread->number % THREADS];

    if (origin->is_known && origin->number == thread->number)
        return;
    *origin = (struct origin){.number = thread->number,
                              .parent = thread->parent,
                              .tid = thread->tid,
                              .is_known = true,
                              .has_parent = thread->has_parent,
                              .created = thread->created};
    darn_os_thread_name(origin->name);
}

static uint64_t hash_of(const struct where *where)
{
    uint64_t hash = darn_hash_word(DARN_HASH_START, (uintptr_t)where->site);

    hash = darn_hash_number(hash, where->thread ^ (uint32_t)where->object << 24);
    for (uint32_t i = 0; i < where->stack.depth; i++)
        hash = darn_hash_word(hash, where->stack.pcs[i]);
    for (uint32_t i = 0; i < where->lock_count; i++)
        hash = darn_hash_word(darn_hash_word(hash, where->locks[i].address), where->locks[i].pc);
    hash += where->is_short;
    return hash ? hash : 1;
}

/* The cell of one that is known, or a free one; 0: there is none. */
static uint32_t find(const struct where *where)
{
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t i = (darn_spread(where->hash) + probe) % WHERES;
        uint64_t there = __atomic_load_n(&wheres[i].hash, __ATOMIC_ACQUIRE);

        if (there == where->hash || !there)
            return i + 1;
    }
    return 0;
}

static uint32_t add(const struct darn_thread *thread, const struct where *where)
{
    uint64_t mask = darn_os_block_signals();
    uint32_t at;

    darn_spin_lock(&lock);
    note_origin(thread);
    at = find(where);
    if (at && !wheres[at - 1].hash) {
        struct where entry = *where;

        entry.hash = 0; /* until the rest is there */
        wheres[at - 1] = entry;
        atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
        __atomic_store_n(&wheres[at - 1].hash, where->hash, __ATOMIC_RELEASE);
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    if (!at)
        darn_count(DARN_COUNT_WHERES_FULL);
    return at;
}

/* Its number, or 0 if it has none yet. */
static uint32_t number_of(struct where *where)
{
    uint32_t at;

    where->hash = hash_of(where);
    at = find(where);
    return at && __atomic_load_n(&wheres[at - 1].hash, __ATOMIC_ACQUIRE) == where->hash ? at : 0;
}

/* Leaves out what there is no room for. Whether it did. */
static bool shorten(struct where *where)
{
    uint32_t count = atomic_load_explicit(&taken, memory_order_relaxed);
    uint32_t depth = where->stack.depth;

    if (count < MOST_WITH_LOCKS || (!where->lock_count && (count < MOST_WITH_STACKS || !depth)))
        return false;
    where->is_short = where->lock_count != 0;
    where->lock_count = 0;
    if (count >= MOST_WITH_STACKS)
        where->stack.depth = 0;
    return true;
}

/* Of a signal handler with its own stack, or a coroutine, only the first frame is known so far:
 * where it comes from takes system calls, and is asked once. */
static void complete(struct where *where, const struct darn_thread *thread, const void *frame)
{
    if (!where->stack.depth)
        return;
    darn_stack_walk(&where->stack, thread, frame);
    if (where->stack.depth && where->site)
        where->stack.pcs[0]--;
}

static uint32_t find_or_add(struct darn_thread *thread, const struct darn_touch *touch,
                            const void *frame)
{
    struct where where = {.thread = thread->number,
                          .site = touch->site,
                          .object = touch->object,
                          .address = touch->address};
    uint32_t first = thread->locks.count > LOCKS ? thread->locks.count - LOCKS : 0, at;

    where.stack.depth = darn_stack_quick(where.stack.pcs, DARN_STACK_DEPTH, thread, frame);
    if (where.stack.depth && touch->site)
        where.stack.pcs[0]--; /* into the call of the hook, which has the line of the access */
    where.lock_count = thread->locks.count - first;
    memcpy(where.locks, &thread->locks.held[first], where.lock_count * sizeof(where.locks[0]));
    at = number_of(&where);
    if (!at && shorten(&where)) {
        darn_count(DARN_COUNT_WHERES_SHORT);
        at = number_of(&where);
    }
    if (at)
        return at;
    complete(&where, thread, frame);
    return add(thread, &where);
}

/* By which way: another one is another number, for a report says how the first access came about. */
static uintptr_t way_of(const struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame)
{
    uintptr_t pcs[DARN_STACK_DEPTH], hash = touch->object;
    uint32_t depth = darn_stack_quick(pcs, DARN_STACK_DEPTH, thread, frame);

    for (uint32_t i = touch->site ? 1 : 0; i < depth; i++)
        hash = (hash ^ pcs[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static uint32_t hash_locks(const struct darn_thread *thread)
{
    uint64_t hash = thread->locks.count;

    for (uint32_t i = 0; i < thread->locks.count; i++)
        hash = (hash ^ thread->locks.held[i].address) * 31;
    return (uint32_t)(hash ^ hash >> 32);
}

uint32_t darn_where(struct darn_thread *thread, struct darn_where_cache *cache,
                    const struct darn_touch *touch, const void *frame)
{
    uintptr_t way = way_of(thread, touch, frame);
    uint32_t locks = hash_locks(thread);
    struct darn_where_cache *entry =
        &cache[darn_spread((uintptr_t)touch->site ^ way ^ locks) % DARN_WHERES_CACHE];
    uint32_t where;

    if (entry->site == touch->site && entry->way == way && entry->locks == locks &&
        entry->where)
        return entry->where;
    where = find_or_add(thread, touch, frame);
    *entry = (struct darn_where_cache){touch->site, way, locks, where};
    return where;
}

static uint32_t add_guard(struct darn_guard *guards, uint32_t count,
                          const struct darn_thread_lock *held)
{
    for (uint32_t i = 0; i < count; i++) {
        if (guards[i].lock.address == held->address) {
            guards[i].uses++;
            return count;
        }
    }
    if (count < DARN_GUARDS)
        guards[count++] = (struct darn_guard){*held, 1};
    return count;
}

uint32_t darn_where_guards(uintptr_t address, struct darn_guard guards[DARN_GUARDS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; wheres && i < WHERES; i++) {
        const struct where *where = &wheres[i];

        if (!__atomic_load_n(&where->hash, __ATOMIC_ACQUIRE) || where->address != address ||
            where->object)
            continue;
        for (uint32_t held = 0; held < where->lock_count; held++)
            count = add_guard(guards, count, &where->locks[held]);
    }
    return count;
}

bool darn_where_is_known(uint32_t where)
{
    return !__atomic_load_n(&wheres[where - 1].is_gone, __ATOMIC_ACQUIRE);
}

void darn_wheres_forget(const struct darn_site *start, const struct darn_site *stop)
{
    for (uint32_t i = 0; wheres && i < WHERES; i++) {
        if (wheres[i].hash && wheres[i].site >= start && wheres[i].site < stop)
            __atomic_store_n(&wheres[i].is_gone, true, __ATOMIC_RELEASE);
    }
}

void darn_wheres_after_fork(void)
{
    darn_spin_unlock(&lock);
}

uint32_t darn_where_thread(uint32_t where)
{
    return wheres[where - 1].thread;
}

void darn_where_fill(uint32_t number, struct darn_side *side)
{
    const struct where *where = &wheres[number - 1];
    const struct origin *origin = &origins[where->thread % THREADS];

    side->touch.site = where->site;
    side->touch.object = where->object;
    side->thread = where->thread;
    side->stack = where->stack;
    side->locks.count = where->lock_count;
    side->locks.is_unknown = where->is_short;
    memcpy(side->locks.held, where->locks, where->lock_count * sizeof(where->locks[0]));
    side->name[0] = '\0';
    side->has_parent = false;
    side->created.depth = 0;
    side->tid = 0;
    if (!origin->is_known || origin->number != where->thread)
        return;
    memcpy(side->name, origin->name, sizeof(side->name));
    side->tid = origin->tid;
    side->parent = origin->parent;
    side->has_parent = origin->has_parent;
    side->created = origin->created;
}
