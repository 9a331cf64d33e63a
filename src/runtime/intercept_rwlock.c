/* Reader-writer locks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#include "runtime/gates.h"
#include "runtime/heal_closed.h"
#include "runtime/intercept.h"
#include "runtime/record.h"
#include "runtime/vtime.h"
#include "runtime/waits.h"

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

static int take_open(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                     const void *frame);

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY,
                     darn_turn_try(thread->slot, DARN_STEP_READLOCK, lock, try_read, FRAME), FRAME);
    return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY, DARN_REAL(pthread_rwlock_tryrdlock)(lock),
                 FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, FRAME);
    return taken(lock, DARN_LOCK_READ, 0, take_open(thread, DARN_LOCK_READ, lock, FRAME), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock,
               const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY,
                     control(thread->slot, DARN_LOCK_READ, lock,
                             darn_vtime_of(CLOCK_REALTIME, until), FRAME),
                     FRAME);
    return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_timedrdlock)(lock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(
            lock, DARN_LOCK_READ, DARN_EVENT_TRY,
            control(thread->slot, DARN_LOCK_READ, lock, darn_vtime_of(clock, until), FRAME), FRAME);
    return taken(lock, DARN_LOCK_READ, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_clockrdlock)(lock, clock, until)), FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
                     darn_turn_try(thread->slot, DARN_STEP_WRITELOCK, lock, try_write, FRAME),
                     FRAME);
    return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY, DARN_REAL(pthread_rwlock_trywrlock)(lock),
                 FRAME);
}

DARN_INTERCEPT_OFTEN(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
    struct darn_thread *thread = darn_thread_self();

    darn_noise_at_call(thread);
    darn_gate_enter(thread, lock, FRAME);
    return taken(lock, DARN_LOCK_WRITE, 0, take_open(thread, DARN_LOCK_WRITE, lock, FRAME), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock,
               const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
                     control(thread->slot, DARN_LOCK_WRITE, lock,
                             darn_vtime_of(CLOCK_REALTIME, until), FRAME),
                     FRAME);
    return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_timedwrlock)(lock, until)), FRAME);
}

DARN_INTERCEPT(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
               const struct timespec *until)
{
    struct darn_thread *thread = darn_thread_self();

    darn_gate_enter(thread, lock, FRAME);
    if (darn_turn_mine(thread))
        return taken(
            lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
            control(thread->slot, DARN_LOCK_WRITE, lock, darn_vtime_of(clock, until), FRAME),
            FRAME);
    return taken(lock, DARN_LOCK_WRITE, DARN_EVENT_TRY,
                 DARN_WAITING(DARN_REAL(pthread_rwlock_clockwrlock)(lock, clock, until)), FRAME);
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

static int take(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                const void *frame)
{
    bool reads = kind == DARN_LOCK_READ;
    int result;

    if (darn_turn_mine(thread))
        return control(thread->slot, kind, lock, DARN_NO_DEADLINE, frame);
    result = reads ? try_read(lock) : try_write(lock);
    if (result != EBUSY)
        return result;
    darn_lock_requested(thread, lock, kind, frame);
    darn_wait_begin(thread, reads ? DARN_WAIT_READ : DARN_WAIT_WRITE, lock, frame);
    result =
        reads ? DARN_REAL(pthread_rwlock_rdlock)(lock) : DARN_REAL(pthread_rwlock_wrlock)(lock);
    darn_wait_end(thread);
    return result;
}

/* As with mutexes: whoever finds it closed gives it back at once. */
static int take_open(struct darn_thread *thread, enum darn_lock_kind kind, pthread_rwlock_t *lock,
                     const void *frame)
{
    int result = take(thread, kind, lock, frame);
    bool open = true;

    while (result == 0 && open && darn_heal_is_closed(thread, lock)) {
        if (darn_turn_mine(thread))
            darn_turn_unlock(thread->slot, DARN_STEP_RWUNLOCK, lock, give, frame);
        else
            give(lock);
        open = darn_heal_wait_open(thread, lock, frame);
        result = take(thread, kind, lock, frame);
    }
    return result;
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
