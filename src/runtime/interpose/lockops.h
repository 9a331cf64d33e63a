/*
 * What all locks have in common: before one is asked for, after it was taken or refused, and its
 * release. An interceptor names the kind of lock (struct darn_lockable) and the call; what noise,
 * gates, controlled runs, the trace, the held locks and healing have to do with it stands here.
 *
 * What a lock needs that nobody else wants is inline: a kind that is known when this is compiled
 * costs no loads. Whoever waits, or is controlled, goes on in lockops.c.
 */
#ifndef DARN_RUNTIME_LOCKOPS_H
#define DARN_RUNTIME_LOCKOPS_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/turn_sync.h"
#include "runtime/control/vtime.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/order/ordering.h"
#include "runtime/state.h"
#include "runtime/thread/locks.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/waits.h"
#include "runtime/watch/noise_inject.h"
#include "trace/event.h"

/* A kind of lock. The calls are libc's own. */
struct darn_lockable {
    enum darn_lock_kind kind;
    enum darn_wait_kind waits;      /* NONE: who waits for it does not sleep, and tells nobody */
    enum darn_step_op takes, gives; /* the steps of a controlled run */
    uint32_t size;
    bool has_owner; /* libc writes down who has it: in production that is enough */
    int (*take)(volatile void *lock); /* the call that waits, but with EBUSY instead */
    int (*try)(volatile void *lock);
    int (*await)(volatile void *lock, const struct darn_limit *limit); /* NULL: for ever */
    int (*give)(volatile void *lock);
    /* Before it is given back by a thread that is not known to have it; or NULL. */
    void (*stray)(struct darn_thread *thread, volatile void *lock, const void *frame);
};

/* pthread_mutex_t, and so mtx_t. intercept_mutex.c. */
extern const struct darn_lockable darn_mutexes;

/* In every function here, `frame` is that of the interceptor. */
#define DARN_LOCKOP static inline __attribute__((always_inline))

/* ---- before, after, release ---- */

DARN_LOCKOP bool darn_lock_is_quiet(const struct darn_lockable *of)
{
    return of->has_owner && darn_state.quiet;
}

DARN_LOCKOP void darn_lock_before(struct darn_thread *thread, const struct darn_lockable *of,
                                  volatile void *lock, const void *frame)
{
    if (darn_lock_is_quiet(of))
        return;
    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, frame);
}

/* `flags` is that of darn_lock_taken. EOWNERDEAD: the lock is ours, its owner has died. */
DARN_LOCKOP int darn_lock_after(struct darn_thread *thread, const struct darn_lockable *of,
                                volatile void *lock, unsigned flags, int result, const void *frame)
{
    bool is_ours = result == 0 || result == EOWNERDEAD;

    if (darn_lock_is_quiet(of)) {
        if (thread && is_ours)
            darn_lock_own(lock, of->kind);
    } else if (is_ours) {
        if (__builtin_expect(result == EOWNERDEAD, 0) && thread)
            darn_order_after_all(thread); /* it has not said what it did */
        darn_lock_taken(thread, lock, of->kind, flags, frame);
    } else {
        darn_gate_leave(thread, lock);
    }
    return result;
}

/* The release in a controlled run, from the step on. */
int darn_lock_play_release(struct darn_slot *slot, const struct darn_lockable *of,
                           volatile void *lock, const void *frame);

DARN_LOCKOP int darn_lock_release(const struct darn_lockable *of, volatile void *lock,
                                  const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_slot *slot;
    bool had;
    int result;

    if (darn_lock_is_quiet(of)) {
        darn_heal_unlocks(thread, lock);
        if (thread)
            darn_lock_disown(lock);
        return of->give(lock);
    }
    darn_noise_at_call(thread);
    darn_heal_unlocks(thread, lock);
    slot = darn_turn_mine(thread);
    if (slot)
        return darn_lock_play_release(slot, of, lock, frame);
    had = darn_lock_given(thread, lock, frame); /* others may have it before the call returns */
    if (__builtin_expect(!had, 0) && thread && of->stray)
        of->stray(thread, lock, frame);
    result = of->give(lock);
    if (result && had)
        darn_lock_taken(thread, lock, of->kind, DARN_EVENT_TRY, frame);
    darn_gate_leave(thread, lock);
    return result;
}

