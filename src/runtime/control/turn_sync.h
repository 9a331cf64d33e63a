/*
 * Synchronization calls of controlled threads. Each takes the slot of the calling thread and the
 * frame of the interceptor; results are those of the pthread functions.
 */
#ifndef DARN_RUNTIME_TURN_SYNC_H
#define DARN_RUNTIME_TURN_SYNC_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "runtime/control/turn.h"
#include "runtime/control/vtime.h"

struct darn_lockable;

/* No end of a wait. */
#define DARN_NO_DEADLINE UINT64_MAX

/* The end of a wait in virtual time; NULL: it has none. */
static inline uint64_t darn_turn_deadline(const struct darn_limit *limit)
{
    return limit ? darn_vtime_of(limit->clock, limit->until) : DARN_NO_DEADLINE;
}

/* Takes a lock by a call that does not wait; `op` is LOCK, READLOCK or WRITELOCK, `size` that of
 * its type. EDEADLK and others are passed on; ETIMEDOUT with a deadline. */
int darn_turn_lock(struct darn_slot *slot, enum darn_step_op op, volatile void *lock, uint32_t size,
                   int (*try)(volatile void *lock), uint64_t deadline, const void *frame);

/* A try of the program's own: a scheduling point, then the call. */
int darn_turn_try(struct darn_slot *slot, enum darn_step_op op, volatile void *lock,
                  int (*try)(volatile void *lock), const void *frame);

int darn_turn_unlock(struct darn_slot *slot, enum darn_step_op op, volatile void *lock,
                     int (*give)(volatile void *lock), const void *frame);

/* `of` has the calls by which the mutex is given back and taken (interpose/lockops.h). */
int darn_turn_cond_wait(struct darn_slot *slot, pthread_cond_t *cond, pthread_mutex_t *mutex,
                        const struct darn_lockable *of, uint64_t deadline, const void *frame);
void darn_turn_cond_wake(struct darn_slot *slot, pthread_cond_t *cond, bool all, const void *frame);

/* As sem_wait: -1 and errno. */
int darn_turn_sem_wait(struct darn_slot *slot, sem_t *semaphore, uint64_t deadline,
                       const void *frame);

/* With a count of 0, or none: other processes may use it, and it is not played. */
void darn_turn_barrier_init(pthread_barrier_t *barrier, uint32_t count);
bool darn_turn_plays_barrier(pthread_barrier_t *barrier);
int darn_turn_barrier_wait(struct darn_slot *slot, pthread_barrier_t *barrier, const void *frame);

/* Around what runs once: begin waits until nobody else is at it. */
void darn_turn_once_begin(struct darn_slot *slot, volatile void *once, const void *frame);
void darn_turn_once_end(volatile void *once);

/* Waits for the end of a thread, if it is known. ETIMEDOUT with a deadline, else 0. */
int darn_turn_join(struct darn_slot *slot, uint32_t number, uint64_t deadline, const void *frame);

/* A step that is always enabled. */
void darn_turn_pass(struct darn_slot *slot, enum darn_step_op op, const volatile void *object,
                    const void *frame);

/* The object of the step is the number of the other thread. */
void darn_turn_cancel(struct darn_slot *slot, uint32_t number, const void *frame);

/* Gives way; sleeps until a virtual moment. */
void darn_turn_yield(struct darn_slot *slot, const void *frame);
void darn_turn_sleep(struct darn_slot *slot, uint64_t deadline, const void *frame);

/*
 * What lies outside of the program: the object of all steps that look at it or change it. Files
 * that have nothing to do with each other are not told apart: the same pipe has many numbers, and
 * what a poll or a signal is about is known to the kernel alone.
 */
extern const char darn_turn_world;

/* Before a call that may wait for the outside: others go on meanwhile, until darn_turn_return. */
void darn_turn_outside(struct darn_slot *slot, const void *frame);

/* Waits until `ready` says so; what that looks at is `object`. False: the deadline came first. */
bool darn_turn_call(struct darn_slot *slot, const volatile void *object,
                    bool (*ready)(void *argument), void *argument, uint64_t deadline,
                    const void *frame);

/* The same for a step that is filled in already. */
bool darn_turn_await(struct darn_slot *slot, bool (*ready)(void *argument), void *argument,
                     uint64_t deadline);

#endif
