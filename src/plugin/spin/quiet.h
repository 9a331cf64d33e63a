/*
 * What a loop may do that only waits: policy, apart from how such loops are found (spin.h).
 *
 * Pauses, yields, short sleeps, barriers, looking at the clock; functions of the program that are
 * small and do no more than that, or compute and read.
 */
#ifndef DARN_PLUGIN_QUIET_H
#define DARN_PLUGIN_QUIET_H

#include <llvm-c/Core.h>

#include "base/map.h"

enum darn_quiet {
    DARN_LOUD,   /* it may do anything */
    DARN_READS,  /* it may read and update shared memory, and write through pointers it is given */
    DARN_SILENT, /* it computes, pauses or sleeps */
};

struct darn_quiets {
    struct darn_map functions; /* function -> enum darn_quiet + 1, or 1 while it is looked at */
};

void darn_quiets_free(struct darn_quiets *quiets);

/* What a call or invoke may do. */
enum darn_quiet darn_quiet_call(struct darn_quiets *quiets, LLVMValueRef call);

/* Whether the call says that somebody waits here: a pause, a yield, a sleep. */
int darn_quiet_is_pause(LLVMValueRef call);

/* Whether the call is one of a function that the module defines and may be put in its place. */
int darn_quiet_can_inline(LLVMValueRef call);

/* Whether the result of a silent call depends on its arguments only. */
int darn_quiet_is_pure(LLVMValueRef call);

#endif
