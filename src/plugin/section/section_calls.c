/* Of functions of libraries the name must do: policy. */
#include "plugin/section/section_calls.h"

#include <string.h>

#include "plugin/call/libcalls.h"
#include "plugin/spin/quiet.h"
#include "site/site_section.h"

/* Set in the map, so that a function that does nothing is known, too. */
#define KNOWN (1 << 16)

/* Calls that are followed, one in the other, and instructions of one function. */
#define MAX_DEPTH        20
#define MAX_INSTRUCTIONS 5000

/* Uses of a global that are looked at. */
#define MAX_USES 1000

/* Names that begin like this synchronize. */
static const char *const synchronizing[] = {
    "pthread_",  "sem_",         "mtx_",         "cnd_",
    "thrd_",     "__gthread",    "_ZNSt6thread", "_ZNSt18condition_variable",
    "_ZSt4lock", "epoll_",       "poll",         "select",
    "syscall",   "__cxa_guard_", "call_once",    "fork",
    "wait",
};

/* These only compute, or allocate. */
static const char *const known[] = {
    "malloc",
    "calloc",
    "realloc",
    "free",
    "abs",
    "labs",
    "rand",
    "random",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strtod",
    "isalpha",
    "isdigit",
    "isspace",
    "tolower",
    "toupper",
    "qsort",
    "bsearch",
    "sqrt",
    "pow",
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "floor",
    "ceil",
    "fabs",
    "fmod",
    "_Znwm",
    "_Znam",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
    "__ctype_b_loc",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_allocate_exception",
    "__cxa_free_exception",
    "strnlen",
    "memmem",
    "snprintf",
    "sprintf",
    "getenv",
};

void darn_call_facts_free(struct darn_call_facts *calls)
{
    darn_map_free(&calls->functions);
    darn_map_free(&calls->globals);
}

static int begins_with_one(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, list[i], strlen(list[i])) == 0)
            return 1;
    }
    return 0;
}

static int is_one(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0)
            return 1;
    }
    return 0;
}

static uint16_t external_inside(LLVMValueRef call, const char *name)
{
    if (begins_with_one(name, synchronizing, sizeof(synchronizing) / sizeof(synchronizing[0])))
        return DARN_SECTION_SYNC | DARN_SECTION_CALLS;
    if (darn_quiet_is_pause(call))
        return DARN_SECTION_SYNC | DARN_SECTION_CALLS; /* it waits */
    if (darn_libcall(call) || is_one(name, known, sizeof(known) / sizeof(known[0])))
        return DARN_SECTION_CALLS;
    return DARN_SECTION_CALLS | DARN_SECTION_UNKNOWN;
}

static unsigned instruction_inside(struct darn_call_facts *calls, LLVMValueRef in, int depth);

/* Blocks are laid out in the order of the source: a way back is a loop. */
static int goes_back(LLVMValueRef terminator, const struct darn_map *seen)
{
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
        if (darn_map_get(seen, (uintptr_t)LLVMGetSuccessor(terminator, i), 0))
            return 1;
    }
    return 0;
}

static unsigned function_inside(struct darn_call_facts *calls, LLVMValueRef function, int depth)
{
    unsigned inside = (unsigned)darn_map_get(&calls->functions, (uintptr_t)function, 0), count = 0;
    struct darn_map seen = {0};
    LLVMBasicBlockRef block;

    if (inside)
        return inside & ~KNOWN;
    if (depth == MAX_DEPTH)
        return DARN_SECTION_UNKNOWN;
    darn_map_put(&calls->functions, (uintptr_t)function, KNOWN);
    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        darn_map_put(&seen, (uintptr_t)block, 1);
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
            inside |= ++count > MAX_INSTRUCTIONS ? DARN_SECTION_UNKNOWN
                                                 : instruction_inside(calls, in, depth + 1);
        if (goes_back(LLVMGetBasicBlockTerminator(block), &seen))
            inside |= DARN_SECTION_LOOPS;
        if (count > MAX_INSTRUCTIONS)
            break;
    }
    darn_map_free(&seen);
    darn_map_put(&calls->functions, (uintptr_t)function, inside | KNOWN);
    return inside;
}

static unsigned call_inside(struct darn_call_facts *calls, LLVMValueRef call, int depth)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;

    if (callee && LLVMIsAInlineAsm(callee)) {
        LLVMGetInlineAsmAsmString(callee, &length);
        return length == 0 || darn_quiet_is_pause(call) ? 0 : DARN_SECTION_UNKNOWN;
    }
    if (!callee || !LLVMIsAFunction(callee))
        return DARN_SECTION_CALLS | DARN_SECTION_UNKNOWN;
    if (LLVMGetIntrinsicID(callee))
        return 0;
    if (LLVMIsDeclaration(callee))
        return external_inside(call, LLVMGetValueName2(callee, &length));
    return DARN_SECTION_CALLS | function_inside(calls, callee, depth);
}

static unsigned instruction_inside(struct darn_call_facts *calls, LLVMValueRef in, int depth)
{
    switch (LLVMGetInstructionOpcode(in)) {
    case LLVMCall:
    case LLVMInvoke:
        return call_inside(calls, in, depth);
    case LLVMCallBr:
        return DARN_SECTION_UNKNOWN;
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return DARN_SECTION_SYNC;
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetOrdering(in) != LLVMAtomicOrderingNotAtomic ? DARN_SECTION_SYNC : 0;
    default:
        return 0;
    }
}

uint16_t darn_calls_inside(struct darn_call_facts *calls, LLVMValueRef instruction)
{
    return (uint16_t)instruction_inside(calls, instruction, 0);
}

static int only_reads(LLVMValueRef pointer, unsigned *uses)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (++*uses > MAX_USES)
            return 0;
        if (LLVMIsALoadInst(user))
            continue;
        if (!LLVMIsAGetElementPtrInst(user) &&
            !(LLVMIsAConstantExpr(user) && LLVMGetConstOpcode(user) == LLVMGetElementPtr))
            return 0;
        if (!only_reads(user, uses))
            return 0;
    }
    return 1;
}

int darn_calls_is_constant(struct darn_call_facts *calls, LLVMValueRef global)
{
    uintptr_t known_as = darn_map_get(&calls->globals, (uintptr_t)global, 0);
    LLVMLinkage linkage = LLVMGetLinkage(global);
    unsigned uses = 0;

    if (!known_as) {
        int constant = LLVMIsGlobalConstant(global) ||
                       ((linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) &&
                        only_reads(global, &uses));

        known_as = constant ? 2 : 1;
        darn_map_put(&calls->globals, (uintptr_t)global, known_as);
    }
    return known_as == 2;
}
