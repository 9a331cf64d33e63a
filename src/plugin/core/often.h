/* Which accesses are made often: their guards are made larger to be faster (site/site_guard.h). */
#ifndef DARN_PLUGIN_OFTEN_H
#define DARN_PLUGIN_OFTEN_H

#include "plugin/core/access.h"

/* Sets `often` for accesses of small loops. Nothing is in front of the accesses yet. */
void darn_often_find(struct darn_accesses *accesses, LLVMValueRef function);

#endif
