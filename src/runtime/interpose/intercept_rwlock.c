/* Reader-writer locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "runtime/interpose/intercept.h"
#include "runtime/interpose/lockops.h"
#include "runtime/thread/misuse.h"

#define FRAME __builtin_frame_address(0)

static int lock_for_reading(pthread_rwlock_t *lock, const struct darn_limit *limit,
                            const void *frame);
static int lock_for_writing(pthread_rwlock_t *lock, const struct darn_limit *limit,
                            const void *frame);
static const struct darn_lockable reading, writing;

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
    return darn_lock_attempt(&reading, lock, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
    return lock_for_reading(lock, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock,
                     const struct timespec *until)
{
    return lock_for_reading(lock, &(struct darn_limit){CLOCK_REALTIME, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
                     const struct timespec *until)
{
    return lock_for_reading(lock, &(struct darn_limit){clock, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
    return darn_lock_attempt(&writing, lock, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
    return lock_for_writing(lock, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock,
                     const struct timespec *until)
{
    return lock_for_writing(lock, &(struct darn_limit){CLOCK_REALTIME, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
                     const struct timespec *until)
{
    return lock_for_writing(lock, &(struct darn_limit){clock, until}, FRAME);
}

/* Readers and writers give it back by the same call. */
DARN_INTERCEPT_OFTEN(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
    return darn_lock_release(&writing, lock, FRAME);
}

static int take_for_reading(volatile void *lock)
{
    return DARN_REAL(pthread_rwlock_tryrdlock)((pthread_rwlock_t *)(uintptr_t)lock);
}

static int await_reading(volatile void *waited_for, const struct darn_limit *limit)
{
    pthread_rwlock_t *lock = (pthread_rwlock_t *)(uintptr_t)waited_for;

    if (!limit)
        return DARN_REAL(pthread_rwlock_rdlock)(lock);
    if (limit->clock == CLOCK_REALTIME)
        return DARN_REAL(pthread_rwlock_timedrdlock)(lock, limit->until);
    return DARN_REAL(pthread_rwlock_clockrdlock)(lock, limit->clock, limit->until);
}

static int take_for_writing(volatile void *lock)
{
    return DARN_REAL(pthread_rwlock_trywrlock)((pthread_rwlock_t *)(uintptr_t)lock);
}

static int await_writing(volatile void *waited_for, const struct darn_limit *limit)
{
    pthread_rwlock_t *lock = (pthread_rwlock_t *)(uintptr_t)waited_for;

    if (!limit)
        return DARN_REAL(pthread_rwlock_wrlock)(lock);
    if (limit->clock == CLOCK_REALTIME)
        return DARN_REAL(pthread_rwlock_timedwrlock)(lock, limit->until);
    return DARN_REAL(pthread_rwlock_clockwrlock)(lock, limit->clock, limit->until);
}

static int give(volatile void *lock)
{
    return DARN_REAL(pthread_rwlock_unlock)((pthread_rwlock_t *)(uintptr_t)lock);
}

static void stray(struct darn_thread *thread, volatile void *lock, const void *frame)
{
    darn_misuse_unlock_rwlock(thread, (const pthread_rwlock_t *)(uintptr_t)lock, frame);
}

static const struct darn_lockable reading = {
    .kind = DARN_LOCK_READ,
    .waits = DARN_WAIT_READ,
    .takes = DARN_STEP_READLOCK,
    .gives = DARN_STEP_RWUNLOCK,
    .size = sizeof(pthread_rwlock_t),
    .take = take_for_reading,
    .try = take_for_reading,
    .await = await_reading,
    .give = give,
};

static const struct darn_lockable writing = {
    .kind = DARN_LOCK_WRITE,
    .waits = DARN_WAIT_WRITE,
    .takes = DARN_STEP_WRITELOCK,
    .gives = DARN_STEP_RWUNLOCK,
    .size = sizeof(pthread_rwlock_t),
    .take = take_for_writing,
    .try = take_for_writing,
    .await = await_writing,
    .give = give,
    .stray = stray,
};

static int lock_for_reading(pthread_rwlock_t *lock, const struct darn_limit *limit,
                            const void *frame)
{
    return darn_lock_acquire(&reading, lock, limit, frame);
}

static int lock_for_writing(pthread_rwlock_t *lock, const struct darn_limit *limit,
                            const void *frame)
{
    return darn_lock_acquire(&writing, lock, limit, frame);
}
