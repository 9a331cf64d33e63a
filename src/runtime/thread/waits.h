/*
 * Who waits for what: every call that may wait for another thread says so before and after.
 */
#ifndef DARN_RUNTIME_WAITS_H
#define DARN_RUNTIME_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct darn_thread;

enum darn_wait_kind {
    DARN_WAIT_NONE,
    DARN_WAIT_MUTEX,
    DARN_WAIT_READ, /* a read-write lock, for reading */
    DARN_WAIT_WRITE,
    DARN_WAIT_JOIN,    /* the target is the number of the thread */
    DARN_WAIT_COND,    /* for ever */
    DARN_WAIT_BARRIER, /* for ever */
    DARN_WAIT_HEAL,    /* for one in a section that is healed (hold.h): the target is its record */
    DARN_WAIT_GATE,  /* before a lock that a known deadlock needs (gates.h): the target is the gate
                      */
    DARN_WAIT_OTHER, /* with a timeout, or for something that others than threads may bring */
};

struct darn_wait {
    uint32_t kind;    /* enum darn_wait_kind */
    uint32_t version; /* changes when a wait begins, gets another target, and ends */
    uintptr_t target;
    const void *frame; /* of the interceptor, live as long as the wait lasts */
};

/* `frame` is that of the interceptor. */
void darn_wait_begin(struct darn_thread *thread, enum darn_wait_kind kind,
                     const volatile void *target, const void *frame);
void darn_wait_end(struct darn_thread *thread);

/* Ends it, and goes on with that of the call that a signal handler has interrupted, if any. */
void darn_wait_return(struct darn_thread *thread, const struct darn_wait *before);

/* The same wait, but now for this. */
void darn_wait_redirect(struct darn_thread *thread, const volatile void *target);

/* What another thread waits for. Read while it may go on: kind, target and frame are those of the
 * same wait. False: it waits for nothing. */
static inline bool darn_wait_read(const struct darn_wait *from, struct darn_wait *wait)
{
    wait->version = __atomic_load_n(&from->version, __ATOMIC_ACQUIRE);
    wait->kind = __atomic_load_n(&from->kind, __ATOMIC_ACQUIRE);
    wait->target = __atomic_load_n(&from->target, __ATOMIC_ACQUIRE);
    wait->frame = __atomic_load_n(&from->frame, __ATOMIC_ACQUIRE);
    return wait->kind != DARN_WAIT_NONE &&
           __atomic_load_n(&from->version, __ATOMIC_ACQUIRE) == wait->version;
}

#endif
