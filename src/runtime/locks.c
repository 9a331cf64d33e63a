#include "runtime/locks.h"

#include <stddef.h>

#include "runtime/counters.h"
#include "runtime/thread.h"

static struct darn_lock *find(struct darn_locks *locks, uintptr_t address)
{
    /* The lock that is given back is nearly always the last that was taken. */
    for (uint32_t i = locks->count; i > 0; i--) {
        if (locks->held[i - 1].address == address)
            return &locks->held[i - 1];
    }
    return NULL;
}

void darn_lock_taken(struct darn_thread *thread, const volatile void *lock,
                     enum darn_lock_kind kind)
{
    struct darn_lock *known;

    if (!thread)
        return;
    known = find(&thread->locks, (uintptr_t)lock);
    if (known) {
        known->depth++;
    } else if (thread->locks.count < DARN_LOCKS_HELD) {
        thread->locks.held[thread->locks.count++] =
            (struct darn_lock){(uintptr_t)lock, (uint32_t)kind, 1};
    } else {
        darn_count(DARN_COUNT_LOCKS_NOT_LISTED);
    }
}

void darn_lock_given(struct darn_thread *thread, const volatile void *lock)
{
    struct darn_lock *known = thread ? find(&thread->locks, (uintptr_t)lock) : NULL;

    if (!known || --known->depth)
        return; /* taken before we watched, or by another thread, or still held */
    for (struct darn_lock *end = &thread->locks.held[--thread->locks.count]; known < end; known++)
        known[0] = known[1];
}
