/*
 * Happens-before clocks of threads and of synchronization objects.
 *
 * A thread has a slot and a time of its own, and a clock: what it knows of the times of all slots.
 * Who gives something to others adds its clock to that of the object (release), who gets it adds
 * the clock of the object to its own (acquire). An access is ordered before all that a thread does
 * from the moment on when its clock has reached the time of that access.
 *
 * It costs in proportion to what is remembered (ordering.h), not to the run: a time advances only
 * when an access was remembered since it was given away, and while no time advances, no clock
 * changes, and a release or an acquire is a look into a cache (Pacer's versions; freshness
 * timestamps).
 *
 * Whatever is not known exactly counts as order: clocks of objects only grow, objects whose
 * addresses have the same hash share one, and a slot that is used again continues its time. That
 * may hide a race, and never makes one up. There are no locks here; a signal handler may come in
 * between at any point.
 */
#ifndef DARN_RUNTIME_CLOCKS_H
#define DARN_RUNTIME_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

#define DARN_CLOCK_SLOTS   256
#define DARN_CLOCK_CACHE   64
#define DARN_CLOCK_OBJECTS (DARN_CLOCK_ADDRESSES + DARN_CLOCK_OTHERS)

/* Of addresses of the program, and of keys from so high on. */
#define DARN_CLOCK_ADDRESSES  32768
#define DARN_CLOCK_OTHERS     1024
#define DARN_CLOCK_NO_ADDRESS (UINT64_C(1) << 56)

/* Sets of objects, a group of 32 to a word: of those for which something held when a number was
 * this. */
#define DARN_CLOCK_GROUPS (DARN_CLOCK_OBJECTS / 32)

struct darn_clock_set {
    _Atomic uint64_t words[DARN_CLOCK_GROUPS]; /* the number << 32 | a bit for each */
};

static inline __attribute__((always_inline)) bool
darn_clock_set_has(const struct darn_clock_set *set, uint32_t object, uint32_t number)
{
    uint64_t word = __atomic_load_n((const uint64_t *)&set->words[object / 32], __ATOMIC_RELAXED);

    return word >> 32 == number && word >> object % 32 & 1;
}

/* With the number that was read first: what a handler has added in between goes, or does not count.
 */
static inline void darn_clock_set_add(struct darn_clock_set *set, uint32_t object, uint32_t number)
{
    uint64_t *at = (uint64_t *)&set->words[object / 32];
    uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED);

    if (word >> 32 != number)
        word = (uint64_t)number << 32;
    __atomic_store_n(at, word | UINT64_C(1) << object % 32, __ATOMIC_RELAXED);
}

/* The clock of a thread: it alone writes it. */
struct darn_thread_clock {
    uint32_t slot;             /* DARN_CLOCK_SLOTS: none was free; nothing is remembered of it */
    bool is_given;             /* its time was given away since it advanced */
    _Atomic uint32_t version;  /* changes when one of the times does */
    uint32_t passed;           /* releases and acquires with a look at the object */
    _Atomic uint64_t looked;   /* darn_clock_news when it was compared with all given, */
    _Atomic uint64_t complete; /* and when it knew all of them: no object can tell it anything */
    _Atomic uint64_t seen[DARN_CLOCK_CACHE]; /* object << 32 | version that was acquired */
    struct darn_clock_set all_seen; /* objects acquired since one of their group has changed, */
    struct darn_clock_set given;    /* and released to since its own version has */
    _Atomic uint32_t times[DARN_CLOCK_SLOTS];
};

/* What an object knows is one cache line for the first slots (clocks.c has the others). */
#define DARN_CLOCK_NEAR 14

struct darn_clock_object {
    /* How often somebody has begun to raise times of the object (upper half), and has done so.
     * While the two differ, nobody may rely on having seen it all. */
    _Alignas(64) _Atomic uint64_t version;
    _Atomic uint32_t near[DARN_CLOCK_NEAR];
};

extern struct darn_clock_object *darn_clock_objects;

/* The same for all objects of a group together: while none of them changes, nobody looks at them; a
 * program may have more objects than fit into the caches of the processor. */
extern _Atomic uint64_t darn_clock_changes[DARN_CLOCK_GROUPS];

/*
 * Changes when a new time is given to others for the first time. While little is remembered none
 * is, and a thread that knows all that was given needs to look at no object: a walk through a list
 * of atomic pointers comes by a new one at every step.
 */
