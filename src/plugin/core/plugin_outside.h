/*
 * Where a function leaves what darn sees through: inline assembly that may touch memory, functions
 * that are not watched and synchronize by atomic operations, and calls of code that may have been
 * compiled by somebody else. What happens there counts as synchronization
 * (runtime/order/outside.h).
 */
#ifndef DARN_PLUGIN_OUTSIDE_H
#define DARN_PLUGIN_OUTSIDE_H

#include "plugin/core/guard.h"

/* Before anything is inlined: locks of the C++ library that are given back in ways that tell
 * nobody. */
void darn_outside_note(LLVMValueRef function);

/* Marks the function as compiled by darn, and puts the hooks before what leads outside: behind all
 * other hooks of the same instructions. */
void darn_outside_instrument(struct darn_guards *guards, LLVMValueRef function, int is_watched);

#endif
