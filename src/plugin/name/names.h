/*
 * Names that people recognise, from debug info: `balance`, `acct->balance`, `tab[].next`.
 *
 * From -O1 on field addresses are byte offsets; the type of the variable that the pointer came from
 * says which member lies there. Where the variable is lost, the TBAA tag of the access still says
 * which struct and offset.
 */
#ifndef DARN_PLUGIN_NAMES_H
#define DARN_PLUGIN_NAMES_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stddef.h>

struct darn_names;

struct darn_names *darn_names_create(LLVMModuleRef module, LLVMTargetDataRef layout);
void darn_names_destroy(struct darn_names *names);

/* From now on what the optimizer has found out comes first: `total`, where the source has `*to`.
 * Who heals has to find all accesses of a variable by its name; who reads a report looks for the
 * text of the source. */
void darn_names_prefer_globals(struct darn_names *names);

/* Before the optimizer: keeps the name that the access has in the source (early.h). */
void darn_names_note(struct darn_names *names, LLVMValueRef instruction, LLVMValueRef pointer);

/* Writes the name of what is accessed through the pointer: the one that was kept, or by what the
 * optimizer has left. Empty when nothing is known. */
void darn_names_variable(struct darn_names *names, LLVMValueRef instruction, LLVMValueRef pointer,
                         char *text, size_t size);

/* Of the access that was named last: the struct that it reads or writes a member of, by its debug
 * info; NULL when that is not known, or the compiler was told that types say nothing. */
LLVMMetadataRef darn_names_owner(const struct darn_names *names);

/* The same: darn_variable_class of its name, where `bank->tab[]` is known to be one or the other.
 */
uint8_t darn_names_class(const struct darn_names *names, const char *variable);

#endif
