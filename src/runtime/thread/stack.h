/* Call stacks, by frame pointers: `darn cc` keeps them, and a walk costs some ten nanoseconds. */
#ifndef DARN_RUNTIME_STACK_H
#define DARN_RUNTIME_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define DARN_STACK_DEPTH 24

struct darn_stack {
    uint32_t depth;
    uintptr_t pcs[DARN_STACK_DEPTH];
};

struct darn_thread;

/*
 * Walks from a frame of the calling thread, which must be live, to the end of its stack. The walk
 * stops at the first frame that does not lie above the one before, so code without frame pointers
 * cuts it short but cannot lead it astray. On another stack (a coroutine's, a signal handler's) it
 * is one frame long.
 */
void darn_stack_walk(struct darn_stack *stack, const struct darn_thread *thread, const void *frame);

/* The same into a list with room for `depth` addresses; returns how many it has filled. */
uint32_t darn_stack_walk_into(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                              const void *frame);

/* The same for another thread that was in the frame a moment ago: its stack may be gone by now, and
 * the walk ends where it is. */
void darn_stack_copy(struct darn_stack *stack, const struct darn_thread *thread, const void *frame);

/* Whether a jump of the thread to the stack pointer `to` leaves `frame`. A signal handler may have
 * a stack of its own, and jump there as it likes. */
bool darn_stack_is_left(const struct darn_thread *thread, uintptr_t frame, uintptr_t to);

/* By the unwinder of libgcc, for code that keeps no frame pointers: slow, and takes the loader's
 * lock. The frames up to `frame`, ours, are left out. */
void darn_stack_unwind(struct darn_stack *stack, const void *frame);

/* Loads the unwinder, before any lock of the program is held. */
void darn_stack_prepare(void);

#endif
