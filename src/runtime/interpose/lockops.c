#include "runtime/interpose/lockops.h"

#include "runtime/coverage/covering.h"
#include "runtime/interpose/intercept.h"
#include "runtime/record/record.h"

/* Not for ever: who waits with a limit goes on in the end, whoever has the lock. */
static enum darn_wait_kind wait_kind(const struct darn_lockable *of, const struct darn_limit *limit)
{
    return limit ? DARN_WAIT_OTHER : of->waits;
}

static void set_waits_with(struct darn_thread *thread, const volatile void *mutex)
{
    if (thread)
        __atomic_store_n(&thread->waits_with, (uintptr_t)mutex, __ATOMIC_RELEASE);
}

int darn_lock_await(struct darn_thread *thread, const struct darn_lockable *of, volatile void *lock,
                    const struct darn_limit *limit, const void *frame)
{
    bool is_named = limit && of->has_owner; /* `wait` has no target then, but there is an owner */
    int result;

    if (thread)
        darn_coverage_blocked(thread, lock, frame);
    if (of->waits == DARN_WAIT_NONE)
        return of->await(lock, limit);
    if (!limit && !darn_lock_is_quiet(of))
        darn_lock_requested(thread, lock, of->kind, frame);
    if (is_named)
        set_waits_with(thread, lock);
    darn_wait_begin(thread, wait_kind(of, limit), limit ? NULL : lock, frame);
    result = of->await(lock, limit);
    darn_wait_end(thread);
    if (is_named)
        set_waits_with(thread, NULL);
    if (result && thread)
        thread->was_blocked = false; /* it has not got it */
    return result;
}

int darn_lock_play(struct darn_slot *slot, const struct darn_lockable *of, volatile void *lock,
                   const struct darn_limit *limit, const void *frame)
{
    return darn_turn_lock(slot, of->takes, lock, of->size, of->take, darn_turn_deadline(limit),
                          frame);
}

int darn_lock_play_release(struct darn_slot *slot, const struct darn_lockable *of,
                           volatile void *lock, const void *frame)
{
    int result = darn_turn_unlock(slot, of->gives, lock, of->give, frame);

    if (result == 0)
        darn_lock_given(slot->thread, lock, frame);
    darn_gate_leave(slot->thread, lock);
    return result;
}

/* ---- locks that are closed ---- */

static void give_back(struct darn_thread *thread, const struct darn_lockable *of,
                      volatile void *lock, const void *frame)
{
    struct darn_slot *slot = darn_turn_mine(thread);

    if (slot)
        darn_turn_unlock(slot, of->gives, lock, of->give, frame);
    else
        of->give(lock);
}

/* Until when it is waited for in a call with a limit, and whether that moment has come; 0: there is
 * none. */
static uint64_t end_of(const struct darn_thread *thread, const struct darn_limit *limit)
{
    uint64_t until = !limit                   ? 0
                     : darn_turn_mine(thread) ? darn_vtime_of(limit->clock, limit->until)
                                              : darn_limit_by_now(limit);

    return limit && !until ? 1 : until;
}

static bool is_over(const struct darn_thread *thread, uint64_t until)
{
    return until && (darn_turn_mine(thread) ? darn_vtime_now() : darn_os_now()) >= until;
}

int darn_lock_reopen(struct darn_thread *thread, const struct darn_lockable *of,
                     volatile void *lock, const struct darn_limit *limit, const void *frame)
{
    bool is_open;
    int result;

    do {
        uint64_t until = end_of(thread, limit);

        give_back(thread, of, lock, frame);
        is_open = darn_heal_wait_open(thread, lock, until, frame);
        if (!is_open && is_over(thread, until))
            return ETIMEDOUT;
        result = darn_lock_take(thread, of, lock, limit, frame);
    } while (result == 0 && is_open && darn_heal_is_closed(thread, lock));
    return result;
}

int darn_lock_retry(struct darn_thread *thread, const struct darn_lockable *of, volatile void *lock,
                    const void *frame)
{
    give_back(thread, of, lock, frame);
    darn_heal_wait_open(thread, lock, 0, frame);
    return darn_lock_try(thread, of, lock, frame);
}

/* ---- waits for conditions ---- */

void darn_lock_lend(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    darn_record(thread, DARN_EVENT_RELEASE, mutex, NULL, 0, frame);
    set_waits_with(thread, mutex);
    darn_gate_wait(thread, mutex, true);
}

int darn_lock_regain_open(struct darn_thread *thread, pthread_mutex_t *mutex, int result,
                          const void *frame)
{
    int again = 0;

    if ((result == 0 || result == ETIMEDOUT) && darn_heal_is_closed(thread, mutex))
        again = darn_lock_reopen(thread, &darn_mutexes, mutex, NULL, frame);
    return again ? again : result;
}

int darn_lock_regain(struct darn_thread *thread, pthread_mutex_t *mutex, int result,
                     const void *frame)
{
    result = darn_lock_regain_open(thread, mutex, result, frame);
    set_waits_with(thread, NULL);
    darn_gate_wait(thread, mutex, false);
    darn_record(thread, DARN_EVENT_ACQUIRE, mutex, NULL, 0, frame);
    return result;
}
