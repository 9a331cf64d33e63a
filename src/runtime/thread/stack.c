#include "runtime/thread/stack.h"

#include <execinfo.h>

#include "runtime/os/os.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/unwind.h"

const char darn_stack_alone;

static inline uint32_t walk(struct darn_unwind *at, uintptr_t *pcs, uint32_t depth)
{
    uint32_t count = 0;

    do {
        pcs[count++] = at->pc;
    } while (count < depth && darn_unwind_step(at));
    return count;
}

/* A frame of ours: the caller's frame, and the return address. It is live, so it is there. */
static inline uint32_t walk_from(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                                 const void *frame, enum darn_reach reach)
{
    const uintptr_t *words = frame;
    struct darn_unwind at = {thread, reach, words[1], (uintptr_t)(words + 2), words[0]};

    if (at.bp == DARN_STACK_ALONE)
        depth = 1;
    return at.pc < 4096 || !depth ? 0 : walk(&at, pcs, depth);
}

uint32_t darn_stack_walk_into(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                              const void *frame)
{
    return walk_from(pcs, depth, thread, frame, DARN_REACH_ANY);
}

uint32_t darn_stack_quick(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                          const void *frame)
{
    return darn_unwind_quickly(pcs, depth, thread, frame);
}

void darn_stack_walk(struct darn_stack *stack, const struct darn_thread *thread, const void *frame)
{
    stack->depth = darn_stack_walk_into(stack->pcs, DARN_STACK_DEPTH, thread, frame);
}

void darn_stack_copy(struct darn_stack *stack, const struct darn_thread *thread, const void *frame)
{
    uintptr_t words[2];
    struct darn_unwind at;

    stack->depth = 0;
    if (darn_os_copy(words, frame, sizeof(words)) != (long)sizeof(words) || words[1] < 4096)
        return;
    at = (struct darn_unwind){thread, DARN_REACH_COPY, words[1], (uintptr_t)frame + sizeof(words),
                              words[0]};
    stack->depth = walk(&at, stack->pcs, DARN_STACK_DEPTH);
}

/* Under a filter on system calls nothing is copied: then the stack is believed. */
static enum darn_reach careful_reach(void)
{
    uintptr_t word = 0, copy;

    return darn_os_copy(&copy, &word, sizeof(copy)) < 0 ? DARN_REACH_ANY : DARN_REACH_COPY;
}

/* By a call of what is no function nothing was pushed but the return address. */
uint32_t darn_stack_interrupted(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                                const struct darn_stack_registers *registers)
{
    struct darn_unwind at = {thread, careful_reach(), registers->pc + 1, registers->sp,
                             registers->bp};

    if (!registers->is_lost)
        return walk(&at, pcs, depth);
    if (darn_os_copy(&at.pc, (const void *)at.sp, sizeof(at.pc)) != (long)sizeof(at.pc) ||
        at.pc < 4096)
        return 0;
    at.sp += sizeof(at.pc);
    return walk(&at, pcs, depth);
}

bool darn_stack_is_left(const struct darn_thread *thread, uintptr_t frame, uintptr_t to)
{
    bool own = frame >= thread->stack_start && frame < thread->stack_end;
    bool back = to >= thread->stack_start && to < thread->stack_end;

    return own == back ? to > frame : back;
}

void darn_stack_prepare(void)
{
    void *pcs[1];

    backtrace(pcs, 1);
}
