/*
 * Threads that wait for each other for ever.
 *
 * A watchdog (the sampler's thread, sampler.c) looks at the threads that wait now and then; a wait
 * costs nothing for it. A thread that has waited since the last look does not change the list of
 * locks that it holds, so an edge from a thread that waits to the owner of the lock is exact if the
 * owner waits as well; and who owns a mutex, the mutex itself knows. A circle of such edges stays
 * for ever.
 */
#ifndef DARN_RUNTIME_STUCK_H
#define DARN_RUNTIME_STUCK_H

#include <stdint.h>

#include "runtime/watch/watch.h"

#define DARN_STUCK_THREADS 16

/* One of the threads that are stuck. */
struct darn_stuck_thread {
    struct darn_side side; /* its thread, stacks and locks; it touches nothing */
    uint32_t wait;         /* enum darn_wait_kind */
    uintptr_t target;      /* what it waits for; of a join, the number of the thread */
    uintptr_t mutex;       /* that it gave back for that, or 0 */
};

struct darn_stuck {
    const char *kind;   /* deadlock, notification */
    const char *reason; /* or NULL */
    uint32_t count;
    struct darn_stuck_thread threads[DARN_STUCK_THREADS];
};

/* Looks whether threads are stuck, and reports them. One thread calls it, now and then; it returns
 * at once when the last look was not long ago. */
void darn_stuck_check(void);

#endif
