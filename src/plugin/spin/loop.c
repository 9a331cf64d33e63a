#include "plugin/spin/loop.h"

/* How deep a condition may be nested before the rest counts as one part. */
#define MAX_DEPTH 8

int darn_body_find(const struct darn_body *body, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < body->count; i++) {
        if (body->blocks[i] == block)
            return (int)i;
    }
    return -1;
}

int darn_body_has(const struct darn_body *body, LLVMValueRef instruction)
{
    return darn_body_find(body, LLVMGetInstructionParent(instruction)) >= 0;
}

int darn_body_is_latch(const struct darn_body *body, LLVMBasicBlockRef block)
{
    return !body->latch || body->latch == block;
}

/* The node that the edge leads to. */
static unsigned successor(const struct darn_loop *loop, unsigned block, unsigned edge)
{
    LLVMBasicBlockRef from = loop->body->blocks[block];
    LLVMBasicBlockRef to = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(from), edge);
    int number = darn_body_find(loop->body, to);

    if (to == loop->body->start && darn_body_is_latch(loop->body, from))
        return darn_loop_again(loop);
    return number < 0 ? darn_loop_exit(loop) : (unsigned)number;
}

static uint64_t bit(unsigned node)
{
    return UINT64_C(1) << node;
}

void darn_loop_init(struct darn_loop *loop, const struct darn_body *body)
{
    unsigned count = body->count;
    int changed = 1;

    *loop = (struct darn_loop){.body = body};
    for (unsigned i = 0; i < count; i++) {
        loop->after[i] = ~UINT64_C(0);
        for (unsigned j = 0; j < darn_flow_successors(body->blocks[i]); j++)
            loop->before[successor(loop, i, j)] |= bit(i);
    }
    loop->after[count] = bit(count);
    loop->after[count + 1] = bit(count + 1);
    while (changed) {
        changed = 0;
        for (unsigned i = count; i-- > 0;) {
            uint64_t after = ~UINT64_C(0);

            for (unsigned j = 0; j < darn_flow_successors(body->blocks[i]); j++)
                after &= loop->after[successor(loop, i, j)];
            after |= bit(i);
            changed |= after != loop->after[i];
            loop->after[i] = after;
        }
    }
}

uint64_t darn_loop_deciders(const struct darn_loop *loop, unsigned node)
{
    uint64_t deciders = 0;

    for (unsigned i = 0; i < loop->body->count; i++) {
        if (i != node && (loop->after[i] & bit(node)))
            continue; /* all ways from here pass it */
        for (unsigned j = 0; j < darn_flow_successors(loop->body->blocks[i]); j++) {
            if (loop->after[successor(loop, i, j)] & bit(node))
                deciders |= bit(i);
        }
    }
    return deciders;
}

LLVMValueRef darn_loop_condition(LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

    if (LLVMIsABranchInst(terminator))
        return LLVMIsConditional(terminator) ? LLVMGetCondition(terminator) : NULL;
    return LLVMIsASwitchInst(terminator) ? LLVMGetOperand(terminator, 0) : NULL;
}

static int is_truth(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);

    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
}

static void visit_parts(LLVMValueRef condition, int depth,
                        void (*visit)(void *context, LLVMValueRef part), void *context)
{
    int connects = 0;

    if (LLVMIsAInstruction(condition) && is_truth(condition) && depth < MAX_DEPTH) {
        switch (LLVMGetInstructionOpcode(condition)) {
        case LLVMAnd:
        case LLVMOr:
        case LLVMXor:
        case LLVMSelect:
        case LLVMFreeze:
            connects = 1;
            break;
        default:
            break;
        }
    }
    if (!connects) {
        visit(context, condition);
        return;
    }
    for (int i = 0; i < LLVMGetNumOperands(condition); i++)
        visit_parts(LLVMGetOperand(condition, (unsigned)i), depth + 1, visit, context);
}

void darn_loop_parts(LLVMValueRef condition, void (*visit)(void *context, LLVMValueRef part),
                     void *context)
{
    visit_parts(condition, 0, visit, context);
}
