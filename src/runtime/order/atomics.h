/* Atomic operations and fences: from the hooks in front of them to the clocks. */
#ifndef DARN_RUNTIME_ATOMICS_H
#define DARN_RUNTIME_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/thread_order.h"

/* An operation that is about to happen, by its memory order; `kind` is that of its event. */
void darn_atomic_pass(struct darn_thread_order *order, unsigned kind, bool acquires, bool releases,
                      uint64_t object);
void darn_atomic_fence(struct darn_thread_order *order, bool acquires, bool releases);

/* The thread will give something away by atomic operations that nobody sees, and may get something
 * by them: from now on all that it does, and who acquires by an atomic operation, comes after all
 * that anybody did. */
void darn_atomics_outside(struct darn_thread *thread);

#endif
