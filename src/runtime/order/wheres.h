/*
 * Where an access was made: by which thread, at which site, by which way, and under which locks.
 * All accesses that have these in common share a number: what a report says about the one of two
 * that came first.
 */
#ifndef DARN_RUNTIME_WHERES_H
#define DARN_RUNTIME_WHERES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "runtime/watch/touch.h"
#include "runtime/watch/watch.h"

#define DARN_WHERES_CACHE 1024

/* A thread's way to numbers that it has asked for before. */
struct darn_where_cache {
    const struct darn_site *site;
    uintptr_t way;  /* a hash of the return addresses */
    uint32_t locks; /* a hash of those that are held */
    uint32_t where;
};

/* Whether there is memory. */
bool darn_wheres_open(void);

/* The number, never 0 but when there are too many. `frame` is that of the hook. */
uint32_t darn_where(struct darn_thread *thread, struct darn_where_cache *cache,
                    const struct darn_touch *touch, const void *frame);

/* Fills in all but the address of the access. */
void darn_where_fill(uint32_t where, struct darn_side *side);

/* A lock that accesses hold, and at how many numbers. */
struct darn_guard {
    struct darn_thread_lock lock;
    uint32_t uses;
};

#define DARN_GUARDS 8

/* The locks under which this address is known to have been accessed, where it was the first that a
 * number stands for: how many are filled in. One that was taken inside of another comes after it.
 */
uint32_t darn_where_guards(uintptr_t address, struct darn_guard guards[DARN_GUARDS]);

/* Whether it still means something, and the number of the thread. */
bool darn_where_is_known(uint32_t where);
uint32_t darn_where_thread(uint32_t where);

/* In the child of fork nobody is adding one. */
void darn_wheres_after_fork(void);

/* Sites that are no longer there. */
void darn_wheres_forget(const struct darn_site *start, const struct darn_site *stop);

#endif