extern _Atomic uint64_t darn_clock_news;

static inline bool darn_clock_is_complete(const struct darn_thread_clock *clock)
{
    return __atomic_load_n((const uint64_t *)&clock->complete, __ATOMIC_RELAXED) ==
           __atomic_load_n((const uint64_t *)&darn_clock_news, __ATOMIC_ACQUIRE);
}

/* How often any object has changed. */
uint64_t darn_clock_count_changes(void);

static inline bool darn_clock_is_whole(uint64_t version)
{
    return version >> 32 == (uint32_t)version;
}

/* Whether there is memory for the clocks of objects. */
bool darn_clocks_open(void);

/* A thread begins: its clock is all zeroes. It ends, and another one may have its slot. */
void darn_clock_begin(struct darn_thread_clock *clock);
void darn_clock_end(struct darn_thread_clock *clock);

void darn_clock_release(struct darn_thread_clock *clock, uint64_t object);
void darn_clock_acquire(struct darn_thread_clock *clock, uint64_t object);

/*
 * What lies side by side in memory is of one group: a program that walks through its locks, or
 * through an array of atomic variables, touches few lines of ours. What has no address (a thread)
 * is kept apart: by the end of a thread all that it did is told, and a lock of that hash would pass
 * it on.
 */
static inline __attribute__((always_inline)) uint32_t darn_clock_object(uint64_t key)
{
    uint32_t hash = darn_spread(key / 256);
    uint32_t place = ((uint32_t)(key / 8 ^ key % 8 * 4) ^ hash >> 16) % 32;

    if (key >= DARN_CLOCK_NO_ADDRESS)
        return DARN_CLOCK_ADDRESSES + hash % DARN_CLOCK_OTHERS / 32 * 32 + place;
    return hash % DARN_CLOCK_ADDRESSES / 32 * 32 + place;
}

/* Whether nothing would come of it: to release now, or to acquire. */
static inline __attribute__((always_inline)) bool
darn_clock_has_given(const struct darn_thread_clock *clock, uint64_t key)
{
    return darn_clock_set_has(&clock->given, darn_clock_object(key),
                              __atomic_load_n((const uint32_t *)&clock->version, __ATOMIC_RELAXED));
}

static inline bool darn_clock_has_seen(struct darn_thread_clock *clock, uint64_t key)
{
    uint32_t object = darn_clock_object(key);
    uint64_t changes, version;
    bool is_quiet;

    if (darn_clock_is_complete(clock))
        return true;
    changes = __atomic_load_n((const uint64_t *)&darn_clock_changes[object / 32], __ATOMIC_ACQUIRE);
    is_quiet = darn_clock_is_whole(changes);
    if (is_quiet && darn_clock_set_has(&clock->all_seen, object, (uint32_t)changes))
        return true;
    version =
        __atomic_load_n((const uint64_t *)&darn_clock_objects[object].version, __ATOMIC_ACQUIRE);
    if (version &&
        (!darn_clock_is_whole(version) ||
         __atomic_load_n((const uint64_t *)&clock->seen[object % DARN_CLOCK_CACHE],
                         __ATOMIC_RELAXED) != ((uint64_t)object << 32 | (uint32_t)version)))
        return false;
    if (is_quiet)
        darn_clock_set_add(&clock->all_seen, object, (uint32_t)changes);
    return true;
}

/* Whether anybody has ever released it. */
static inline bool darn_clock_is_given(uint64_t key)
{
    return __atomic_load_n((uint64_t *)&darn_clock_objects[darn_clock_object(key)].version,
                           __ATOMIC_ACQUIRE) != 0;
}

/* After all that any thread has done so far. */
void darn_clock_acquire_all(struct darn_thread_clock *clock);

/* The time of an access that is remembered now. */
uint32_t darn_clock_now(struct darn_thread_clock *clock);

/* Whether what the slot did at that time comes before what the thread does now. */
static inline bool darn_clock_knows(const struct darn_thread_clock *clock, uint32_t slot,
                                    uint32_t time)
{
    return __atomic_load_n((const uint32_t *)&clock->times[slot], __ATOMIC_RELAXED) >= time;
}

/* In the child of fork the other threads are gone. */
void darn_clocks_after_fork(const struct darn_thread_clock *own);

#endif
