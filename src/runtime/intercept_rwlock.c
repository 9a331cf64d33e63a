/* Reader-writer locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "runtime/intercept.h"

static int taken(pthread_rwlock_t *lock, enum darn_lock_kind kind, int result)
{
    if (result == 0)
        darn_lock_taken(darn_thread_self(), lock, kind);
    return result;
}

DARN_INTERCEPT(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
    return taken(lock, DARN_LOCK_READ, DARN_WAITING(DARN_REAL(pthread_rwlock_rdlock)(lock)));
}

DARN_INTERCEPT(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
    darn_noise_at_call(darn_thread_self());
    return taken(lock, DARN_LOCK_READ, DARN_REAL(pthread_rwlock_tryrdlock)(lock));
}

DARN_INTERCEPT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_READ,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_timedrdlock)(lock, until)));
}

DARN_INTERCEPT(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_READ,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_clockrdlock)(lock, clock, until)));
}

DARN_INTERCEPT(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
    return taken(lock, DARN_LOCK_WRITE, DARN_WAITING(DARN_REAL(pthread_rwlock_wrlock)(lock)));
}

DARN_INTERCEPT(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
    darn_noise_at_call(darn_thread_self());
    return taken(lock, DARN_LOCK_WRITE, DARN_REAL(pthread_rwlock_trywrlock)(lock));
}

DARN_INTERCEPT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_WRITE,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_timedwrlock)(lock, until)));
}

DARN_INTERCEPT(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *until)
{
    return taken(lock, DARN_LOCK_WRITE,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_clockwrlock)(lock, clock, until)));
}

DARN_INTERCEPT(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_lock_given(thread, lock);
    return DARN_REAL(pthread_rwlock_unlock)(lock);
}
