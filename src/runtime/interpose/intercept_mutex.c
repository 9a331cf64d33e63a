/* Mutexes and spin locks: who holds which, for the reports; and noise before taking one. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/control/vtime.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal_closed.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/simple.h"
#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"
#include "runtime/thread/waits.h"

/* After a try that said 0: the lock is ours. EOWNERDEAD: the lock is ours too, its owner died. */
static int taken(struct darn_thread *thread, const volatile void *lock, enum darn_lock_kind kind,
                 unsigned flags, int result, const void *frame)
{
    if (result == 0 || result == EOWNERDEAD) {
        darn_lock_taken(thread, lock, kind, flags, frame);
        darn_heal_locked(thread, lock, false);
    } else {
        darn_gate_leave(thread, lock);
    }
    return result;
}

#define FRAME __builtin_frame_address(0)

/* The real calls, for controlled runs. C11 mutexes are pthread mutexes. */
static int try_mutex(volatile void *lock);
static int try_only(volatile void *lock);
static int give_mutex(volatile void *lock);
static int try_spin(volatile void *lock);
static int give_spin(volatile void *lock);

static int control_mutex(struct darn_slot *slot, volatile void *mutex, uint64_t deadline,
                         const void *frame)
{
    return darn_turn_lock(slot, DARN_STEP_LOCK, mutex, sizeof(pthread_mutex_t), try_mutex, deadline,
                          frame);
}

