#include "plugin/section/plugin_source.h"

/* How many computations may lie between a read and the branch that it decides. */
#define MAX_DEPTH 8

/* Pushes a value that is still to be looked at; `seen` is the list of all of them. */
static void add(struct darn_value_source *source, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || source->seen_count == DARN_SOURCE_STEPS)
        return;
    for (unsigned i = 0; i < source->seen_count; i++) {
        if (source->seen[i] == value)
            return;
    }
    source->seen[source->seen_count++] = value;
}

static void add_operands(struct darn_value_source *source, LLVMValueRef value, unsigned from)
{
    for (int i = (int)from; i < LLVMGetNumOperands(value); i++)
        add(source, LLVMGetOperand(value, (unsigned)i));
}

static void add_load(struct darn_value_source *source, struct darn_paths *paths, LLVMValueRef load,
                     int through)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    const struct darn_guard_slot *slot = darn_path_slot(paths, pointer);

    if (!slot) {
        if (source->count < DARN_SOURCE_READS)
            source->reads[source->count++] = load;
        if (through)
            add(source, pointer);
        return;
    }
    for (unsigned i = 0; i < slot->count && !slot->too_many; i++)
        add(source, LLVMGetOperand(slot->stores[i], 0));
}

static int is_computation(LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) || LLVMIsACmpInst(value) || LLVMIsACastInst(value) ||
           LLVMIsAUnaryOperator(value) || LLVMIsAFreezeInst(value) || LLVMIsAPHINode(value) ||
           LLVMIsASelectInst(value) || LLVMIsAGetElementPtrInst(value) ||
           LLVMIsAExtractValueInst(value) || LLVMIsAInsertValueInst(value) ||
           LLVMIsAExtractElementInst(value) || LLVMIsAInsertElementInst(value) ||
           LLVMIsAShuffleVectorInst(value) || LLVMIsAIntrinsicInst(value);
}

void darn_source_find(struct darn_value_source *source, struct darn_paths *paths,
                      LLVMValueRef value, int through)
{
    source->count = source->seen_count = 0;
    add(source, value);
    for (unsigned i = 0; i < source->seen_count; i++) {
        LLVMValueRef at = source->seen[i];

        if (LLVMIsALoadInst(at))
            add_load(source, paths, at, through);
        else if (is_computation(at))
            add_operands(source, at, 0);
    }
}

static int only_decides(struct darn_paths *paths, LLVMValueRef value, int depth)
{
    LLVMUseRef use = LLVMGetFirstUse(value);

    if (!use || depth == 0)
        return 0;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const struct darn_guard_slot *slot = NULL;

        if (LLVMIsABranchInst(user) || LLVMIsASwitchInst(user))
            continue;
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value)
            slot = darn_path_slot(paths, LLVMGetOperand(user, 1));
        if (slot) { /* of a variable every use counts */
            if (!only_decides(paths, LLVMGetOperand(user, 1), depth - 1))
                return 0;
            continue;
        }
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == value)
            continue; /* the variable itself */
        if (LLVMIsAIntrinsicInst(user) && LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMVoidTypeKind)
            continue; /* debug information, the life of a variable */
        if (LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) == value &&
            LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMIntegerTypeKind)
            return 0;
        if (!LLVMIsACmpInst(user) && !LLVMIsACastInst(user) && !LLVMIsABinaryOperator(user) &&
            !LLVMIsAFreezeInst(user) && !LLVMIsAPHINode(user) && !LLVMIsASelectInst(user) &&
            !(LLVMIsALoadInst(user) && LLVMIsAAllocaInst(value)) && !LLVMIsAIntrinsicInst(user))
            return 0;
        if (!only_decides(paths, user, depth - 1))
            return 0;
    }
    return 1;
}

int darn_source_only_decides(struct darn_paths *paths, LLVMValueRef value)
{
    return only_decides(paths, value, MAX_DEPTH);
}
