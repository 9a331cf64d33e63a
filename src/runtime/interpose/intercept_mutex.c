/* Mutexes and spin locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>
#include <time.h>

#include "runtime/interpose/intercept.h"
#include "runtime/interpose/lockops.h"
#include "runtime/interpose/simple.h"
#include "runtime/interpose/watched.h"
#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/thread/misuse.h"

#define FRAME __builtin_frame_address(0)

static int lock_mutex(volatile void *mutex, const struct darn_limit *limit, const void *frame);
static int try_mutex(volatile void *mutex, const void *frame);
static int unlock_mutex(volatile void *mutex, const void *frame);

DARN_INTERCEPT_OFTEN(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
    return try_mutex(mutex, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
    return lock_mutex(mutex, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_timedlock, pthread_mutex_t *mutex,
                     const struct timespec *until)
{
    return lock_mutex(mutex, &(struct darn_limit){CLOCK_REALTIME, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t clock,
                     const struct timespec *until)
{
    return lock_mutex(mutex, &(struct darn_limit){clock, until}, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
    return unlock_mutex(mutex, FRAME);
}

DARN_INTERCEPT_OFTEN(int, mtx_trylock, mtx_t *mutex)
{
    return darn_thrd_result(try_mutex(mutex, FRAME));
}

DARN_INTERCEPT_OFTEN(int, mtx_lock, mtx_t *mutex)
{
    return darn_thrd_result(lock_mutex(mutex, NULL, FRAME));
}

DARN_INTERCEPT_OFTEN(int, mtx_timedlock, mtx_t *mutex, const struct timespec *until)
{
    return darn_thrd_result(lock_mutex(mutex, &(struct darn_limit){CLOCK_REALTIME, until}, FRAME));
}

DARN_INTERCEPT_OFTEN(int, mtx_unlock, mtx_t *mutex)
{
    return darn_thrd_result(unlock_mutex(mutex, FRAME));
}

/*
 * libc's trylock says ENOTRECOVERABLE of a robust mutex that is lost, but keeps it locked: whoever
 * comes next would wait for ever. So these are looked at, and locked.
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

/* One that checks for errors says EDEADLK when it is locked, but EBUSY when it is tried. */
static int take_mutex(volatile void *lock)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)lock;
    int result = take_free(mutex);

    if (result == EBUSY && darn_mutex_type(mutex) == PTHREAD_MUTEX_ERRORCHECK &&
        darn_mutex_owner(mutex) == darn_os_thread_id())
        return EDEADLK;
    return result;
}

static int real_try_mutex(volatile void *lock)
{
    return DARN_REAL(pthread_mutex_trylock)((pthread_mutex_t *)(uintptr_t)lock);
}

static int await_mutex(volatile void *lock, const struct darn_limit *limit)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)lock;

    if (!limit)
        return DARN_REAL(pthread_mutex_lock)(mutex);
    if (limit->clock == CLOCK_REALTIME)
        return DARN_REAL(pthread_mutex_timedlock)(mutex, limit->until);
    return DARN_REAL(pthread_mutex_clocklock)(mutex, limit->clock, limit->until);
}

static int give_mutex(volatile void *lock)
{
    return DARN_REAL(pthread_mutex_unlock)((pthread_mutex_t *)(uintptr_t)lock);
}

/* Only where it is libc's own: another library may keep something else in a mutex. */
static void stray_mutex(struct darn_thread *thread, volatile void *lock, const void *frame)
{
    if (darn_mutex_fits(DARN_REAL(pthread_mutex_lock), DARN_REAL(pthread_mutex_unlock),
                        darn_os_thread_id()))
        darn_misuse_unlock_mutex(thread, (const pthread_mutex_t *)(uintptr_t)lock, frame);
}

const struct darn_lockable darn_mutexes = {
    .kind = DARN_LOCK_MUTEX,
    .waits = DARN_WAIT_MUTEX,
    .takes = DARN_STEP_LOCK,
    .gives = DARN_STEP_UNLOCK,
    .size = sizeof(pthread_mutex_t),
    .has_owner = true,
    .take = take_mutex,
    .try = real_try_mutex,
    .await = await_mutex,
    .give = give_mutex,
    .stray = stray_mutex,
};

static int lock_mutex(volatile void *mutex, const struct darn_limit *limit, const void *frame)
{
    return darn_lock_acquire(&darn_mutexes, mutex, limit, frame);
}

static int try_mutex(volatile void *mutex, const void *frame)
{
    return darn_lock_attempt(&darn_mutexes, mutex, frame);
}

static int unlock_mutex(volatile void *mutex, const void *frame)
{
    return darn_lock_release(&darn_mutexes, mutex, frame);
}

/* ---- spin locks ---- */

static const struct darn_lockable spinlocks;

DARN_INTERCEPT_OFTEN(int, pthread_spin_lock, pthread_spinlock_t *lock)
{
    return darn_lock_acquire(&spinlocks, lock, NULL, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_spin_trylock, pthread_spinlock_t *lock)
{
    return darn_lock_attempt(&spinlocks, lock, FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_spin_unlock, pthread_spinlock_t *lock)
{
    return darn_lock_release(&spinlocks, lock, FRAME);
}

static int take_spinlock(volatile void *lock)
{
    return DARN_REAL(pthread_spin_trylock)((pthread_spinlock_t *)(uintptr_t)lock);
}

static int await_spinlock(volatile void *lock, const struct darn_limit *limit)
{
    (void)limit;
    return DARN_REAL(pthread_spin_lock)((pthread_spinlock_t *)(uintptr_t)lock);
}

static int give_spinlock(volatile void *lock)
{
    return DARN_REAL(pthread_spin_unlock)((pthread_spinlock_t *)(uintptr_t)lock);
}

static const struct darn_lockable spinlocks = {
    .kind = DARN_LOCK_SPIN,
    .waits = DARN_WAIT_NONE,
    .takes = DARN_STEP_LOCK,
    .gives = DARN_STEP_UNLOCK,
    .size = sizeof(pthread_spinlock_t),
    .take = take_spinlock,
    .try = take_spinlock,
    .await = await_spinlock,
    .give = give_spinlock,
};

/* ---- in production ---- */

void darn_locks_simply(void)
{
    darn_go_pthread_spin_lock = real_pthread_spin_lock;
    darn_go_pthread_spin_trylock = real_pthread_spin_trylock;
    darn_go_pthread_spin_unlock = real_pthread_spin_unlock;
    if (!darn_simple_fits(real_pthread_mutex_lock, real_pthread_mutex_unlock))
        return;
    darn_simple_open(ours_pthread_mutex_lock, ours_pthread_mutex_unlock);
    darn_go_pthread_mutex_lock = darn_simple_lock;
    darn_go_pthread_mutex_unlock = darn_simple_unlock;
}

/* ---- in a run that is watched ---- */

void darn_locks_watched(void)
{
    if (!darn_watched_fits(real_pthread_mutex_lock, real_pthread_mutex_unlock))
        return;
    darn_watched_open(ours_pthread_mutex_lock, ours_pthread_mutex_unlock,
                      real_pthread_mutex_unlock);
    darn_go_pthread_mutex_lock = darn_watched_lock;
    darn_go_pthread_mutex_unlock = darn_watched_unlock;
}
