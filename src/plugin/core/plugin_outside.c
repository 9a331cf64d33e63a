#include "plugin/core/plugin_outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/site_guard.h"

/* Functions of the C library that need no look at run time, sorted. */
static const char *const known[] = {
    "__assert_fail", "__ctype_b_loc", "__errno_location",
    "abort",         "abs",           "atexit",
    "atof",          "atoi",          "atol",
    "calloc",        "ceil",          "clock",
    "clock_gettime", "close",         "cos",
    "exit",          "exp",           "fclose",
    "fflush",        "fgets",         "floor",
    "fmod",          "fopen",         "fprintf",
    "fputc",         "fputs",         "fread",
    "free",          "fscanf",        "fseek",
    "ftell",         "fwrite",        "getenv",
    "gettimeofday",  "log",           "lseek",
    "malloc",        "memchr",        "memcmp",
    "memcpy",        "memmove",       "memset",
    "nanosleep",     "open",          "perror",
    "pow",           "printf",        "putchar",
    "puts",          "qsort",         "rand",
    "rand_r",        "random",        "read",
    "realloc",       "sched_yield",   "sin",
    "sleep",         "snprintf",      "sprintf",
    "sqrt",          "srand",         "sscanf",
    "strchr",        "strcmp",        "strcpy",
    "strdup",        "strerror",      "strlen",
    "strncmp",       "strncpy",       "strrchr",
    "strstr",        "strtol",        "strtoul",
    "time",          "usleep",        "vfprintf",
    "vsnprintf",     "write",
};

/*
 * Other functions of the C library that neither synchronize nor hand anything on, as it is there: a
 * library of the user's may have one of that name. What is in neither list, and is not intercepted,
 * counts as order: a lock file, a queue of the kernel, a timer that sends a signal, a child that
 * answers. There are more ways to tell another thread something than anybody has thought of.
 */
static const char silent[] =
    " _exit _setjmp a64l alarm asctime asprintf basename bcmp bcopy bsearch btowc bzero"
    " clearerr ctime difftime dirname div drand48 environ erand48 err error errx fdopen feof"
    " ferror ffs fileno fnmatch freeaddrinfo fseeko ftello gai_strerror getauxval getcwd"
    " getegid geteuid getgid gethostname getopt getopt_long getpagesize getpgrp getpid"
    " getppid getpriority getrandom getrlimit getrusage getsockname getsockopt gettid getuid"
    " gmtime gmtime_r gnu_get_libc_version htonl htons iconv index inet_addr inet_aton"
    " inet_ntoa inet_ntop inet_pton initstate initstate_r jrand48 l64a labs ldiv lfind llabs"
    " lldiv localeconv localtime localtime_r lrand48 lsearch madvise mallinfo mallinfo2"
    " malloc_trim mallopt mblen mbrlen mbrtowc mbsrtowcs mbstowcs mbtowc mktime mprotect"
    " mrand48 nl_langinfo nrand48 ntohl ntohs open64 openat posix_fadvise posix_madvise prctl"
    " qsort_r quick_exit random_r rawmemchr rewind rindex sched_get_priority_max"
    " sched_get_priority_min sched_getaffinity sched_getcpu sched_setaffinity secure_getenv"
    " seed48 setbuf setjmp setlinebuf setlocale setpriority setrlimit setsockopt setstate"
    " setvbuf sigaddset sigdelset sigemptyset sigfillset sigismember socket srand48 srandom"
    " srandom_r swab sysconf timegm times toascii tolower toupper tzset umask uname vasprintf"
    " verr verrx vprintf vsprintf vsscanf vwarn vwarnx warn warnx"
    " ";

/* As many more: strtok_r, memmem, wcslen, isalpha; and the checked twins of all, __memcpy_chk. */
static const char *const silent_prefixes[] = {
    "str",   "mem",   "wcs",         "wmem",        "is",      "tow",     "__ctype",    "__is",
    "__xpg", "__str", "__stack_chk", "__sigsetjmp", "__libc_", "__fdelt", "__sched_cpu"};

/* Functions of libraries that are known that synchronize by themselves: by the loader's lock, by
 * that of a stream, by the counter of an exception or of a locale that several threads share, by
 * an atomic variable of the library; or as the caller likes; and those of OpenMP whose memory is
 * used again without a word. */
