/* The local variables of the source that the values of a module have to do with, by debug info. */
#ifndef DARN_PLUGIN_LOCALS_H
#define DARN_PLUGIN_LOCALS_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stddef.h>

#include "base/map.h"

/*
 * A local variable that a value of the program has to do with: the value is the variable's own, or
 * the variable lies where the value points to. One value can belong to several: inlining hands it
 * from the argument of one function to that of the next.
 */
struct darn_local {
    LLVMMetadataRef info;
    int is_at;
    size_t next; /* the next one of the same value: its index + 1 */
};

struct darn_locals {
    struct darn_map by_value; /* value -> index of its first variable + 1 */
    struct darn_local *items;
    size_t count, capacity;
};

/* Finds them all. The module is the same afterwards. */
void darn_locals_init(struct darn_locals *locals, LLVMModuleRef module);
void darn_locals_free(struct darn_locals *locals);

/* Whether the value has to do with any. */
int darn_locals_know(const struct darn_locals *locals, LLVMValueRef value);

/* The one that names the value best for an access in `function`, which may be NULL; or NULL. */
const struct darn_local *darn_local_of(const struct darn_locals *locals, LLVMValueRef value,
                                       LLVMMetadataRef function);

/* The variable of a loop is known in one of the values that it gets: p = p->next. */
const struct darn_local *darn_local_of_phi(const struct darn_locals *locals, LLVMValueRef phi,
                                           LLVMMetadataRef function);

#endif
