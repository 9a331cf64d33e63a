/*
 * Locks that are closed while a section goes on.
 *
 * A section may begin under a lock of the program, give the lock back, and take it again for its
 * end: `lock; n = seats; unlock; … lock; seats = n - 1; unlock`. Another thread that takes the lock
 * in between and comes to the variable would wait there for the section to end, and the section for
 * the lock. So a lock that is given back inside a section which began under it is closed to others
 * until the section ends: they wait before they have it.
 */
#ifndef DARN_RUNTIME_HEAL_CLOSED_H
#define DARN_RUNTIME_HEAL_CLOSED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/heal/heal.h"
#include "runtime/heal/hold.h"

/* The thread's sections are not under one lock from their beginnings to their ends. */
void darn_closed_tear(struct darn_thread *thread);

/* Sections that are left to locks (heal.h) are shown, unless the thread is in a hook. */
void darn_closed_show(struct darn_thread *thread);

/* How many locks are closed now. */
extern _Atomic uint32_t darn_closed_count;

bool darn_closed_wait(struct darn_thread *thread, const volatile void *lock, uint64_t until,
                      const void *frame);
void darn_closed_give(struct darn_thread *thread, const volatile void *lock);

/*
 * A lock was taken. True: it was closed by another thread; it must be given back, and taken again
 * after darn_heal_wait_open. Nothing was done under it yet, so nobody sees that.
 */
bool darn_closed_is(struct darn_thread *thread, const volatile void *lock);

static inline bool darn_heal_is_closed(struct darn_thread *thread, const volatile void *lock)
{
    return __builtin_expect(atomic_load_explicit(&darn_closed_count, memory_order_relaxed) != 0,
                            0) &&
           thread && darn_closed_is(thread, lock);
}

/* Waits until it is open, and no longer than until this moment, by darn_os_now or in a controlled
 * run by virtual time; 0: as long as the cure has it. False: it is not waited for any longer. */
static inline bool darn_heal_wait_open(struct darn_thread *thread, const volatile void *lock,
                                       uint64_t until, const void *frame)
{
    return darn_closed_wait(thread, lock, until, frame);
}

/* Before a lock is given back, and taken out of those that the thread holds. */
static inline void darn_heal_unlocks(struct darn_thread *thread, const volatile void *lock)
{
    if (__builtin_expect(darn_healing, 0) && thread && __builtin_expect(darn_own_here.sections, 0))
        darn_closed_give(thread, lock);
}

/* A condition variable is waited for: a lock is given back, and taken again. */
static inline void darn_heal_waits(struct darn_thread *thread)
{
    if (__builtin_expect(darn_healing, 0) && thread)
        darn_closed_tear(thread);
}

/* The thread may have to wait: it is not one that gives its lock back soon any more (elision.c). */
static inline void darn_heal_blocks(struct darn_thread *thread)
{
    if (__builtin_expect(darn_own_here.left, 0))
        darn_closed_show(thread);
}

/* The thread has entered a section: locks that it shares with others are closed from now on. */
void darn_closed_enter(struct darn_hold *section);

/* A hold ends: what it had closed is open again. */
void darn_closed_open(struct darn_hold *hold);

/* In the child of fork: what the calling thread has closed is all that is. */
void darn_closed_after_fork(void);

#endif
