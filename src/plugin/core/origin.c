#include "plugin/core/origin.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/map.h"
#include "plugin/core/debuginfo.h"

/* How many computations may lie between a speculative load and its select. */
#define MAX_DEPTH 4

/* Source positions with a load, of the module that is being compiled: clang compiles one at a time.
 * Positions are hashed; a collision makes one invented load in 2^63 look like the source's own. */
static struct darn_map positions;

/* Functions of the source with loads of which it has no line: what the compiler has added. */
static struct darn_map artificial;

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

/* The function of the source that it is of, if it has a place, and that is no line; else NULL. */
static LLVMMetadataRef lineless_function(LLVMValueRef instruction)
{
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(instruction);

    if (!place || LLVMDILocationGetLine(place))
        return NULL;
    return darn_di_function(LLVMDILocationGetScope(place));
}

void darn_origin_note(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef instruction;
    LLVMMetadataRef lineless;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction)) {
            uintptr_t position = is_memory_instruction(instruction) ? position_of(instruction) : 0;

            if (position) {
                darn_map_put(&positions, position, 1);
                darn_map_put(&positions, position_at(instruction, 0), 1);
            } else if (is_memory_instruction(instruction) &&
                       (lineless = lineless_function(instruction))) {
                darn_map_put(&artificial, (uintptr_t)lineless, 1);
            }
        }
    }
}

/* The kind of metadata that has the place of a load. */
static unsigned place_kind(LLVMValueRef load)
{
    static const char name[] = "darn.place";

    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(load)), name, sizeof(name) - 1);
}

void darn_origin_keep(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef load;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (load = LLVMGetFirstInstruction(block); load; load = LLVMGetNextInstruction(load)) {
            uintptr_t position = LLVMIsALoadInst(load) ? position_of(load) : 0;

            if (position && darn_map_get(&positions, position, 0))
                LLVMSetMetadata(load, place_kind(load),
                                LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(load)),
                                                    LLVMInstructionGetDebugLoc(load)));
        }
    }
}

/* The function of the source that a place is in, after all that was inlined. */
static LLVMMetadataRef outermost(LLVMMetadataRef place)
{
    for (LLVMMetadataRef call; (call = LLVMDILocationGetInlinedAt(place));)
        place = call;
    return darn_di_function(LLVMDILocationGetScope(place));
}

/* Finds the calls of a function of the source that were inlined, as places have them. */
struct calls {
    LLVMMetadataRef function, call;
    int are_several;
};

static void look_at_place(struct calls *calls, LLVMMetadataRef place)
{
    for (LLVMMetadataRef call; place; place = call) {
        call = LLVMDILocationGetInlinedAt(place);
        if (!call || darn_di_function(LLVMDILocationGetScope(place)) != calls->function)
            continue;
        calls->are_several |= calls->call && calls->call != call;
        calls->call = call;
    }
}

/* The only call of it that was inlined here, or NULL. */
static LLVMMetadataRef find_call(LLVMValueRef caller, LLVMMetadataRef function)
{
    struct calls calls = {.function = function};
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (block = LLVMGetFirstBasicBlock(caller); block; block = LLVMGetNextBasicBlock(block)) {
        for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
            look_at_place(&calls, LLVMInstructionGetDebugLoc(in));
    }
    return calls.are_several ? NULL : calls.call;
}

/* The place, as it is if its function was inlined by that call. */
static LLVMMetadataRef place_within(LLVMContextRef context, LLVMMetadataRef place,
                                    LLVMMetadataRef call)
{
    LLVMMetadataRef inner = LLVMDILocationGetInlinedAt(place);

    return LLVMDIBuilderCreateDebugLocation(
        context, LLVMDILocationGetLine(place), LLVMDILocationGetColumn(place),
        LLVMDILocationGetScope(place), inner ? place_within(context, inner, call) : call);
}

/*
 * Where a load that had been moved was inlined together with its function, its place knows nothing
 * of the call. If nobody else tells which one it was, the load is somewhere in the caller.
 */
static LLVMMetadataRef place_in(LLVMValueRef function, LLVMMetadataRef place)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMMetadataRef own = LLVMGetSubprogram(function), outer = outermost(place), call;

    if (outer == own || !own)
        return own ? place : NULL;
    call = outer ? find_call(function, outer) : NULL;
    return call ? place_within(context, place, call)
                : LLVMDIBuilderCreateDebugLocation(context, 0, 0, own, NULL);
}

void darn_origin_restore(LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef load, place;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (load = LLVMGetFirstInstruction(block); load; load = LLVMGetNextInstruction(load)) {
            place = LLVMIsALoadInst(load) ? LLVMGetMetadata(load, place_kind(load)) : NULL;
            if (!place)
                continue;
            if (!LLVMInstructionGetDebugLoc(load))
                LLVMInstructionSetDebugLoc(load, place_in(function, LLVMValueAsMetadata(place)));
            LLVMSetMetadata(load, place_kind(load), NULL);
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

int darn_origin_is_merged(LLVMValueRef load)
{
    LLVMMetadataRef function = lineless_function(load);

    return function && !darn_map_get(&artificial, (uintptr_t)function, 0);
}

int darn_origin_is_source(LLVMValueRef load)
{
    uintptr_t position = position_of(load);

    return (position ? darn_map_get(&positions, position, 0) != 0 : darn_origin_is_merged(load)) &&
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
