/* Tells the runtime where functions begin and end (`darn cc --darn-functions`). */
#ifndef DARN_PLUGIN_FUNCTION_H
#define DARN_PLUGIN_FUNCTION_H

#include <stdint.h>

#include <llvm-c/Core.h>

#include "plugin/core/guard.h"
#include "plugin/core/plugin_sites.h"

/*
 * Puts guarded calls at the beginning of the function, in front of each return, and where an
 * exception leaves it after having been caught for cleaning up. It is the function as the optimizer
 * leaves it: what was inlined belongs to the function it was inlined into.
 */
void darn_function_instrument(struct darn_guards *guards, struct darn_sites *sites,
                              LLVMValueRef function, uint16_t flags);

/* DARN_SITE_NO_UNIT of one of the C++ library, made of its headers: what the program does by way of
 * it, as all that a std::thread runs, is not meant to be atomic for that. Else 0. */
uint16_t darn_function_flags(LLVMValueRef function);

/* Tells the beginning and the ends of a function that is annotated as atomic. Of both, `flags` are
 * added to the site. */
void darn_function_tell_atomic(struct darn_guards *guards, struct darn_sites *sites,
                               LLVMValueRef function, uint16_t flags);

#endif
