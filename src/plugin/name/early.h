/*
 * The names that accesses have before the optimizer runs, by their places in the source.
 *
 * Afterwards debug info names what is left, and that may be something else: what `acct->balance` is
 * when malloc has become a global (`acct.body`), when the one caller's argument is known
 * (`one.balance`), when a struct is copied field by field (`pair.x`). An access keeps its line and
 * column, so these find the name that it had. Where they do not say which, as in a macro that makes
 * several accesses at one place, there is no early name: a late one is better than that of another
 * variable.
 *
 * Like origin.h, of the module that is being compiled: clang compiles one at a time.
 */
#ifndef DARN_PLUGIN_EARLY_H
#define DARN_PLUGIN_EARLY_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdint.h>

struct darn_names;
struct darn_plugin_escape;

/* A name, and what goes with it (struct darn_names). */
struct darn_early {
    const char *text;
    LLVMMetadataRef owner;
    int is_behind;
};

/* Before the optimizer: keeps the names of all accesses of the function that other threads may
 * see. */
void darn_early_note(struct darn_names *names, struct darn_plugin_escape *escape,
                     LLVMValueRef function);

/* Keeps the name of this access, which is in this function of the source; the text is copied. */
void darn_early_add(LLVMMetadataRef function, LLVMValueRef instruction, LLVMValueRef pointer,
                    struct darn_early name);

/* The name that the access had, or NULL: there was none, or more than one. */
const struct darn_early *darn_early_find(LLVMMetadataRef function, LLVMValueRef instruction,
                                         LLVMValueRef pointer);

/* Whether there was anything to keep: not at -O0. */
int darn_early_has_any(void);

void darn_early_forget(void);

#endif
