/* Which reads of memory a value is computed from. */
#ifndef DARN_PLUGIN_SOURCE_H
#define DARN_PLUGIN_SOURCE_H

#include <llvm-c/Core.h>

#include "plugin/core/path.h"

#define DARN_SOURCE_READS 24
#define DARN_SOURCE_STEPS 96

struct darn_value_source {
    LLVMValueRef reads[DARN_SOURCE_READS];
    unsigned count;
    LLVMValueRef seen[DARN_SOURCE_STEPS];
    unsigned seen_count;
};

/*
 * Follows the value back through computations, choices, and the variables of -O0. With `through`,
 * what was read by way of a pointer comes from where the pointer was read, too: in
 * `head = head->next` the new value comes from the old one.
 */
void darn_source_find(struct darn_value_source *source, struct darn_paths *paths,
                      LLVMValueRef value, int through);

/* Whether a value decides about branches and is used for nothing else. */
int darn_source_only_decides(struct darn_paths *paths, LLVMValueRef value);

#endif
