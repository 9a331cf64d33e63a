/*
 * A warning for waits that are not in a loop: a wait may return without a signal, and what it
 * waited for may have been taken by another thread in the meantime.
 */
#ifndef DARN_PLUGIN_WAIT_CHECK_H
#define DARN_PLUGIN_WAIT_CHECK_H

#include <llvm-c/Core.h>

/* Prints the warnings about the function's waits in the compiler's style to the standard error. It
 * is the function as it was written: called at the start of the pipeline. */
void darn_wait_check(LLVMValueRef function);

#endif
