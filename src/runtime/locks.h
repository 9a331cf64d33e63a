/* The locks that a thread holds, for the reports. Each thread keeps its own list: no locking. */
#ifndef DARN_RUNTIME_LOCKS_H
#define DARN_RUNTIME_LOCKS_H

#include <stdint.h>

#define DARN_LOCKS_HELD 16

enum darn_lock_kind { DARN_LOCK_MUTEX, DARN_LOCK_READ, DARN_LOCK_WRITE, DARN_LOCK_SPIN };

struct darn_lock {
    uintptr_t address;
    uint32_t kind;  /* enum darn_lock_kind */
    uint32_t depth; /* of a recursive lock */
};

struct darn_locks {
    uint32_t count;
    struct darn_lock held[DARN_LOCKS_HELD];
};

struct darn_thread;

void darn_lock_taken(struct darn_thread *thread, const volatile void *lock,
                     enum darn_lock_kind kind);
void darn_lock_given(struct darn_thread *thread, const volatile void *lock);

#endif
