#include "plugin/spin/wait_check.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "plugin/spin/spin_trace.h"
#include "plugin/spin/wait.h"

/* How far the computation of a condition, or of a pointer, is followed back. */
#define MAX_DEPTH 8

/* In a larger function nobody looks for the test in front of a wait. */
#define MAX_BLOCKS 1000

/* Places that were warned about: a template is compiled many times. Of the module that is being
 * compiled; clang compiles one at a time. */
static struct darn_map warned;

struct blocks {
    LLVMBasicBlockRef *items;
    unsigned count;
    struct darn_map seen;
};

static void add_block(struct blocks *blocks, LLVMBasicBlockRef block)
{
    if (darn_map_get(&blocks->seen, (uintptr_t)block, 0))
        return;
    darn_map_put(&blocks->seen, (uintptr_t)block, 1);
    blocks->items[blocks->count++] = block;
}

static void add_successors(struct blocks *blocks, LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
        add_block(blocks, LLVMGetSuccessor(terminator, i));
}

static void start_blocks(struct blocks *blocks, LLVMValueRef function)
{
    *blocks = (struct blocks){0};
    blocks->items = calloc(LLVMCountBasicBlocks(function), sizeof(*blocks->items));
    if (!blocks->items)
        abort();
}

static void free_blocks(struct blocks *blocks)
{
    free(blocks->items);
    darn_map_free(&blocks->seen);
}

/* Whether there is a way from the block back to itself. */
static int is_in_loop(LLVMBasicBlockRef block)
{
    struct blocks after;
    int found;

    start_blocks(&after, LLVMGetBasicBlockParent(block));
    add_successors(&after, block);
    for (unsigned i = 0; i < after.count; i++)
        add_successors(&after, after.items[i]);
    found = darn_map_get(&after.seen, (uintptr_t)block, 0) != 0;
    free_blocks(&after);
    return found;
}

/* What can be reached from the block, without going through a wait. Of the ends, only a return
 * counts. */
struct reach {
    int wait; /* this wait */
    int end;  /* a return, with no wait on the way */
};

static int has_wait(LLVMBasicBlockRef block)
{
    for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
        if (darn_wait_condition(in))
            return 1;
    }
    return 0;
}

static struct reach reach_from(LLVMBasicBlockRef block, LLVMBasicBlockRef wait)
{
    struct reach reach = {0};
    struct blocks after;

    start_blocks(&after, LLVMGetBasicBlockParent(block));
    add_block(&after, block);
    for (unsigned i = 0; i < after.count; i++) {
        LLVMBasicBlockRef at = after.items[i];

        reach.wait |= at == wait;
        if (has_wait(at))
            continue;
        reach.end |= LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(at)) != NULL;
        add_successors(&after, at);
    }
    free_blocks(&after);
    return reach;
}

/* Whether memory is looked at, or a function of the program is asked. What a function of a library
 * returns is rather an error. */
static int is_question(LLVMValueRef value, int depth)
{
    int inside;

    if (!depth || !LLVMIsAInstruction(value))
        return 0;
    if (LLVMIsALoadInst(value)) {
        LLVMValueRef pointer = LLVMGetOperand(value, 0);

        if (!LLVMIsAAllocaInst(darn_trace_object(pointer, &inside)))
            return 1;
    }
    if (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value)) {
        LLVMValueRef callee = LLVMGetCalledValue(value);

        return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee);
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        if (is_question(LLVMGetOperand(value, (unsigned)i), depth - 1))
            return 1;
    }
    return 0;
}

/* Whether the function waits only if something is so: if (!ready) wait(). */
static int is_asked_before(LLVMBasicBlockRef wait)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(wait);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);

    if (LLVMCountBasicBlocks(function) > MAX_BLOCKS)
        return 0;
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
        int to_wait = 0, past = 0;

        if (!LLVMIsABranchInst(terminator) || !LLVMIsConditional(terminator) ||
            !is_question(LLVMGetCondition(terminator), MAX_DEPTH))
            continue;
        for (unsigned i = 0; i < 2; i++) {
            struct reach reach = reach_from(LLVMGetSuccessor(terminator, i), wait);

            to_wait |= reach.wait;
            past |= !reach.wait && reach.end;
        }
        if (to_wait && past)
            return 1;
    }
    return 0;
}

/* Whether the pointer was handed to the function, or lies in what was. */
static int is_handed_over(LLVMValueRef pointer)
{
    for (int i = 0; i < MAX_DEPTH; i++) {
        int inside;
        LLVMValueRef object = darn_trace_object(pointer, &inside);

        if (LLVMIsAArgument(object))
            return 1;
        if (!LLVMIsALoadInst(object))
            return 0;
        pointer = LLVMGetOperand(object, 0);
    }
    return 0;
}

static int is_of_library(const char *file, unsigned length)
{
    static const char sign[] = "/include/c++/";

    return memmem(file, length, sign, strlen(sign)) != NULL;
}

static void warn(LLVMValueRef call)
{
    unsigned length = 0, line = LLVMGetDebugLocLine(call), column = LLVMGetDebugLocColumn(call);
    const char *file = LLVMGetDebugLocFilename(call, &length);
    uint64_t place;

    if (!file || !line || is_of_library(file, length))
        return;
    place = darn_hash_bytes(DARN_HASH_START, file, length);
    place = darn_hash_number(darn_hash_number(place, line), column) | 1;
    if (darn_map_get(&warned, place, 0))
        return;
    darn_map_put(&warned, place, 1);
    fprintf(stderr,
            "%.*s:%u:%u: warning: '%s' is not in a loop: it may wake up without being signalled, "
            "test the condition again [notification]\n",
            (int)length, file, line, column, darn_wait_name(call));
}

/* Whether all who call the function, as far as this file has them, do so in a loop. */
static int is_looped_by_callers(LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);
    int any = use != NULL;

    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if ((!LLVMIsACallInst(user) && !LLVMIsAInvokeInst(user)) ||
            LLVMGetCalledValue(user) != function || !is_in_loop(LLVMGetInstructionParent(user)))
            return 0;
    }
    return any;
}

/*
 * A function that just hands the wait on (`void wait(struct event *e)`) is fine if its caller
 * loops; in another file, that is not known. If it asks first, the loop should be here.
 */
void darn_wait_check(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
            LLVMValueRef condition = darn_wait_condition(in);

            if (condition && !is_in_loop(block) && !is_looped_by_callers(function) &&
                (!is_handed_over(condition) || is_asked_before(block)))
                warn(in);
        }
    }
}
