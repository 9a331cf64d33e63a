/* What guards are built from, for the files that build them. */
#ifndef DARN_PLUGIN_GUARD_PRIVATE_H
#define DARN_PLUGIN_GUARD_PRIVATE_H

#include "plugin/core/guard.h"

/* The functions that are inlined and removed in the end. */
#define DARN_GUARD_PREFIX "darn.guard."

/* Of a member of a group: they are in its second version only (group.h). */
#define DARN_GUARD_MEMBER DARN_GUARD_PREFIX "member."

/* Those of the hook, the site's armed byte, and the byte that the guard looks at. */
#define DARN_GUARD_ARGUMENTS 5

/* A guard without a body, to be inlined. What is built in it from here on has no place in the
 * source: that of its call becomes its place. */
LLVMValueRef darn_guard_begin(struct darn_guards *guards, const char *name, LLVMTypeRef type);
LLVMBasicBlockRef darn_guard_block(struct darn_guards *guards, LLVMValueRef guard);

/* A variable of the runtime; `here` is its name in the same program. */
LLVMValueRef darn_guard_global(struct darn_guards *guards, const char *name, const char *here,
                               LLVMTypeRef type);

/* Goes to `unlikely` if it is so, else to `likely`. */
void darn_guard_branch_if(struct darn_guards *guards, LLVMValueRef is_so,
                          LLVMBasicBlockRef unlikely, LLVMBasicBlockRef likely);

/* Goes to `unlikely` if the byte that a guard looks at says so; NULL: if attention is raised. */
void darn_guard_branch_look(struct darn_guards *guards, LLVMValueRef look,
                            LLVMBasicBlockRef unlikely, LLVMBasicBlockRef likely);

/* Goes to `call` if the site is armed. */
void darn_guard_branch_armed(struct darn_guards *guards, LLVMValueRef armed, LLVMBasicBlockRef call,
                             LLVMBasicBlockRef done);

void darn_guard_call_with(struct darn_guards *guards, const char *name, LLVMValueRef *arguments,
                          unsigned count);

/* The hook gets the first `count` arguments of the guard. */
void darn_guard_call(struct darn_guards *guards, LLVMValueRef guard, const char *name,
                     unsigned count);

/* One guard in front of the access, and one behind it. */
void darn_guards_place_both(struct darn_guards *guards, const struct darn_plugin_access *access,
                            struct darn_record record);

/* A member of a group that another access covers. */
LLVMValueRef darn_guards_place_dropped(struct darn_guards *guards,
                                       const struct darn_plugin_access *access,
                                       struct darn_record record);

/* Instructions that guards have in themselves are replaced by these. */
void darn_guards_replace(struct darn_guards *guards);

/* Where the memory is that a range is about; and of a vector that, its length, and how many bytes
 * of its parts at most. */
LLVMValueRef darn_guard_pointer(struct darn_guards *guards, LLVMValueRef before,
                                const struct darn_plugin_access *access);
void darn_guard_parts(struct darn_guards *guards, LLVMValueRef before,
                      const struct darn_plugin_access *access, LLVMValueRef arguments[3]);

/* The same of two strings that are compared. */
void darn_guard_compared(struct darn_guards *guards, LLVMValueRef before,
                         const struct darn_plugin_access *access, LLVMValueRef arguments[3]);

/* The length of a range as the hook takes it: 64 bits, or the pointer to a string. */
LLVMValueRef darn_guard_length(struct darn_guards *guards, LLVMValueRef before,
                               const struct darn_plugin_access *access);

#endif
