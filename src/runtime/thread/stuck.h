/*
 * Threads that wait for each other for ever.
 *
 * A watchdog (the sampler's thread, sampler.c) looks at the threads that wait now and then; a wait
 * costs nothing for it. A circle of waits that has lasted since the last look (waitfor.h) stays for
 * ever.
 */
#ifndef DARN_RUNTIME_STUCK_H
#define DARN_RUNTIME_STUCK_H

#include <stdint.h>

#include "runtime/watch/watch.h"

#define DARN_STUCK_THREADS 16

/* One of the threads that are stuck, or that have to do with an object that is misused. */
struct darn_stuck_thread {
    struct darn_side side; /* its thread, stacks and locks; it touches nothing */
    const char *op;        /* what it does to the target, which is of the kind `object`; */
    const char *object;    /* NULL: */
    uint32_t wait;         /* it waits, enum darn_wait_kind */
    uintptr_t target;      /* what it waits for; of a join, the number of the thread */
    uintptr_t mutex;       /* that it gave back for that, or 0 */
};

struct darn_stuck {
    const char *kind;   /* deadlock, notification, sync-misuse (misuse.h) */
    const char *reason; /* or NULL */
    uint32_t count;
    struct darn_stuck_thread threads[DARN_STUCK_THREADS];
};

/* Fills in the name of its thread, which is another one. */
void darn_stuck_name(struct darn_stuck_thread *thread);

/* Looks whether threads are stuck, and reports them. One thread calls it, now and then; it returns
 * at once when the last look was not long ago. */
void darn_stuck_check(void);

#endif
