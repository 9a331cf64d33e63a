/*
 * Whether a repository has to do with a module (`darn cc --only=FILE`). If not, the module is left
 * to the optimizer as it is: so are most files of a program.
 */
#ifndef DARN_PLUGIN_REACH_H
#define DARN_PLUGIN_REACH_H

#include <llvm-c/Core.h>

#include "plugin/heal/wanted.h"

/*
 * At the start of the pipeline: whether there are points of sections in the module, or accesses to
 * their variables. Those that are in the functions or in the lines of sections are pinned (pin.h).
 */
int darn_reach(LLVMModuleRef module, const struct darn_wanted *wanted);

#endif
