/* Which accesses need no hook of their own, because another one says the same. */
#ifndef DARN_PLUGIN_SELECT_H
#define DARN_PLUGIN_SELECT_H

#include "plugin/core/access.h"

/* Marks accesses of the function as dropped. The accesses are in the order of collection. */
void darn_accesses_select(struct darn_accesses *accesses, LLVMValueRef function);

#endif
