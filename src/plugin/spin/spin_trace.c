#include "plugin/spin/spin_trace.h"

#include <string.h>

#include "plugin/spin/quiet.h"

/* More steps than any waiting loop needs: whoever needs more computes. */
#define BUDGET 3000

/* Uses of a variable that are looked at. */
#define MAX_USES 64

/* Variables that hold a pointer to a variable that holds a pointer... */
#define MAX_HOLDERS 8

/* Writes of one variable that can reach one read. */
#define MAX_WRITES 16

void darn_trace_start(struct darn_value_trace *trace, const struct darn_loop *loop,
                      struct darn_plugin_escape *escape)
{
    *trace = (struct darn_value_trace){.loop = loop, .escape = escape, .budget = BUDGET};
}

/* The one value that is ever stored to this variable, or NULL. */
static LLVMValueRef only_value(LLVMValueRef variable)
{
    LLVMValueRef value = NULL;
    unsigned uses = 0;

    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (++uses > MAX_USES)
            return NULL;
        if (LLVMIsALoadInst(user) || LLVMIsAIntrinsicInst(user))
            continue;
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable ||
            (value && LLVMGetOperand(user, 0) != value))
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value;
}

LLVMValueRef darn_trace_object(LLVMValueRef pointer, int *inside)
{
    *inside = 0;
    for (int i = 0; i < MAX_HOLDERS; i++) {
        LLVMValueRef root = darn_pointer_root(pointer), holder, held;

        *inside |= root != pointer;
        pointer = root;
        holder = LLVMIsALoadInst(root) ? LLVMGetOperand(root, 0) : NULL;
        held = holder && LLVMIsAAllocaInst(holder) ? only_value(holder) : NULL;
        if (!held)
            break;
        pointer = held;
    }
    return pointer;
}

static int is_errno(LLVMValueRef object)
{
    LLVMValueRef callee = LLVMIsACallInst(object) ? LLVMGetCalledValue(object) : NULL;
    size_t length;

    return callee && LLVMIsAFunction(callee) &&
           strcmp(LLVMGetValueName2(callee, &length), "__errno_location") == 0;
}

int darn_trace_is_own(struct darn_plugin_escape *escape, LLVMValueRef pointer)
{
    int inside;
    LLVMValueRef object = darn_trace_object(pointer, &inside);

    return LLVMIsAAllocaInst(object) || is_errno(object) ||
           LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0 ||
           darn_pointer_is_private(escape, pointer);
}

static int points_to(LLVMValueRef value, LLVMValueRef object)
{
    int inside;

    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind &&
           darn_trace_object(value, &inside) == object;
}

enum effect { NOTHING, PERHAPS, WRITES, UNKNOWN };

/* What the instruction does to the object. PERHAPS: it writes a part of it. */
static enum effect effect_on(LLVMValueRef instruction, LLVMValueRef object)
{
    int inside;

    if (LLVMIsAStoreInst(instruction)) {
        if (darn_trace_object(LLVMGetOperand(instruction, 1), &inside) != object)
            return NOTHING;
        return inside ? PERHAPS : WRITES;
    }
    if (LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction))
        return points_to(LLVMGetOperand(instruction, 0), object) ? UNKNOWN : NOTHING;
    if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
        return NOTHING;
    if (LLVMIsAMemIntrinsic(instruction))
        return points_to(LLVMGetOperand(instruction, 0), object) ? UNKNOWN : NOTHING;
    if (LLVMIsAIntrinsicInst(instruction))
        return NOTHING;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++) {
        if (points_to(LLVMGetArgOperand(instruction, i), object))
            return UNKNOWN;
    }
    return NOTHING;
}

static int is_written(const struct darn_value_trace *trace, LLVMValueRef object)
{
    const struct darn_body *body = trace->loop->body;

    for (unsigned i = 0; i < body->count; i++) {
        LLVMValueRef in = LLVMGetFirstInstruction(body->blocks[i]);

        for (; in; in = LLVMGetNextInstruction(in)) {
            if (effect_on(in, object) != NOTHING)
                return 1;
        }
    }
    return 0;
}

/* Whether the loop reads back what it wrote itself, or what nobody else can write. */
static int is_variable(const struct darn_value_trace *trace, LLVMValueRef pointer,
                       LLVMValueRef object)
{
    if (is_errno(object) || LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0 ||
        darn_pointer_is_private(trace->escape, pointer))
        return 1;
    /* Of an escaping local, another thread can change what this loop does not write. */
    return LLVMIsAAllocaInst(object) && is_written(trace, object);
}

