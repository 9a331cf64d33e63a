/*
 * The clocks of a barrier: two, in turn. A thread that is slow may not have left when others arrive
 * for the next time; what they did in between does not come before what it does then.
 *
 * Which of the two is told by tickets. Threads that arrive take one, and each `count` of them are
 * one meeting. That is the barrier's own count of them as long as there are no more threads inside
 * than it waits for, and as everybody takes a ticket. Where it is not so, both clocks count as one,
 * for good: more order, as ever.
 */
#ifndef DARN_RUNTIME_BARRIERS_H
#define DARN_RUNTIME_BARRIERS_H

#include <stdint.h>

#include "runtime/order/thread_order.h"

/* A barrier for `count` threads is there from now on; 0: they may be of other processes. */
void darn_barrier_init(uintptr_t barrier, uint32_t count);
void darn_barrier_destroy(uintptr_t barrier);

/* Before its call, and after it. */
void darn_barrier_arrive(struct darn_thread_order *order, uintptr_t barrier);
void darn_barrier_depart(struct darn_thread_order *order, uintptr_t barrier);

#endif
