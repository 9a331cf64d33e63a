/* Guards that look at nothing but the armed byte of their site. */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

#include "plugin/core/guard_private.h"
#include "plugin/call/libcalls.h"
#include "site/site_guard.h"
#include "site/site.h"

/* A byte of the thread, which its own program has, or the one that has loaded it. */
static LLVMValueRef limit_of(struct darn_guards *guards)
{
    LLVMValueRef found = LLVMGetNamedGlobal(guards->module, DARN_LIMIT);

    if (found)
        return found;
    found = LLVMAddGlobal(guards->module, guards->i8, DARN_LIMIT);
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

    if (guards->elides)
        limit = LLVMBuildLoad2(guards->builder, guards->i8, limit_of(guards), "");
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
    const char *prefix; /* of the name of the guard; NULL: DARN_GUARD_PREFIX */
    LLVMValueRef before;
    LLVMMetadataRef at; /* its place in the source */
    const char *hook;
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS]; /* and one more: the byte */
    unsigned count;
};

static LLVMValueRef place(struct darn_guards *guards, struct armed *armed, LLVMValueRef byte)
{
    LLVMTypeRef types[DARN_GUARD_ARGUMENTS], type;
    LLVMValueRef guard, call;
    char name[64];

    armed->arguments[armed->count] = byte;
    for (unsigned i = 0; i <= armed->count; i++)
        types[i] = LLVMTypeOf(armed->arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, armed->count + 1, 0);
    snprintf(name, sizeof(name), "%sarmed.%s", armed->prefix ? armed->prefix : DARN_GUARD_PREFIX,
             armed->hook);
    guard = LLVMGetNamedFunction(guards->module, name);
    if (!guard)
        guard = build(guards, name, armed->hook, type, armed->count);
    LLVMPositionBuilderBefore(guards->builder, armed->before);
    LLVMSetCurrentDebugLocation2(guards->builder, armed->at);
    call = LLVMBuildCall2(guards->builder, type, guard, armed->arguments, armed->count + 1, "");
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
    return call;
}

LLVMValueRef darn_guards_place_dropped(struct darn_guards *guards,
                                       const struct darn_plugin_access *access,
                                       struct darn_record record)
{
    struct armed armed = {.prefix = DARN_GUARD_MEMBER,
                          .before = access->instruction,
                          .at = LLVMInstructionGetDebugLoc(access->instruction),
                          .hook = DARN_HOOK_ACCESS,
                          .arguments = {access->pointer, record.site},
                          .count = 2};

    return place(guards, &armed, record.armed);
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

void darn_guards_place_outside(struct darn_guards *guards, LLVMValueRef before, LLVMValueRef callee,
                               LLVMValueRef state, const char *byte)
{
    struct armed armed = {.before = before,
                          .at = LLVMInstructionGetDebugLoc(before),
                          .hook = DARN_HOOK_OUTSIDE,
                          .arguments = {callee, state},
                          .count = 2};
    char here[64];

    if (byte) {
        snprintf(here, sizeof(here), "%s_here", byte);
        state = darn_guard_global(guards, byte, here, guards->i8);
    }
    place(guards, &armed, state);
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

static LLVMValueRef widen(struct darn_guards *guards, LLVMValueRef number, int is_signed)
{
    if (LLVMGetIntTypeWidth(LLVMTypeOf(number)) == 64)
        return number;
    return is_signed ? LLVMBuildSExt(guards->builder, number, guards->i64, "")
                     : LLVMBuildZExt(guards->builder, number, guards->i64, "");
}

/* Of a call that says so by 0, or by a pointer. */
static LLVMValueRef length_of_success(struct darn_guards *guards,
                                      const struct darn_plugin_access *access)
{
    LLVMTypeRef type = LLVMTypeOf(access->length);
    LLVMIntPredicate how = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMIntNE : LLVMIntEQ;
    LLVMValueRef is_done =
        LLVMBuildICmp(guards->builder, how, access->length, LLVMConstNull(type), "");

    return LLVMBuildSelect(guards->builder, is_done, access->times, LLVMConstInt(guards->i64, 0, 0),
                           "");
}

/* Of a call that has returned: 0 if it says that nothing was done. */
static LLVMValueRef length_of_result(struct darn_guards *guards,
                                     const struct darn_plugin_access *access)
{
    LLVMBuilderRef b = guards->builder;
    LLVMValueRef zero = LLVMConstInt(guards->i64, 0, 0), one = LLVMConstInt(guards->i64, 1, 0);
    LLVMValueRef result, length, times;
    int printed =
        access->extent == DARN_EXTENT_PRINTED || access->extent == DARN_EXTENT_PRINTED_ALL;
    LLVMValueRef least = LLVMConstInt(guards->i64, access->before, 0);
    LLVMValueRef is_done;

    if (access->extent == DARN_EXTENT_SUCCEEDED)
        return length_of_success(guards, access);
    result = length = widen(guards, access->length, 1);
    is_done = LLVMBuildICmp(b, printed ? LLVMIntSGE : LLVMIntSGT, result, least, "");

    if (access->extent == DARN_EXTENT_SCANNED)
        length = access->times;
    if (printed || access->extent == DARN_EXTENT_LINE)
        length = LLVMBuildAdd(b, length, one, "");
    if (access->extent == DARN_EXTENT_PRINTED) {
        times = widen(guards, access->times, 0);
        length =
            LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, length, times, ""), length, times, "");
    } else if (access->extent == DARN_EXTENT_RESULTS) {
        length = LLVMBuildMul(b, length, widen(guards, access->times, 0), "");
    }
    return LLVMBuildSelect(b, is_done, length, zero, "");
}