/*
 * Begins to follow a value that may come round again. A value that comes back to itself around the
 * loop (`crossing`) through a computation varies: i = i + 1, p = p->next. Within a round, in an
 * inner loop, it does not, but its own inputs are looked at once more as those of a computation.
 */
static int enter(struct darn_value_trace *trace, LLVMValueRef value, int crossing)
{
    unsigned times = 0;

    for (unsigned i = 0; i < trace->depth; i++) {
        if (trace->on_the_way[i].value != value)
            continue;
        if (trace->on_the_way[i].changes == trace->changes)
            return 0;
        times++;
    }
    if ((times && crossing) || trace->depth == DARN_TRACE_DEPTH)
        trace->varying = 1;
    if (times > 1 || trace->varying)
        return 0;
    trace->on_the_way[trace->depth].value = value;
    trace->on_the_way[trace->depth++].changes = trace->changes;
    return 1;
}

static int is_plain_load(LLVMValueRef read)
{
    return LLVMIsALoadInst(read) && !LLVMGetVolatile(read) &&
           LLVMGetOrdering(read) == LLVMAtomicOrderingNotAtomic;
}

static void note_read(struct darn_value_trace *trace, LLVMValueRef read)
{
    int leads = trace->atomics && is_plain_load(read);
    unsigned i = 0;

    while (i < trace->count && trace->reads[i] != read)
        i++;
    if (i == DARN_TRACE_READS) {
        trace->varying = 1;
        return;
    }
    if (i == trace->count) {
        trace->reads[trace->count++] = read;
        trace->leads |= UINT32_C(1) << i;
    }
    if (!leads)
        trace->leads &= ~(UINT32_C(1) << i);
}

/* The value depends on whether this block was passed. */
static void note_block(struct darn_value_trace *trace, LLVMBasicBlockRef block)
{
    int number = darn_body_find(trace->loop->body, block);

    if (number >= 0)
        trace->deciders |= darn_loop_deciders(trace->loop, (unsigned)number);
}

/* Whether the phi gets this value when a round begins. If a junction leads to the header, what is
 * not chosen there is the same for all rounds that pass it. */
static int is_around(const struct darn_body *body, LLVMValueRef phi, unsigned number)
{
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, number);
    LLVMBasicBlockRef at = LLVMGetInstructionParent(phi);
    LLVMValueRef value = LLVMGetIncomingValue(phi, number);

    if (at == body->start)
        return darn_body_is_latch(body, from);
    return at == body->blocks[0] && from == body->start &&
           !(LLVMIsAPHINode(value) && LLVMGetInstructionParent(value) == body->start);
}

/* What the phi gets when a round begins, or what it gets within a round. */
static void trace_inputs(struct darn_value_trace *trace, LLVMValueRef phi, int around)
{
    const struct darn_body *body = trace->loop->body;

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        int number = darn_body_find(body, from);

        if (number < 0 || around != is_around(body, phi, i))
            continue; /* from before the loop, or not what is asked for */
        darn_trace_value(trace, LLVMGetIncomingValue(phi, i));
        if (around) /* what leads to another round is looked at anyway */
            continue;
        note_block(trace, from);
        if (darn_loop_condition(from))
            trace->deciders |= UINT64_C(1) << number;
    }
}

static void trace_phi(struct darn_value_trace *trace, LLVMValueRef phi)
{
    /* A name for the phi of another round: no value has an odd address. */
    LLVMValueRef before = (LLVMValueRef)((uintptr_t)phi | 1);
    LLVMBasicBlockRef at = LLVMGetInstructionParent(phi);

    if (!enter(trace, phi, 0))
        return;
    trace_inputs(trace, phi, 0);
    if ((at == trace->loop->body->start || at == trace->loop->body->blocks[0]) &&
        enter(trace, before, 1)) {
        trace_inputs(trace, phi, 1);
        trace->depth--;
    }
    trace->depth--;
}

/* The writes of a variable that can reach a read of it. */
struct search {
    LLVMValueRef object;
    LLVMValueRef writes[MAX_WRITES];
    unsigned count;
    uint64_t seen; /* blocks that were looked through from their end */
    int start;     /* the start of a round was reached */
    int unknown;
};