static const char *const synchronizing[] = {
    "dlopen",
    "dlsym",
    "dlclose",
    "syscall",
    "flockfile",
    "ftrylockfile",
    "funlockfile",
    "__cxa_end_catch",
    "_ZSt15set_new_handlerPFvvE",
    "_ZSt15get_new_handlerv",
    "_ZSt13set_terminatePFvvE",
    "_ZSt13get_terminatev",
    "_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE",
    "_ZNSt3pmr20get_default_resourceEv",
    "_ZNSt6localeC1ERKS_",
    "_ZNSt6localeD1Ev",
    "_ZNSt6localeaSERKS_",
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv",
    "_ZNSt15__exception_ptr13exception_ptrD1Ev",
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

/* What std::filesystem asks the system may be a message; its paths are only texts. */
#define FILES "_ZNSt10filesystem"
#define PATHS FILES "7__cxx114path"

static int asks_for_files(const char *name)
{
    return strncmp(name, FILES, strlen(FILES)) == 0 && strncmp(name, PATHS, strlen(PATHS)) != 0;
}

static int synchronizes(const char *name)
{
    if (asks_for_files(name))
        return 1;
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

static int is_silent(const char *name)
{
    size_t length = strlen(name);
    char twin[64], word[66];

    if (length >= sizeof(twin))
        return 0;
    if (length > 6 && strncmp(name, "__", 2) == 0 && strcmp(name + length - 4, "_chk") == 0) {
        snprintf(twin, sizeof(twin), "%.*s", (int)length - 6, name + 2);
        return is_known(twin) || is_silent(twin);
    }
    snprintf(word, sizeof(word), " %s ", name);
    if (strstr(silent, word))
        return 1;
    return has_prefix(name, silent_prefixes, sizeof(silent_prefixes) / sizeof(silent_prefixes[0]));
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

/* One byte of the module for each function that it calls: until the runtime has seen that the
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
    LLVMSetInitializer(
        state, LLVMConstInt(guards->i8, is_silent(name) ? DARN_ASKS : DARN_ASKS_STRICTLY, 0));
    return state;
}

/* Assembly without an instruction, which counts as order. */
static void place_order(LLVMBuilderRef builder, LLVMValueRef before)
{
    LLVMContextRef context = LLVMGetModuleContext(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(before))));
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    const char *clobber = "~{memory}";

    LLVMPositionBuilderBefore(builder, before);
    LLVMBuildCall2(
        builder, type,
        LLVMGetInlineAsm(type, "", 0, clobber, strlen(clobber), 1, 0, LLVMInlineAsmDialectATT, 0),
        NULL, 0, "");
}

/*
 * std::atomic<std::shared_ptr> has a lock in a bit of its pointer. A load gives it back by a
 * relaxed operation: by the rules of C++ the next one to store races with it, and nobody who uses
 * the library can do anything about it. On x86 there is nothing wrong with it, so it counts as
 * order.
 */
void darn_outside_note(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length), *member;
    LLVMBuilderRef builder;

    if (!strstr(name, "St10_Sp_atomicI") || !(member = strstr(name, "13_Atomic_count")))
        return;
    builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    if (strstr(member, "unlockE"))
        place_order(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

        if (strstr(member, "4lockE") && last && LLVMIsAReturnInst(last))
            place_order(builder, last);
    }
    LLVMDisposeBuilder(builder);
}

/*
 * Functions that end something or synchronize. Reports show where they were called, and an end of
 * memory counts only if our code has asked for it: as a tail call, `free` would be called by who
 * has called the function, and that may be the C library (a destructor at exit, a thread's data).
 */
static const char *const told[] = {"free",   "realloc", "munmap", "close", "fclose",
                                   "pclose", "_Zd",     "sem_",   "mtx_",  "cnd_",
                                   "pthread_"};

static void keep_frame(LLVMValueRef call, const char *name)
{
    if (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindTail &&
        has_prefix(name, told, sizeof(told) / sizeof(told[0])))
        LLVMSetTailCallKind(call, LLVMTailCallKindNoTail);
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
    if (LLVMIsDeclaration(callee))
        keep_frame(call, name);
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

    if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction) &&
        !LLVMIsACallBrInst(instruction))
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
            else if (LLVMIsAFenceInst(in) && LLVMIsAtomicSingleThread(in))
                darn_guards_place_outside(guards, in, nothing, nothing, DARN_ORDERING);
            else if (!is_watched && is_atomic(in))
                darn_guards_place_outside(guards, in, nothing, nothing, DARN_ORDERING);
        }
    }
}
