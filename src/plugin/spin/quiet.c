#include "plugin/spin/quiet.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "plugin/core/plugin_escape.h"

/* A function that is called in a waiting loop has no more instructions than that, and calls others
 * no deeper than that. std::atomic<bool>::compare_exchange_weak at -O0 has 250, and
 * std::this_thread::sleep_for goes 5 levels deep. */
#define MAX_INSTRUCTIONS 400
#define MAX_DEPTH        8

/* Of a name of C++ the parameters may follow. */
static const char *const harmless[] = {
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "usleep",
    "sleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
    "clock_gettime",
    "gettimeofday",
    "time",
    "clock",
    "timespec_get",
    "__errno_location",
    "pthread_self",
    "getpid",
    "_ZNSt6chrono3_V212system_clock3now",
    "_ZNSt6chrono3_V212steady_clock3now",
    "_ZNSt11this_thread11__sleep_for",
};

/* Intrinsics that touch memory or time and yet are harmless; the others are judged by their
 * arguments. */
static const char *const intrinsics[] = {
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.x86.sse2.pause",
    "llvm.x86.rdtsc",
    "llvm.x86.sse2.mfence",
    "llvm.x86.sse2.lfence",
    "llvm.x86.sse.sfence",
    "llvm.stacksave",
    "llvm.stackrestore",
    "llvm.threadlocal.address",
    "llvm.readcyclecounter",
    "llvm.annotation",
    "llvm.expect",
    "llvm.experimental.noalias.scope.decl",
};

/* Words of inline assembly that only pause or order. */
static const char *const words[] = {"rep",    "nop",    "pause",  "yield", "isb",
                                    "mfence", "lfence", "sfence", "rdtsc", "rdtscp"};

void darn_quiets_free(struct darn_quiets *quiets)
{
    darn_map_free(&quiets->functions);
}

static int is_harmless_assembly(LLVMValueRef assembly)
{
    static const char *const between = " \t\n;";
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &length);
    const char *end = text + length;

    for (;;) {
        size_t word, i;

        while (text < end && strchr(between, *text))
            text++;
        if (text == end)
            return 1;
        for (word = 0; text + word < end && !strchr(between, text[word]); word++)
            ;
        for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            if (strlen(words[i]) == word && memcmp(words[i], text, word) == 0)
                break;
        }
        if (i == sizeof(words) / sizeof(words[0]))
            return 0;
        text += word;
    }
}

static int has_pointer_argument(LLVMValueRef call)
{
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, i))) == LLVMPointerTypeKind)
            return 1;
    }
    return 0;
}

static int returns_nothing(LLVMValueRef call)
{
    return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind;
}

static int is_harmless_intrinsic(LLVMValueRef call, const char *name)
{
    for (size_t i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++) {
        if (strncmp(name, intrinsics[i], strlen(intrinsics[i])) == 0)
            return 1;
    }
    return !returns_nothing(call) && !has_pointer_argument(call);
}

static int is_harmless_name(const char *name)
{
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
        size_t length = strlen(harmless[i]);

        if (strncmp(name, harmless[i], length) == 0 && (!name[length] || harmless[i][0] == '_'))
            return 1;
    }
    return 0;
}

static enum darn_quiet function_is_quiet(struct darn_quiets *quiets, LLVMValueRef function,
                                         int depth);

static enum darn_quiet call_is_quiet(struct darn_quiets *quiets, LLVMValueRef call, int depth)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name;
    size_t length;

    if (callee && LLVMIsAInlineAsm(callee))
        return is_harmless_assembly(callee) ? DARN_SILENT : DARN_LOUD;
    if (!callee || !LLVMIsAFunction(callee))
        return DARN_LOUD;
    name = LLVMGetValueName2(callee, &length);
    if (LLVMGetIntrinsicID(callee))
        return is_harmless_intrinsic(call, name) ? DARN_SILENT : DARN_LOUD;
    if (LLVMIsDeclaration(callee))
        return is_harmless_name(name) ? DARN_SILENT : DARN_LOUD;
    return function_is_quiet(quiets, callee, depth);
}

/* An object of this function: a local, or what a parameter points to, which may be a local of the
 * caller. At -O0 a parameter is read from the stack first. */
static int is_own(LLVMValueRef pointer)
{
    LLVMValueRef root = darn_pointer_root(pointer);

    if (LLVMIsALoadInst(root))
        root = darn_pointer_root(LLVMGetOperand(root, 0));
    return LLVMIsAAllocaInst(root) || LLVMIsAArgument(root);
}

/* A write through the pointer. */
static enum darn_quiet write_is_quiet(LLVMValueRef pointer)
{
    if (LLVMIsAAllocaInst(darn_pointer_root(pointer)))
        return DARN_SILENT;
    return is_own(pointer) ? DARN_READS : DARN_LOUD;
}

