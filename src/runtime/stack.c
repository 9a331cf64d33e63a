#include "runtime/stack.h"

/* One frame of more than this is not believed. */
#define MAX_FRAME (1 << 20)

void darn_stack_walk(struct darn_stack *stack, uintptr_t pc, const void *frame, uintptr_t end)
{
    uintptr_t at = (uintptr_t)frame;

    stack->depth = 0;
    if (pc)
        stack->pcs[stack->depth++] = pc;
    while (stack->depth < DARN_STACK_DEPTH && at && at % sizeof(uintptr_t) == 0 &&
           at + 2 * sizeof(uintptr_t) <= end) {
        const uintptr_t *words = (const uintptr_t *)at;

        if (words[1] < 4096)
            break;
        stack->pcs[stack->depth++] = words[1];
        if (words[0] <= at || words[0] - at > MAX_FRAME)
            break;
        at = words[0];
    }
}
