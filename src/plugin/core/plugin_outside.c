#include "plugin/core/plugin_outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/site_guard.h"

/* Functions of the C library that need no look at run time, sorted. */
static const char *const known[] = {
    "__assert_fail", "__ctype_b_loc", "__errno_location",
    "abort",         "abs",           "access",
    "atexit",        "atof",          "atoi",
    "atol",          "calloc",        "ceil",
    "clock",         "clock_gettime", "close",
    "cos",           "exit",          "exp",
    "fclose",        "fflush",        "fgets",
    "floor",         "fmod",          "fopen",
    "fprintf",       "fputc",         "fputs",
    "fread",         "free",          "fscanf",
    "fseek",         "ftell",         "fwrite",
    "getenv",        "gettimeofday",  "log",
    "lseek",         "malloc",        "memchr",
    "memcmp",        "memcpy",        "memmove",
    "memset",        "nanosleep",     "open",
    "perror",        "pow",           "printf",
    "putchar",       "puts",          "qsort",
    "rand",          "rand_r",        "random",
    "read",          "realloc",       "sched_yield",
    "sin",           "sleep",         "snprintf",
    "sprintf",       "sqrt",          "srand",
    "sscanf",        "strchr",        "strcmp",
    "strcpy",        "strdup",        "strerror",
    "strlen",        "strncmp",       "strncpy",
    "strrchr",       "strstr",        "strtol",
    "strtoul",       "time",          "usleep",
    "vfprintf",      "vsnprintf",     "write",
};

/* Functions of libraries that are known that synchronize by themselves: by the loader's lock, by
 * that of a stream, by queues and semaphores of the kernel, by the counter of an exception that
 * several threads share; or as the caller likes; and those of OpenMP whose memory is used again
 * without a word. */
static const char *const synchronizing[] = {
    "dlopen",
    "dlsym",
    "dlclose",
    "syscall",
    "flockfile",
    "ftrylockfile",
    "funlockfile",
    "msgsnd",
    "msgrcv",
    "semop",
    "semtimedop",
    "mq_send",
    "mq_receive",
    "mq_timedsend",
    "mq_timedreceive",
    "__cxa_end_catch",
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
    "_ZNSt15__exception_ptr13exception_ptrD1Ev",
    "__kmpc_flush",
    "__kmpc_alloc",
    "__kmpc_calloc",
    "__kmpc_realloc",
    "__kmpc_aligned_alloc",
    "__kmpc_free",
    "omp_alloc",
    "omp_calloc",
    "omp_realloc",
    "omp_aligned_alloc",
    "omp_aligned_calloc",
    "omp_free",
};

static int synchronizes(const char *name)
{
    for (size_t i = 0; i < sizeof(synchronizing) / sizeof(synchronizing[0]); i++) {
        if (strcmp(name, synchronizing[i]) == 0)
            return 1;
    }
    return 0;
}

/* What OpenMP does by functions of ours that read what other threads have: when, nobody tells. */
static const char *const combining[] = {"__kmpc_reduce", "__kmpc_end_reduce", "__kmpc_copyprivate",
                                        "__kmpc_taskred", "__kmpc_task_reduction"};

static int has_prefix(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    }
    return 0;
}

static int combines(const char *name)
{
    return has_prefix(name, combining, sizeof(combining) / sizeof(combining[0]));
}

/* Names that nobody but the system and darn may give. */
static const char *const reserved[] = {"darn_", "pthread_", "__cxa_", "_ZNSt", "_ZNKSt", "_ZSt",
                                       "_Znw",  "_Zna",     "_Zdl",   "_Zda",  "llvm."};

static int compare(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

static int is_known(const char *name)
{
    return has_prefix(name, reserved, sizeof(reserved) / sizeof(reserved[0])) ||
           bsearch(name, known, sizeof(known) / sizeof(known[0]), sizeof(known[0]), compare);
}

/* Whether the assembly may synchronize: it says that it touches memory. */
static int touches_memory(LLVMValueRef assembly)
{
    size_t length;
    const char *constraints = LLVMGetInlineAsmConstraintString(assembly, &length);
    char *text = strndup(constraints, length);
    int touches = text && (strstr(text, "memory") || strchr(text, '*'));

    free(text);
    return touches;
}

/* One byte of the module for each function that it calls: 1 until the runtime has seen that the
 * function is not outside. */
static LLVMValueRef state_of(struct darn_guards *guards, const char *name)
{
    char state_name[256];
    LLVMValueRef state;

    snprintf(state_name, sizeof(state_name), "darn.outside.%s", name);
    state = LLVMGetNamedGlobal(guards->module, state_name);
    if (state)
        return state;
    state = LLVMAddGlobal(guards->module, guards->i8, state_name);
    LLVMSetLinkage(state, LLVMPrivateLinkage);
    LLVMSetInitializer(state, LLVMConstInt(guards->i8, 1, 0));
    return state;
}

static void instrument_call(struct darn_guards *guards, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call), nothing = LLVMConstNull(guards->pointer);
    const char *name;
    size_t length;

    if (LLVMIsAInlineAsm(callee)) {
        if (touches_memory(callee))
            darn_guards_place_outside(guards, call, nothing, nothing, DARN_ORDERING);
        return;
    }
    if (!LLVMIsAFunction(callee)) {
        if (!LLVMIsAConstant(callee))
            darn_guards_place_outside(guards, call, callee, nothing, DARN_OUTSIDE);
        return;
    }
    name = LLVMGetValueName2(callee, &length);
    if (synchronizes(name))
        darn_guards_place_outside(guards, call, nothing, state_of(guards, name), DARN_ORDERING);
    else if (combines(name))
        darn_guards_place_outside(
            guards, call,
            LLVMConstIntToPtr(LLVMConstInt(guards->i64, (uintptr_t)DARN_NEVER_KNOWN, 0),
                              guards->pointer),
            nothing, DARN_ORDERING);
    else if (LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) && !is_known(name))
        darn_guards_place_outside(guards, call, callee, state_of(guards, name), NULL);
}

static int is_atomic(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return 1;
    default:
        return 0;
    }
}

/* What the hooks and guards are made of is ours. */
static int is_call(LLVMValueRef instruction)
{
    LLVMValueRef callee;
    size_t length;

    if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
        return 0;
    callee = LLVMGetCalledValue(instruction);
    return !LLVMIsAFunction(callee) ||
           strncmp(LLVMGetValueName2(callee, &length), "darn", strlen("darn")) != 0;
}

static void mark(struct darn_guards *guards, LLVMValueRef function)
{
    if (!LLVMHasPrefixData(function))
        LLVMSetPrefixData(function, LLVMConstInt(guards->i64, DARN_INSIDE, 0));
}

void darn_outside_instrument(struct darn_guards *guards, LLVMValueRef function, int is_watched)
{
    LLVMValueRef nothing = LLVMConstNull(guards->pointer), next;

    mark(guards, function);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = next) {
            next = LLVMGetNextInstruction(in);
            if (is_call(in))
                instrument_call(guards, in);
            else if (!is_watched && is_atomic(in))
                darn_guards_place_outside(guards, in, nothing, nothing, DARN_ORDERING);
        }
    }
}