/* ---- the calls of the program ---- */

/* It is not free: waits for it, and tells who may ask what it waits for. */
int darn_lock_await(struct darn_thread *thread, const struct darn_lockable *of, volatile void *lock,
                    const struct darn_limit *limit, const void *frame);

/* Takes it in a controlled run. Never EBUSY. */
int darn_lock_play(struct darn_slot *slot, const struct darn_lockable *of, volatile void *lock,
                   const struct darn_limit *limit, const void *frame);

/*
 * It was taken, and is closed (heal_closed.h): it is given back at once, for nothing was done under
 * it, and taken when it is open. One whose owner died is never given back like this: nobody could
 * take it any more. Who only tries waits as before an access that is healed: that is a short while.
 */
int darn_lock_reopen(struct darn_thread *thread, const struct darn_lockable *of,
                     volatile void *lock, const struct darn_limit *limit, const void *frame);
int darn_lock_retry(struct darn_thread *thread, const struct darn_lockable *of, volatile void *lock,
                    const void *frame);

/* Whether we wait is known only by trying; that a free lock costs nothing more is worth it. */
DARN_LOCKOP int darn_lock_take(struct darn_thread *thread, const struct darn_lockable *of,
                               volatile void *lock, const struct darn_limit *limit,
                               const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);
    int result = slot ? darn_lock_play(slot, of, lock, limit, frame) : of->take(lock);

    return result == EBUSY ? darn_lock_await(thread, of, lock, limit, frame) : result;
}

DARN_LOCKOP int darn_lock_try(struct darn_thread *thread, const struct darn_lockable *of,
                              volatile void *lock, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    return slot ? darn_turn_try(slot, of->takes, lock, of->try, frame) : of->try(lock);
}

/* Other clocks are refused, whoever has the lock. */
DARN_LOCKOP bool darn_lock_has_clock(const struct darn_limit *limit)
{
    return limit->clock == CLOCK_REALTIME || limit->clock == CLOCK_MONOTONIC;
}

/* `limit`: until when; NULL: without an end. */
DARN_LOCKOP int darn_lock_acquire(const struct darn_lockable *of, volatile void *lock,
                                  const struct darn_limit *limit, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    if (limit && !darn_lock_has_clock(limit))
        return EINVAL;
    darn_lock_before(thread, of, lock, frame);
    result = darn_lock_take(thread, of, lock, limit, frame);
    if (result == 0 && darn_heal_is_closed(thread, lock))
        result = darn_lock_reopen(thread, of, lock, limit, frame);
    return darn_lock_after(thread, of, lock, limit ? DARN_EVENT_TRY : 0, result, frame);
}

DARN_LOCKOP int darn_lock_attempt(const struct darn_lockable *of, volatile void *lock,
                                  const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_lock_before(thread, of, lock, frame);
    result = darn_lock_try(thread, of, lock, frame);
    if (result == 0 && darn_heal_is_closed(thread, lock))
        result = darn_lock_retry(thread, of, lock, frame);
    return darn_lock_after(thread, of, lock, DARN_EVENT_TRY, result, frame);
}

/* ---- a wait for a condition, which gives its mutex back and takes it again ---- */

/*
 * Nothing changes in the list of held locks: nobody but the deadlock detector looks at it
 * meanwhile, and it asks darn_thread.waits_with. In a trace both are events, and in this order:
 * before the mutex is really given back, and after it is really ours again.
 */
void darn_lock_lend(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame);

/* `result` is that of the wait, 0 or ETIMEDOUT with the mutex; it may have been closed meanwhile,
 * then the wait takes longer. Returns the result, or what taking it again says. */
int darn_lock_regain(struct darn_thread *thread, pthread_mutex_t *mutex, int result,
                     const void *frame);

/* The same where the wait is a controlled run's own. */
int darn_lock_regain_open(struct darn_thread *thread, pthread_mutex_t *mutex, int result,
                          const void *frame);

#endif
