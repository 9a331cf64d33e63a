#include "plugin/core/flow.h"

#include <stdlib.h>

/* Larger functions are passed over: memory and time. */
#define MAX_BLOCKS 200000

/* Rounds until the dominators must be known. Two or three are usual. */
#define MAX_ROUNDS 50

#define NONE UINT32_MAX

unsigned darn_flow_successors(LLVMBasicBlockRef block)
{
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);

    if (LLVMIsAInvokeInst(terminator))
        return 1; /* the normal way on comes first */
    return LLVMGetNumSuccessors(terminator);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        abort();
    return memory;
}

static unsigned number_of(const struct darn_flow *flow, LLVMBasicBlockRef block)
{
    return (unsigned)darn_map_get(&flow->number, (uintptr_t)block, 0) - 1;
}

/* A block on the way, and which of its successors comes next. */
struct step {
    LLVMBasicBlockRef block;
    unsigned next;
};

/* Numbers the blocks in reverse postorder, without recursion: functions can be deep. Exceptions
 * count, since the blocks that catch them can loop, too. Returns whether there is a way back. */
static int number_blocks(struct darn_flow *flow, unsigned total)
{
    struct step *stack = allocate(total, sizeof(*stack));
    struct darn_map state = {0}; /* 1 on the stack, 2 done */
    unsigned depth = 0, done = 0;
    int has_loop = 0;

    stack[depth++] = (struct step){LLVMGetEntryBasicBlock(flow->function), 0};
    darn_map_put(&state, (uintptr_t)stack[0].block, 1);
    while (depth) {
        struct step *top = &stack[depth - 1];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(top->block);

        if (top->next < LLVMGetNumSuccessors(terminator)) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(terminator, top->next++);
            uintptr_t seen = darn_map_get(&state, (uintptr_t)next, 0);

            has_loop |= seen == 1;
            if (!seen) {
                darn_map_put(&state, (uintptr_t)next, 1);
                stack[depth++] = (struct step){next, 0};
            }
            continue;
        }
        darn_map_put(&state, (uintptr_t)top->block, 2);
        flow->blocks[total - ++done] = top->block;
        depth--;
    }
    flow->count = done;
    for (unsigned i = 0; i < done; i++) {
        flow->blocks[i] = flow->blocks[total - done + i];
        darn_map_put(&flow->number, (uintptr_t)flow->blocks[i], i + 1);
    }
    free(stack);
    darn_map_free(&state);
    return has_loop;
}

static void find_predecessors(struct darn_flow *flow)
{
    unsigned *fill;

    flow->first_before = allocate(flow->count + 1, sizeof(*flow->first_before));
    for (unsigned i = 0; i < flow->count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(flow->blocks[i]);

        for (unsigned j = 0; j < LLVMGetNumSuccessors(terminator); j++)
            flow->first_before[number_of(flow, LLVMGetSuccessor(terminator, j)) + 1]++;
    }
    for (unsigned i = 0; i < flow->count; i++)
        flow->first_before[i + 1] += flow->first_before[i];
    flow->before = allocate(flow->first_before[flow->count], sizeof(*flow->before));
    fill = allocate(flow->count, sizeof(*fill));
    for (unsigned i = 0; i < flow->count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(flow->blocks[i]);

        for (unsigned j = 0; j < LLVMGetNumSuccessors(terminator); j++) {
            unsigned next = number_of(flow, LLVMGetSuccessor(terminator, j));

            flow->before[flow->first_before[next] + fill[next]++] = i;
        }
    }
    free(fill);
}

static unsigned common_dominator(const struct darn_flow *flow, unsigned a, unsigned b)
{
    while (a != b) {
        while (a > b)
            a = flow->dominator[a];
        while (b > a)
            b = flow->dominator[b];
    }
    return a;
}

/* The iterative algorithm of Cooper, Harvey and Kennedy. */
static int find_dominators(struct darn_flow *flow)
{
    int changed = 1;

    flow->dominator = allocate(flow->count, sizeof(*flow->dominator));
    for (unsigned i = 1; i < flow->count; i++)
        flow->dominator[i] = NONE;
    for (int round = 0; changed; round++) {
        if (round == MAX_ROUNDS)
            return -1;
        changed = 0;
        for (unsigned i = 1; i < flow->count; i++) {
            unsigned above = NONE;

            for (unsigned j = flow->first_before[i]; j < flow->first_before[i + 1]; j++) {
                unsigned before = flow->before[j];

                if (flow->dominator[before] != NONE)
                    above = above == NONE ? before : common_dominator(flow, before, above);
            }
            changed |= flow->dominator[i] != above;
            flow->dominator[i] = above;
        }
    }
    return 0;
}

static int init(struct darn_flow *flow, LLVMValueRef function, int always)
{
    unsigned total = LLVMCountBasicBlocks(function);

    *flow = (struct darn_flow){.function = function};
    if (!total || total > MAX_BLOCKS)
        return -1;
    flow->blocks = allocate(total, sizeof(*flow->blocks));
    if (!number_blocks(flow, total) && !always) {
        darn_flow_free(flow);
        return -1;
    }
    find_predecessors(flow);
    if (find_dominators(flow)) {
        darn_flow_free(flow);
        return -1;
    }
    return 0;
}

int darn_flow_init(struct darn_flow *flow, LLVMValueRef function)
{
    return init(flow, function, 0);
}

