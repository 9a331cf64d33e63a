/* Puts the guarded call in front of an access. */
#ifndef DARN_PLUGIN_GUARD_H
#define DARN_PLUGIN_GUARD_H

#include <llvm-c/Core.h>

#include "plugin/core/access.h"
#include "plugin/core/plugin_sites.h"

struct darn_replacement;

struct darn_guards {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef pointer, i8, i32, i64, nothing;
    int here;   /* the module becomes part of a program, not of a shared object */
    int elides; /* armed bytes are compared with darn_own (site/site_guard.h): the program is built
                   to be healed */
    struct darn_replacement *replacements; /* what is still to be done (guard_around.c) */
    size_t replaced;
};

void darn_guards_init(struct darn_guards *guards, LLVMModuleRef module);

/* Inlines the guards where they were called, and removes their functions. */
void darn_guards_finish(struct darn_guards *guards);

/* Whether the value of a write can be handed to the hook. */
int darn_guards_take(LLVMValueRef value);

void darn_guards_place(struct darn_guards *guards, const struct darn_plugin_access *access,
                       struct darn_record record);

/* The same for a member of a group (group.h), an access that is plain or a mark: nothing looks at
 * attention. Returns the guard. With `dropped`, it looks at nothing but the armed byte. */
LLVMValueRef darn_guards_place_member(struct darn_guards *guards,
                                      const struct darn_plugin_access *access,
                                      struct darn_record record);

/* What a member gets that is alone. */
void darn_guards_place_alone(struct darn_guards *guards, const struct darn_plugin_access *access,
                             struct darn_record record);

/* What only sections need: the hook is called if the site's own byte is armed. `pointer` is that of
 * an access; NULL for a mark. */
void darn_guards_place_armed(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                             LLVMValueRef pointer, struct darn_record record);

/* For programs that are built to be healed: what looks at the armed byte and at darn_own, in
 * front of the access, and with DARN_SITE_AFTER among its flags behind it, too. The instruction is
 * gone after darn_guards_finish: others like it are in its place. */
void darn_guards_place_around(struct darn_guards *guards, const struct darn_plugin_access *access,
                              struct darn_record record);

/* Before a call that may lead outside (outside.h): the hook gets the function that is called and a
 * byte that says whether it is to be asked, which the guard looks at; or it looks at a byte of the
 * runtime that has this name. */
void darn_guards_place_outside(struct darn_guards *guards, LLVMValueRef before, LLVMValueRef callee,
                               LLVMValueRef state, const char *byte);

/* Where something can stand that is to happen right behind the instruction; NULL: nowhere. */
LLVMValueRef darn_guards_behind(LLVMValueRef instruction);

/* A call without a guard (DARN_HOOK_ATOMIC_BEGIN, DARN_HOOK_ATOMIC_END). */
void darn_guards_place_atomic(struct darn_guards *guards, LLVMValueRef before,
                              const char *hook_name, LLVMValueRef site);

/* A guarded call where an annotated block begins (DARN_HOOK_BLOCK_BEGIN) or ends
 * (DARN_HOOK_BLOCK_END); `pointer` is its variable. */
void darn_guards_place_block(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                             LLVMValueRef pointer, LLVMValueRef site);

/* A guarded call at the beginning of a function (DARN_HOOK_BEGIN) or at an end (DARN_HOOK_END). */
void darn_guards_place_function(struct darn_guards *guards, LLVMValueRef before,
                                const char *hook_name, LLVMValueRef site);

#endif
