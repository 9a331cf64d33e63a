/*
 * Locks and flags that are made by hand: who takes one does so by an atomic exchange, or waits for
 * it by a loop of atomic loads, and who gives it back may do so by a store that tells nobody: a
 * plain or a relaxed one. What the two have in common is the name of the variable: an atomic
 * operation on one that is also stored to like that comes after all that anybody did.
 */
#ifndef DARN_RUNTIME_HANDMADE_H
#define DARN_RUNTIME_HANDMADE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "runtime/watch/touch.h"
#include "site/site.h"

/* The sites of a module that is being loaded. */
void darn_handmade_module(const struct darn_site *start, const struct darn_site *stop);

/* Whether the atomic update may be that of such a lock. */
bool darn_handmade_takes(const struct darn_site *site);

/* Whether the load of a loop that waits may be that of such a flag, as far as is known now: whoever
 * has noted darn_handmade_found() before, and finds it changed when the load has happened, cannot
 * trust a no. */
bool darn_handmade_waits(const struct darn_site *site);
uint32_t darn_handmade_found(void);

/*
 * A relaxed operation orders nothing, and a program that relies on it is wrong, unless a barrier
 * for the compiler stands beside it: on x86 that is enough. Once any thread has come by one (inline
 * assembly, atomic_signal_fence, code that nobody has seen), relaxed operations count as order,
 * too.
 */
extern volatile bool darn_handmade_barriers;
void darn_handmade_barrier(void);

/* Whether the relaxed load or update of a loop that waits orders something even without a barrier:
 * an update does if nobody is seen to give back what it takes. */
bool darn_handmade_waits_relaxed(const struct darn_site *site);

/* Whether a relaxed operation of ours stores to the variable. */
bool darn_handmade_is_relaxed(const struct darn_site *site);

/* An atomic store that does not release is about to happen (darn_hook_relaxed). Nobody needs to
 * know unless there are arms of which it is not known whether they run. */
extern volatile bool darn_handmade_arms;
void darn_handmade_stores(const struct darn_site *site);

/* Sites that were asked for, by hash, with the answer in the lowest bit. */
#define DARN_HANDMADE_ANSWERS 1024
extern _Atomic uintptr_t darn_handmade_answers[DARN_HANDMADE_ANSWERS];

static inline _Atomic uintptr_t *darn_handmade_answer(const struct darn_site *site)
{
    return &darn_handmade_answers[darn_spread((uintptr_t)site) % DARN_HANDMADE_ANSWERS];
}

/* Whether the answer is known, and no. */
static inline bool darn_handmade_takes_not(const struct darn_site *site)
{
    return atomic_load_explicit(darn_handmade_answer(site), memory_order_relaxed) ==
           (uintptr_t)site;
}

/* Whether the two accesses may be the taking and the giving back of one. */
bool darn_handmade_is_lock(const struct darn_touch *a, const struct darn_touch *b);

#endif
