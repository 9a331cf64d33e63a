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

#include "plugin/core/guard_private.h"
#include "plugin/call/libcalls.h"
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

LLVMValueRef darn_guard_global(struct darn_guards *guards, const char *name, const char *here,
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

/* Hooks preserve registers that the dynamic linker does not when it binds an entry of the linkage
 * table at its first call (r10), so they must not be called through one: "nonlazybind". */
static LLVMValueRef hook(struct darn_guards *guards, const char *name, LLVMTypeRef type)
{
    static const char *const attributes[] = {"nounwind", "cold", "nonlazybind"};
    LLVMValueRef found = LLVMGetNamedFunction(guards->module, name);

    if (found)
        return found;
    found = LLVMAddFunction(guards->module, name, type);
    LLVMSetFunctionCallConv(found, LLVMPreserveMostCallConv);
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        LLVMAddAttributeAtIndex(found, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                attribute(guards, attributes[i]));
    return found;
}

static LLVMValueRef load_byte(struct darn_guards *guards, LLVMValueRef address)
{
    LLVMValueRef load = LLVMBuildLoad2(guards->builder, guards->i8, address, "");

    LLVMSetOrdering(load, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(load, 1);
    return load;
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

/* Goes to `unlikely` if the byte is not 0, else to `likely`. */
static void branch_if_set(struct darn_guards *guards, LLVMValueRef byte, LLVMBasicBlockRef unlikely,
                          LLVMBasicBlockRef likely)
{
    LLVMValueRef zero = LLVMConstInt(guards->i8, 0, 0);

    darn_guard_branch_if(guards, LLVMBuildICmp(guards->builder, LLVMIntNE, byte, zero, ""),
                         unlikely, likely);
}

/* Goes to `call` if the filter says "perhaps" for the address, or the site is armed. */
static void look_into_filter(struct darn_guards *guards, LLVMValueRef address, LLVMValueRef armed,
                             LLVMBasicBlockRef call, LLVMBasicBlockRef done)
{
    LLVMBuilderRef b = guards->builder;
    LLVMTypeRef table = LLVMArrayType2(guards->i8, DARN_FILTER_SIZE);
    LLVMValueRef filter = darn_guard_global(guards, DARN_FILTER, DARN_FILTER_HERE, table);
    LLVMValueRef number = LLVMBuildPtrToInt(b, address, guards->i64, "");
    LLVMValueRef line =
        LLVMBuildLShr(b, number, LLVMConstInt(guards->i64, DARN_FILTER_SHIFT, 0), "");
    LLVMValueRef index =
        LLVMBuildAnd(b, line, LLVMConstInt(guards->i64, DARN_FILTER_SIZE - 1, 0), "");
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(b, guards->i8, filter, &index, 1, "");
    LLVMValueRef watched = load_byte(guards, slot);

    branch_if_set(guards, LLVMBuildOr(b, watched, load_byte(guards, armed), ""), call, done);
}

static int is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

static LLVMValueRef to_word(struct darn_guards *guards, LLVMValueRef value)
{
    LLVMBuilderRef b = guards->builder;
    LLVMTypeRef type = LLVMTypeOf(value);

    if (is_pointer(value))
        return LLVMBuildPtrToInt(b, value, guards->i64, "");
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind)
        return LLVMBuildZExt(b, LLVMBuildBitCast(b, value, guards->i32, ""), guards->i64, "");
    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        return LLVMBuildBitCast(b, value, guards->i64, "");
    return LLVMGetIntTypeWidth(type) < 64 ? LLVMBuildZExt(b, value, guards->i64, "") : value;
}

int darn_guards_take(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (is_pointer(value))
        return LLVMGetPointerAddressSpace(type) == 0;
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
}

void darn_guard_call(struct darn_guards *guards, LLVMValueRef guard, const char *name,
                     unsigned count)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS];

    LLVMGetParams(guard, arguments);
    if (strcmp(name, DARN_HOOK_WRITE) == 0 || strcmp(name, DARN_LOOK_WRITE) == 0)
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

/* The byte that the guards of a hook look at first; all others have bytes of their own. */
static const struct {
    const char *hook, *byte, *here;
} bytes[] = {
    {DARN_HOOK_BEGIN, DARN_FUNCTIONS, DARN_FUNCTIONS_HERE},
    {DARN_HOOK_END, DARN_FUNCTIONS, DARN_FUNCTIONS_HERE},
    {DARN_HOOK_BLOCK_BEGIN, DARN_FUNCTIONS, DARN_FUNCTIONS_HERE},
    {DARN_HOOK_BLOCK_END, DARN_FUNCTIONS, DARN_FUNCTIONS_HERE},
    {DARN_HOOK_ORDER, DARN_ORDERING, DARN_ORDERING_HERE},
    {DARN_HOOK_RELAXED, DARN_FENCED, DARN_FENCED_HERE},
    {DARN_HOOK_FENCE, DARN_ATTENTION, DARN_ATTENTION_HERE},
    {DARN_LOOK_LEAVE, DARN_ATTENTION, DARN_ATTENTION_HERE},
    {DARN_LOOK_CALL, DARN_ATTENTION, DARN_ATTENTION_HERE},
};

/* NULL: it is the byte of the guard itself. */
static LLVMValueRef byte_of(struct darn_guards *guards, const char *hook_name)
{
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        if (strcmp(hook_name, bytes[i].hook) == 0)
            return darn_guard_global(guards, bytes[i].byte, bytes[i].here, guards->i8);
    }
    return NULL;
}