/* The string that is measured, or NULL: of a call that has not filled the buffer. */
static LLVMValueRef string_of_result(struct darn_guards *guards,
                                     const struct darn_plugin_access *access)
{
    LLVMBuilderRef b = guards->builder;
    LLVMValueRef result = access->length, wanted = access->pointer;
    LLVMIntPredicate how = LLVMIntEQ;

    if (access->extent == DARN_EXTENT_FILLED)
        wanted = LLVMConstInt(LLVMTypeOf(result), 0, 0);
    if (access->extent == DARN_EXTENT_SCANNED_TEXT) {
        wanted = LLVMConstInt(LLVMTypeOf(result), access->before, 0);
        how = LLVMIntSGT;
    }
    return LLVMBuildSelect(b, LLVMBuildICmp(b, how, result, wanted, ""), access->pointer,
                           LLVMConstNull(guards->pointer), "");
}

static LLVMValueRef load_word(struct darn_guards *guards, LLVMTypeRef type, LLVMValueRef from,
                              unsigned offset)
{
    LLVMValueRef distance = LLVMConstInt(guards->i64, offset, 0);
    LLVMTypeRef byte = guards->i8;

    return LLVMBuildLoad2(guards->builder, type,
                          LLVMBuildGEP2(guards->builder, byte, from, &distance, 1, ""), "");
}

/* Where a struct msghdr has its vector, and the length of that. */
enum { MESSAGE_PARTS = 16, MESSAGE_COUNT = 24 };

void darn_guard_parts(struct darn_guards *guards, LLVMValueRef before,
                      const struct darn_plugin_access *access, LLVMValueRef arguments[3])
{
    int is_message =
        access->extent == DARN_EXTENT_MESSAGE || access->extent == DARN_EXTENT_ALL_OF_MESSAGE;

    LLVMPositionBuilderBefore(guards->builder, before);
    arguments[0] = is_message ? load_word(guards, guards->pointer, access->pointer, MESSAGE_PARTS)
                              : access->pointer;
    arguments[1] = is_message ? load_word(guards, guards->i64, access->pointer, MESSAGE_COUNT)
                              : widen(guards, access->times, 0);
    arguments[2] = darn_extent_is_late(access->extent) ? length_of_result(guards, access)
                                                       : LLVMConstInt(guards->i64, UINT64_MAX, 0);
}

void darn_guard_compared(struct darn_guards *guards, LLVMValueRef before,
                         const struct darn_plugin_access *access, LLVMValueRef arguments[3])
{
    LLVMPositionBuilderBefore(guards->builder, before);
    arguments[0] = access->pointer;
    arguments[1] = access->length;
    arguments[2] = widen(guards, access->times, 0);
}

LLVMValueRef darn_guard_pointer(struct darn_guards *guards, LLVMValueRef before,
                                const struct darn_plugin_access *access)
{
    if (access->extent != DARN_EXTENT_LINE)
        return access->pointer;
    LLVMPositionBuilderBefore(guards->builder, before);
    return load_word(guards, guards->pointer, access->pointer, 0);
}

LLVMValueRef darn_guard_length(struct darn_guards *guards, LLVMValueRef before,
                               const struct darn_plugin_access *access)
{
    LLVMValueRef length = access->length;

    if (access->extent == DARN_EXTENT_RETURNED || access->extent == DARN_EXTENT_FILLED ||
        access->extent == DARN_EXTENT_SCANNED_TEXT) {
        LLVMPositionBuilderBefore(guards->builder, before);
        return string_of_result(guards, access);
    }
    if (LLVMGetTypeKind(LLVMTypeOf(length)) != LLVMIntegerTypeKind &&
        access->extent != DARN_EXTENT_SUCCEEDED)
        return length;
    LLVMPositionBuilderBefore(guards->builder, before);
    if (darn_extent_is_late(access->extent))
        return length_of_result(guards, access);
    length = widen(guards, length, 0);
    return access->extent == DARN_EXTENT_PRODUCT
               ? LLVMBuildMul(guards->builder, length, widen(guards, access->times, 0), "")
               : length;
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
        int is_compared = access->extent == DARN_EXTENT_COMPARED; /* here the first byte counts */

        before.hook = string && !is_compared ? DARN_HOOK_STRING : DARN_HOOK_RANGE;
        before.arguments[before.count++] = is_compared
                                               ? LLVMConstInt(guards->i64, 1, 0)
                                               : darn_guard_length(guards, instruction, access);
    }
    before.arguments[before.count++] = record.site;
    place(guards, &before, record.armed);
    if (access->flags & DARN_SITE_AFTER)
        place(guards, &done, record.armed);
}
