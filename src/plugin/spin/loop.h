/*
 * One loop, looked at closely: which of its branches decide whether it goes round again.
 *
 * A round is the way from the start to AGAIN (a back edge) or to EXIT (an edge that leaves); the
 * two are nodes of their own, so that a set of nodes fits into one mask.
 */
#ifndef DARN_PLUGIN_LOOP_H
#define DARN_PLUGIN_LOOP_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "plugin/core/flow.h"

struct darn_loop {
    const struct darn_body *body;       /* block number 0 is the header */
    uint64_t before[DARN_LOOP_MAX + 2]; /* predecessors within the round */
    uint64_t after[DARN_LOOP_MAX + 2];  /* what every way on passes, with the node itself */
};

static inline unsigned darn_loop_again(const struct darn_loop *loop)
{
    return loop->body->count;
}

static inline unsigned darn_loop_exit(const struct darn_loop *loop)
{
    return loop->body->count + 1;
}

void darn_loop_init(struct darn_loop *loop, const struct darn_body *body);

/* The number of the block, or -1 when it is outside. */
int darn_body_find(const struct darn_body *body, LLVMBasicBlockRef block);
int darn_body_has(const struct darn_body *body, LLVMValueRef instruction);

/* Whether an edge from this block to the start of the loop begins another round. */
int darn_body_is_latch(const struct darn_body *body, LLVMBasicBlockRef block);

/* The blocks whose branch decides whether the node is passed (control dependence). */
uint64_t darn_loop_deciders(const struct darn_loop *loop, unsigned node);

/* What the branch at the end of the block depends on, or NULL if there is no choice. */
LLVMValueRef darn_loop_condition(LLVMBasicBlockRef block);

/* Calls `visit` for each part of a condition that `&&`, `||` and `!` connect. */
void darn_loop_parts(LLVMValueRef condition, void (*visit)(void *context, LLVMValueRef part),
                     void *context);

#endif
