/*
 * A guard is a small function that is marked to be inlined always; LLVM's own inliner splits the
 * blocks, which the C API cannot do. There is one guard for each hook and type of value, so that
 * a value is converted behind the branch and not in front of it.
 */
#include "plugin/core/guard.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#include "plugin/core/group.h"
#include "plugin/core/guard_parts.h"
#include "site/site_guard.h"
#include "site/site.h"

static int has_module_flag(LLVMModuleRef module, const char *name)
{
    return LLVMGetModuleFlag(module, name, strlen(name)) != NULL;
}

void darn_guards_init(struct darn_guards *guards, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);

    *guards = (struct darn_guards){
        .module = module,
        .context = context,
        .builder = LLVMCreateBuilderInContext(context),
        .pointer = LLVMPointerTypeInContext(context, 0),
        .i8 = LLVMInt8TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .nothing = LLVMVoidTypeInContext(context),
        .here = !has_module_flag(module, "PIC Level") || has_module_flag(module, "PIE Level"),
    };
}

static LLVMAttributeRef attribute(struct darn_guards *guards, const char *name)
{
    return LLVMCreateEnumAttribute(guards->context,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

static LLVMValueRef global(struct darn_guards *guards, const char *name, const char *here,
                           LLVMTypeRef type)
{
    LLVMValueRef found = LLVMGetNamedGlobal(guards->module, guards->here ? here : name);

    if (found)
        return found;
    found = LLVMAddGlobal(guards->module, type, guards->here ? here : name);
    if (guards->here)
        LLVMSetVisibility(found, LLVMHiddenVisibility);
    return found;
}

static LLVMValueRef hook(struct darn_guards *guards, const char *name, LLVMTypeRef type)
{
    LLVMValueRef found = LLVMGetNamedFunction(guards->module, name);

    if (found)
        return found;
    found = LLVMAddFunction(guards->module, name, type);
    LLVMSetFunctionCallConv(found, LLVMPreserveMostCallConv);
    LLVMAddAttributeAtIndex(found, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute(guards, "nounwind"));
    LLVMAddAttributeAtIndex(found, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute(guards, "cold"));
    return found;
}

static LLVMValueRef load_byte(struct darn_guards *guards, LLVMValueRef address)
{
    LLVMValueRef load = LLVMBuildLoad2(guards->builder, guards->i8, address, "");

    LLVMSetOrdering(load, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(load, 1);
    return load;
}

void darn_guard_branch(struct darn_guards *guards, LLVMValueRef byte, LLVMBasicBlockRef unlikely,
                       LLVMBasicBlockRef likely)
{
    LLVMValueRef zero = LLVMConstInt(guards->i8, 0, 0);

    darn_guard_branch_if(guards, LLVMBuildICmp(guards->builder, LLVMIntNE, byte, zero, ""),
                         unlikely, likely);
}

void darn_guard_branch_if(struct darn_guards *guards, LLVMValueRef is_so,
                          LLVMBasicBlockRef unlikely, LLVMBasicBlockRef likely)
{
    LLVMValueRef branch = LLVMBuildCondBr(guards->builder, is_so, unlikely, likely);
    LLVMMetadataRef weights[3] = {
        LLVMMDStringInContext2(guards->context, "branch_weights", 14),
        LLVMValueAsMetadata(LLVMConstInt(guards->i32, 1, 0)),
        LLVMValueAsMetadata(LLVMConstInt(guards->i32, (1 << 20) - 1, 0)),
    };

    LLVMSetMetadata(
        branch, LLVMGetMDKindIDInContext(guards->context, "prof", 4),
        LLVMMetadataAsValue(guards->context, LLVMMDNodeInContext2(guards->context, weights, 3)));
}

/* Goes to `call` if the filter says "perhaps" for the address, or the site is armed. */
static void look_into_filter(struct darn_guards *guards, LLVMValueRef address, LLVMValueRef armed,
                             LLVMBasicBlockRef call, LLVMBasicBlockRef done)
{
    LLVMBuilderRef b = guards->builder;
    LLVMTypeRef table = LLVMArrayType2(guards->i8, DARN_FILTER_SIZE);
    LLVMValueRef filter = global(guards, DARN_FILTER, DARN_FILTER_HERE, table);
    LLVMValueRef number = LLVMBuildPtrToInt(b, address, guards->i64, "");
    LLVMValueRef line =
        LLVMBuildLShr(b, number, LLVMConstInt(guards->i64, DARN_FILTER_SHIFT, 0), "");
    LLVMValueRef index =
        LLVMBuildAnd(b, line, LLVMConstInt(guards->i64, DARN_FILTER_SIZE - 1, 0), "");
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(b, guards->i8, filter, &index, 1, "");
    LLVMValueRef watched = load_byte(guards, slot);

    darn_guard_branch(guards, LLVMBuildOr(b, watched, load_byte(guards, armed), ""), call, done);
}

static LLVMValueRef to_word(struct darn_guards *guards, LLVMValueRef value)
{
    LLVMBuilderRef b = guards->builder;
    LLVMTypeRef type = LLVMTypeOf(value);

    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return LLVMBuildPtrToInt(b, value, guards->i64, "");
    case LLVMFloatTypeKind:
        return LLVMBuildZExt(b, LLVMBuildBitCast(b, value, guards->i32, ""), guards->i64, "");
    case LLVMDoubleTypeKind:
        return LLVMBuildBitCast(b, value, guards->i64, "");
    default:
        return LLVMGetIntTypeWidth(type) < 64 ? LLVMBuildZExt(b, value, guards->i64, "") : value;
    }
}

int darn_guards_take(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(type) == 0;
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        return 1;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) <= 64;
    default:
        return 0;
    }
}

