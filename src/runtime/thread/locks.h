/*
 * The locks that a thread holds. Interceptors tell it here, by darn_lock_taken and darn_lock_given,
 * and it is kept in two forms:
 *
 * - darn_thread.locks says how and where each was taken, for reports, and for whoever looks for
 *   threads that wait for each other. Each thread keeps its own list: no locking.
 * - struct darn_own (own.h) has one word that guards compare and other threads read, and the bare
 *   addresses. It is kept while the program is healed. In production it is all that is known of
 *   mutexes, for one that nobody else wants must cost no more than a few stores
 *   (interpose/simple.c, the only other place that writes it).
 *
 * Who keeps others out of a lock in a controlled run is another fact: control/objects.h.
 */
#ifndef DARN_RUNTIME_LOCKS_H
#define DARN_RUNTIME_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/os/glibc.h"
#include "runtime/thread/own.h"

#define DARN_LOCKS_HELD   16
#define DARN_LOCK_CALLERS 3 /* one call may take the locks of a whole program for it */

enum darn_lock_kind {
    DARN_LOCK_MUTEX,
    DARN_LOCK_READ,
    DARN_LOCK_WRITE,
    DARN_LOCK_SPIN,
    /* Of OpenMP: a mutex that its thread may take again, with nothing of a pthread_mutex_t in it.
     * Healing does not count it: who asks for one cannot be kept out (heal/heal_closed.h). */
    DARN_LOCK_OPENMP,
};

struct darn_thread_lock {
    uintptr_t address;
    uintptr_t pc;                         /* where it was taken: the return address of the call, */
    uintptr_t callers[DARN_LOCK_CALLERS]; /* and those of the functions around; 0: no more */
    uint32_t kind;                        /* enum darn_lock_kind */
    uint32_t depth;                       /* of a recursive lock */
};

struct darn_locks {
    uint32_t count;
    bool is_unknown; /* of a side: it may have held some, there was no room to remember them */
    struct darn_thread_lock held[DARN_LOCKS_HELD];
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

/* Whether a thread that has the lock can take it again, and then has it twice. If not, one that is
 * known to be held was given back by another thread, and would seem to be held for ever. */
static inline bool darn_lock_nests(const volatile void *lock, enum darn_lock_kind kind)
{
    return kind == DARN_LOCK_READ || kind == DARN_LOCK_OPENMP ||
           (kind == DARN_LOCK_MUTEX &&
            darn_mutex_type((const pthread_mutex_t *)(uintptr_t)lock) != PTHREAD_MUTEX_NORMAL);
}

/* The calling thread has taken it, or gives it back: all that is kept of mutexes in production. */
static inline void darn_lock_own(const volatile void *lock, enum darn_lock_kind kind)
{
    darn_own_add(lock, kind == DARN_LOCK_READ, darn_lock_nests(lock, kind));
}

static inline void darn_lock_disown(const volatile void *lock)
{
    darn_own_remove(lock);
}

/* Adds a lock to the list of the calling thread, which has room. */
static inline void darn_lock_list(struct darn_locks *locks, uintptr_t lock,
                                  enum darn_lock_kind kind, uintptr_t pc)
{
    struct darn_thread_lock *added = &locks->held[locks->count];

    added->pc = pc;
    added->kind = (uint32_t)kind;
    added->depth = 1;
    /* The rest comes first: another thread may look whether this one has the lock
     * (darn_lock_is_listed). */
    __atomic_store_n(&added->address, lock, __ATOMIC_RELEASE);
    __atomic_store_n(&locks->count, locks->count + 1, __ATOMIC_RELEASE);
}

/* As findings and traces call it. */
const char *darn_lock_kind_name(uint32_t kind);

/* The lock is not free: the thread is about to wait for it. */
void darn_lock_requested(struct darn_thread *thread, const volatile void *lock,
                         enum darn_lock_kind kind, const void *frame);

/* Where it was taken, as a stack. */
struct darn_stack;
void darn_lock_stack(struct darn_stack *stack, const struct darn_thread_lock *lock);

/* The lock at this address among those that the calling thread holds, or NULL. */
struct darn_thread_lock *darn_lock_find(struct darn_locks *locks, uintptr_t address);

/* The same for any thread, which may go on meanwhile: whether its list has the lock. Then *lock is
 * a copy of what the list says. */
bool darn_lock_is_listed(const struct darn_thread *thread, uintptr_t address,
                         struct darn_thread_lock *lock);

#endif
