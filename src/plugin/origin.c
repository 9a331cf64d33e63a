#include "plugin/origin.h"

#include <llvm-c/Support.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

/* How many conversions may lie between a speculative load and its select. */
#define MAX_CONVERSIONS 3

/* Source positions with a load, of the module that is being compiled: clang compiles one at a time.
 * Positions are hashed; a collision makes one invented load in 2^64 look like the source's own. */
static struct darn_map positions;

void darn_origin_init(void)
{
    static const char *const options[] = {"darn", "-enable-if-conversion=false",
                                          "-enable-load-in-loop-pre=false"};

    LLVMParseCommandLineOptions(sizeof(options) / sizeof(options[0]), options, "");
}

/* 0 when the instruction has no place in the source. */
static uintptr_t position_of(LLVMValueRef instruction)
{
    unsigned line = LLVMGetDebugLocLine(instruction), length = 0;
    const char *file;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (!line)
        return 0;
    file = LLVMGetDebugLocFilename(instruction, &length);
    for (unsigned i = 0; file && i < length; i++)
        hash = (hash ^ (unsigned char)file[i]) * UINT64_C(0x100000001b3);
    hash = (hash ^ line) * UINT64_C(0x100000001b3);
    hash = (hash ^ LLVMGetDebugLocColumn(instruction)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ? hash : 1;
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

            if (position)
                darn_map_put(&positions, position, 1);
        }
    }
}

/* The only user of a value, or NULL if there are none or several. */
static LLVMValueRef only_user(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

static int is_choice_of_select(LLVMValueRef load)
{
    LLVMValueRef value = load, user = only_user(load);

    for (int i = 0; user && LLVMIsACastInst(user) && i < MAX_CONVERSIONS; i++) {
        value = user;
        user = only_user(user);
    }
    return user && LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) != value;
}

int darn_origin_is_source(LLVMValueRef load)
{
    uintptr_t position = position_of(load);

    return position && darn_map_get(&positions, position, 0) && !is_choice_of_select(load);
}
