#include "plugin/spin/spin.h"

#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#include "plugin/core/flow.h"
#include "plugin/spin/idle.h"
#include "plugin/spin/loop.h"
#include "plugin/spin/spin_trace.h"

/* Reads that decide about one loop, and updates in it. */
#define MAX_READS 64

/* An update that decides about a loop. It is looked at again when all reads are known. */
struct update {
    LLVMValueRef instruction;
    struct darn_body body;
};

struct finder {
    struct darn_spins *spins;
    struct darn_idle idle;
    struct update *updates;
    size_t count, capacity;
};

/* What is known of one loop. */
struct judge {
    struct finder *finder;
    struct darn_loop loop;
    struct darn_value_trace trace; /* of the part that is being looked at */
    LLVMValueRef reads[MAX_READS];
    enum darn_spin_role kinds[MAX_READS];
    unsigned count;
    uint64_t deciders;
    int is_counted; /* a part of the conditions varies: the loop ends by itself */
};

/* The number of a read, or their count. */
static unsigned find(const struct judge *judge, LLVMValueRef read)
{
    unsigned i = 0;

    while (i < judge->count && judge->reads[i] != read)
        i++;
    return i;
}

static void add_read(struct judge *judge, LLVMValueRef read, enum darn_spin_role kind)
{
    unsigned i = find(judge, read);

    if (i == MAX_READS)
        return;
    if (i == judge->count)
        judge->reads[judge->count++] = read;
    if (judge->kinds[i] < kind)
        judge->kinds[i] = kind;
}

/* A part of a condition counts if it is made of reads and of what never changes here. */
static void judge_part(void *context, LLVMValueRef part)
{
    struct judge *judge = context;
    struct darn_value_trace *trace = &judge->trace;

    darn_trace_start(trace, &judge->loop, &judge->finder->idle.escape);
    darn_trace_value(trace, part);
    judge->deciders |= trace->deciders;
    judge->is_counted |= trace->varying;
    if (trace->varying)
        return;
    for (unsigned i = 0; i < trace->count; i++)
        add_read(judge, trace->reads[i], trace->leads >> i & 1 ? DARN_SPIN_LEADS : DARN_SPIN_WAITS);
}

/* Finds the reads that decide whether the loop is left. */
static void judge_conditions(struct judge *judge)
{
    const struct darn_body *body = judge->loop.body;
    uint64_t done = 0, open;

    judge->deciders = darn_loop_deciders(&judge->loop, darn_loop_exit(&judge->loop));
    while ((open = judge->deciders & ~done)) {
        unsigned block = (unsigned)__builtin_ctzll(open);
        LLVMValueRef condition = darn_loop_condition(body->blocks[block]);

        done |= UINT64_C(1) << block;
        judge->deciders |= darn_loop_deciders(&judge->loop, block);
        if (condition)
            darn_loop_parts(condition, judge_part, judge);
    }
}

/* Whether both pointers are computed in the same way. */
static int is_same_address(LLVMValueRef a, LLVMValueRef b, int depth)
{
    int inside_a, inside_b;

    if (a == b)
        return 1;
    if (darn_trace_object(a, &inside_a) == darn_trace_object(b, &inside_b) && !inside_a &&
        !inside_b)
        return 1;
    if (depth == 0 || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b) || LLVMIsAPHINode(a) || LLVMIsACallInst(a) ||
        LLVMIsAAllocaInst(a))
        return 0;
    for (int i = 0; i < LLVMGetNumOperands(a); i++) {
        if (!is_same_address(LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i),
                             depth - 1))
            return 0;
    }
    return 1;
}

/* Whether the loop has a load, of those in `wanted` or any, from where the update goes. */
static int loads_same(const struct darn_body *body, LLVMValueRef update,
                      const struct darn_map *wanted)
{
    for (unsigned i = 0; i < body->count; i++) {
        LLVMValueRef in = LLVMGetFirstInstruction(body->blocks[i]);

        for (; in; in = LLVMGetNextInstruction(in)) {
            if (LLVMIsALoadInst(in) && (!wanted || darn_map_get(wanted, (uintptr_t)in, 0)) &&
                is_same_address(LLVMGetOperand(in, 0), LLVMGetOperand(update, 0), 6))
                return 1;
        }
    }
    return 0;
}

/* Whether what is written, again and again, is the same after the first time. */
static int settles(LLVMValueRef update)
{
    if (!LLVMIsAAtomicRMWInst(update))
        return 1;
    switch (LLVMGetAtomicRMWBinOp(update)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpNand:
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFSub:
    case LLVMAtomicRMWBinOpUIncWrap:
    case LLVMAtomicRMWBinOpUDecWrap:
        return 0;
    default:
        return 1;
    }
}

/*
 * An update belongs to a spin loop if it decides about it, or goes to what the loop reads; and if
 * nothing of what the loop reads flows into what is written. One that counts (a ticket, the next
 * piece of work) is no test of a lock, unless the loop also reads it without counting.
 */
