/*
 * Stores of pointers: their values are handed to the hooks whenever that is possible, for a trace
 * tells which memory they hand out (src/engine/common/escape.h).
 */
#ifndef DARN_PLUGIN_POINTER_H
#define DARN_PLUGIN_POINTER_H

#include "plugin/core/access.h"

/* Whether the access stores a pointer that may lead to the heap or a stack: globals and functions
 * are known to all anyway. */
int darn_access_stores_pointer(const struct darn_plugin_access *access);

/* Whether the hook gets its value, and whether that may be a pointer: enum darn_site_flag. */
uint16_t darn_value_flags(const struct darn_plugin_access *access);

/* What an atomic update may write, if that can be a pointer; else NULL. */
LLVMValueRef darn_update_value(LLVMValueRef instruction, LLVMTargetDataRef layout);

#endif
