#include "runtime/interpose/watched.h"

#include "runtime/coverage/covering.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/order/thread_order.h"
#include "runtime/os/glibc.h"
#include "runtime/record/record.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

static darn_mutex_call *lock_slowly, *unlock_slowly, *give_waited_for;

bool darn_watched_fits(darn_mutex_call *real_lock, darn_mutex_call *real_unlock)
{
    const struct darn_thread *thread = darn_thread_self();

    return thread && darn_state.mode == DARN_MODE_WATCH && !darn_state.options.noise_count &&
           !darn_recording && !darn_sections && !darn_healing && !darn_gates_on &&
           !darn_lock_stacks && darn_mutex_fits(real_lock, real_unlock, thread->tid);
}

void darn_watched_open(darn_mutex_call *lock, darn_mutex_call *unlock, darn_mutex_call *real_unlock)
{
    lock_slowly = lock;
    unlock_slowly = unlock;
    give_waited_for = real_unlock;
}

static __attribute__((noinline, cold)) void tell(struct darn_thread *thread,
                                                 enum darn_event_kind kind,
                                                 const pthread_mutex_t *mutex, const void *frame)
{
    darn_record(thread, kind, mutex, NULL, 0, frame);
}

/* It stands last in the list, if it does, and is not there twice. */
static inline struct darn_thread_lock *last_of(struct darn_thread *thread)
{
    return &thread->locks.held[thread->locks.count - 1];
}

static inline bool has_room(struct darn_thread *thread, const pthread_mutex_t *mutex)
{
    return thread->locks.count < DARN_LOCKS_HELD &&
           (!thread->locks.count || !darn_lock_find(&thread->locks, (uintptr_t)mutex));
}

int darn_watched_lock(pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_record;

    if (__builtin_expect((uintptr_t)thread <= (uintptr_t)DARN_THREAD_ENDED, 0) ||
        __builtin_expect(!darn_mutex_is_plain(mutex), 0) ||
        __builtin_expect(!has_room(thread, mutex), 0) ||
        __builtin_expect(!darn_mutex_take(mutex, thread->tid), 0))
        return lock_slowly(mutex);
    if (darn_ordering &&
        !darn_order_knows_lock(thread, DARN_EVENT_ACQUIRE, (uintptr_t)mutex, DARN_EVENT_MUTEX))
        tell(thread, DARN_EVENT_ACQUIRE, mutex, __builtin_frame_address(0));
    darn_coverage_lock(thread, __builtin_frame_address(0));
    darn_lock_list(&thread->locks, (uintptr_t)mutex, DARN_LOCK_MUTEX,
                   (uintptr_t)__builtin_return_address(0));
    return 0;
}

int darn_watched_unlock(pthread_mutex_t *mutex)
{
    struct darn_thread *thread = darn_thread_record;

    if (__builtin_expect((uintptr_t)thread <= (uintptr_t)DARN_THREAD_ENDED, 0) ||
        __builtin_expect(!thread->locks.count, 0) ||
        __builtin_expect(last_of(thread)->address != (uintptr_t)mutex, 0) ||
        __builtin_expect(last_of(thread)->depth != 1, 0) ||
        __builtin_expect(!darn_mutex_is_plain(mutex), 0) ||
        __builtin_expect(darn_mutex_owner(mutex) != thread->tid, 0))
        return unlock_slowly(mutex);
    if (darn_ordering &&
        !darn_order_knows_lock(thread, DARN_EVENT_RELEASE, (uintptr_t)mutex, DARN_EVENT_MUTEX))
        tell(thread, DARN_EVENT_RELEASE, mutex, __builtin_frame_address(0));
    darn_coverage_release(thread);
    __atomic_store_n(&thread->locks.count, thread->locks.count - 1, __ATOMIC_RELEASE);
    return darn_mutex_give(mutex, thread->tid) ? 0 : give_waited_for(mutex);
}
