/* Reader-writer locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "runtime/control/vtime.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/interpose/intercept.h"
#include "runtime/record/record.h"
#include "runtime/thread/waits.h"

static int taken(pthread_rwlock_t *lock, enum darn_lock_kind kind, unsigned flags, int result,
                 const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    if (result == 0) {
        darn_lock_taken(thread, lock, kind, flags, frame);
        darn_heal_locked(thread, lock, kind == DARN_LOCK_READ);
    } else {
        darn_gate_leave(thread, lock);
    }
    return result;
}

#define FRAME __builtin_frame_address(0)

/* The real calls, for controlled runs. */
static int try_read(volatile void *lock);
static int try_write(volatile void *lock);
static int give(volatile void *lock);

static int control(struct darn_slot *slot, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                   uint64_t deadline, const void *frame)
{
    bool reads = kind == DARN_LOCK_READ;

    return darn_turn_lock(slot, reads ? DARN_STEP_READLOCK : DARN_STEP_WRITELOCK, lock,
                          sizeof(*lock), reads ? try_read : try_write, deadline, frame);
}

/* All ways to take one, below. `limit`: until when; NULL: without an end. */
static int lock_it(enum darn_lock_kind kind, pthread_rwlock_t *lock, const struct darn_limit *limit,
                   const void *frame);
static int try_it(enum darn_lock_kind kind, pthread_rwlock_t *lock, const void *frame);

/* Others are refused, whoever has the lock. */
static bool is_a_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
    return try_it(DARN_LOCK_READ, lock, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
    return lock_it(DARN_LOCK_READ, lock, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock,
                     const struct timespec *until)
{
    struct darn_limit limit = {CLOCK_REALTIME, until};

    return lock_it(DARN_LOCK_READ, lock, &limit, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
                     const struct timespec *until)
{
    struct darn_limit limit = {clock, until};

    if (!is_a_clock(clock))
        return DARN_REAL(pthread_rwlock_clockrdlock)(lock, clock, until);
    return lock_it(DARN_LOCK_READ, lock, &limit, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
    return try_it(DARN_LOCK_WRITE, lock, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
    return lock_it(DARN_LOCK_WRITE, lock, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock,
                     const struct timespec *until)
{
    struct darn_limit limit = {CLOCK_REALTIME, until};

    return lock_it(DARN_LOCK_WRITE, lock, &limit, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
                     const struct timespec *until)
{
    struct darn_limit limit = {clock, until};

    if (!is_a_clock(clock))
        return DARN_REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
    return lock_it(DARN_LOCK_WRITE, lock, &limit, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    darn_heal_unlocks(thread, lock);
    darn_lock_given(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        result = darn_turn_unlock(thread->slot, DARN_STEP_RWUNLOCK, lock, give, FRAME);
    else
        result = DARN_REAL(pthread_rwlock_unlock)(lock);
    darn_gate_leave(thread, lock);
    return result;
}

/* Not for ever. */
static int wait_for_a_while(struct darn_thread *thread, bool reads, pthread_rwlock_t *lock,
                            const struct darn_limit *limit, const void *frame)
{
    const struct timespec *until = limit->until;
    int result;

    darn_wait_begin(thread, DARN_WAIT_OTHER, NULL, frame);
    if (limit->clock == CLOCK_REALTIME)
        result = reads ? DARN_REAL(pthread_rwlock_timedrdlock)(lock, until)
                       : DARN_REAL(pthread_rwlock_timedwrlock)(lock, until);
    else
        result = reads ? DARN_REAL(pthread_rwlock_clockrdlock)(lock, limit->clock, until)
                       : DARN_REAL(pthread_rwlock_clockwrlock)(lock, limit->clock, until);
    darn_wait_end(thread);
    return result;
}

static int take(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                const struct darn_limit *limit, const void *frame)
{
    bool reads = kind == DARN_LOCK_READ;
    int result;

    if (darn_turn_mine(thread))
        return control(thread->slot, kind, lock,
                       limit ? darn_vtime_of(limit->clock, limit->until) : DARN_NO_DEADLINE, frame);
    result = reads ? try_read(lock) : try_write(lock);
    if (result != EBUSY)
        return result;
    if (limit)
        return wait_for_a_while(thread, reads, lock, limit, frame);
    darn_lock_requested(thread, lock, kind, frame);
    darn_wait_begin(thread, reads ? DARN_WAIT_READ : DARN_WAIT_WRITE, lock, frame);
    result =
        reads ? DARN_REAL(pthread_rwlock_rdlock)(lock) : DARN_REAL(pthread_rwlock_wrlock)(lock);
    darn_wait_end(thread);
    return result;
}

static void give_back(struct darn_thread *thread, pthread_rwlock_t *lock, const void *frame)
{
    if (darn_turn_mine(thread))
        darn_turn_unlock(thread->slot, DARN_STEP_RWUNLOCK, lock, give, frame);
    else
        give(lock);
}

/* As with mutexes: whoever finds it closed gives it back at once. */
static int take_open(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                     const struct darn_limit *limit, const void *frame)
{
    int result = take(thread, kind, lock, limit, frame);
    bool open = true;

    while (result == 0 && open && darn_heal_is_closed(thread, lock)) {
        uint64_t until = darn_limit_of(thread, limit);

        give_back(thread, lock, frame);
        open = darn_heal_wait_open(thread, lock, until, frame);
        if (!open && darn_limit_is_over(thread, until))
            return ETIMEDOUT;
        result = take(thread, kind, lock, limit, frame);
    }
    return result;
}

static int try_once(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                    const void *frame)
{
    bool reads = kind == DARN_LOCK_READ;

    if (darn_turn_mine(thread))
        return darn_turn_try(thread->slot, reads ? DARN_STEP_READLOCK : DARN_STEP_WRITELOCK, lock,
                             reads ? try_read : try_write, frame);
    return reads ? try_read(lock) : try_write(lock);
}

static int try_open(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                    const void *frame)
{
    int result = try_once(thread, kind, lock, frame);

    if (result == 0 && darn_heal_is_closed(thread, lock)) {
        give_back(thread, lock, frame);
        darn_heal_wait_open(thread, lock, 0, frame);
        result = try_once(thread, kind, lock, frame);
    }
    return result;
}

static int lock_it(enum darn_lock_kind kind, pthread_rwlock_t *lock, const struct darn_limit *limit,
                   const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, frame);
    return taken(lock, kind, limit ? DARN_EVENT_TRY : 0,
                 take_open(thread, kind, lock, limit, frame), frame);
}

static int try_it(enum darn_lock_kind kind, pthread_rwlock_t *lock, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, frame);
    return taken(lock, kind, DARN_EVENT_TRY, try_open(thread, kind, lock, frame), frame);
}

static int try_read(volatile void *lock)
{
    return DARN_REAL(pthread_rwlock_tryrdlock)((pthread_rwlock_t *)(uintptr_t)lock);
}

static int try_write(volatile void *lock)
{
    return DARN_REAL(pthread_rwlock_trywrlock)((pthread_rwlock_t *)(uintptr_t)lock);
}

static int give(volatile void *lock)
{
    return DARN_REAL(pthread_rwlock_unlock)((pthread_rwlock_t *)(uintptr_t)lock);
}
