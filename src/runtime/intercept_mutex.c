/* Mutexes and spin locks: who holds which, for the reports; and noise before taking one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/intercept.h"
#include "runtime/record.h"
#include "runtime/waits.h"

/* After a try that said 0: the lock is ours. EOWNERDEAD: the lock is ours too, its owner died. */
static int taken(struct darn_thread *thread, const volatile void *lock, enum darn_lock_kind kind,
                 unsigned flags, int result, const void *frame)
{
    if (result == 0 || result == EOWNERDEAD)
        darn_lock_taken(thread, lock, kind, flags, frame);
    return result;
}

#define FRAME __builtin_frame_address(0)

DARN_INTERCEPT(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_REAL(pthread_mutex_trylock)(mutex), FRAME);
}

DARN_INTERCEPT(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    /* Whether we wait is known only by trying; that a free lock costs nothing more is worth it. */
    result = DARN_REAL(pthread_mutex_trylock)(mutex);
    if (result == EBUSY) {
        darn_lock_requested(thread, mutex, DARN_LOCK_MUTEX, FRAME);
        darn_wait_begin(thread, DARN_WAIT_MUTEX, mutex, FRAME);
        result = DARN_REAL(pthread_mutex_lock)(mutex);
        darn_wait_end(thread);
    }
    return taken(thread, mutex, DARN_LOCK_MUTEX, 0, result, FRAME);
}

DARN_INTERCEPT(int, pthread_mutex_timedlock, pthread_mutex_t *mutex, const struct timespec *until)
{
    return taken(darn_thread_self(), mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_mutex_timedlock)(mutex, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t clock,
               const struct timespec *until)
{
    return taken(darn_thread_self(), mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_mutex_clocklock)(mutex, clock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();
    bool had;
    int result;

    darn_noise_at_call(thread);
    had = darn_lock_given(thread, mutex, FRAME);
    result = DARN_REAL(pthread_mutex_unlock)(mutex);
    if (result && had)
        darn_lock_taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY, FRAME);
    return result;
}

DARN_INTERCEPT(int, pthread_spin_lock, pthread_spinlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    return taken(thread, lock, DARN_LOCK_SPIN, 0, DARN_REAL(pthread_spin_lock)(lock), FRAME);
}

DARN_INTERCEPT(int, pthread_spin_trylock, pthread_spinlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    return taken(thread, lock, DARN_LOCK_SPIN, DARN_EVENT_TRY,
                 DARN_REAL(pthread_spin_trylock)(lock), FRAME);
}

DARN_INTERCEPT(int, pthread_spin_unlock, pthread_spinlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_lock_given(thread, (const volatile void *)lock, FRAME);
    return DARN_REAL(pthread_spin_unlock)(lock);
}

DARN_INTERCEPT(int, mtx_trylock, mtx_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    return taken(thread, mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY, DARN_REAL(mtx_trylock)(mutex),
                 FRAME);
}

DARN_INTERCEPT(int, mtx_lock, mtx_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    result = DARN_REAL(mtx_trylock)(mutex);
    if (result == thrd_busy) {
        darn_lock_requested(thread, mutex, DARN_LOCK_MUTEX, FRAME);
        darn_wait_begin(thread, DARN_WAIT_MUTEX, mutex, FRAME);
        result = DARN_REAL(mtx_lock)(mutex);
        darn_wait_end(thread);
    }
    return taken(thread, mutex, DARN_LOCK_MUTEX, 0, result, FRAME);
}

DARN_INTERCEPT(int, mtx_timedlock, mtx_t *mutex, const struct timespec *until)
{
    return taken(darn_thread_self(), mutex, DARN_LOCK_MUTEX, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(mtx_timedlock)(mutex, until)), FRAME);
}

DARN_INTERCEPT(int, mtx_unlock, mtx_t *mutex)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_lock_given(thread, mutex, FRAME);
    return DARN_REAL(mtx_unlock)(mutex);
}