static enum darn_quiet copy_is_quiet(LLVMValueRef copy)
{
    enum darn_quiet quiet = write_is_quiet(LLVMGetOperand(copy, 0));

    if (quiet == DARN_SILENT && !LLVMIsAMemSetInst(copy) &&
        !LLVMIsAAllocaInst(darn_pointer_root(LLVMGetOperand(copy, 1))))
        quiet = DARN_READS;
    return quiet;
}

static enum darn_quiet instruction_is_quiet(struct darn_quiets *quiets, LLVMValueRef instruction,
                                            int depth)
{
    LLVMValueRef pointer;

    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
        pointer = darn_pointer_root(LLVMGetOperand(instruction, 0));
        return LLVMIsAAllocaInst(pointer) ? DARN_SILENT : DARN_READS;
    case LLVMStore:
        return write_is_quiet(LLVMGetOperand(instruction, 1));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return DARN_READS;
    case LLVMCall:
    case LLVMInvoke:
        return LLVMIsAMemIntrinsic(instruction) ? copy_is_quiet(instruction)
                                                : call_is_quiet(quiets, instruction, depth);
    case LLVMCallBr:
    case LLVMIndirectBr:
    case LLVMVAArg:
    case LLVMLandingPad:
        return DARN_LOUD;
    default:
        return DARN_SILENT;
    }
}

/* Who goes there does not come back: an assertion that fails, an exception. */
static int is_dead_end(LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

    return LLVMIsAUnreachableInst(terminator) || LLVMIsAResumeInst(terminator);
}

static enum darn_quiet body_is_quiet(struct darn_quiets *quiets, LLVMValueRef function, int depth)
{
    enum darn_quiet least = DARN_SILENT;
    unsigned count = 0;
    LLVMBasicBlockRef block;
    LLVMValueRef i;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        if (is_dead_end(block))
            continue;
        for (i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            enum darn_quiet quiet = instruction_is_quiet(quiets, i, depth);

            if (quiet == DARN_LOUD || ++count > MAX_INSTRUCTIONS)
                return DARN_LOUD;
            if (quiet < least)
                least = quiet;
        }
    }
    return least;
}

static enum darn_quiet function_is_quiet(struct darn_quiets *quiets, LLVMValueRef function,
                                         int depth)
{
    uintptr_t known = darn_map_get(&quiets->functions, (uintptr_t)function, 0);
    enum darn_quiet quiet;

    if (known)
        return (enum darn_quiet)(known - 1); /* loud, if it calls itself */
    if (depth == MAX_DEPTH)
        return DARN_LOUD;
    darn_map_put(&quiets->functions, (uintptr_t)function, DARN_LOUD + 1);
    quiet = body_is_quiet(quiets, function, depth + 1);
    darn_map_put(&quiets->functions, (uintptr_t)function, quiet + 1);
    return quiet;
}

int darn_quiet_is_pause(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    const char *name;

    if (callee && LLVMIsAInlineAsm(callee))
        return is_harmless_assembly(callee);
    if (!callee || !LLVMIsAFunction(callee))
        return 0;
    name = LLVMGetValueName2(callee, &length);
    return strcmp(name, "llvm.x86.sse2.pause") == 0 ||
           (LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && is_harmless_name(name));
}

enum darn_quiet darn_quiet_call(struct darn_quiets *quiets, LLVMValueRef call)
{
    return call_is_quiet(quiets, call, 0);
}

/* The same, or missing in both. */
static int agree_on(LLVMValueRef one, LLVMValueRef other, const char *attribute)
{
    unsigned length = (unsigned)strlen(attribute);
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

    return LLVMGetStringAttributeAtIndex(one, index, attribute, length) ==
           LLVMGetStringAttributeAtIndex(other, index, attribute, length);
}

int darn_quiet_can_inline(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));

    if (!callee || !LLVMIsAFunction(callee) || LLVMIsDeclaration(callee) || callee == caller ||
        LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee)) || !LLVMInstructionGetDebugLoc(call) ||
        LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee))
        return 0;
    switch (LLVMGetLinkage(callee)) {
    case LLVMLinkOnceAnyLinkage: /* another definition may take its place */
    case LLVMWeakAnyLinkage:
    case LLVMExternalWeakLinkage:
        return 0;
    default:
        return agree_on(caller, callee, "target-features") &&
               agree_on(caller, callee, "target-cpu");
    }
}

int darn_quiet_is_pure(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    size_t length;

    if (!callee || !LLVMIsAFunction(callee))
        return 0;
    if (strcmp(LLVMGetValueName2(callee, &length), "llvm.threadlocal.address.p0") == 0)
        return 1;
    if (has_pointer_argument(call))
        return 0;
    return LLVMGetIntrinsicID(callee) ? LLVMGetNumArgOperands(call) > 0
                                      : !LLVMIsDeclaration(callee);
}
