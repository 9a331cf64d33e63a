#include "plugin/core/plugin_escape.h"

#include <string.h>

enum { UNKNOWN, SHARED, PRIVATE };

/* Uses that one object may have before we stop looking and call it shared. */
#define MAX_USES 2000

/* Pointers that are one of several, one behind the other. */
#define MAX_CHOICES 8

static unsigned attribute_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void darn_escape_init(struct darn_plugin_escape *escape)
{
    *escape = (struct darn_plugin_escape){
        .nocapture = attribute_kind("nocapture"),
        .byval = attribute_kind("byval"),
    };
}

void darn_escape_free(struct darn_plugin_escape *escape)
{
    darn_map_free(&escape->known);
}

static int is_address_computation(LLVMValueRef value, LLVMOpcode *opcode)
{
    if (LLVMIsAInstruction(value))
        *opcode = LLVMGetInstructionOpcode(value);
    else if (LLVMIsAConstantExpr(value))
        *opcode = LLVMGetConstOpcode(value);
    else
        return 0;
    return *opcode == LLVMGetElementPtr || *opcode == LLVMBitCast || *opcode == LLVMAddrSpaceCast;
}

static int is_call_of(LLVMValueRef value, const char *intrinsic)
{
    const char *name;
    size_t length;
    LLVMValueRef callee;

    if (!LLVMIsACallInst(value))
        return 0;
    callee = LLVMGetCalledValue(value);
    if (!callee || !LLVMIsAFunction(callee))
        return 0;
    name = LLVMGetValueName2(callee, &length);
    return strncmp(name, intrinsic, strlen(intrinsic)) == 0;
}

LLVMValueRef darn_pointer_root(LLVMValueRef pointer)
{
    LLVMOpcode opcode;

    for (;;) {
        if (is_address_computation(pointer, &opcode) ||
            is_call_of(pointer, "llvm.threadlocal.address") ||
            is_call_of(pointer, "llvm.launder.invariant.group") ||
            is_call_of(pointer, "llvm.strip.invariant.group"))
            pointer = LLVMGetOperand(pointer, 0);
        else
            return pointer;
    }
}

static int has_parameter_attribute(LLVMValueRef call, unsigned argument, unsigned kind)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (LLVMGetCallSiteEnumAttribute(call, argument + 1, kind))
        return 1;
    return callee && LLVMIsAFunction(callee) &&
           LLVMGetEnumAttributeAtIndex(callee, argument + 1, kind);
}

static int call_keeps(const struct darn_plugin_escape *escape, LLVMValueRef call,
                      LLVMValueRef pointer)
{
    int arguments = (int)LLVMGetNumArgOperands(call);

    for (int i = 0; i < arguments; i++) {
        if (LLVMGetOperand(call, (unsigned)i) == pointer &&
            !has_parameter_attribute(call, (unsigned)i, escape->nocapture))
            return 1;
    }
    return LLVMGetCalledValue(call) == pointer;
}

static int escapes(struct darn_plugin_escape *escape, LLVMValueRef pointer, struct darn_map *seen);

static int use_escapes(struct darn_plugin_escape *escape, LLVMValueRef user, LLVMValueRef pointer,
                       struct darn_map *seen)
{
    LLVMOpcode opcode;

    if (is_address_computation(user, &opcode))
        return escapes(escape, user, seen);
    if (!LLVMIsAInstruction(user))
        return 1; /* an initializer or another constant holds the address */
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return 0;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == pointer;
    case LLVMAtomicRMW:
        return LLVMGetOperand(user, 1) == pointer;
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 1) == pointer || LLVMGetOperand(user, 2) == pointer;
    case LLVMPHI:
    case LLVMSelect:
        return escapes(escape, user, seen);
    case LLVMCall:
    case LLVMInvoke:
        if (is_call_of(user, "llvm.threadlocal.address"))
            return escapes(escape, user, seen);
        if (is_call_of(user, "llvm.lifetime") || is_call_of(user, "llvm.dbg"))
            return 0;
        return call_keeps(escape, user, pointer);
    default:
        return 1;
    }
}

static int escapes(struct darn_plugin_escape *escape, LLVMValueRef pointer, struct darn_map *seen)
{
    if (darn_map_get(seen, (uintptr_t)pointer, 0))
        return 0;
    if (seen->count > MAX_USES)
        return 1;
    darn_map_put(seen, (uintptr_t)pointer, 1);
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        if (use_escapes(escape, LLVMGetUser(use), pointer, seen))
            return 1;
    }
    return 0;
}

static int is_local(const struct darn_plugin_escape *escape, LLVMValueRef root)
{
    if (LLVMIsAAllocaInst(root))
        return 1;
    if (LLVMIsAArgument(root)) {
        LLVMValueRef function = LLVMGetParamParent(root);

        for (unsigned i = 0; i < LLVMCountParams(function); i++) {
            if (LLVMGetParam(function, i) == root)
                return LLVMGetEnumAttributeAtIndex(function, i + 1, escape->byval) != NULL;
        }
    }
    return 0;
}

/* A thread-local variable of this file: its address cannot be taken elsewhere. */
static int is_own_thread_local(LLVMValueRef root)
{
    LLVMLinkage linkage;

    if (!LLVMIsAGlobalVariable(root) || !LLVMIsThreadLocal(root))
        return 0;
    linkage = LLVMGetLinkage(root);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static int begins(const char *name, const char *with)
{
    return name && strncmp(name, with, strlen(with)) == 0;
}

/* What the compiler counts for itself (--coverage, -fprofile-generate): that two threads may lose a
 * count is nothing that the program has done. */
static int is_compilers_counter(LLVMValueRef global)
{
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);

    return begins(name, "__llvm_gcov") || begins(name, "__llvm_gcda") ||
           begins(LLVMGetSection(global), "__llvm_prf_");
}

/* The optimizer makes one count of those at the ends of two branches. */
static int is_count(LLVMValueRef pointer, int depth)
{
    LLVMValueRef root = darn_pointer_root(pointer);

    if (LLVMIsAGlobalVariable(root))
        return is_compilers_counter(root);
    if (depth == MAX_CHOICES)
        return 0;
    if (LLVMIsASelectInst(root))
        return is_count(LLVMGetOperand(root, 1), depth + 1);
    return LLVMIsAPHINode(root) && is_count(LLVMGetIncomingValue(root, 0), depth + 1);
}

int darn_pointer_is_private(struct darn_plugin_escape *escape, LLVMValueRef pointer)
{
    LLVMValueRef root = darn_pointer_root(pointer);
    struct darn_map seen = {0};
    uintptr_t answer;

    if (LLVMIsAGlobalVariable(root) && LLVMIsGlobalConstant(root))
        return 1;
    if (is_count(root, 0))
        return 1;
    if (!is_local(escape, root) && !is_own_thread_local(root))
        return 0;
    answer = darn_map_get(&escape->known, (uintptr_t)root, UNKNOWN);
    if (answer == UNKNOWN) {
        answer = escapes(escape, root, &seen) ? SHARED : PRIVATE;
        darn_map_put(&escape->known, (uintptr_t)root, answer);
        darn_map_free(&seen);
    }
    return answer == PRIVATE;
}