/* Goes back from `at` through the blocks before it. */
static void search_back(const struct darn_loop *loop, struct search *search, unsigned block,
                        LLVMValueRef at)
{
    for (; at; at = LLVMGetPreviousInstruction(at)) {
        enum effect effect = effect_on(at, search->object);

        if (effect == NOTHING)
            continue;
        if (effect == UNKNOWN || search->count == MAX_WRITES) {
            search->unknown = 1;
            return;
        }
        search->writes[search->count++] = at;
        if (effect == WRITES)
            return;
    }
    if (loop->body->blocks[block] == loop->body->start)
        search->start = 1;
    for (unsigned i = 0; i < loop->body->count; i++) {
        if (!(loop->before[block] >> i & 1) || (search->seen >> i & 1))
            continue;
        search->seen |= UINT64_C(1) << i;
        search_back(loop, search, i, LLVMGetLastInstruction(loop->body->blocks[i]));
    }
}

static void trace_writes(struct darn_value_trace *trace, const struct search *search)
{
    if (search->unknown)
        trace->varying = 1;
    for (unsigned i = 0; i < search->count && !trace->varying; i++) {
        darn_trace_value(trace, LLVMGetOperand(search->writes[i], 0));
        if (search->count > 1 || search->start)
            note_block(trace, LLVMGetInstructionParent(search->writes[i]));
    }
}

/* What the variable holds when a round starts, other than what it held before the loop. */
static void trace_around(struct darn_value_trace *trace, LLVMValueRef object)
{
    const struct darn_loop *loop = trace->loop;
    struct search search = {.object = object};

    if (!enter(trace, object, 1))
        return;
    for (unsigned i = 0; i < loop->body->count; i++) {
        if (!(loop->before[darn_loop_again(loop)] >> i & 1) || (search.seen >> i & 1))
            continue;
        search.seen |= UINT64_C(1) << i;
        search_back(loop, &search, i, LLVMGetLastInstruction(loop->body->blocks[i]));
    }
    trace_writes(trace, &search);
    trace->depth--;
}

static void trace_variable(struct darn_value_trace *trace, LLVMValueRef load, LLVMValueRef object)
{
    struct search search = {.object = object};
    int block = darn_body_find(trace->loop->body, LLVMGetInstructionParent(load));

    if (is_errno(object)) {
        trace->varying = 1;
        return;
    }
    if (!enter(trace, load, 0))
        return;
    search_back(trace->loop, &search, (unsigned)block, LLVMGetPreviousInstruction(load));
    trace_writes(trace, &search);
    if (search.start)
        trace_around(trace, object);
    trace->depth--;
}

static void trace_operands(struct darn_value_trace *trace, LLVMValueRef value)
{
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        darn_trace_value(trace, LLVMGetOperand(value, (unsigned)i));
}

/* Of a load or an atomic update. */
static void trace_address(struct darn_value_trace *trace, LLVMValueRef read)
{
    int is_atomic = !LLVMIsALoadInst(read) || LLVMGetOrdering(read) != LLVMAtomicOrderingNotAtomic;

    trace->changes++;
    trace->atomics += is_atomic;
    darn_trace_value(trace, LLVMGetOperand(read, 0));
    trace->atomics -= is_atomic;
    trace->changes--;
}

static void trace_load(struct darn_value_trace *trace, LLVMValueRef load)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    int inside;
    LLVMValueRef object = darn_trace_object(pointer, &inside);

    if (is_variable(trace, pointer, object))
        trace_variable(trace, load, object);
    else
        note_read(trace, load);
    trace_address(trace, load);
}

static int is_copy(LLVMValueRef value)
{
    return LLVMIsACastInst(value) || LLVMIsAFreezeInst(value) || LLVMIsAExtractValueInst(value);
}

void darn_trace_value(struct darn_value_trace *trace, LLVMValueRef value)
{
    if (trace->varying || !LLVMIsAInstruction(value) || !darn_body_has(trace->loop->body, value))
        return;
    if (trace->budget-- == 0) {
        trace->varying = 1;
        return;
    }
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        trace_phi(trace, value);
        return;
    case LLVMLoad:
        trace_load(trace, value);
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        note_read(trace, value);
        trace_address(trace, value);
        return;
    case LLVMCall:
    case LLVMInvoke:
        if (!darn_quiet_is_pure(value)) {
            if (trace->call_count < DARN_TRACE_CALLS)
                trace->calls[trace->call_count++] = value;
            trace->varying = 1;
            return;
        }
        break;
    case LLVMAlloca:
        trace->varying = 1;
        return;
    default:
        break;
    }
    trace->changes += !is_copy(value);
    trace_operands(trace, value);
    trace->changes -= !is_copy(value);
}
