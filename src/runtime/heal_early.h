/*
 * Sections that begin under a lock of the program.
 *
 * A thread that has taken the lock and then waits before the entry, for one in a section who needs
 * that lock to go on, would wait in a circle. So it waits before it asks for the lock. Which locks
 * those are is learned: when a section is entered, or its variable touched, with a lock just taken,
 * the place of that call is remembered, and where the variable is: at the same address as before,
 * or as far from the lock.
 */
#ifndef DARN_RUNTIME_HEAL_EARLY_H
#define DARN_RUNTIME_HEAL_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/heal.h"
#include "runtime/hold.h"

#define DARN_EARLY_MARKS 1024

/* Of the return addresses where locks are taken, by hash: whether a section may begin behind. */
extern uint8_t darn_early_marks[DARN_EARLY_MARKS];

static inline uint32_t darn_early_mark(uintptr_t pc)
{
    return (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
}

void darn_early_take(struct darn_thread *thread, const volatile void *lock, const void *frame);
void darn_early_drop(struct darn_thread *thread, const volatile void *lock);

/* Before a lock is asked for; may wait. `frame` is that of the interceptor. */
static inline void darn_heal_lock(struct darn_thread *thread, const volatile void *lock,
                                  const void *frame)
{
    if (__builtin_expect(darn_healing, 0) && thread &&
        darn_early_marks[darn_early_mark(((const uintptr_t *)frame)[1])])
        darn_early_take(thread, lock, frame);
}

/* It was taken. */
static inline void darn_heal_locked(struct darn_thread *thread, const volatile void *lock,
                                    const void *frame)
{
    if (__builtin_expect(darn_healing, 0) && thread) {
        thread->locked = (uintptr_t)lock;
        thread->locked_at = ((const uintptr_t *)frame)[1];
    }
}

/* It was given back, or could not be had. */
static inline void darn_heal_unlocked(struct darn_thread *thread, const volatile void *lock)
{
    if (__builtin_expect(darn_healing, 0) && thread) {
        if (thread->locked == (uintptr_t)lock)
            thread->locked = 0;
        if (thread->early)
            darn_early_drop(thread, lock);
    }
}

/* The thread enters a section of the rule with this access, or makes a single one (NULL). */
void darn_early_learn(const struct darn_thread *thread, const struct darn_touch *touch,
                      struct darn_rule *rule);

/* The access that a hold was taken early for: whether it is that one. It is held from now on like
 * any other. */
bool darn_early_comes(struct darn_hold *hold, const struct darn_touch *touch);

#endif