static int update_belongs(struct judge *judge, LLVMValueRef update)
{
    const struct darn_body *body = judge->loop.body;
    int operands = LLVMIsAAtomicCmpXchgInst(update) ? 3 : 2;

    darn_trace_start(&judge->trace, &judge->loop, &judge->finder->idle.escape);
    for (int i = 1; i < operands; i++)
        darn_trace_value(&judge->trace, LLVMGetOperand(update, (unsigned)i));
    if (judge->trace.count)
        return 0;
    if (settles(update) && find(judge, update) < judge->count)
        return 1;
    return loads_same(body, update, NULL);
}

/* A load from an address that moves on from round to round: the loop walks, it does not wait. */
static int walks(struct judge *judge, LLVMValueRef load)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);

    if (darn_trace_is_own(&judge->finder->idle.escape, pointer))
        return 0;
    darn_trace_start(&judge->trace, &judge->loop, &judge->finder->idle.escape);
    darn_trace_value(&judge->trace, pointer);
    return judge->trace.varying;
}

static int waits(struct judge *judge)
{
    const struct darn_body *body = judge->loop.body;

    for (unsigned i = 0; i < body->count; i++) {
        LLVMValueRef in = LLVMGetFirstInstruction(body->blocks[i]);

        for (; in; in = LLVMGetNextInstruction(in)) {
            if (LLVMIsALoadInst(in) && walks(judge, in))
                return 0;
            if (darn_idle_is_update(in) && !update_belongs(judge, in))
                return 0;
        }
    }
    return 1;
}

static void remember_update(struct finder *finder, LLVMValueRef update,
                            const struct darn_body *body)
{
    if (finder->count == finder->capacity) {
        finder->capacity = finder->capacity ? 2 * finder->capacity : 4;
        finder->updates = realloc(finder->updates, finder->capacity * sizeof(*finder->updates));
        if (!finder->updates)
            abort();
    }
    finder->updates[finder->count++] = (struct update){update, *body};
}

/* Whether the loop is left from one of the blocks that are not in this part of it. */
static int is_left_by_others(const struct darn_body *whole, const struct darn_body *part)
{
    for (unsigned i = 0; i < whole->count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(whole->blocks[i]);

        if (darn_body_find(part, whole->blocks[i]) >= 0)
            continue;
        for (unsigned j = 0; j < darn_flow_successors(whole->blocks[i]); j++) {
            if (darn_body_find(whole, LLVMGetSuccessor(terminator, j)) < 0)
                return 1;
        }
    }
    return 0;
}

static int reads_plainly(const struct judge *judge)
{
    for (unsigned i = 0; i < judge->count; i++) {
        LLVMValueRef read = judge->reads[i];

        if (!LLVMIsALoadInst(read) || LLVMGetVolatile(read) ||
            LLVMGetOrdering(read) != LLVMAtomicOrderingNotAtomic)
            return 0;
    }
    return 1;
}

/*
 * `for (i = 0; i < n; i++) if (enabled) work(i);` passes by its work in rounds that do nothing but
 * read a plain variable, and yet it waits for nobody: it ends when it has counted, and what the
 * variable says does not end it. Other variables are read like that by who expects others to write.
 */
static int merely_counts(const struct judge *judge, const struct darn_body *whole,
                         const struct darn_body *part)
{
    return judge->is_counted && reads_plainly(judge) && !is_left_by_others(whole, part);
}

/* What one loop waits for, another may only be led by. */
static void mark(struct darn_spins *spins, LLVMValueRef read, enum darn_spin_role kind)
{
    if (darn_map_get(&spins->reads, (uintptr_t)read, DARN_SPIN_NONE) < kind)
        darn_map_put(&spins->reads, (uintptr_t)read, kind);
}

/* Returns whether the loop is a spin loop. If `whole` is there, it is a part of that one, and in
 * that one the reads must not walk either. */
static int judge_body(struct finder *finder, const struct darn_body *body,
                      const struct darn_body *whole)
{
    struct judge judge = {.finder = finder};

    if (!darn_idle_body(&finder->idle, body, DARN_SILENT))
        return 0;
    darn_loop_init(&judge.loop, body);
    judge_conditions(&judge);
    if (!judge.count || !waits(&judge) || (whole && merely_counts(&judge, whole, body)))
        return 0;
    if (whole)
        darn_loop_init(&judge.loop, whole);
    for (unsigned i = 0; whole && i < judge.count; i++) {
        if (LLVMIsALoadInst(judge.reads[i]) && walks(&judge, judge.reads[i]))
            return 0;
    }
    for (unsigned i = 0; i < judge.count; i++) {
        if (darn_idle_is_update(judge.reads[i]))
            remember_update(finder, judge.reads[i], body);
        else
            mark(finder->spins, judge.reads[i], judge.kinds[i]);
    }
    return 1;
}

/*
 * Judges rounds of a loop that has other rounds, too: a lock for readers waits while there is a
 * writer, and otherwise tries to add one to the readers. That a loop merely passes by what it does
 * at other times (`if (verbose) print()`) is no wait. A pause tells, or else the other rounds must
 * not do much, and must not lead on to other memory.
 */
