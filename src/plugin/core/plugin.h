/* The plugin's steps, called by the shim, and what the shim offers to C. */
#ifndef DARN_PLUGIN_PLUGIN_H
#define DARN_PLUGIN_PLUGIN_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* Ends a clang of another version, after a line that says so. */
void darn_plugin_check(void);

/* When clang loads the plugin. */
void darn_plugin_load(void);

/* Before a module is compiled: how much it is optimized, for speed (-O1: 1), for size (-Os: 1). */
void darn_plugin_set_level(unsigned speed, unsigned size);

/* Start of the pipeline: keep the optimizer from inventing accesses that the source does not have.
 */
void darn_plugin_prepare(LLVMModuleRef module);

/* Between its passes: keep what they forget of a function. */
void darn_plugin_keep(LLVMValueRef function);

/* End of the pipeline: give the accesses sites and guarded calls. */
void darn_plugin_instrument(LLVMModuleRef module);

/* Whether the module has been instrumented: nothing is to be cleaned up behind that. */
bool darn_plugin_is_done(void);

/* Which byte of its variable a value begins with, as a DIExpression says: 0 for the whole variable,
 * the place of the part when the optimizer took it apart, -1 for anything else. */
int64_t darn_shim_expression_offset(LLVMMetadataRef node);

/* An operand of a node, or NULL: there is none. LLVM's C API gives all of them at once, each
 * wrapped in a value that stays; nodes with hundreds of operands are asked for each access. */
unsigned darn_shim_operand_count(LLVMMetadataRef node);
LLVMMetadataRef darn_shim_operand(LLVMMetadataRef node, unsigned index);

/* The text of a string, which has no end; NULL if it is none. */
const char *darn_shim_string(LLVMMetadataRef node, unsigned *length);

/* The number that a constant is, UINT64_MAX if it is none. */
uint64_t darn_shim_number(LLVMMetadataRef node);

/* Splits a block before the instruction: what comes from there on is in the block that is returned,
 * to which the other one goes on. */
LLVMBasicBlockRef darn_shim_split(LLVMValueRef before);

/*
 * A second version of blocks that can be reached through the first of them only, which has no phi.
 * It goes on where they do, and what it computes is known there. Returns the copy of the first
 * block, to which nothing leads yet.
 */
LLVMBasicBlockRef darn_shim_copy(const LLVMBasicBlockRef *blocks, unsigned count);

#endif
