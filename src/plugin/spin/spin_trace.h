/*
 * Where a value that is computed in a loop comes from.
 *
 * The way goes back through computations, through the stack slots that hold variables at -O0, and
 * around the loop, until it ends at what is the same in every round, or at a read of memory that
 * other threads may change.
 */
#ifndef DARN_PLUGIN_SPIN_TRACE_H
#define DARN_PLUGIN_SPIN_TRACE_H

#include <llvm-c/Core.h>
#include <stdint.h>

#include "plugin/core/plugin_escape.h"
#include "plugin/spin/loop.h"

#define DARN_TRACE_READS 32
#define DARN_TRACE_CALLS 8
#define DARN_TRACE_DEPTH 48

struct darn_value_trace {
    const struct darn_loop *loop;
    struct darn_plugin_escape *escape;
    /* What it depends on: loads and atomic updates of memory that is not the thread's own. */
    LLVMValueRef reads[DARN_TRACE_READS];
    unsigned count;
    uint32_t leads; /* those that only tell where an atomic variable lies: bit i for reads[i] */
    LLVMValueRef calls[DARN_TRACE_CALLS]; /* and calls that may read */
    unsigned call_count;
    int varying;       /* it changes from round to round by the thread's own doing */
    uint64_t deciders; /* blocks whose branches choose between values */
    unsigned budget;   /* steps that are left */
    unsigned changes;  /* computations on the way here, other than copies */
    unsigned atomics;  /* reads of atomic variables on the way here, by their addresses */
    unsigned depth;
    struct {
        LLVMValueRef value;
        unsigned changes;
    } on_the_way[DARN_TRACE_DEPTH];
};

void darn_trace_start(struct darn_value_trace *trace, const struct darn_loop *loop,
                      struct darn_plugin_escape *escape);

/* Follows the value back, and adds what it finds. */
void darn_trace_value(struct darn_value_trace *trace, LLVMValueRef value);

/* The object that a pointer points into, also if the pointer is kept in a variable that never holds
 * another one. `inside`: not where the object starts. */
LLVMValueRef darn_trace_object(LLVMValueRef pointer, int *inside);

/* Whether the pointer leads to a variable of the thread's own: a local of the function, or one
 * whose address nobody else has. */
int darn_trace_is_own(struct darn_plugin_escape *escape, LLVMValueRef pointer);

#endif
