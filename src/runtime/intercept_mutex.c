/* Mutexes and spin locks: who holds which, for the reports; and noise before taking one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/gates.h"
#include "runtime/heal_closed.h"
#include "runtime/intercept.h"
#include "runtime/os.h"
#include "runtime/record.h"
#include "runtime/simple.h"
#include "runtime/vtime.h"
#include "runtime/waits.h"

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

static int take_open(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame);

/* In production: a mutex knows its owner, and that is all that a cure has to know. */
static int lock_quietly(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame);
static int try_quietly(struct darn_thread *thread, pthread_mutex_t *mutex);
static int unlock_quietly(struct darn_thread *thread, pthread_mutex_t *mutex);

DARN_INTERCEPT_OFTEN(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_state.quiet)
        return try_quietly(thread, mutex);
    darn_noise_at_call(thread);
    darn_gate_enter(thread, mutex, FRAME);
    if (darn_turn_mine(thread))
        return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                     darn_turn_try(thread->slot, DARN_STEP_LOCK, mutex, try_only, FRAME), FRAME);
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_REAL(pthread_mutex_trylock)(mutex), FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_state.quiet)
        return lock_quietly(thread, mutex, FRAME);
    darn_noise_at_call(thread);
    darn_gate_enter(thread, mutex, FRAME);
    return taken(thread, mutex, DARN_LOCK_MUTEX, 0, take_open(thread, mutex, FRAME), FRAME);
}

DARN_INTERCEPT(int, pthread_mutex_timedlock, pthread_mutex_t *mutex, const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, mutex, FRAME);
    if (darn_turn_mine(thread))
        return taken(
            thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
            control_mutex(thread->slot, mutex, darn_vtime_of(CLOCK_REALTIME, until), FRAME), FRAME);
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_mutex_timedlock)(mutex, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t clock,
               const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, mutex, FRAME);
    if (darn_turn_mine(thread))
        return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                     control_mutex(thread->slot, mutex, darn_vtime_of(clock, until), FRAME), FRAME);
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_mutex_clocklock)(mutex, clock, until)), FRAME);
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
    struct darn_thread *thread = darn_thread_self();

    if (darn_state.quiet)
        return thrd_result(try_quietly(thread, (pthread_mutex_t *)mutex));
    darn_noise_at_call(thread);
    darn_gate_enter(thread, mutex, FRAME);
    if (darn_turn_mine(thread))
        return thrd_result(
            taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                  darn_turn_try(thread->slot, DARN_STEP_LOCK, mutex, try_only, FRAME), FRAME));
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY, DARN_REAL(mtx_trylock)(mutex),
                 FRAME);
}

DARN_INTERCEPT_OFTEN(int, mtx_lock, mtx_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    if (darn_state.quiet)
        return thrd_result(lock_quietly(thread, (pthread_mutex_t *)mutex, FRAME));
    darn_noise_at_call(thread);
    darn_gate_enter(thread, mutex, FRAME);
    return thrd_result(taken(thread, mutex, DARN_LOCK_MUTEX, 0,
                             take_open(thread, (pthread_mutex_t *)mutex, FRAME), FRAME));
}

DARN_INTERCEPT(int, mtx_timedlock, mtx_t *mutex, const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, mutex, FRAME);
    if (darn_turn_mine(thread))
        return thrd_result(
            taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                  control_mutex(thread->slot, mutex, darn_vtime_of(CLOCK_REALTIME, until), FRAME),
                  FRAME));
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(mtx_timedlock)(mutex, until)), FRAME);
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

static int take(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    int result;

    if (darn_turn_mine(thread))
        return control_mutex(thread->slot, mutex, DARN_NO_DEADLINE, frame);
    /* Whether we wait is known only by trying; that a free lock costs nothing more is worth it. */
    result = DARN_REAL(pthread_mutex_trylock)(mutex);
    if (result != EBUSY)
        return result;
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

/* Whoever finds it closed gives it back at once: nothing was done under it. */
static int take_open(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    int result = take(thread, mutex, frame);
    bool open = true;

    while (result == 0 && open && darn_heal_is_closed(thread, mutex)) {
        give(thread, mutex, frame);
        open = darn_heal_wait_open(thread, mutex, frame);
        result = take(thread, mutex, frame);
    }
    return result;
}

static int lock_quietly(struct darn_thread *thread, pthread_mutex_t *mutex, const void *frame)
{
    int result = take_open(thread, mutex, frame);

    if (thread && (result == 0 || result == EOWNERDEAD))
        darn_own_add(mutex, false, mutex->__data.__kind & 3);
    return result;
}

static int try_quietly(struct darn_thread *thread, pthread_mutex_t *mutex)
{
    int result = DARN_REAL(pthread_mutex_trylock)(mutex);

    if (thread && (result == 0 || result == EOWNERDEAD))
        darn_own_add(mutex, false, mutex->__data.__kind & 3);
    return result;
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
    int result = DARN_REAL(pthread_mutex_trylock)(mutex);

    /* One that checks for errors says EDEADLK when it is locked, but EBUSY when it is tried. */
    if (result == EBUSY && (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK &&
        mutex->__data.__owner == darn_os_thread_id())
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