int darn_flow_init_always(struct darn_flow *flow, LLVMValueRef function)
{
    return init(flow, function, 1);
}

void darn_flow_free(struct darn_flow *flow)
{
    free(flow->blocks);
    free(flow->dominator);
    free(flow->before);
    free(flow->first_before);
    darn_map_free(&flow->number);
    *flow = (struct darn_flow){0};
}

int darn_flow_dominates(const struct darn_flow *flow, unsigned above, unsigned below)
{
    while (below > above)
        below = flow->dominator[below];
    return below == above;
}

static int add_block(struct darn_body *body, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < body->count; i++) {
        if (body->blocks[i] == block)
            return 1;
    }
    if (body->count == DARN_LOOP_MAX)
        return 0;
    body->blocks[body->count++] = block;
    return 1;
}

/* Adds what leads to the blocks of the body from `from` on, up to the header. 0 if it gets too
 * large. */
static int complete(const struct darn_flow *flow, struct darn_body *body, unsigned from)
{
    for (unsigned i = from; i < body->count; i++) {
        unsigned block = number_of(flow, body->blocks[i]);

        if (i == 0)
            continue; /* what leads to the header is outside, or a latch */
        for (unsigned j = flow->first_before[block]; j < flow->first_before[block + 1]; j++) {
            if (!add_block(body, flow->blocks[flow->before[j]]))
                return 0;
        }
    }
    return 1;
}

/* A block that only leads on. */
static int is_junction(LLVMBasicBlockRef block)
{
    LLVMValueRef in = LLVMGetFirstInstruction(block);

    while (LLVMIsAPHINode(in))
        in = LLVMGetNextInstruction(in);
    return in == LLVMGetBasicBlockTerminator(block) && LLVMGetNumSuccessors(in) == 1;
}

/* The loop of the header with all of its back edges, unless it is too large. Returns their number.
 */
static unsigned collect_all(const struct darn_flow *flow, unsigned header, struct darn_body *all,
                            int *fits)
{
    unsigned latches = 0;

    *fits = 1;
    for (unsigned j = flow->first_before[header]; j < flow->first_before[header + 1]; j++) {
        unsigned known = all->count;

        if (!darn_flow_dominates(flow, header, flow->before[j]))
            continue;
        latches++;
        *fits =
            *fits && add_block(all, flow->blocks[flow->before[j]]) && complete(flow, all, known);
    }
    return latches;
}

/* Whom to tell about loops. */
struct visitor {
    const struct darn_flow *flow;
    darn_flow_visit *visit;
    void *context;
    const struct darn_body *whole;
};

/* Sees the loop as one that only one edge to `start` takes for another round. */
static void visit_edges(const struct visitor *visitor, struct darn_body body, unsigned start)
{
    const struct darn_flow *flow = visitor->flow;

    body.start = flow->blocks[start];
    for (unsigned i = flow->first_before[start]; i < flow->first_before[start + 1]; i++) {
        body.latch = flow->blocks[flow->before[i]];
        if (darn_flow_dominates(flow, number_of(flow, body.blocks[0]), flow->before[i]))
            visitor->visit(visitor->context, &body, visitor->whole);
    }
}

/* Sees the loop as if each edge to the junction had one of its own. */
static void visit_junction(const struct visitor *visitor, LLVMBasicBlockRef header,
                           unsigned junction)
{
    const struct darn_flow *flow = visitor->flow;
    LLVMBasicBlockRef start = flow->blocks[junction];

    for (unsigned i = flow->first_before[junction]; i < flow->first_before[junction + 1]; i++) {
        LLVMBasicBlockRef latch = flow->blocks[flow->before[i]];
        struct darn_body body = {{header, start}, 2, start, latch};

        if (add_block(&body, latch) && complete(flow, &body, 2))
            visitor->visit(visitor->context, &body, visitor->whole);
    }
}

static void visit_latch(const struct visitor *visitor, LLVMBasicBlockRef header, unsigned number)
{
    LLVMBasicBlockRef latch = visitor->flow->blocks[number];
    struct darn_body body = {{header}, 1, header, latch};

    if (!add_block(&body, latch) || !complete(visitor->flow, &body, 1))
        return;
    visitor->visit(visitor->context, &body, visitor->whole);
    if (!is_junction(latch) || latch == header)
        return;
    visit_junction(visitor, header, number);
    visit_edges(visitor, body, number);
}

static void visit_header(const struct darn_flow *flow, unsigned header, darn_flow_visit *visit,
                         void *context)
{
    LLVMBasicBlockRef block = flow->blocks[header];
    struct darn_body all = {{block}, 1, block, NULL};
    int fits;
    unsigned latches = collect_all(flow, header, &all, &fits);
    struct visitor visitor = {flow, visit, context, fits ? &all : NULL};

    if (!latches)
        return;
    for (unsigned j = flow->first_before[header]; j < flow->first_before[header + 1]; j++) {
        if (darn_flow_dominates(flow, header, flow->before[j]))
            visit_latch(&visitor, block, flow->before[j]);
    }
    if (latches < 2 || !fits)
        return;
    visit(context, &all, &all);
    visit_edges(&visitor, all, header);
}

void darn_flow_loops(const struct darn_flow *flow, darn_flow_visit *visit, void *context)
{
    for (unsigned i = 0; i < flow->count; i++)
        visit_header(flow, i, visit, context);
}
