/* Which memory other threads cannot reach: the accesses to it need no site. */
#ifndef DARN_PLUGIN_ESCAPE_H
#define DARN_PLUGIN_ESCAPE_H

#include <llvm-c/Core.h>

#include "base/map.h"

struct darn_plugin_escape {
    struct darn_map known; /* root -> 1 shared, 2 private */
    unsigned nocapture;    /* attribute kinds, looked up once */
    unsigned byval;
};

void darn_escape_init(struct darn_plugin_escape *escape);
void darn_escape_free(struct darn_plugin_escape *escape);

/* The object that a pointer is computed from: through address computations and casts. */
LLVMValueRef darn_pointer_root(LLVMValueRef pointer);

/*
 * Whether no other thread can hold this pointer: a local or a thread-local variable whose address
 * never leaves the function or module, or memory that nobody writes.
 */
int darn_pointer_is_private(struct darn_plugin_escape *escape, LLVMValueRef pointer);

#endif