static int thrd_result(int result)
{
    switch (result) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

/* All ways to take a mutex, below. `limit`: until when; NULL: without an end. */
static int lock_it(struct darn_thread *thread, pthread_mutex_t *mutex,
                   const struct darn_limit *limit, const void *frame);
static int try_it(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame);

static int unlock_quietly(struct darn_thread *thread, pthread_mutex_t *mutex);

DARN_INTERCEPT_OFTEN(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    return try_it(darn_thread_self(), mutex, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    return lock_it(darn_thread_self(), mutex, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_timedlock, pthread_mutex_t *mutex,
                     const struct timespec *until)
{
    struct darn_limit limit = {CLOCK_REALTIME, until};

    return lock_it(darn_thread_self(), mutex, &limit, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t clock,
                     const struct timespec *until)
{
    struct darn_limit limit = {clock, until};

    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) /* it says so, whoever has it */
        return DARN_REAL(pthread_mutex_clocklock)(mutex, clock, until);
    return lock_it(darn_thread_self(), mutex, &limit, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();
    bool had;
    int result;

    if (darn_state.quiet)
        return unlock_quietly(thread, mutex);
    darn_noise_at_call(thread);
    darn_heal_unlocks(thread, mutex);
    if (darn_turn_mine(thread)) {
        result = darn_turn_unlock(thread->slot, DARN_STEP_UNLOCK, mutex, give_mutex, FRAME);
        if (result == 0)
            darn_lock_given(thread, mutex, FRAME);
        darn_gate_leave(thread, mutex);
        return result;
    }
    had = darn_lock_given(thread, mutex, FRAME);
    result = DARN_REAL(pthread_mutex_unlock)(mutex);
    if (result && had)
        darn_lock_taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY, FRAME);
    darn_gate_leave(thread, mutex);
    return result;
}

DARN_INTERCEPT_OFTEN(int, pthread_spin_lock, pthread_spinlock_t *lock)
{
    if (darn_state.quiet)
        return DARN_REAL(pthread_spin_lock)(lock);
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(thread, lock, DARN_LOCK_SPIN, 0,
                     darn_turn_lock(thread->slot, DARN_STEP_LOCK, lock, sizeof(*lock), try_spin,
                                    DARN_NO_DEADLINE, FRAME),
                     FRAME);
    return taken(thread, lock, DARN_LOCK_SPIN, 0, DARN_REAL(pthread_spin_lock)(lock), FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_spin_trylock, pthread_spinlock_t *lock)
{
    if (darn_state.quiet)
        return DARN_REAL(pthread_spin_trylock)(lock);
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(thread, lock, DARN_LOCK_SPIN, DARN_EVENT_TRY,
                     darn_turn_try(thread->slot, DARN_STEP_LOCK, lock, try_spin, FRAME), FRAME);
    return taken(thread, lock, DARN_LOCK_SPIN, DARN_EVENT_TRY,
                 DARN_REAL(pthread_spin_trylock)(lock), FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_spin_unlock, pthread_spinlock_t *lock)
{
    if (darn_state.quiet)
        return DARN_REAL(pthread_spin_unlock)(lock);
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    if (darn_turn_mine(thread)) {
        darn_turn_unlock(thread->slot, DARN_STEP_UNLOCK, lock, give_spin, FRAME);
        darn_lock_given(thread, (const volatile void *)lock, FRAME);
        darn_gate_leave(thread, lock);
        return 0;
    }
    darn_lock_given(thread, (const volatile void *)lock, FRAME);
    result = DARN_REAL(pthread_spin_unlock)(lock);
    darn_gate_leave(thread, lock);
    return result;
}

DARN_INTERCEPT_OFTEN(int, mtx_trylock, mtx_t *mutex)
{
    return thrd_result(try_it(darn_thread_self(), (pthread_mutex_t *)mutex, FRAME));
}

DARN_INTERCEPT_OFTEN(int, mtx_lock, mtx_t *mutex)
{
    return thrd_result(lock_it(darn_thread_self(), (pthread_mutex_t *)mutex, NULL, FRAME));
}

DARN_INTERCEPT_OFTEN(int, mtx_timedlock, mtx_t *mutex, const struct timespec *until)
{
    struct darn_limit limit = {CLOCK_REALTIME, until};

    return thrd_result(lock_it(darn_thread_self(), (pthread_mutex_t *)mutex, &limit, FRAME));
}

DARN_INTERCEPT_OFTEN(int, mtx_unlock, mtx_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    if (darn_state.quiet)
        return thrd_result(unlock_quietly(thread, (pthread_mutex_t *)mutex));
    darn_noise_at_call(thread);
    darn_heal_unlocks(thread, mutex);
    if (darn_turn_mine(thread)) {
        result = darn_turn_unlock(thread->slot, DARN_STEP_UNLOCK, mutex, give_mutex, FRAME);
        darn_lock_given(thread, mutex, FRAME);
        darn_gate_leave(thread, mutex);
        return thrd_result(result);
    }
    darn_lock_given(thread, mutex, FRAME);
    result = DARN_REAL(mtx_unlock)(mutex);
    darn_gate_leave(thread, mutex);
    return result;
}

/* Not forever: who waits with a limit goes on in the end, whoever has the mutex. */
static int wait_for_a_while(struct darn_thread *thread, pthread_mutex_t *mutex,
                            const struct darn_limit *limit, const void *frame)
{
    int result;

    if (thread)
        __atomic_store_n(&thread->waits_with, (uintptr_t)mutex, __ATOMIC_RELEASE);
    darn_wait_begin(thread, DARN_WAIT_OTHER, NULL, frame);
    result = limit->clock == CLOCK_REALTIME
                 ? DARN_REAL(pthread_mutex_timedlock)(mutex, limit->until)
                 : DARN_REAL(pthread_mutex_clocklock)(mutex, limit->clock, limit->until);
    darn_wait_end(thread);
    if (thread)
        __atomic_store_n(&thread->waits_with, 0, __ATOMIC_RELEASE);
    return result;
}

/*
 * Takes it, or says EBUSY. libc's trylock says ENOTRECOVERABLE of a robust mutex that is lost, but
 * keeps it locked: whoever comes next would wait for ever. So these are looked at, and locked.
 */
static int take_free(pthread_mutex_t *mutex)
{
    int holder = darn_mutex_holder(mutex);

    if (!darn_mutex_is_robust(mutex))
        return DARN_REAL(pthread_mutex_trylock)(mutex);
    if (holder && (holder != darn_os_thread_id() || !darn_mutex_type(mutex)))
        return EBUSY;
    return DARN_REAL(pthread_mutex_lock)(mutex);
}

static int take(struct darn_thread *thread, pthread_mutex_t *mutex, const struct darn_limit *limit,
                const void *frame)
{
    int result;

    if (darn_turn_mine(thread))
        return control_mutex(thread->slot, mutex,
                             limit ? darn_vtime_of(limit->clock, limit->until) : DARN_NO_DEADLINE,
                             frame);
    /* Whether we wait is known only by trying; that a free lock costs nothing more is worth it. */
    result = take_free(mutex);
    if (result != EBUSY)
        return result;
    if (limit)
        return wait_for_a_while(thread, mutex, limit, frame);
    if (!darn_state.quiet)
        darn_lock_requested(thread, mutex, DARN_LOCK_MUTEX, frame);
    darn_wait_begin(thread, DARN_WAIT_MUTEX, mutex, frame);
    result = DARN_REAL(pthread_mutex_lock)(mutex);
    darn_wait_end(thread);
    return result;
}

static void give(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    if (darn_turn_mine(thread))
        darn_turn_unlock(thread->slot, DARN_STEP_UNLOCK, mutex, give_mutex, frame);
    else
        DARN_REAL(pthread_mutex_unlock)(mutex);
}

/* Whoever finds it closed gives it back at once: nothing was done under it. One whose owner died is
 * kept: given back like this nobody could take it any more. */
static int take_open(struct darn_thread *thread, pthread_mutex_t *mutex,
                     const struct darn_limit *limit, const void *frame)
{
    int result = take(thread, mutex, limit, frame);
    bool open = true;

    while (result == 0 && open && darn_heal_is_closed(thread, mutex)) {
        uint64_t until = darn_limit_of(thread, limit);

        give(thread, mutex, frame);
        open = darn_heal_wait_open(thread, mutex, until, frame);
        if (!open && darn_limit_is_over(thread, until))
            return ETIMEDOUT;
        result = take(thread, mutex, limit, frame);
    }
    return result;
}

static int try_once(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    if (darn_turn_mine(thread))
        return darn_turn_try(thread->slot, DARN_STEP_LOCK, mutex, try_only, frame);
    return DARN_REAL(pthread_mutex_trylock)(mutex);
}

/* The same for one who does not wait for it: until it is open is a short while, as before an access
 * that is healed. */
static int try_open(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    int result = try_once(thread, mutex, frame);

    if (result == 0 && darn_heal_is_closed(thread, mutex)) {
        give(thread, mutex, frame);
        darn_heal_wait_open(thread, mutex, 0, frame);
        result = try_once(thread, mutex, frame);
    }
    return result;
}

int darn_mutex_reopen(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    if (!darn_heal_is_closed(thread, mutex))
        return 0;
    give(thread, mutex, frame);
    darn_heal_wait_open(thread, mutex, 0, frame);
    return take_open(thread, mutex, NULL, frame);
}

/* In production: a mutex knows its owner, and that is all that a cure has to know. */
static int taken_quietly(struct darn_thread *thread, pthread_mutex_t *mutex, int result)
{
    if (thread && (result == 0 || result == EOWNERDEAD))
        darn_own_add(mutex, false, darn_mutex_type(mutex));
    return result;
}

static int lock_it(struct darn_thread *thread, pthread_mutex_t *mutex,
                   const struct darn_limit *limit, const void *frame)
{
    if (darn_state.quiet)
        return taken_quietly(thread, mutex, take_open(thread, mutex, limit, frame));
    darn_noise_at_call(thread);
    darn_gate_enter(thread, mutex, frame);
    return taken(thread, mutex, DARN_LOCK_MUTEX, limit ? DARN_EVENT_TRY : 0,
                 take_open(thread, mutex, limit, frame), frame);
}

static int try_it(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    if (darn_state.quiet)
        return taken_quietly(thread, mutex, try_open(thread, mutex, frame));
    darn_noise_at_call(thread);
    darn_gate_enter(thread, mutex, frame);
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY, try_open(thread, mutex, frame),
                 frame);
}

static int unlock_quietly(struct darn_thread *thread, pthread_mutex_t *mutex)
{
    darn_heal_unlocks(thread, mutex);
    return DARN_REAL(pthread_mutex_unlock)(mutex);
}

void darn_mutexes_simply(void)
{
    if (!darn_simple_fits(real_pthread_mutex_lock, real_pthread_mutex_unlock))
        return;
    darn_simple_open(ours_pthread_mutex_lock, ours_pthread_mutex_unlock);
    darn_go_pthread_mutex_lock = darn_simple_lock;
    darn_go_pthread_mutex_unlock = darn_simple_unlock;
}

static int try_mutex(volatile void *lock)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)lock;
    int result = take_free(mutex);

    /* One that checks for errors says EDEADLK when it is locked, but EBUSY when it is tried. */
    if (result == EBUSY && darn_mutex_type(mutex) == PTHREAD_MUTEX_ERRORCHECK &&
        darn_mutex_owner(mutex) == darn_os_thread_id())
        return EDEADLK;
    return result;
}

static int try_only(volatile void *lock)
{
    return DARN_REAL(pthread_mutex_trylock)((pthread_mutex_t *)(uintptr_t)lock);
}

static int give_mutex(volatile void *lock)
{
    return DARN_REAL(pthread_mutex_unlock)((pthread_mutex_t *)(uintptr_t)lock);
}

static int try_spin(volatile void *lock)
{
    return DARN_REAL(pthread_spin_trylock)((pthread_spinlock_t *)(uintptr_t)lock);
}

static int give_spin(volatile void *lock)
{
    return DARN_REAL(pthread_spin_unlock)((pthread_spinlock_t *)(uintptr_t)lock);
}
