#include "plugin/core/group.h"

#include <string.h>

#include "base/map.h"
#include "plugin/core/guard_private.h"
#include "plugin/core/plugin.h"

/* How many instructions are looked at between two accesses of a group. */
#define MAX_DISTANCE 200

/* How many instructions that compute are there twice behind the last access. */
#define MAX_TAIL 16

/* What can be there twice, and synchronizes nothing. */
static int is_quiet(LLVMValueRef instruction)
{
    return !darn_may_synchronize(instruction) && !LLVMIsAAllocaInst(instruction) &&
           LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMTokenTypeKind;
}

static int is_quiet_between(LLVMValueRef from, LLVMValueRef to)
{
    int distance = 0;

    for (; from != to; from = LLVMGetNextInstruction(from)) {
        if (!from || !is_quiet(from) || ++distance > MAX_DISTANCE)
            return 0;
    }
    return 1;
}

size_t darn_group_extent(const struct darn_accesses *accesses, size_t first)
{
    const struct darn_plugin_access *leader = &accesses->items[first], *last = leader;
    size_t extent = 1;

    if (!darn_access_is_plain(leader) || leader->extra)
        return 1;
    while (extent < DARN_GROUP_MAX && first + extent < accesses->count) {
        const struct darn_plugin_access *access = &accesses->items[first + extent];

        /* Where a section begins attention may be raised: its end must look again. */
        if (!darn_access_is_plain(access) || access->extra ||
            LLVMGetInstructionParent(access->instruction) !=
                LLVMGetInstructionParent(leader->instruction) ||
            !is_quiet_between(last->instruction, access->instruction))
            break;
        last = access;
        extent++;
    }
    return extent;
}

static int is_member_guard(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    size_t length;

    return callee && LLVMIsAFunction(callee) &&
           strncmp(LLVMGetValueName2(callee, &length), DARN_GUARD_MEMBER,
                   strlen(DARN_GUARD_MEMBER)) == 0;
}

/* Copies what is in one block but its end to the other; the map leads from each to its copy. */
static void copy_block(LLVMBuilderRef builder, LLVMBasicBlockRef from, struct darn_map *copies)
{
    for (LLVMValueRef in = LLVMGetFirstInstruction(from); !LLVMIsATerminatorInst(in);
         in = LLVMGetNextInstruction(in)) {
        LLVMValueRef copy = LLVMInstructionClone(in);

        LLVMInsertIntoBuilder(builder, copy);
        for (int i = 0; i < LLVMGetNumOperands(in); i++) {
            uintptr_t known = darn_map_get(copies, (uintptr_t)LLVMGetOperand(in, (unsigned)i), 0);

            if (known)
                LLVMSetOperand(copy, (unsigned)i, (LLVMValueRef)known);
        }
        darn_map_put(copies, (uintptr_t)in, (uintptr_t)copy);
    }
}

static LLVMValueRef outer_user(LLVMValueRef value, LLVMBasicBlockRef block, LLVMValueRef phi)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (user != phi && LLVMIsAInstruction(user) && LLVMGetInstructionParent(user) != block)
            return user;
    }
    return NULL;
}

/* Who uses the value behind the two versions gets that of the one that was run. */
static void join_value(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef copy)
{
    LLVMBasicBlockRef from[2] = {LLVMGetInstructionParent(value), LLVMGetInstructionParent(copy)};
    LLVMValueRef values[2] = {value, copy}, phi = NULL, user;

    while ((user = outer_user(value, from[0], phi))) {
        if (!phi) {
            phi = LLVMBuildPhi(builder, LLVMTypeOf(value), "");
            LLVMAddIncoming(phi, values, from, 2);
        }
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            if (LLVMGetOperand(user, (unsigned)i) == value)
                LLVMSetOperand(user, (unsigned)i, phi);
        }
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

static int depends_on(LLVMValueRef instruction, LLVMBasicBlockRef block)
{
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);

        if (LLVMIsAInstruction(operand) && LLVMGetInstructionParent(operand) == block)
            return 1;
    }
    return 0;
}

static int is_carried(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        if (LLVMIsAPHINode(LLVMGetUser(use)))
            return 1;
    }
    return 0;
}

/* What counts the rounds of a loop must stay recognisable: it is there once, in front of both. */
static void move_up(LLVMBuilderRef builder, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef next;

    for (LLVMValueRef in = LLVMGetFirstInstruction(from); !LLVMIsATerminatorInst(in); in = next) {
        next = LLVMGetNextInstruction(in);
        if (!is_movable(in) || depends_on(in, from) || !is_carried(in))
            continue;
        LLVMInstructionRemoveFromParent(in);
        LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(to));
        LLVMInsertIntoBuilder(builder, in);
    }
}

static void remove_guards(LLVMBasicBlockRef block)
{
    LLVMValueRef next;

    for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = next) {
        next = LLVMGetNextInstruction(in);
        if (is_member_guard(in))
            LLVMInstructionEraseFromParent(in);
    }
}

/*
 * Behind the last access: the first instruction that is there once. What computes with the value of
 * a load stays with it, so that both can become one instruction; what a branch depends on stays
 * with the branch.
 */
static LLVMValueRef end_of(LLVMValueRef last)
{
    LLVMValueRef in = LLVMGetNextInstruction(last), terminator;
    int distance = 0;

    terminator = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(last));
    while (in != terminator && is_quiet(in) && !LLVMIsACallInst(in) && distance++ < MAX_TAIL &&
           !(LLVMGetFirstUse(in) && LLVMGetUser(LLVMGetFirstUse(in)) == terminator))
        in = LLVMGetNextInstruction(in);
    return in;
}

void darn_group_split(struct darn_guards *guards, LLVMValueRef first, LLVMValueRef last)
{
    LLVMBuilderRef b = guards->builder;
    LLVMBasicBlockRef head = LLVMGetInstructionParent(first), quick, join, slow;
    struct darn_map copies = {0};
    LLVMValueRef copy;

    quick = darn_shim_split(first);
    join = darn_shim_split(end_of(last));
    LLVMSetCurrentDebugLocation2(b, NULL);
    move_up(b, quick, head);
    slow = LLVMAppendBasicBlockInContext(guards->context, LLVMGetBasicBlockParent(head), "");
    LLVMPositionBuilderAtEnd(b, slow);
    copy_block(b, quick, &copies);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMBuildBr(b, join);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(b, head);
    darn_guard_branch_attention(guards, slow, quick);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(join));
    for (LLVMValueRef in = LLVMGetFirstInstruction(quick); in; in = LLVMGetNextInstruction(in)) {
        copy = (LLVMValueRef)darn_map_get(&copies, (uintptr_t)in, 0);
        if (copy)
            join_value(b, in, copy);
    }
    remove_guards(quick);
    darn_map_free(&copies);
}
