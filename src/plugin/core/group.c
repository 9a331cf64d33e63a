#include "plugin/core/group.h"

#include "plugin/core/pointer.h"
#include "site/site.h"

/* How far back the computation of an address is followed. */
#define MAX_DEPTH 6

/* How many instructions are looked at between two accesses of a group. */
#define MAX_DISTANCE 200

/* Whether `instruction` comes before `leader` in the same block. */
static int is_before(const struct darn_map *order, LLVMValueRef instruction, LLVMValueRef leader)
{
    return darn_map_get(order, (uintptr_t)instruction, UINTPTR_MAX) <
           darn_map_get(order, (uintptr_t)leader, 0);
}

void darn_group_number(struct darn_map *order, LLVMValueRef function)
{
    LLVMBasicBlockRef block;
    LLVMValueRef instruction;
    uintptr_t number = 2;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction), number += 2)
            darn_map_put(order, (uintptr_t)instruction, number);
    }
}

/* A computation without effects and without traps, which may be done earlier. */
static int is_movable(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMLShr:
    case LLVMAShr:
        return 1;
    default:
        return 0;
    }
}

/* Whether the value is there when the leader is reached, or can be made so by moving its
 * computation. */
static int can_precede(const struct darn_map *order, LLVMValueRef value, LLVMValueRef leader,
                       int depth)
{
    if (!LLVMIsAInstruction(value) ||
        LLVMGetInstructionParent(value) != LLVMGetInstructionParent(leader))
        return 1; /* from another block, it dominates this one: it is used here */
    if (is_before(order, value, leader))
        return 1;
    if (depth == 0 || !is_movable(value))
        return 0;
    for (int i = 0; i < LLVMGetNumOperands(value); i++) {
        if (!can_precede(order, LLVMGetOperand(value, (unsigned)i), leader, depth - 1))
            return 0;
    }
    return 1;
}

/* Moves the computation in front of the leader. can_precede has said yes. */
static void make_precede(struct darn_map *order, LLVMBuilderRef builder, LLVMValueRef value,
                         LLVMValueRef leader)
{
    if (!LLVMIsAInstruction(value) ||
        LLVMGetInstructionParent(value) != LLVMGetInstructionParent(leader) ||
        is_before(order, value, leader))
        return;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        make_precede(order, builder, LLVMGetOperand(value, (unsigned)i), leader);
    LLVMInstructionRemoveFromParent(value);
    LLVMPositionBuilderBefore(builder, leader);
    LLVMInsertIntoBuilder(builder, value);
    darn_map_put(order, (uintptr_t)value, darn_map_get(order, (uintptr_t)leader, 1) - 1);
}

/* Whether nothing that may synchronize lies between the two accesses of one block. */
static int is_quiet_between(LLVMValueRef from, LLVMValueRef to)
{
    int distance = 0;

    for (; from != to; from = LLVMGetNextInstruction(from)) {
        if (!from || darn_may_synchronize(from) || ++distance > MAX_DISTANCE)
            return 0;
    }
    return 1;
}

static int joins(const struct darn_map *order, const struct darn_plugin_access *access,
                 LLVMValueRef last, LLVMValueRef leader)
{
    return darn_access_is_plain(access) &&
           LLVMGetInstructionParent(access->instruction) == LLVMGetInstructionParent(leader) &&
           is_quiet_between(last, access->instruction) &&
           can_precede(order, access->pointer, leader, MAX_DEPTH) &&
           (!darn_access_stores_pointer(access) ||
            can_precede(order, access->value, leader, MAX_DEPTH));
}

size_t darn_group_extent(struct darn_accesses *accesses, size_t first, struct darn_map *order)
{
    LLVMValueRef leader = accesses->items[first].instruction, last = leader;
    LLVMBuilderRef builder;
    size_t end = first + 1, members = 1;
    unsigned entries = accesses->items[first].entry;

    if (!darn_access_is_plain(&accesses->items[first]))
        return 1;
    builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(leader)));
    for (size_t i = end; i < accesses->count && members < DARN_GROUP_MAX; i++) {
        struct darn_plugin_access *access = &accesses->items[i];

        if (access->dropped)
            continue;
        /* Between the entry of a section and its end time must pass, and no other hook may come
         * between the entry and its access: its own is the last, so that there can be but one. */
        if (access->entered > first || entries + access->entry > 1 ||
            !joins(order, access, last, leader))
            break;
        make_precede(order, builder, access->pointer, leader);
        if (darn_access_stores_pointer(access))
            make_precede(order, builder, access->value, leader);
        last = access->instruction;
        end = i + 1;
        members++;
        entries += access->entry;
    }
    LLVMDisposeBuilder(builder);
    return end - first;
}
