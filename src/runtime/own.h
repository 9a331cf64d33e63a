/*
 * The program's own locks that a thread holds, while the program is healed: in the order in which
 * they were taken. Locks for reading have the lowest bit set.
 *
 * A thread writes its own list; others read the two counts.
 */
#ifndef DARN_RUNTIME_OWN_H
#define DARN_RUNTIME_OWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* More locks at a time are counted, and not known. */
#define DARN_OWN_LOCKS 8

#define DARN_OWN_SHARED 1

struct darn_own {
    uint32_t count;             /* of `held`, */
    uint32_t beyond;            /* and of those that had no room */
    _Atomic uint32_t exclusive; /* how many of all these nobody else can hold; */
    _Atomic uint32_t given;     /* how many were given back, ever */
    uintptr_t held[DARN_OWN_LOCKS];
};

/* Guards of programs that are built to be healed call the hook if their site's armed byte is larger
 * (site/guard.h). DARN_TRUST_LOCKED while the thread holds one of its own locks, and is in no
 * section. */
extern __thread uint8_t darn_trust __attribute__((tls_model("initial-exec")));

static inline bool darn_own_is_shared(uintptr_t lock)
{
    return lock & DARN_OWN_SHARED;
}

/* The counts have one writer. */
static inline void darn_own_count(struct darn_own *own, uintptr_t lock, int change)
{
    uint32_t exclusive = atomic_load_explicit(&own->exclusive, memory_order_relaxed);
    uint32_t given = atomic_load_explicit(&own->given, memory_order_relaxed);

    if (!darn_own_is_shared(lock))
        atomic_store_explicit(&own->exclusive, exclusive + (uint32_t)change, memory_order_relaxed);
    if (change < 0)
        atomic_store_explicit(&own->given, given + 1, memory_order_release);
}

/* `nests`: the thread may hold the lock already. */
void darn_own_add_slowly(struct darn_own *own, uintptr_t lock, bool nests);
void darn_own_remove_slowly(struct darn_own *own, const volatile void *lock);

/* Where it stands in the list, the last one if it is there several times; -1: it does not. */
int darn_own_find(const struct darn_own *own, const volatile void *lock);
void darn_own_remove_at(struct darn_own *own, uint32_t index);

static inline void darn_own_add(struct darn_own *own, const volatile void *lock, bool shared,
                                bool nests)
{
    uintptr_t value = (uintptr_t)lock | (shared ? DARN_OWN_SHARED : 0);

    if (__builtin_expect(own->count != 0, 0)) {
        darn_own_add_slowly(own, value, nests);
        return;
    }
    own->held[own->count++] = value;
    darn_own_count(own, value, 1);
}

static inline void darn_own_remove(struct darn_own *own, const volatile void *lock)
{
    if (__builtin_expect(!own->count || own->held[own->count - 1] != (uintptr_t)lock, 0)) {
        darn_own_remove_slowly(own, lock);
        return;
    }
    own->count--;
    darn_own_count(own, (uintptr_t)lock, -1);
}

#endif
