/* What guards are built from, for the files that build them. */
#ifndef DARN_PLUGIN_GUARD_PARTS_H
#define DARN_PLUGIN_GUARD_PARTS_H

#include "plugin/guard.h"

/* The functions that are inlined and removed in the end. */
#define DARN_GUARD_PREFIX "darn.guard."

/* Of a guard that is not a group's: those of the hook, and the site's armed byte. */
#define DARN_GUARD_ARGUMENTS 4

void darn_guard_inline(struct darn_guards *guards, LLVMValueRef guard);
LLVMBasicBlockRef darn_guard_block(struct darn_guards *guards, LLVMValueRef guard);

/* Goes to `unlikely` if the byte is not 0, else to `likely`. */
void darn_guard_branch(struct darn_guards *guards, LLVMValueRef byte, LLVMBasicBlockRef unlikely,
                       LLVMBasicBlockRef likely);

/* The hook gets the first `count` arguments of the guard. */
void darn_guard_call(struct darn_guards *guards, LLVMValueRef guard, const char *name,
                     unsigned count);

/* The length of a range as the hook takes it: 64 bits, or the pointer to a string. */
LLVMValueRef darn_guard_length(struct darn_guards *guards, LLVMValueRef before,
                               LLVMValueRef length);

#endif
