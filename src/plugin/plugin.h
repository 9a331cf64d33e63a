/* The plugin's steps, called by the shim, and what the shim offers to C. */
#ifndef DARN_PLUGIN_PLUGIN_H
#define DARN_PLUGIN_PLUGIN_H

#include <llvm-c/Core.h>

/* Start of the pipeline: keep the optimizer from inventing accesses that the source does not have. */
void darn_plugin_prepare(LLVMModuleRef module);

/* End of the pipeline: give the accesses sites and guarded calls. */
void darn_plugin_instrument(LLVMModuleRef module);

/* Whether a DIExpression does nothing: the value is the variable itself. */
int darn_shim_expression_is_empty(LLVMMetadataRef node);

#endif
