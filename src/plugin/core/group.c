#include "plugin/core/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "plugin/core/access.h"
#include "plugin/core/flow.h"
#include "plugin/core/guard_private.h"
#include "plugin/core/plugin.h"
#include "site/site.h"

#define DARN_GROUP_BLOCKS 16

/* What of a block belongs to a group: from its beginning, or from the first guard, to the end. */
struct darn_group_piece {
    LLVMBasicBlockRef block;
    LLVMValueRef guard; /* its last one, or NULL */
    LLVMValueRef end;   /* the first instruction that does not belong to it; NULL: all do */
    unsigned number;    /* of the block */
    unsigned guards;    /* how many */
    int is_quiet;       /* all of the block, and what follows is not behind it in a loop */
};

struct darn_group {
    LLVMValueRef first; /* the guard that it begins with */
    struct darn_group_piece pieces[DARN_GROUP_BLOCKS];
    unsigned count, guards, instructions;
};

struct darn_groups {
    struct darn_group *items;
    size_t count, capacity;
};

/* The most that is there twice for one look. */
#define MAX_INSTRUCTIONS 200
#define MAX_GUARDS       32

/* How many instructions that compute are there twice behind the last access. */
#define MAX_TAIL 16

/* From where on nothing of a block belongs to a group yet; NULL: from its beginning. */
struct rest {
    LLVMValueRef from;
    int is_none;
};

struct finder {
    const struct darn_flow *flow;
    struct rest *rests;
};

static int is_member(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    size_t length;

    return callee && LLVMIsAFunction(callee) &&
           strncmp(LLVMGetValueName2(callee, &length), DARN_GUARD_MEMBER,
                   strlen(DARN_GUARD_MEMBER)) == 0;
}

/* What can be there twice, and synchronizes nothing. */
static int is_quiet(LLVMValueRef instruction)
{
    return !darn_may_synchronize(instruction) && !LLVMIsAAllocaInst(instruction) &&
           LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMTokenTypeKind;
}

static int number_of(const struct finder *finder, LLVMBasicBlockRef block)
{
    return (int)darn_map_get(&finder->flow->number, (uintptr_t)block, 0) - 1;
}

/* Whether the way on from the block is a branch, and no way back. */
static int leads_on(const struct finder *finder, const struct darn_group_piece *piece)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(piece->block);

    if (!LLVMIsABranchInst(terminator) && !LLVMIsASwitchInst(terminator))
        return 0;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
        if (number_of(finder, LLVMGetSuccessor(terminator, i)) <= (int)piece->number)
            return 0;
    }
    return 1;
}

/* Looks at the block from the instruction on, as far as it is quiet. */
static void look(const struct finder *finder, struct darn_group *group,
                 struct darn_group_piece *piece, LLVMValueRef from)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(piece->block), in = from;
    unsigned steps = group->instructions;

    for (; in != terminator && steps < MAX_INSTRUCTIONS; in = LLVMGetNextInstruction(in), steps++) {
        int found = is_member(in);

        if (!found && !is_quiet(in))
            break;
        if (found && group->guards + piece->guards == MAX_GUARDS)
            break;
        if (found) {
            piece->guard = in;
            piece->guards++;
            group->instructions = steps;
        }
    }
    piece->is_quiet = in == terminator && leads_on(finder, piece);
    if (piece->is_quiet)
        group->instructions = steps;
    group->guards += piece->guards;
}

static const struct darn_group_piece *piece_of(const struct darn_group *group, unsigned number)
{
    for (unsigned i = 0; i < group->count; i++) {
        if (group->pieces[i].number == number)
            return &group->pieces[i];
    }
    return NULL;
}

static int follows(const struct darn_group_piece *piece, LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(piece->block);

    for (unsigned i = 0; piece->is_quiet && i < LLVMGetNumSuccessors(terminator); i++) {
        if (LLVMGetSuccessor(terminator, i) == block)
            return 1;
    }
    return 0;
}

/* The first block behind number `after` that a quiet piece leads to; -1: none. */
static int next_after(const struct finder *finder, const struct darn_group *group, int after)
{
    int next = -1;

    for (unsigned i = 0; i < group->count; i++) {
        const struct darn_group_piece *piece = &group->pieces[i];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(piece->block);

        for (unsigned j = 0; piece->is_quiet && j < LLVMGetNumSuccessors(terminator); j++) {
            int number = number_of(finder, LLVMGetSuccessor(terminator, j));

            if (number > after && (next < 0 || number < next))
                next = number;
        }
    }
    return next;
}

/* Whether the block can only be reached through quiet pieces. */
static int is_inside(const struct finder *finder, const struct darn_group *group, unsigned number)
{
    const struct darn_flow *flow = finder->flow;

    for (unsigned i = flow->first_before[number]; i < flow->first_before[number + 1]; i++) {
        const struct darn_group_piece *piece = piece_of(group, flow->before[i]);

        if (!piece || !piece->is_quiet)
            return 0;
    }
    return 1;
}

