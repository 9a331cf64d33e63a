/*
 * The loops of a function: natural loops, found by dominators (LLVM's C API shows neither).
 *
 * Functions can be huge and the loops that we look for are small: a loop of more than
 * DARN_LOOP_MAX blocks is passed over, which bounds the work.
 */
#ifndef DARN_PLUGIN_FLOW_H
#define DARN_PLUGIN_FLOW_H

#include <llvm-c/Core.h>

#include "base/map.h"

/* Two less than the bits of a mask: see loop.h. */
#define DARN_LOOP_MAX 62

struct darn_flow {
    LLVMValueRef function;
    unsigned count;            /* of the blocks that can be reached */
    LLVMBasicBlockRef *blocks; /* in reverse postorder: the entry is number 0 */
    unsigned *dominator;       /* the next block above in the dominator tree */
    struct darn_map number;    /* block -> number + 1 */
    unsigned *before;          /* predecessors, those of block i at first_before[i] and following */
    unsigned *first_before;    /* count + 1 numbers */
};

/* A loop: the blocks from which the header is reached again by its back edges. */
struct darn_body {
    LLVMBasicBlockRef blocks[DARN_LOOP_MAX]; /* the first is the header */
    unsigned count;
    /* A round begins with an edge from the latch to the start, which is the header or leads to it;
     * all edges to the start count if latch is NULL. Other edges to the start or the header are
     * those of an inner loop. */
    LLVMBasicBlockRef start, latch;
};

/* 0, or -1 when the function has no loop, or is too large. */
int darn_flow_init(struct darn_flow *flow, LLVMValueRef function);
/* Also when it has no loop. */
int darn_flow_init_always(struct darn_flow *flow, LLVMValueRef function);
void darn_flow_free(struct darn_flow *flow);

/*
 * Calls `visit` for each loop. Where a header has several back edges, there are several ways to see
 * it, and all are tried: in
 *
 *     for (;;) { if (busy) continue; if (try(...)) break; }
 *
 * the first `continue` makes a loop of its own that only waits; in
 *
 *     do for (i = 0; i < n && ready[i]; i++); while (i < n);
 *
 * the optimizer may give one header to both loops, and one block that leads to it. `whole` is the
 * loop with all that its back edges bring, or NULL if it is too large.
 */
typedef void darn_flow_visit(void *context, const struct darn_body *body,
                             const struct darn_body *whole);
void darn_flow_loops(const struct darn_flow *flow, darn_flow_visit *visit, void *context);

/* Whether every way to block number `below` passes `above`. */
int darn_flow_dominates(const struct darn_flow *flow, unsigned above, unsigned below);

/* The successors of a block that the program's own branches lead to: without those of exceptions.
 */
unsigned darn_flow_successors(LLVMBasicBlockRef block);

#endif
