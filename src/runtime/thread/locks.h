/* The locks that a thread holds, for the reports. Each thread keeps its own list: no locking. */
#ifndef DARN_RUNTIME_LOCKS_H
#define DARN_RUNTIME_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define DARN_LOCKS_HELD   16
#define DARN_LOCK_CALLERS 3 /* one call may take the locks of a whole program for it */

enum darn_lock_kind { DARN_LOCK_MUTEX, DARN_LOCK_READ, DARN_LOCK_WRITE, DARN_LOCK_SPIN };

struct darn_lock {
    uintptr_t address;
    uintptr_t pc;                         /* where it was taken: the return address of the call, */
    uintptr_t callers[DARN_LOCK_CALLERS]; /* and those of the functions around; 0: no more */
    uint32_t kind;                        /* enum darn_lock_kind */
    uint32_t depth;                       /* of a recursive lock */
};

struct darn_locks {
    uint32_t count;
    struct darn_lock held[DARN_LOCKS_HELD];
};

struct darn_thread;

/* Whether callers are looked for: where there are frame pointers, and a tool may want to know. It
 * makes taking a free lock half as long again. */
extern bool darn_lock_stacks;

/* After a lock was taken, and before it is given back: also an event of the trace. `flags` is 0 or
 * DARN_EVENT_TRY, `frame` that of the interceptor. Giving back returns whether the thread had it.
 */
void darn_lock_taken(struct darn_thread *thread, const volatile void *lock,
                     enum darn_lock_kind kind, unsigned flags, const void *frame);
bool darn_lock_given(struct darn_thread *thread, const volatile void *lock, const void *frame);

/* The lock is not free: the thread is about to wait for it. */
void darn_lock_requested(struct darn_thread *thread, const volatile void *lock,
                         enum darn_lock_kind kind, const void *frame);

/* The lock at this address among those that are held, or NULL. */
struct darn_lock *darn_lock_find(struct darn_locks *locks, uintptr_t address);

#endif