static void grow(const struct finder *finder, struct darn_group *group)
{
    int number = (int)group->pieces[0].number;

    while (group->count < DARN_GROUP_BLOCKS && (number = next_after(finder, group, number)) >= 0) {
        LLVMBasicBlockRef block = finder->flow->blocks[number];
        struct darn_group_piece piece = {.block = block, .number = (unsigned)number};

        if (!is_inside(finder, group, (unsigned)number))
            continue;
        look(finder, group, &piece, LLVMGetFirstInstruction(block));
        if (piece.guards || piece.is_quiet)
            group->pieces[group->count++] = piece;
    }
}

static int is_followed(const struct darn_group *group, unsigned index)
{
    for (unsigned i = index + 1; i < group->count; i++) {
        if (follows(&group->pieces[index], group->pieces[i].block))
            return 1;
    }
    return 0;
}

/*
 * Behind the last guard: the first instruction that is there once. What computes with the value of
 * a load stays with it, so that both can become one instruction; what a branch depends on stays
 * with the branch.
 */
static LLVMValueRef end_of(const struct darn_group_piece *piece)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(piece->block);
    LLVMValueRef in = LLVMGetNextInstruction(piece->guard);
    int distance = 0;

    if (LLVMIsALoadInst(in) || LLVMIsAStoreInst(in))
        in = LLVMGetNextInstruction(in);
    while (in != terminator && is_quiet(in) && !LLVMIsACallInst(in) && distance++ < MAX_TAIL &&
           !(LLVMGetFirstUse(in) && LLVMGetUser(LLVMGetFirstUse(in)) == terminator))
        in = LLVMGetNextInstruction(in);
    return in;
}

/* Leaves out what leads to no guard, and ends the pieces where the others have their last. */
static void finish(struct finder *finder, struct darn_group *group)
{
    for (unsigned i = group->count; i-- > 1;) {
        if (group->pieces[i].guards || is_followed(group, i))
            continue;
        memmove(&group->pieces[i], &group->pieces[i + 1],
                (group->count - i - 1) * sizeof(group->pieces[0]));
        group->count--;
    }
    for (unsigned i = 0; i < group->count; i++) {
        struct darn_group_piece *piece = &group->pieces[i];

        if (!is_followed(group, i))
            piece->end = end_of(piece);
        finder->rests[piece->number] = (struct rest){piece->end, !piece->end};
    }
}

static void begin(struct finder *finder, struct darn_groups *groups, unsigned number,
                  LLVMValueRef first)
{
    struct darn_group_piece piece = {.block = finder->flow->blocks[number], .number = number};
    struct darn_group *group;

    groups->items =
        darn_grow(groups->items, &groups->capacity, groups->count + 1, sizeof(*groups->items));
    group = &groups->items[groups->count++];
    *group = (struct darn_group){.first = first};
    look(finder, group, &piece, first);
    group->pieces[group->count++] = piece;
    grow(finder, group);
    finish(finder, group);
}

static LLVMValueRef next_guard(const struct finder *finder, unsigned number)
{
    const struct rest *rest = &finder->rests[number];
    LLVMValueRef in = rest->from;

    if (rest->is_none)
        return NULL;
    if (!in)
        in = LLVMGetFirstInstruction(finder->flow->blocks[number]);
    while (in && !is_member(in))
        in = LLVMGetNextInstruction(in);
    return in;
}

static void find_groups(struct darn_groups *groups, const struct darn_flow *flow)
{
    struct finder finder = {.flow = flow,
                            .rests = calloc(flow->count ? flow->count : 1, sizeof(struct rest))};

    if (!finder.rests)
        abort();
    for (unsigned i = 0; i < flow->count; i++) {
        LLVMValueRef first;

        while ((first = next_guard(&finder, i)))
            begin(&finder, groups, i, first);
    }
    free(finder.rests);
}

void darn_members_add(struct darn_members *members, struct darn_guards *guards,
                      const struct darn_plugin_access *access, struct darn_record record)
{
    members->items =
        darn_grow(members->items, &members->capacity, members->count + 1, sizeof(*members->items));
    members->items[members->count++] = (struct darn_member){
        .guard = darn_guards_place_member(guards, access, record),
        .access = *access,
        .record = record,
    };
}

void darn_members_free(struct darn_members *members)
{
    free(members->items);
    *members = (struct darn_members){0};
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

static int is_among(const LLVMBasicBlockRef *blocks, unsigned count, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < count; i++) {
        if (blocks[i] == block)
            return 1;
    }
    return 0;
}

static int depends_on(LLVMValueRef instruction, const LLVMBasicBlockRef *blocks, unsigned count)
{
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);

        if (LLVMIsAInstruction(operand) &&
            is_among(blocks, count, LLVMGetInstructionParent(operand)))
            return 1;
    }
    return 0;
}

