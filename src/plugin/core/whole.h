/*
 * Variables that stay what the source has.
 *
 * A static pointer that is set in one place only, to a small new block of memory, becomes the block
 * and a flag that says whether there is one (GlobalOpt). The loads of that flag have no place in
 * the source, so they could be invented ones and are not watched (origin.h); and with them the race
 * of `if (!table) table = malloc(…);` would be gone.
 */
#ifndef DARN_PLUGIN_WHOLE_H
#define DARN_PLUGIN_WHOLE_H

#include <llvm-c/Core.h>

/* Before the optimizer: it leaves such variables of the module alone. */
void darn_whole_keep(LLVMModuleRef module);

#endif
