/* Reader-writer locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "runtime/intercept.h"
#include "runtime/record.h"
#include "runtime/waits.h"

static int taken(pthread_rwlock_t *lock, enum darn_lock_kind kind, unsigned flags, int result,
                 const void *frame)
{
    if (result == 0)
        darn_lock_taken(darn_thread_self(), lock, kind, flags, frame);
    return result;
}

#define FRAME __builtin_frame_address(0)

DARN_INTERCEPT(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
    darn_noise_at_call(darn_thread_self());
    return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY, DARN_REAL(pthread_rwlock_tryrdlock)(lock),
                 FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    result = DARN_REAL(pthread_rwlock_tryrdlock)(lock);
    if (result == EBUSY) {
        darn_lock_requested(thread, lock, DARN_LOCK_READ, FRAME);
        darn_wait_begin(thread, DARN_WAIT_READ, lock, FRAME);
        result = DARN_REAL(pthread_rwlock_rdlock)(lock);
        darn_wait_end(thread);
    }
    return taken(lock, DARN_LOCK_READ, 0, result, FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_timedrdlock)(lock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_clockrdlock)(lock, clock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
    darn_noise_at_call(darn_thread_self());
    return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY, DARN_REAL(pthread_rwlock_trywrlock)(lock),
                 FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();
    int result;

    darn_noise_at_call(thread);
    result = DARN_REAL(pthread_rwlock_trywrlock)(lock);
    if (result == EBUSY) {
        darn_lock_requested(thread, lock, DARN_LOCK_WRITE, FRAME);
        darn_wait_begin(thread, DARN_WAIT_WRITE, lock, FRAME);
        result = DARN_REAL(pthread_rwlock_wrlock)(lock);
        darn_wait_end(thread);
    }
    return taken(lock, DARN_LOCK_WRITE, 0, result, FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_timedwrlock)(lock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_clockwrlock)(lock, clock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_lock_given(thread, lock, FRAME);
    return DARN_REAL(pthread_rwlock_unlock)(lock);
}
