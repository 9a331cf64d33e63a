/*
 * Keeps the accesses of sections where the source has them, in programs that are built to be
 * healed.
 *
 * Where a function that does `total += n` is inlined into a loop, the optimizer loads total before
 * the loop and stores it behind: the section would then last as long as the loop, and have no line.
 * Or it unrolls the loop, and takes the value that it has just stored instead of loading it again.
 * A volatile store stays where it is, and what it has stored is not taken for an atomic load, of
 * the weakest kind, which can still be merged with another one. They are that only as long as the
 * optimizer looks at them.
 */
#ifndef DARN_PLUGIN_PIN_H
#define DARN_PLUGIN_PIN_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* A load or a store; others need no pin. */
void darn_pin(LLVMValueRef instruction, LLVMTargetDataRef layout);

/* Behind the optimizer: lets all accesses of the module go again. */
void darn_pin_release(LLVMModuleRef module);

#endif
