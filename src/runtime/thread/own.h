/*
 * The program's own locks that a thread holds, while the program is healed: in the order in which
 * they were taken. Locks for reading have the lowest bit set. locks.h says who tells, and what else
 * is kept of them.
 *
 * A thread writes its own, without any barrier; others read it by darn_own_of and darn_own_outside.
 * So whatever these read is stored by DARN_OWN_STORE, and read without ceremony by the thread
 * itself.
 */
#ifndef DARN_RUNTIME_OWN_H
#define DARN_RUNTIME_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "site/armed.h"

struct darn_thread;

/* More locks at a time are counted, and not known. */
#define DARN_OWN_LOCKS 8

#define DARN_OWN_SHARED 1

#define DARN_OUTSIDE_ANY ((const void *)1)

struct darn_own {
    union {
        struct {
            uint8_t limit;    /* what guards compare armed bytes with (site/armed.h), */
            uint8_t sections; /* that the thread is in: bits, as in struct darn_healer */
            uint8_t count;    /* of `held`, */
            uint8_t beyond;   /* and of those that had no room */
            uint32_t given;   /* how many were given back, ever */
        };
        uint32_t now; /* the first four */
        uint64_t all;
    };
    int tid;
    uint8_t left;        /* of `sections`: those that are left to the locks, and shown to nobody */
    const void *outside; /* of which it may be in sections that are not under the locks of others:
                            a group (elision.h), DARN_OUTSIDE_ANY, or NULL */
    uintptr_t held[DARN_OWN_LOCKS];
};

/* `now` of a thread that is in no section, and holds nothing; and of one that holds one mutex. */
#define DARN_OWN_NONE ((uint32_t)DARN_LIMIT_IDLE)
#define DARN_OWN_ONE  (DARN_LIMIT_LOCKED | UINT32_C(1) << 16)

/* Of the calling thread. Its first byte is what guards look at. */
extern __thread struct darn_own darn_own
    __attribute__((tls_model("initial-exec"), visibility("default")));

/* The same variable, reached without a detour. */
extern __thread struct darn_own darn_own_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* As cheap as a plain store, but whole, and not before what the thread has done until then: who
 * sees that a lock was given back sees what was done under it. Parts of `all` may be stored one by
 * one, and loaded together: each is true by itself. */
#define DARN_OWN_STORE(field, value)                                                               \
    __atomic_store_n(&darn_own_here.field, (value), __ATOMIC_RELEASE)

/* One instruction in darn_simple_lock and _unlock: no signal handler comes in between. */
#define DARN_OWN_INCREASE(field, by)                                                               \
    DARN_OWN_STORE(field, __atomic_load_n(&darn_own_here.field, __ATOMIC_RELAXED) + (by))

static inline bool darn_own_is_shared(uintptr_t lock)
{
    return lock & DARN_OWN_SHARED;
}

/* The calling thread, whose tid is known, begins or ends: others see what it holds, or no
 * longer. */
void darn_own_begin(struct darn_thread *thread);
void darn_own_end(struct darn_thread *thread);

/* In the child of fork: nobody else is looking. */
void darn_own_after_fork(void);

/* What another thread holds: `all`, as it was a moment ago; 0: nothing. */
uint64_t darn_own_of(const struct darn_thread *thread);

/* `outside` of another thread that is in a section, or NULL. */
const void *darn_own_outside(const struct darn_thread *thread);

static inline bool darn_own_holds(uint64_t all)
{
    return all >> 16 & 0xffff;
}

static inline uint32_t darn_own_given(uint64_t all)
{
    return (uint32_t)(all >> 32);
}

/* ---- the calling thread ---- */

/* Whether it holds a lock that nobody else can hold. */
bool darn_own_excludes(void);

/* `nests`: the thread may hold the lock already. */
void darn_own_add(const volatile void *lock, bool shared, bool nests);
void darn_own_remove(const volatile void *lock);

/* Where it stands in the list, the last one if it is there several times; -1: it does not. */
int darn_own_find(const volatile void *lock);

/* The sections that the thread is in, and which of these are left to the program's locks. Who is in
 * others calls everywhere. */
static inline void darn_own_set_sections(uint32_t sections, uint32_t left)
{
    uint8_t limit = sections & ~left      ? 0
                    : darn_own_excludes() ? DARN_LIMIT_LOCKED
                                          : DARN_LIMIT_IDLE;

    DARN_OWN_STORE(sections, (uint8_t)sections);
    darn_own_here.left = (uint8_t)left;
    DARN_OWN_STORE(limit, limit);
}

#endif