void darn_guard_call(struct darn_guards *guards, LLVMValueRef guard, const char *name,
                     unsigned count)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS];

    LLVMGetParams(guard, arguments);
    if (strcmp(name, DARN_HOOK_WRITE) == 0)
        arguments[1] = to_word(guards, arguments[1]);
    darn_guard_call_with(guards, name, arguments, count);
}

void darn_guard_call_with(struct darn_guards *guards, const char *name, LLVMValueRef *arguments,
                          unsigned count)
{
    LLVMTypeRef types[DARN_GUARD_ARGUMENTS], type;
    LLVMValueRef call;

    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, count, 0);
    call = LLVMBuildCall2(guards->builder, type, hook(guards, name, type), arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
}

LLVMValueRef darn_guard_begin(struct darn_guards *guards, const char *name, LLVMTypeRef type)
{
    LLVMValueRef guard = LLVMAddFunction(guards->module, name, type);

    /* The builder has the place of the instruction that it stood before. A call of the guard that
     * has no place would leave it in another function, where no debug information allows it. */
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
    LLVMSetLinkage(guard, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(guard, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute(guards, "alwaysinline"));
    LLVMAddAttributeAtIndex(guard, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            attribute(guards, "nounwind"));
    return guard;
}

LLVMBasicBlockRef darn_guard_block(struct darn_guards *guards, LLVMValueRef guard)
{
    return LLVMAppendBasicBlockInContext(guards->context, guard, "");
}

static void branch_on_attention(struct darn_guards *guards, LLVMBasicBlockRef raised,
                                LLVMBasicBlockRef done)
{
    LLVMValueRef attention = global(guards, DARN_ATTENTION, DARN_ATTENTION_HERE, guards->i8);

    darn_guard_branch(guards, load_byte(guards, attention), raised, done);
}

static void branch_on_functions(struct darn_guards *guards, LLVMBasicBlockRef wanted,
                                LLVMBasicBlockRef done)
{
    LLVMValueRef functions = global(guards, DARN_FUNCTIONS, DARN_FUNCTIONS_HERE, guards->i8);

    darn_guard_branch(guards, load_byte(guards, functions), wanted, done);
}

static int is_of_function(const char *hook_name)
{
    static const char *const names[] = {DARN_HOOK_BEGIN, DARN_HOOK_END, DARN_HOOK_BLOCK_BEGIN,
                                        DARN_HOOK_BLOCK_END};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(hook_name, names[i]) == 0)
            return 1;
    }
    return 0;
}

static LLVMValueRef build_guard(struct darn_guards *guards, const char *name, const char *hook_name,
                                LLVMTypeRef type, int filtered)
{
    LLVMValueRef guard = darn_guard_begin(guards, name, type);
    LLVMBasicBlockRef entry = darn_guard_block(guards, guard);
    LLVMBasicBlockRef raised = darn_guard_block(guards, guard);
    LLVMBasicBlockRef call = filtered ? darn_guard_block(guards, guard) : raised;
    LLVMBasicBlockRef done = darn_guard_block(guards, guard);
    unsigned count = LLVMCountParams(guard) - (filtered ? 1 : 0);

    LLVMPositionBuilderAtEnd(guards->builder, entry);
    if (is_of_function(hook_name))
        branch_on_functions(guards, raised, done);
    else
        branch_on_attention(guards, raised, done);
    LLVMPositionBuilderAtEnd(guards->builder, raised);
    if (filtered) {
        look_into_filter(guards, LLVMGetParam(guard, 0), LLVMGetParam(guard, count), call, done);
        LLVMPositionBuilderAtEnd(guards->builder, call);
    }
    darn_guard_call(guards, guard, hook_name, count);
    LLVMBuildBr(guards->builder, done);
    LLVMPositionBuilderAtEnd(guards->builder, done);
    LLVMBuildRetVoid(guards->builder);
    return guard;
}

