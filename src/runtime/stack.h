/* Call stacks, by frame pointers: `darn cc` keeps them, and a walk costs some ten nanoseconds. */
#ifndef DARN_RUNTIME_STACK_H
#define DARN_RUNTIME_STACK_H

#include <stdint.h>

#define DARN_STACK_DEPTH 24

struct darn_stack {
    uint32_t depth;
    uintptr_t pcs[DARN_STACK_DEPTH];
};

/*
 * Walks from a frame up to `end`, the end of the thread's stack. The first pc is `pc` (0: none);
 * the walk stops at the first frame that does not lie above the one before, so code without frame
 * pointers cuts it short but cannot lead it astray.
 */
void darn_stack_walk(struct darn_stack *stack, uintptr_t pc, const void *frame, uintptr_t end);

#endif
