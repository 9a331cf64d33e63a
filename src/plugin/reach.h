/*
 * Which functions of a module a repository has to do with (`darn cc --only=FILE`). All others are
 * left to the optimizer as they are; most files of a program have none at all.
 */
#ifndef DARN_PLUGIN_REACH_H
#define DARN_PLUGIN_REACH_H

#include <llvm-c/Core.h>

#include "base/map.h"
#include "plugin/wanted.h"

/*
 * At the start of the pipeline. Adds the functions that have points of sections or accesses to
 * their variables, and those that may be inlined into them or they into those: the optimizer
 * inlines only where both have the attribute sanitize_thread or both have not. The accesses of
 * sections are pinned (pin.h).
 */
void darn_reach_find(struct darn_map *functions, LLVMModuleRef module,
                     const struct darn_wanted *wanted);

#endif