/*
 * Calls the guard of the hook for these arguments, building it at its first use. With `armed`, the
 * byte of the site, the guard looks into the filter, too.
 */
static void call_guard(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                       LLVMValueRef *arguments, unsigned count, LLVMValueRef armed)
{
    LLVMTypeRef types[DARN_GUARD_ARGUMENTS], type;
    LLVMValueRef guard;
    char name[128];
    char *type_name = LLVMPrintTypeToString(LLVMTypeOf(arguments[count > 2 ? 1 : 0]));

    if (armed)
        arguments[count++] = armed;
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, count, 0);
    snprintf(name, sizeof(name), DARN_GUARD_PREFIX "%s.%s", hook_name, type_name);
    LLVMDisposeMessage(type_name);
    guard = LLVMGetNamedFunction(guards->module, name);
    if (!guard)
        guard = build_guard(guards, name, hook_name, type, armed != NULL);
    LLVMPositionBuilderBefore(guards->builder, before);
    LLVMSetCurrentDebugLocation2(guards->builder, LLVMInstructionGetDebugLoc(before));
    LLVMBuildCall2(guards->builder, type, guard, arguments, count, "");
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
}

/* Calls the hook without a guard. */
static void call_at_once(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                         LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[DARN_GUARD_ARGUMENTS], type;
    LLVMValueRef call;

    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, count, 0);
    LLVMPositionBuilderBefore(guards->builder, before);
    LLVMSetCurrentDebugLocation2(guards->builder, LLVMInstructionGetDebugLoc(before));
    call =
        LLVMBuildCall2(guards->builder, type, hook(guards, hook_name, type), arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
}

LLVMValueRef darn_guard_length(struct darn_guards *guards, LLVMValueRef before, LLVMValueRef length)
{
    if (LLVMGetTypeKind(LLVMTypeOf(length)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(length)) == 64)
        return length;
    LLVMPositionBuilderBefore(guards->builder, before);
    return LLVMBuildZExt(guards->builder, length, guards->i64, "");
}

void darn_guards_place(struct darn_guards *guards, const struct darn_plugin_access *access,
                       struct darn_record record)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS] = {access->pointer, record.site};

    if (access->flags & DARN_SITE_SPIN) {
        call_at_once(guards, access->instruction, DARN_HOOK_SPIN, arguments, 2);
    } else if (access->kind == DARN_SITE_WAIT) {
        call_at_once(guards, access->instruction, DARN_HOOK_WAIT, arguments, 2);
    } else if (access->kind == DARN_SITE_FENCE) {
        call_guard(guards, access->instruction, DARN_HOOK_FENCE, &record.site, 1, NULL);
    } else if (access->flags & DARN_SITE_RANGE) {
        int string = LLVMGetTypeKind(LLVMTypeOf(access->length)) == LLVMPointerTypeKind;

        arguments[1] = darn_guard_length(guards, access->instruction, access->length);
        arguments[2] = record.site;
        call_guard(guards, access->instruction, string ? DARN_HOOK_STRING : DARN_HOOK_RANGE,
                   arguments, 3, NULL);
    } else if (access->flags & (DARN_SITE_VALUE | DARN_SITE_POINTER)) {
        arguments[1] = access->value;
        arguments[2] = record.site;
        call_guard(guards, access->instruction, DARN_HOOK_WRITE, arguments, 3, record.armed);
    } else {
        call_guard(guards, access->instruction, DARN_HOOK_ACCESS, arguments, 2, record.armed);
    }
}

void darn_guards_place_function(struct darn_guards *guards, LLVMValueRef before,
                                const char *hook_name, LLVMValueRef site)
{
    call_guard(guards, before, hook_name, &site, 1, NULL);
}

void darn_guards_place_block(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                             LLVMValueRef pointer, LLVMValueRef site)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS] = {pointer, site};

    call_guard(guards, before, hook_name, arguments, 2, NULL);
}

void darn_guards_place_atomic(struct darn_guards *guards, LLVMValueRef before,
                              const char *hook_name, LLVMValueRef site)
{
    call_at_once(guards, before, hook_name, &site, 1);
}

/* Of each member of a group a guard gets what darn_hook_write does, and its armed byte. */
#define FOR_HOOK   3
#define PER_MEMBER 4

