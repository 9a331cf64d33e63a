#include "plugin/spin/wait.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "plugin/core/debuginfo.h"
#include "plugin/core/flow.h"
#include "plugin/name/names.h"
#include "plugin/spin/loop.h"
#include "plugin/spin/spin_trace.h"

/* Variables that are named for one wait. */
#define MAX_VARIABLES 16
#define MAX_NAME      128

/* Functions that a predicate calls are followed this deep, while they are this small. */
#define MAX_DEPTH        4
#define MAX_INSTRUCTIONS 200

/*
 * Predicates of the module that is being compiled (clang compiles one at a time): place -> index in
 * `texts` + 1. Metadata at the call would be lost where it is inlined into a function that cleans
 * up.
 */
static struct darn_map places;
static char **texts;
static size_t text_count;

static const struct {
    const char *symbol;
    const char *name;
} functions[] = {
    {"pthread_cond_wait", "pthread_cond_wait"},
    {"pthread_cond_timedwait", "pthread_cond_timedwait"},
    {"pthread_cond_clockwait", "pthread_cond_clockwait"},
    {"cnd_wait", "cnd_wait"},
    {"cnd_timedwait", "cnd_timedwait"},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "std::condition_variable::wait"},
};

const char *darn_wait_name(LLVMValueRef call)
{
    LLVMValueRef callee;
    const char *symbol;
    size_t length;

    if (!LLVMIsACallInst(call) && !LLVMIsAInvokeInst(call))
        return NULL;
    callee = LLVMGetCalledValue(call);
    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) ||
        LLVMGetNumArgOperands(call) < 2)
        return NULL;
    symbol = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(symbol, functions[i].symbol) == 0)
            return functions[i].name;
    }
    return NULL;
}

LLVMValueRef darn_wait_condition(LLVMValueRef call)
{
    LLVMValueRef condition = darn_wait_name(call) ? LLVMGetArgOperand(call, 0) : NULL;

    if (!condition || LLVMGetTypeKind(LLVMTypeOf(condition)) != LLVMPointerTypeKind)
        return NULL;
    return condition;
}

/* The search for the smallest loop around a wait. */
struct around {
    LLVMBasicBlockRef block;
    struct darn_body body;
};

static void visit_loop(void *context, const struct darn_body *body, const struct darn_body *whole)
{
    struct around *around = context;

    (void)whole;
    if (darn_body_find(body, around->block) < 0)
        return;
    if (!around->body.count || body->count < around->body.count)
        around->body = *body;
}

/* What a predicate consists of. */
struct predicate {
    struct darn_names *names;
    struct darn_plugin_escape *escape;
    struct darn_loop loop;
    uint64_t deciders;
    char variables[MAX_VARIABLES][MAX_NAME];
    unsigned count;
};

static LLVMMetadataRef source_function(LLVMValueRef instruction)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);

    return location ? darn_di_function(LLVMDILocationGetScope(location)) : NULL;
}

static void add_name(struct predicate *predicate, const char *name)
{
    unsigned at = 0;

    while (at < predicate->count && strcmp(predicate->variables[at], name) < 0)
        at++;
    if (!*name || predicate->count == MAX_VARIABLES ||
        (at < predicate->count && strcmp(predicate->variables[at], name) == 0))
        return;
    memmove(predicate->variables[at + 1], predicate->variables[at],
            (predicate->count - at) * sizeof(predicate->variables[0]));
    snprintf(predicate->variables[at], MAX_NAME, "%s", name);
    predicate->count++;
}

/* Adds what lies at the pointer. What a class of the library has inside does not matter. */
static void add_variable(struct predicate *predicate, LLVMValueRef instruction,
                         LLVMValueRef pointer)
{
    char name[MAX_NAME], *inside;

    darn_names_variable(predicate->names, instruction, pointer, name, sizeof(name));
    inside = strstr(name, "._M_");
    if (inside)
        *inside = '\0';
    add_name(predicate, name);
}

static int is_read(struct predicate *predicate, LLVMValueRef instruction)
{
    if (!LLVMIsALoadInst(instruction) && !LLVMIsAAtomicRMWInst(instruction) &&
        !LLVMIsAAtomicCmpXchgInst(instruction))
        return 0;
    return !darn_pointer_is_private(predicate->escape, LLVMGetOperand(instruction, 0));
}

/* A load of a pointer is on the way to what is meant: of `q->items->count` only the count counts.
 */
static int is_step(LLVMValueRef read)
{
    LLVMUseRef use = LLVMGetFirstUse(read);

    if (LLVMGetTypeKind(LLVMTypeOf(read)) != LLVMPointerTypeKind || !use)
        return 0;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAGetElementPtrInst(user)
                ? !is_step(user)
                : !LLVMIsALoadInst(user) && !LLVMIsACallInst(user) && !LLVMIsAInvokeInst(user))
            return 0;
    }
    return 1;
}

static int is_of_library(LLVMValueRef function)
{
    static const char sign[] = "/include/c++/";
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    unsigned length = 0;
    const char *path = file ? LLVMDIFileGetFilename(file, &length) : "";

    return memmem(path, length, sign, strlen(sign)) != NULL;
}

static void add_call(struct predicate *predicate, LLVMValueRef call, int depth);