static int judge_part_of(struct finder *finder, const struct darn_body *body,
                         const struct darn_body *whole)
{
    if (darn_idle_duties_of(&finder->idle, body, NULL) & DARN_DUTY_PAUSES)
        return judge_body(finder, body, NULL);
    return whole && !(darn_idle_duties_of(&finder->idle, whole, body) & DARN_DUTY_CALLS) &&
           judge_body(finder, body, whole);
}

/* Keeps the blocks of `kept` that lie on a way from the start back to it. */
static void keep_rounds(const struct darn_loop *loop, uint64_t kept, struct darn_body *rounds)
{
    uint64_t there = UINT64_C(1) << darn_body_find(loop->body, loop->body->start) & kept;
    uint64_t back = loop->before[darn_loop_again(loop)] & kept;
    int changed = 1;

    while (changed) {
        changed = 0;
        for (unsigned i = 0; i < loop->body->count; i++) {
            uint64_t bit = UINT64_C(1) << i, more = back & bit ? loop->before[i] & kept : 0;

            if ((kept & bit & ~there) && (loop->before[i] & there)) {
                there |= bit;
                changed = 1;
            }
            changed |= (more & ~back) != 0;
            back |= more;
        }
    }
    rounds->count = 0;
    rounds->start = loop->body->start;
    rounds->latch = loop->body->latch;
    for (unsigned i = 0; i < loop->body->count; i++) {
        if ((there & back) >> i & 1)
            rounds->blocks[rounds->count++] = loop->body->blocks[i];
    }
}

/* Leaves out of the loop what does more than to wait, and judges what is left. */
static void judge_rounds(struct finder *finder, const struct darn_body *body)
{
    struct darn_loop loop;
    struct darn_body rounds;
    uint64_t kept = 0;

    for (unsigned i = 0; i < body->count; i++) {
        if (!(darn_idle_duties(&finder->idle, body->blocks[i]) &
              (DARN_DUTY_WORK | DARN_DUTY_UPDATES)))
            kept |= UINT64_C(1) << i;
    }
    if (!(kept & 1))
        return;
    darn_loop_init(&loop, body);
    keep_rounds(&loop, kept, &rounds);
    if (rounds.count && rounds.count < body->count)
        judge_part_of(finder, &rounds, body);
}

static void judge_loop(void *context, const struct darn_body *body, const struct darn_body *whole)
{
    struct finder *finder = context;
    int is_part = !whole || body->count < whole->count;

    if (!(is_part ? judge_part_of(finder, body, whole) : judge_body(finder, body, NULL)))
        judge_rounds(finder, body);
}

/* For each place the opcode and the kind of its reads. */
#define KINDS 4

static void note_place(struct darn_map *places, uintptr_t place, LLVMValueRef read, uint64_t kind)
{
    uint64_t known = LLVMGetInstructionOpcode(read) * KINDS + kind;

    if (kind && darn_map_get(places, place, 0) < known)
        darn_map_put(places, place, known);
}

static void mark_copy(struct darn_spins *spins, LLVMValueRef read, uint64_t known)
{
    if (known / KINDS == LLVMGetInstructionOpcode(read))
        mark(spins, read, (enum darn_spin_role)(known % KINDS));
}

/* Rotating a loop has made two of its test: one before the loop, which is all that is executed when
 * there is nothing to wait for. Both have the same place in the source. */
static void find_copies(struct darn_spins *spins, LLVMValueRef function)
{
    struct darn_map places = {0};
    LLVMBasicBlockRef block;
    LLVMValueRef in;

    for (int marking = 0; marking < 2; marking++) {
        for (block = LLVMGetFirstBasicBlock(function); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in)) {
                uintptr_t place;

                if (!LLVMIsALoadInst(in) && !darn_idle_is_update(in))
                    continue;
                place = (uintptr_t)LLVMInstructionGetDebugLoc(in);
                if (!place || !LLVMGetDebugLocLine(in))
                    continue;
                if (marking)
                    mark_copy(spins, in, darn_map_get(&places, place, 0));
                else
                    note_place(&places, place, in, darn_map_get(&spins->reads, (uintptr_t)in, 0));
            }
        }
    }
    darn_map_free(&places);
}

void darn_spins_find(struct darn_spins *spins, LLVMValueRef function)
{
    struct finder finder = {.spins = spins};
    struct darn_flow flow;
    size_t known = spins->reads.count;

    if (darn_flow_init(&flow, function))
        return;
    darn_idle_init(&finder.idle);
    darn_flow_loops(&flow, judge_loop, &finder);
    for (size_t i = 0; i < finder.count; i++) {
        const struct update *update = &finder.updates[i];

        if (!loads_same(&update->body, update->instruction, &spins->reads))
            mark(spins, update->instruction, DARN_SPIN_WAITS);
    }
    if (spins->reads.count > known)
        find_copies(spins, function);
    free(finder.updates);
    darn_idle_free(&finder.idle);
    darn_flow_free(&flow);
}

void darn_spins_free(struct darn_spins *spins)
{
    darn_map_free(&spins->reads);
}
