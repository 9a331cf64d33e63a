/*
 * What the user does not want to have watched: functions marked DARN_IGNORE_FUNCTION (darn.h) or
 * with clang's disable_sanitizer_instrumentation, and the functions and files of a list in the form
 * of the sanitizers' special case lists (`fun:pattern`, `src:pattern`).
 */
#ifndef DARN_PLUGIN_IGNORE_H
#define DARN_PLUGIN_IGNORE_H

#include <llvm-c/Core.h>

#include "base/map.h"

struct darn_ignore {
    struct darn_map functions; /* functions with the annotation */
    struct darn_ignore_pattern *patterns;
    size_t count;
};

void darn_ignore_init(struct darn_ignore *ignore, LLVMModuleRef module);
void darn_ignore_free(struct darn_ignore *ignore);

/* Adds the functions that have an annotation with this text. */
void darn_annotated(struct darn_map *functions, LLVMModuleRef module, const char *annotation);

int darn_ignore_function(const struct darn_ignore *ignore, LLVMValueRef function);

#endif