/* By a loop, perhaps, which is around all of the group. */
static int is_carried(LLVMValueRef value, const LLVMBasicBlockRef *blocks, unsigned count)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAPHINode(user) && !is_among(blocks, count, LLVMGetInstructionParent(user)))
            return 1;
    }
    return 0;
}

/* What counts the rounds of a loop must stay recognisable: it is there once, in front of both. */
static void move_up(LLVMBuilderRef builder, const LLVMBasicBlockRef *blocks, unsigned count,
                    LLVMBasicBlockRef to)
{
    LLVMValueRef next;

    for (unsigned i = 0; i < count; i++) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(blocks[i]); !LLVMIsATerminatorInst(in);
             in = next) {
            next = LLVMGetNextInstruction(in);
            if (!is_movable(in) || depends_on(in, blocks, count) || !is_carried(in, blocks, count))
                continue;
            LLVMInstructionRemoveFromParent(in);
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(to));
            LLVMInsertIntoBuilder(builder, in);
        }
    }
}

static void remove_guards(LLVMBasicBlockRef block)
{
    LLVMValueRef next;

    for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = next) {
        next = LLVMGetNextInstruction(in);
        if (is_member(in))
            LLVMInstructionEraseFromParent(in);
    }
}

/*
 * The byte that stands for the group, that of one of its accesses: the runtime clears it when the
 * code has run often, and counts by the access. So it is one that is made whenever the group is
 * come by. NULL: there is none that counts.
 */
static LLVMValueRef look_of(const struct darn_group *group, const struct darn_members *members,
                            const struct darn_map *by_guard)
{
    LLVMValueRef last = group->pieces[0].guard;

    for (LLVMValueRef in = group->first;; in = LLVMGetNextInstruction(in)) {
        const struct darn_member *member =
            is_member(in) ? &members->items[darn_map_get(by_guard, (uintptr_t)in, 0)] : NULL;

        if (member && !member->access.dropped && member->access.pointer)
            return member->record.look;
        if (in == last)
            return NULL;
    }
}

static void split(struct darn_guards *guards, const struct darn_group *group, LLVMValueRef look)
{
    LLVMBasicBlockRef head = LLVMGetInstructionParent(group->first), blocks[DARN_GROUP_BLOCKS];
    LLVMBasicBlockRef slow;

    blocks[0] = darn_shim_split(group->first);
    for (unsigned i = 0; i < group->count; i++) {
        if (i > 0)
            blocks[i] = group->pieces[i].block;
        if (group->pieces[i].end)
            darn_shim_split(group->pieces[i].end);
    }
    LLVMSetCurrentDebugLocation2(guards->builder, NULL);
    move_up(guards->builder, blocks, group->count, head);
    slow = darn_shim_copy(blocks, group->count);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(guards->builder, head);
    darn_guard_branch_look(guards, look, slow, blocks[0]);
    for (unsigned i = 0; i < group->count; i++)
        remove_guards(blocks[i]);
}

/* What the access is to may be known by another name now: other groups are in front of it. */
static void leave_alone(struct darn_guards *guards, const struct darn_member *member)
{
    struct darn_plugin_access access = member->access;

    if (access.pointer)
        access.pointer = LLVMGetArgOperand(member->guard, 0);
    if (access.pointer && !access.dropped && access.flags & (DARN_SITE_VALUE | DARN_SITE_POINTER))
        access.value = LLVMGetArgOperand(member->guard, 1);
    darn_guards_place_alone(guards, &access, member->record);
    LLVMInstructionEraseFromParent(member->guard);
}

static void split_all(struct darn_guards *guards, const struct darn_flow *flow,
                      const struct darn_members *members)
{
    struct darn_groups groups = {0};
    struct darn_map by_guard = {0};

    for (size_t i = 0; i < members->count; i++)
        darn_map_put(&by_guard, (uintptr_t)members->items[i].guard, i);
    find_groups(&groups, flow);
    for (size_t i = 0; i < groups.count; i++) {
        const struct darn_group *group = &groups.items[i];

        if (group->guards > 1)
            split(guards, group, look_of(group, members, &by_guard));
        else
            leave_alone(guards,
                        &members->items[darn_map_get(&by_guard, (uintptr_t)group->first, 0)]);
    }
    free(groups.items);
    darn_map_free(&by_guard);
}

void darn_groups_split(struct darn_guards *guards, LLVMValueRef function,
                       const struct darn_members *members)
{
    struct darn_flow flow;

    if (!members->count)
        return;
    if (darn_flow_init_always(&flow, function)) { /* it is too large */
        for (size_t i = 0; i < members->count; i++)
            leave_alone(guards, &members->items[i]);
        return;
    }
    split_all(guards, &flow, members);
    darn_flow_free(&flow);
}
