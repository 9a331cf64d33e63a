#include "plugin/core/origin.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/map.h"

/* How many computations may lie between a speculative load and its select. */
#define MAX_DEPTH 4

/* Source positions with a load, of the module that is being compiled: clang compiles one at a time.
 * Positions are hashed; a collision makes one invented load in 2^63 look like the source's own. */
static struct darn_map positions;

void darn_origin_init(void)
{
    static const char *const options[] = {"darn", "-enable-if-conversion=false",
                                          "-enable-load-in-loop-pre=false"};

    LLVMParseCommandLineOptions(sizeof(options) / sizeof(options[0]), options, "");
}

void darn_origin_init_loads(void)
{
    static const char *const options[] = {"darn", "-enable-load-in-loop-pre=false"};
    static int is_done; /* LLVM takes the option once */

    if (!is_done)
        LLVMParseCommandLineOptions(sizeof(options) / sizeof(options[0]), options, "");
    is_done = 1;
}

/* 0 when the instruction has no place in the source. With column 0: its line. */
static uintptr_t position_at(LLVMValueRef instruction, unsigned column)
{
    unsigned line = LLVMGetDebugLocLine(instruction), length = 0;
    const char *file;
    uint64_t hash;

    if (!line)
        return 0;
    file = LLVMGetDebugLocFilename(instruction, &length);
    hash = darn_hash_bytes(DARN_HASH_START, file, file ? length : 0);
    hash = darn_hash_number(hash, line);
    return darn_hash_number(hash, column) | 1; /* 0 is none */
}

/* Two loads of one line that were made one have the line as their place, and no column. */
static uintptr_t position_of(LLVMValueRef instruction)
{
    return position_at(instruction, LLVMGetDebugLocColumn(instruction));
}

static int is_memory_instruction(LLVMValueRef instruction)
{
    /* A copy may become a load and a store at its position. */
    return LLVMIsALoadInst(instruction) || LLVMIsAStoreInst(instruction) ||
           LLVMIsAMemCpyInst(instruction) || LLVMIsAMemMoveInst(instruction);
}

void darn_origin_note(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef instruction;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction)) {
            uintptr_t position = is_memory_instruction(instruction) ? position_of(instruction) : 0;

            if (position) {
                darn_map_put(&positions, position, 1);
                darn_map_put(&positions, position_at(instruction, 0), 1);
            }
        }
    }
}

/* Whether the value is only computed with, and every result ends as one of the choices of a select.
 */
static int only_feeds_selects(LLVMValueRef value, int depth)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    if (!use || depth == 0)
        return 0;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) != value)
            continue;
        if (!LLVMIsACastInst(user) && !LLVMIsABinaryOperator(user) && !LLVMIsACmpInst(user) &&
            !LLVMIsAFreezeInst(user))
            return 0;
        if (!only_feeds_selects(user, depth - 1))
            return 0;
    }
    return 1;
}

/*
 * A speculative load that was merged with the load of another branch has more uses than its select.
 * Of two loads that one select chooses from, neither is sure to be the source's own.
 */
static int is_alternative(LLVMValueRef load)
{
    for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), other;

        if (!LLVMIsASelectInst(user) || LLVMGetOperand(user, 0) == load)
            continue;
        other = LLVMGetOperand(user, LLVMGetOperand(user, 1) == load ? 2 : 1);
        if (LLVMIsALoadInst(other))
            return 1;
    }
    return 0;
}

int darn_origin_is_source(LLVMValueRef load)
{
    uintptr_t position = position_of(load);

    return position && darn_map_get(&positions, position, 0) &&
           !only_feeds_selects(load, MAX_DEPTH) && !is_alternative(load);
}

/* The load of the pointer that the value was computed from, if it has no place; NULL: there is
 * none.
 */
static LLVMValueRef find_homeless(LLVMValueRef value, LLVMValueRef pointer, int depth)
{
    LLVMValueRef found = NULL;

    if (LLVMIsALoadInst(value))
        return LLVMGetOperand(value, 0) == pointer && !LLVMGetDebugLocLine(value) ? value : NULL;
    if (depth == 0 || (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value)))
        return NULL;
    for (int i = 0; i < LLVMGetNumOperands(value) && !found; i++)
        found = find_homeless(LLVMGetOperand(value, (unsigned)i), pointer, depth - 1);
    return found;
}

void darn_origin_adopt(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef store, load;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (store = LLVMGetFirstInstruction(block); store; store = LLVMGetNextInstruction(store)) {
            if (!LLVMIsAStoreInst(store) || !LLVMGetDebugLocLine(store))
                continue;
            load = find_homeless(LLVMGetOperand(store, 0), LLVMGetOperand(store, 1), MAX_DEPTH);
            if (load && LLVMGetInstructionParent(load) == block)
                LLVMInstructionSetDebugLoc(load, LLVMInstructionGetDebugLoc(store));
        }
    }
}
