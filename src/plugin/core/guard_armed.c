/* Guards that look at nothing but the armed byte of their site. */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#include "plugin/core/guard_parts.h"
#include "site/site_guard.h"
#include "site/site.h"

/* A byte of the thread, which its own program has, or the one that has loaded it. */
static LLVMValueRef trust_of(struct darn_guards *guards)
{
    LLVMValueRef found = LLVMGetNamedGlobal(guards->module, DARN_TRUST);

    if (found)
        return found;
    found = LLVMAddGlobal(guards->module, guards->i8, DARN_TRUST);
    LLVMSetThreadLocalMode(found, guards->here ? LLVMLocalExecTLSModel : LLVMInitialExecTLSModel);
    return found;
}

void darn_guard_branch_armed(struct darn_guards *guards, LLVMValueRef armed, LLVMBasicBlockRef call,
                             LLVMBasicBlockRef done)
{
    /* Not atomic, so that the load becomes a part of the comparison: nothing that would merge or
     * move loads runs after this. */
    LLVMValueRef byte = LLVMBuildLoad2(guards->builder, guards->i8, armed, "");
    LLVMValueRef limit = LLVMConstInt(guards->i8, 0, 0);

    if (guards->trusts)
        limit = LLVMBuildLoad2(guards->builder, guards->i8, trust_of(guards), "");
    darn_guard_branch_if(guards, LLVMBuildICmp(guards->builder, LLVMIntUGT, byte, limit, ""), call,
                         done);
}

/* if (*armed) hook(the other arguments) */
static LLVMValueRef build(struct darn_guards *guards, const char *name, const char *hook_name,
                          LLVMTypeRef type, unsigned count)
{
    LLVMValueRef guard = darn_guard_begin(guards, name, type);
    LLVMBasicBlockRef entry = darn_guard_block(guards, guard);
    LLVMBasicBlockRef call = darn_guard_block(guards, guard);
    LLVMBasicBlockRef done = darn_guard_block(guards, guard);

    LLVMPositionBuilderAtEnd(guards->builder, entry);
    darn_guard_branch_armed(guards, LLVMGetParam(guard, count), call, done);
    LLVMPositionBuilderAtEnd(guards->builder, call);
    darn_guard_call(guards, guard, hook_name, count);
    LLVMBuildBr(guards->builder, done);
    LLVMPositionBuilderAtEnd(guards->builder, done);
    LLVMBuildRetVoid(guards->builder);
    return guard;
}

/* What the guard is for, and what the hook gets. */
struct armed {
    LLVMValueRef before;
    LLVMMetadataRef at; /* its place in the source */
    const char *hook;
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS]; /* and one more: the byte */
    unsigned count;
};

static void place(struct darn_guards *guards, struct armed *armed, LLVMValueRef byte)
{
    LLVMTypeRef types[DARN_GUARD_ARGUMENTS], type;
    LLVMValueRef guard;
    char name[64];

    armed->arguments[armed->count] = byte;
    for (unsigned i = 0; i <= armed->count; i++)
        types[i] = LLVMTypeOf(armed->arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, armed->count + 1, 0);
    snprintf(name, sizeof(name), DARN_GUARD_PREFIX "armed.%s", armed->hook);
    guard = LLVMGetNamedFunction(guards->module, name);
    if (!guard)
        guard = build(guards, name, armed->hook, type, armed->count);
    LLVMPositionBuilderBefore(guards->builder, armed->before);
    LLVMSetCurrentDebugLocation2(guards->builder, armed->at);
    LLVMBuildCall2(guards->builder, type, guard, armed->arguments, armed->count + 1, "");
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
}

void darn_guards_place_armed(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                             LLVMValueRef pointer, struct darn_record record)
{
    struct armed armed = {
        .before = before, .at = LLVMInstructionGetDebugLoc(before), .hook = hook_name};

    if (pointer)
        armed.arguments[armed.count++] = pointer;
    armed.arguments[armed.count++] = record.site;
    place(guards, &armed, record.armed);
}

LLVMValueRef darn_guards_behind(LLVMValueRef instruction)
{
    LLVMBasicBlockRef next;
    LLVMValueRef in;

    if (!LLVMIsATerminatorInst(instruction)) {
        if (LLVMIsACallInst(instruction) &&
            LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail)
            return NULL; /* nothing may stand between it and the return */
        return LLVMGetNextInstruction(instruction);
    }
    next = LLVMIsAInvokeInst(instruction) ? LLVMGetNormalDest(instruction) : NULL;
    in = next ? LLVMGetFirstInstruction(next) : NULL;
    /* Where other ways lead to the same block, nobody would know which one was taken. */
    for (LLVMUseRef use = in ? LLVMGetFirstUse(LLVMBasicBlockAsValue(next)) : NULL; use;
         use = LLVMGetNextUse(use)) {
        if (LLVMGetUser(use) != instruction)
            return NULL;
    }
    while (in && LLVMIsAPHINode(in))
        in = LLVMGetNextInstruction(in);
    return in;
}

void darn_guards_place_both(struct darn_guards *guards, const struct darn_plugin_access *access,
                            struct darn_record record)
{
    LLVMValueRef instruction = access->instruction, behind = darn_guards_behind(instruction);
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    struct armed before = {.before = instruction, .at = at, .hook = DARN_HOOK_ACCESS};
    struct armed done = {.before = behind,
                         .at = at,
                         .hook = DARN_HOOK_DONE,
                         .arguments = {access->pointer, record.site},
                         .count = 2};

    before.arguments[before.count++] = access->pointer;
    if (access->flags & DARN_SITE_RANGE) {
        int string = LLVMGetTypeKind(LLVMTypeOf(access->length)) == LLVMPointerTypeKind;

        before.hook = string ? DARN_HOOK_STRING : DARN_HOOK_RANGE;
        before.arguments[before.count++] = darn_guard_length(guards, instruction, access->length);
    }
    before.arguments[before.count++] = record.site;
    place(guards, &before, record.armed);
    if (access->flags & DARN_SITE_AFTER)
        place(guards, &done, record.armed);
}