void darn_guard_branch_look(struct darn_guards *guards, LLVMValueRef look,
                            LLVMBasicBlockRef unlikely, LLVMBasicBlockRef likely)
{
    if (!look)
        look = darn_guard_global(guards, DARN_ATTENTION, DARN_ATTENTION_HERE, guards->i8);
    branch_if_set(guards, load_byte(guards, look), unlikely, likely);
}

static int is_member(const char *name)
{
    return strncmp(name, DARN_GUARD_MEMBER, strlen(DARN_GUARD_MEMBER)) == 0;
}

/* The hook gets the first `count` arguments of the guard; with `filtered`, the armed byte follows,
 * and the byte that the guard looks at comes last, if there is one. */
static LLVMValueRef build_guard(struct darn_guards *guards, const char *name, const char *hook_name,
                                LLVMTypeRef type, unsigned count, int filtered)
{
    LLVMValueRef guard = darn_guard_begin(guards, name, type);
    LLVMBasicBlockRef entry = is_member(name) ? NULL : darn_guard_block(guards, guard);
    LLVMBasicBlockRef raised = darn_guard_block(guards, guard);
    LLVMBasicBlockRef call = filtered ? darn_guard_block(guards, guard) : raised;
    LLVMBasicBlockRef done = darn_guard_block(guards, guard);
    LLVMValueRef byte = entry ? byte_of(guards, hook_name) : NULL;

    if (entry) {
        LLVMPositionBuilderAtEnd(guards->builder, entry);
        darn_guard_branch_look(guards, byte ? byte : LLVMGetLastParam(guard), raised, done);
    }
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
 * byte of the site, the guard looks into the filter, too. `look` is the byte that it looks at
 * first.
 */
static LLVMValueRef call_guard_at(struct darn_guards *guards, LLVMValueRef before,
                                  LLVMMetadataRef place, const char *prefix, const char *hook_name,
                                  LLVMValueRef *arguments, unsigned count, LLVMValueRef armed,
                                  LLVMValueRef look)
{
    LLVMTypeRef types[DARN_GUARD_ARGUMENTS], type;
    LLVMValueRef guard, call;
    char name[128];
    char *type_name = LLVMPrintTypeToString(LLVMTypeOf(arguments[count > 2 ? 1 : 0]));
    unsigned handed = count;

    if (armed)
        arguments[count++] = armed;
    if (look)
        arguments[count++] = look;
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    type = LLVMFunctionType(guards->nothing, types, count, 0);
    snprintf(name, sizeof(name), "%s%s.%s", prefix, hook_name, type_name);
    LLVMDisposeMessage(type_name);
    guard = LLVMGetNamedFunction(guards->module, name);
    if (!guard)
        guard = build_guard(guards, name, hook_name, type, handed, armed != NULL);
    LLVMPositionBuilderBefore(guards->builder, before);
    LLVMSetCurrentDebugLocation2(guards->builder, place);
    call = LLVMBuildCall2(guards->builder, type, guard, arguments, count, "");
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
    return call;
}

/* Of a hook whose guards all look at the same byte. */
static void call_guard(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                       LLVMValueRef *arguments, unsigned count)
{
    call_guard_at(guards, before, LLVMInstructionGetDebugLoc(before), DARN_GUARD_PREFIX, hook_name,
                  arguments, count, NULL, NULL);
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

/* Behind every other hook of the operation: what it acquires is there with the next one. A relaxed
 * operation orders nothing, but one that stores may do so behind a fence. */
static void place_order(struct darn_guards *guards, const struct darn_plugin_access *access,
                        struct darn_record record)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS] = {
        access->pointer ? access->pointer : LLVMConstNull(guards->pointer), record.site};
    int is_atomic = access->flags & DARN_SITE_ATOMIC;

    if (access->flags & (DARN_SITE_ACQUIRES | DARN_SITE_RELEASES))
        call_guard(guards, access->instruction, DARN_HOOK_ORDER, arguments, 2);
    else if (is_atomic && access->kind != DARN_SITE_READ && access->kind != DARN_SITE_FENCE)
        call_guard(guards, access->instruction, DARN_HOOK_RELAXED, arguments, 2);
}