static void add_reads(struct predicate *predicate, LLVMValueRef function, int depth)
{
    LLVMBasicBlockRef block;
    LLVMValueRef in;
    unsigned count = 0;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            if (++count > MAX_INSTRUCTIONS)
                return;
            if (LLVMIsACallInst(in) || LLVMIsAInvokeInst(in))
                add_call(predicate, in, depth);
            else if (is_read(predicate, in) && !is_step(in))
                add_variable(predicate, in, LLVMGetOperand(in, 0));
        }
    }
}

/* A function of the program that is asked: what it reads, its caller reads. Of others it counts
 * what they are asked about: `items` of items.empty(). */
static void add_call(struct predicate *predicate, LLVMValueRef call, int depth)
{
    LLVMValueRef function = LLVMGetCalledValue(call);

    if (!function || !LLVMIsAFunction(function) || LLVMGetIntrinsicID(function) || !depth ||
        darn_wait_condition(call))
        return;
    if (!LLVMIsDeclaration(function) && !is_of_library(function)) {
        add_reads(predicate, function, depth - 1);
        return;
    }
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetArgOperand(call, i);

        if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind &&
            !darn_pointer_is_private(predicate->escape, argument))
            add_variable(predicate, call, argument);
    }
}

static void add_part(void *context, LLVMValueRef part)
{
    struct predicate *predicate = context;
    struct darn_value_trace trace;

    darn_trace_start(&trace, &predicate->loop, predicate->escape);
    darn_trace_value(&trace, part);
    predicate->deciders |= trace.deciders;
    for (unsigned i = 0; i < trace.count; i++) {
        if (!is_step(trace.reads[i]))
            add_variable(predicate, trace.reads[i], LLVMGetOperand(trace.reads[i], 0));
    }
    for (unsigned i = 0; i < trace.call_count; i++)
        add_call(predicate, trace.calls[i], MAX_DEPTH);
}

static void find_predicate(struct predicate *predicate, const struct darn_body *body)
{
    uint64_t done = 0, open;

    darn_loop_init(&predicate->loop, body);
    predicate->deciders = darn_loop_deciders(&predicate->loop, darn_loop_exit(&predicate->loop));
    while ((open = predicate->deciders & ~done)) {
        unsigned block = (unsigned)__builtin_ctzll(open);
        LLVMValueRef condition = darn_loop_condition(body->blocks[block]);

        done |= UINT64_C(1) << block;
        predicate->deciders |= darn_loop_deciders(&predicate->loop, block);
        if (condition)
            darn_loop_parts(condition, add_part, predicate);
    }
}

/* 0 when it has no place. */
static uintptr_t place_of(LLVMValueRef call)
{
    LLVMMetadataRef function = source_function(call);
    uint64_t hash;

    if (!function)
        return 0;
    hash = darn_hash_bytes(DARN_HASH_START, (const char *)&function, sizeof(function));
    hash = darn_hash_number(hash, LLVMGetDebugLocLine(call));
    return darn_hash_number(hash, LLVMGetDebugLocColumn(call)) | 1;
}

static void note_predicate(LLVMValueRef call, const struct predicate *predicate)
{
    char text[MAX_VARIABLES * (MAX_NAME + 1)];
    struct darn_text to;
    char **grown = realloc(texts, (text_count + 1) * sizeof(*texts));

    darn_text_start(&to, text, sizeof(text));
    for (unsigned i = 0; i < predicate->count; i++) {
        if (i)
            darn_text_char(&to, ' ');
        darn_text_add(&to, predicate->variables[i]);
    }
    if (!grown || !(grown[text_count] = strdup(text)))
        abort();
    texts = grown;
    darn_map_put(&places, place_of(call), ++text_count);
}

/* What is looked at is made when the first wait of a module is found: most have none. */
struct noting {
    LLVMModuleRef module;
    struct darn_names *names;
    struct darn_plugin_escape escape;
};

static void note_wait(struct noting *noting, const struct darn_flow *flow, LLVMValueRef call)
{
    struct around around = {.block = LLVMGetInstructionParent(call)};
    struct predicate predicate = {.escape = &noting->escape};

    darn_flow_loops(flow, visit_loop, &around);
    if (!around.body.count)
        return;
    if (!noting->names)
        noting->names = darn_names_create(noting->module, LLVMGetModuleDataLayout(noting->module));
    predicate.names = noting->names;
    find_predicate(&predicate, &around.body);
    if (predicate.count && place_of(call))
        note_predicate(call, &predicate);
}

static void note_function(struct noting *noting, LLVMValueRef function)
{
    struct darn_flow flow = {0};
    int known = 0; /* 1: the loops, -1: there is none */
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            if (known < 0 || !darn_wait_condition(in))
                continue;
            if (!known)
                known = darn_flow_init(&flow, function) ? -1 : 1;
            if (known > 0)
                note_wait(noting, &flow, in);
        }
    }
    darn_flow_free(&flow);
}

void darn_waits_note(LLVMModuleRef module)
{
    struct noting noting = {.module = module};

    darn_escape_init(&noting.escape);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        note_function(&noting, f);
    darn_escape_free(&noting.escape);
    if (noting.names)
        darn_names_destroy(noting.names);
}

const char *darn_wait_predicate(LLVMValueRef call)
{
    uintptr_t place = place_of(call);
    size_t number = place ? darn_map_get(&places, place, 0) : 0;

    return number ? texts[number - 1] : "";
}

void darn_waits_forget(void)
{
    for (size_t i = 0; i < text_count; i++)
        free(texts[i]);
    free(texts);
    texts = NULL;
    text_count = 0;
    darn_map_free(&places);
    places = (struct darn_map){0};
}
