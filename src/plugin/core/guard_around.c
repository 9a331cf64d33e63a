/* Guards that have the access in themselves, in two copies: so that who calls nobody has looked
 * once. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#include "plugin/core/guard_private.h"
#include "site/site_guard.h"
#include "site/site.h"

/* Of a cmpxchg, with the site and its armed byte. */
#define MOST_ARGUMENTS 5

struct darn_replacement {
    LLVMValueRef instruction, call;
};

static int can_be_copied(LLVMValueRef instruction)
{
    return LLVMIsALoadInst(instruction) || LLVMIsAStoreInst(instruction) ||
           LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction);
}

/* The access, with the guard's arguments. Its place in the source is that of the guard's call. */
static LLVMValueRef copy(struct darn_guards *guards, LLVMValueRef guard, LLVMValueRef instruction)
{
    LLVMValueRef made = LLVMInstructionClone(instruction);

    for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
        LLVMSetOperand(made, (unsigned)i, LLVMGetParam(guard, (unsigned)i));
    LLVMInstructionSetDebugLoc(made, NULL);
    LLVMInsertIntoBuilder(guards->builder, made);
    return made;
}

static void give_back(struct darn_guards *guards, LLVMValueRef value)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(guards->builder);
    else
        LLVMBuildRet(guards->builder, value);
}

/* if (*armed > limit) { hook; access; other hook } else access */
static void fill(struct darn_guards *guards, LLVMValueRef guard, LLVMValueRef instruction,
                 int after)
{
    unsigned count = LLVMCountParams(guard);
    LLVMValueRef to = LLVMGetParam(guard, LLVMIsAStoreInst(instruction) ? 1 : 0);
    LLVMValueRef arguments[] = {to, LLVMGetParam(guard, count - 2)}, made;
    LLVMBasicBlockRef entry = darn_guard_block(guards, guard);
    LLVMBasicBlockRef slow = darn_guard_block(guards, guard);
    LLVMBasicBlockRef fast = darn_guard_block(guards, guard);

    LLVMPositionBuilderAtEnd(guards->builder, entry);
    darn_guard_branch_armed(guards, LLVMGetParam(guard, count - 1), slow, fast);
    LLVMPositionBuilderAtEnd(guards->builder, slow);
    darn_guard_call_with(guards, DARN_HOOK_ACCESS, arguments, 2);
    made = copy(guards, guard, instruction);
    if (after)
        darn_guard_call_with(guards, DARN_HOOK_DONE, arguments, 2);
    give_back(guards, made);
    LLVMPositionBuilderAtEnd(guards->builder, fast);
    give_back(guards, copy(guards, guard, instruction));
}

static void remember(struct darn_guards *guards, const struct darn_replacement *replacement)
{
    size_t size = sizeof(*guards->replacements);

    if (guards->replaced % 64 == 0)
        guards->replacements = realloc(guards->replacements, (guards->replaced + 64) * size);
    if (!guards->replacements)
        abort();
    guards->replacements[guards->replaced++] = *replacement;
}

static void place_copies(struct darn_guards *guards, const struct darn_plugin_access *access,
                         struct darn_record record)
{
    LLVMValueRef instruction = access->instruction, arguments[MOST_ARGUMENTS], guard;
    unsigned count = (unsigned)LLVMGetNumOperands(instruction);
    struct darn_replacement made = {.instruction = instruction};
    LLVMTypeRef types[MOST_ARGUMENTS], type;

    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(instruction, i);
    arguments[count++] = record.site;
    arguments[count++] = record.armed;
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(LLVMTypeOf(instruction), types, count, 0);
    guard = darn_guard_begin(guards, DARN_GUARD_PREFIX "around", type);
    fill(guards, guard, instruction, access->flags & DARN_SITE_AFTER);
    LLVMPositionBuilderBefore(guards->builder, instruction);
    LLVMSetCurrentDebugLocation2(guards->builder, LLVMInstructionGetDebugLoc(instruction));
    made.call = LLVMBuildCall2(guards->builder, type, guard, arguments, count, "");
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
    remember(guards, &made);
}

void darn_guards_place_around(struct darn_guards *guards, const struct darn_plugin_access *access,
                              struct darn_record record)
{
    if (can_be_copied(access->instruction) && !(access->flags & DARN_SITE_RANGE))
        place_copies(guards, access, record);
    else
        darn_guards_place_both(guards, access, record);
}

/* In the end: until then others look at the instructions, and know them by their addresses. */
void darn_guards_replace(struct darn_guards *guards)
{
    for (size_t i = 0; i < guards->replaced; i++) {
        const struct darn_replacement *made = &guards->replacements[i];

        LLVMReplaceAllUsesWith(made->instruction, made->call);
        LLVMInstructionEraseFromParent(made->instruction);
    }
    free(guards->replacements);
    guards->replacements = NULL;
    guards->replaced = 0;
}