static void place_range(struct darn_guards *guards, const struct darn_plugin_access *access,
                        struct darn_record record)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS], at = access->instruction;
    LLVMValueRef before = darn_extent_is_late(access->extent) ? darn_guards_behind(at) : at;
    const char *hook_name = DARN_HOOK_PARTS;
    unsigned count = 2;

    if (darn_extent_has_parts(access->extent)) {
        darn_guard_parts(guards, before, access, arguments);
        count = 3;
    } else if (access->extent == DARN_EXTENT_COMPARED) {
        darn_guard_compared(guards, before, access, arguments);
        hook_name = DARN_HOOK_COMPARED;
        count = 3;
    } else {
        arguments[0] = darn_guard_pointer(guards, before, access);
        arguments[1] = darn_guard_length(guards, before, access);
        hook_name = is_pointer(arguments[1]) ? DARN_HOOK_STRING : DARN_HOOK_RANGE;
    }
    arguments[count++] = record.site;
    call_guard_at(guards, before, LLVMInstructionGetDebugLoc(at), DARN_GUARD_PREFIX, hook_name,
                  arguments, count, NULL, record.look);
}

/* Guards that look at the filter and the armed byte, too: by themselves, or by a function. */
static LLVMValueRef place_look(struct darn_guards *guards, const struct darn_plugin_access *access,
                               struct darn_record record, const char *prefix)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS] = {access->pointer, record.site};
    LLVMValueRef at = access->instruction, armed = access->often ? record.armed : NULL;
    const char *name = armed ? DARN_HOOK_ACCESS : DARN_LOOK_ACCESS;
    unsigned count = 2;

    if (access->kind == DARN_SITE_LEAVE || access->kind == DARN_SITE_CALL)
        return call_guard_at(guards, at, LLVMInstructionGetDebugLoc(at), prefix,
                             access->kind == DARN_SITE_LEAVE ? DARN_LOOK_LEAVE : DARN_LOOK_CALL,
                             &record.site, 1, NULL, NULL);
    if (access->flags & (DARN_SITE_VALUE | DARN_SITE_POINTER)) {
        name = armed ? DARN_HOOK_WRITE : DARN_LOOK_WRITE;
        arguments[1] = access->value;
        arguments[count++] = record.site;
    }
    return call_guard_at(guards, at, LLVMInstructionGetDebugLoc(at), prefix, name, arguments, count,
                         armed, strcmp(prefix, DARN_GUARD_MEMBER) == 0 ? NULL : record.look);
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
        call_guard(guards, access->instruction, DARN_HOOK_FENCE, &record.site, 1);
    } else if (access->flags & DARN_SITE_RANGE) {
        place_range(guards, access, record);
    } else {
        place_look(guards, access, record, DARN_GUARD_PREFIX);
    }
    place_order(guards, access, record);
}

LLVMValueRef darn_guards_place_member(struct darn_guards *guards,
                                      const struct darn_plugin_access *access,
                                      struct darn_record record)
{
    if (access->dropped)
        return darn_guards_place_dropped(guards, access, record);
    return place_look(guards, access, record, DARN_GUARD_MEMBER);
}

void darn_guards_place_alone(struct darn_guards *guards, const struct darn_plugin_access *access,
                             struct darn_record record)
{
    if (access->dropped)
        darn_guards_place_armed(guards, access->instruction, DARN_HOOK_ACCESS, access->pointer,
                                record);
    else
        place_look(guards, access, record, DARN_GUARD_PREFIX);
}

void darn_guards_place_function(struct darn_guards *guards, LLVMValueRef before,
                                const char *hook_name, LLVMValueRef site)
{
    call_guard(guards, before, hook_name, &site, 1);
}

void darn_guards_place_block(struct darn_guards *guards, LLVMValueRef before, const char *hook_name,
                             LLVMValueRef pointer, LLVMValueRef site)
{
    LLVMValueRef arguments[DARN_GUARD_ARGUMENTS] = {pointer, site};

    call_guard(guards, before, hook_name, arguments, 2);
}

void darn_guards_place_atomic(struct darn_guards *guards, LLVMValueRef before,
                              const char *hook_name, LLVMValueRef site)
{
    call_at_once(guards, before, hook_name, &site, 1);
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
