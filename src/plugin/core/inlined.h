/* The source function of an instruction, which the optimizer may have put into another one. */
#ifndef DARN_PLUGIN_INLINED_H
#define DARN_PLUGIN_INLINED_H

#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdint.h>

/* Writes its name, also when it was inlined. */
void darn_inlined_function(LLVMValueRef instruction, char *text, size_t size);

/* What was inlined from a header of libc, as getline and read are, is at the place of its call:
 * nobody looks for a bug in there. */
void darn_inlined_fold(LLVMValueRef function);

/* Which copy of an inlined function the instruction is in (darn_site_inlined). */
uint64_t darn_inlined_copy(LLVMValueRef instruction);

#endif
