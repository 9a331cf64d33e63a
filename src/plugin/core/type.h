/* The struct whose member an access reads or writes, by its TBAA tag or by debug info. */
#ifndef DARN_PLUGIN_TYPE_H
#define DARN_PLUGIN_TYPE_H

#include <llvm-c/Core.h>
#include <stddef.h>

/*
 * Writes the name of the innermost struct that the member belongs to, as the compiler writes it:
 * `account`, `_ZTSN7company7accountE`; darn_type_may_be compares them. Empty when it is not
 * known, the access is through a pointer to the member itself, or the type may alias any other.
 * `owner` is darn_names_owner of the access, which was named just before: where values are handed
 * over in registers, the tag is lost. Two accesses with different names cannot be to the same
 * memory in a program that keeps to the rules of the language.
 */
void darn_type_of(LLVMValueRef instruction, LLVMMetadataRef owner, char *text, size_t size);

#endif
