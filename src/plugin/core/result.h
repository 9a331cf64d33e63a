/* Whether anybody looks at what an atomic update has found. Who does not cannot have taken a lock
 * by it. */
#ifndef DARN_PLUGIN_RESULT_H
#define DARN_PLUGIN_RESULT_H

#include <llvm-c/Core.h>

/* 1 only if that is certain. */
int darn_result_is_unused(LLVMValueRef update);

#endif
