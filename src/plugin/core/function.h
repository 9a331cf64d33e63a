/* Tells the runtime where functions begin and end (`darn cc --darn-functions`). */
#ifndef DARN_PLUGIN_FUNCTION_H
#define DARN_PLUGIN_FUNCTION_H

#include <llvm-c/Core.h>

#include "plugin/core/guard.h"
#include "plugin/core/plugin_sites.h"

/* Not empty and not "0": functions are to be told; set by `darn cc`. */
#define DARN_FUNCTIONS_VARIABLE "DARN_FUNCTIONS"

/*
 * Puts guarded calls at the beginning of the function, in front of each return, and where an
 * exception leaves it after having been caught for cleaning up. It is the function as the optimizer
 * leaves it: what was inlined belongs to the function it was inlined into.
 */
void darn_function_instrument(struct darn_guards *guards, struct darn_sites *sites,
                              LLVMValueRef function, uint16_t flags);

/* Tells the beginning and the ends of a function that is annotated as atomic. Of both, `flags` are
 * added to the site. */
void darn_function_tell_atomic(struct darn_guards *guards, struct darn_sites *sites,
                               LLVMValueRef function, uint16_t flags);

#endif