/* One after the other: if the filter says so for this pointer, call the hook with its site. */
static void build_group_calls(struct darn_guards *guards, LLVMValueRef guard, unsigned count,
                              LLVMBasicBlockRef done)
{
    LLVMTypeRef types[FOR_HOOK] = {guards->pointer, guards->i64, guards->pointer};
    LLVMTypeRef type = LLVMFunctionType(guards->nothing, types, FOR_HOOK, 0);

    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef call_block = darn_guard_block(guards, guard);
        LLVMBasicBlockRef next = i + 1 < count ? darn_guard_block(guards, guard) : done;
        LLVMValueRef arguments[PER_MEMBER], call;

        for (unsigned j = 0; j < PER_MEMBER; j++)
            arguments[j] = LLVMGetParam(guard, PER_MEMBER * i + j);
        look_into_filter(guards, arguments[0], arguments[FOR_HOOK], call_block, next);
        LLVMPositionBuilderAtEnd(guards->builder, call_block);
        call = LLVMBuildCall2(guards->builder, type, hook(guards, DARN_HOOK_WRITE, type), arguments,
                              FOR_HOOK, "");
        LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
        LLVMBuildBr(guards->builder, next);
        LLVMPositionBuilderAtEnd(guards->builder, next);
    }
}

static LLVMValueRef build_group_guard(struct darn_guards *guards, const char *name,
                                      LLVMTypeRef type, unsigned count)
{
    LLVMValueRef guard = darn_guard_begin(guards, name, type);
    LLVMBasicBlockRef entry = darn_guard_block(guards, guard);
    LLVMBasicBlockRef raised = darn_guard_block(guards, guard);
    LLVMBasicBlockRef done = darn_guard_block(guards, guard);

    LLVMPositionBuilderAtEnd(guards->builder, entry);
    branch_on_attention(guards, raised, done);
    LLVMPositionBuilderAtEnd(guards->builder, raised);
    build_group_calls(guards, guard, count, done);
    LLVMBuildRetVoid(guards->builder);
    return guard;
}

/* The value of a member as the word that the hook gets: nothing is computed for it, a pointer is
 * one already. */
static LLVMValueRef word_of(struct darn_guards *guards, LLVMValueRef leader, LLVMValueRef value)
{
    if (value && LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        return LLVMConstInt(guards->i64, LLVMConstIntGetZExtValue(value), 0);
    if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind)
        return LLVMConstInt(guards->i64, 0, 0);
    LLVMPositionBuilderBefore(guards->builder, leader);
    return LLVMBuildPtrToInt(guards->builder, value, guards->i64, "");
}

void darn_guards_place_group(struct darn_guards *guards, LLVMValueRef leader,
                             const struct darn_member *members, unsigned count)
{
    LLVMValueRef arguments[PER_MEMBER * DARN_GROUP_MAX], guard;
    LLVMTypeRef types[PER_MEMBER * DARN_GROUP_MAX], type;
    unsigned total = PER_MEMBER * count;
    char name[64];

    for (unsigned i = 0; i < count; i++) {
        arguments[PER_MEMBER * i] = members[i].pointer;
        arguments[PER_MEMBER * i + 1] = word_of(guards, leader, members[i].value);
        arguments[PER_MEMBER * i + 2] = members[i].record.site;
        arguments[PER_MEMBER * i + 3] = members[i].record.armed;
    }
    for (unsigned i = 0; i < total; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, total, 0);
    snprintf(name, sizeof(name), DARN_GUARD_PREFIX "group.%u", count);
    guard = LLVMGetNamedFunction(guards->module, name);
    if (!guard)
        guard = build_group_guard(guards, name, type, count);
    LLVMPositionBuilderBefore(guards->builder, leader);
    LLVMSetCurrentDebugLocation2(guards->builder, LLVMInstructionGetDebugLoc(leader));
    LLVMBuildCall2(guards->builder, type, guard, arguments, total, "");
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
}

static void remove_guards(LLVMModuleRef module)
{
    LLVMValueRef next;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        size_t length;

        next = LLVMGetNextFunction(f);
        if (strncmp(LLVMGetValueName2(f, &length), DARN_GUARD_PREFIX, strlen(DARN_GUARD_PREFIX)) ==
                0 &&
            !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
}

void darn_guards_finish(struct darn_guards *guards)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error;

    darn_guards_replace(guards);
    error = LLVMRunPasses(guards->module, "always-inline", NULL, options);
    if (error) { /* not inlined, the guards are merely slower */
        char *message = LLVMGetErrorMessage(error);

        fprintf(stderr, "darn: cannot inline the guards: %s\n", message);
        LLVMDisposeErrorMessage(message);
    }
    LLVMDisposePassBuilderOptions(options);
    remove_guards(guards->module);
    LLVMDisposeBuilder(guards->builder);
}
