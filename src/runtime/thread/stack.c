#include "runtime/thread/stack.h"

#include <execinfo.h>

#include "runtime/os/os.h"
#include "runtime/thread/thread.h"

/* One frame of more than this is not believed. */
#define MAX_FRAME (1 << 20)

static bool is_on_stack(const struct darn_thread *thread, uintptr_t at)
{
    return at % sizeof(uintptr_t) == 0 && at >= thread->stack_start &&
           at + 2 * sizeof(uintptr_t) <= thread->stack_end;
}

/* A frame: the caller's frame, and the return address. `copied`: it may not be there. */
static inline bool read_frame(uintptr_t words[2], uintptr_t at, bool copied)
{
    if (copied)
        return darn_os_copy(words, (const void *)at, 2 * sizeof(*words)) ==
               2 * (long)sizeof(*words);
    words[0] = ((const uintptr_t *)at)[0];
    words[1] = ((const uintptr_t *)at)[1];
    return true;
}

static inline uint32_t walk(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                            const void *frame, bool copied)
{
    uintptr_t at = (uintptr_t)frame, words[2];
    uint32_t count = 0;

    while (count < depth) {
        if (!read_frame(words, at, copied) || words[1] < 4096)
            break;
        pcs[count++] = words[1];
        if (words[0] <= at || words[0] - at > MAX_FRAME || !is_on_stack(thread, at) ||
            !is_on_stack(thread, words[0]))
            break;
        at = words[0];
    }
    return count;
}

uint32_t darn_stack_walk_into(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                              const void *frame)
{
    return walk(pcs, depth, thread, frame, false);
}

void darn_stack_copy(struct darn_stack *stack, const struct darn_thread *thread, const void *frame)
{
    stack->depth = walk(stack->pcs, DARN_STACK_DEPTH, thread, frame, true);
}

void darn_stack_walk(struct darn_stack *stack, const struct darn_thread *thread, const void *frame)
{
    stack->depth = darn_stack_walk_into(stack->pcs, DARN_STACK_DEPTH, thread, frame);
}

bool darn_stack_is_left(const struct darn_thread *thread, uintptr_t frame, uintptr_t to)
{
    bool own = frame >= thread->stack_start && frame < thread->stack_end;
    bool back = to >= thread->stack_start && to < thread->stack_end;

    return own == back ? to > frame : back;
}

/* Of our own functions on the way from the interceptor to the unwinder. */
#define OWN_FRAMES 12

void darn_stack_unwind(struct darn_stack *stack, const void *frame)
{
    void *pcs[DARN_STACK_DEPTH + OWN_FRAMES];
    uintptr_t first = ((const uintptr_t *)frame)[1];
    int count = backtrace(pcs, DARN_STACK_DEPTH + OWN_FRAMES), at = 0;

    while (at < count && (uintptr_t)pcs[at] != first)
        at++;
    stack->depth = 0;
    if (at == count)
        stack->pcs[stack->depth++] = first;
    for (; at < count && stack->depth < DARN_STACK_DEPTH; at++)
        stack->pcs[stack->depth++] = (uintptr_t)pcs[at];
}

void darn_stack_prepare(void)
{
    void *pcs[1];

    backtrace(pcs, 1);
}
