#include "plugin/core/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "plugin/core/guard.h"
#include "plugin/call/cxx_string.h"
#include "plugin/call/libcalls.h"
#include "plugin/call/printed.h"
#include "plugin/call/scanned.h"
#include "plugin/core/origin.h"
#include "plugin/core/pointer.h"
#include "plugin/core/result.h"
#include "plugin/spin/wait.h"
#include "site/site_calls.h"
#include "site/site.h"

struct collector {
    struct darn_accesses *accesses;
    LLVMTargetDataRef layout;
    struct darn_plugin_escape *escape;
    const struct darn_map *spins;
    int buffers;
};

void darn_accesses_free(struct darn_accesses *accesses)
{
    free(accesses->items);
    *accesses = (struct darn_accesses){0};
}

static void append(struct darn_accesses *accesses, struct darn_plugin_access access)
{
    accesses->items = darn_grow(accesses->items, &accesses->capacity, accesses->count + 1,
                                sizeof(*accesses->items));
    accesses->items[accesses->count++] = access;
}

static int has_metadata(LLVMValueRef instruction, const char *name)
{
    return LLVMGetMetadata(instruction, LLVMGetMDKindID(name, (unsigned)strlen(name))) != NULL;
}

/* Memory of another kind than ours (the fs and gs segments of x86), or made by the compiler. */
static int is_out_of_reach(LLVMValueRef instruction, LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != 0 ||
           has_metadata(instruction, "nosanitize") || has_metadata(instruction, "invariant.load");
}

static int is_watched(struct collector *c, LLVMValueRef instruction, LLVMValueRef pointer)
{
    return !is_out_of_reach(instruction, pointer) && !darn_pointer_is_private(c->escape, pointer);
}

static uint16_t spin_flags(const struct collector *c, LLVMValueRef instruction)
{
    switch (darn_map_get(c->spins, (uintptr_t)instruction, DARN_SPIN_NONE)) {
    case DARN_SPIN_NONE:
        return 0;
    case DARN_SPIN_LEADS:
        return DARN_SITE_SPIN | DARN_SITE_LEADS;
    default:
        return DARN_SITE_SPIN;
    }
}

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* Which lanes of a vector this user takes: bit i for lane i. */
static uint64_t lanes_used_by(LLVMValueRef user, LLVMValueRef vector, unsigned lanes)
{
    uint64_t all = low_bits(lanes), used = 0;

    if (LLVMIsAExtractElementInst(user)) {
        LLVMValueRef index = LLVMGetOperand(user, 1);

        return LLVMIsAConstantInt(index) ? UINT64_C(1) << LLVMConstIntGetZExtValue(index) : all;
    }
    if (!LLVMIsAShuffleVectorInst(user))
        return all;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(user); i++) {
        int lane = LLVMGetMaskValue(user, i);

        if (lane == LLVMGetUndefMaskElem())
            continue;
        if (LLVMGetOperand(user, 0) == vector && lane < (int)lanes)
            used |= UINT64_C(1) << lane;
        if (LLVMGetOperand(user, 1) == vector && lane >= (int)lanes)
            used |= UINT64_C(1) << (lane - (int)lanes);
    }
    return used;
}

/*
 * The vectorizer reads a[0..7] in one load where the source reads only a[0], a[2], a[4], a[6]. What
 * nobody uses, the source does not access: without this mask a race on a[1] would be reported.
 * Returns whether the load can be described: one with gaps that is too wide for the mask cannot.
 */
static int describe_gaps(struct darn_plugin_access *access, LLVMTargetDataRef layout)
{
    LLVMTypeRef type = LLVMTypeOf(access->instruction);
    uint64_t used = 0, bytes = 0;
    unsigned lanes, width;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return 1;
    lanes = LLVMGetVectorSize(type);
    width = (unsigned)LLVMStoreSizeOfType(layout, LLVMGetElementType(type));
    if (lanes > 64 || lanes * width != access->size)
        return 0; /* bits, or more lanes than we can tell apart */
    for (LLVMUseRef use = LLVMGetFirstUse(access->instruction); use; use = LLVMGetNextUse(use))
        used |= lanes_used_by(LLVMGetUser(use), access->instruction, lanes);
    if (used == low_bits(lanes))
        return 1;
    for (unsigned i = 0; i < lanes && i * width < 64; i++) {
        if (used >> i & 1)
            bytes |= low_bits(width) << (i * width);
    }
    access->flags |= DARN_SITE_GAPS;
    access->gaps = bytes;
    return access->size <= 64;
}

static int has_fixed_size(LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) && LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind;
}

/* What the memory order of an atomic access or fence orders; of a compare-exchange, the order of
 * its success counts. Only what reads acquires, and only what writes releases. */
static uint16_t order_flags(LLVMValueRef instruction, enum darn_site_kind kind)
{
    LLVMAtomicOrdering order = LLVMIsAAtomicCmpXchgInst(instruction)
                                   ? LLVMGetCmpXchgSuccessOrdering(instruction)
                                   : LLVMGetOrdering(instruction);
    int both = order == LLVMAtomicOrderingAcquireRelease ||
               order == LLVMAtomicOrderingSequentiallyConsistent;
    uint16_t flags = order == LLVMAtomicOrderingNotAtomic ? 0 : DARN_SITE_ATOMIC;

    if (kind != DARN_SITE_WRITE && (both || order == LLVMAtomicOrderingAcquire))
        flags |= DARN_SITE_ACQUIRES;
    if (kind != DARN_SITE_READ && (both || order == LLVMAtomicOrderingRelease))
        flags |= DARN_SITE_RELEASES;
    return flags;
}

/* It loads what one of several pointers leads to, and each has a name of its own in the source. */
static int is_nameless(LLVMValueRef load)
{
    LLVMValueRef pointer = LLVMGetOperand(load, 0);

    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return LLVMIsAPHINode(pointer) && darn_origin_is_merged(load);
}

static void add_access(struct collector *c, LLVMValueRef instruction, LLVMValueRef pointer,
                       LLVMTypeRef type, enum darn_site_kind kind, LLVMValueRef value)
{
    struct darn_plugin_access access = {
        .instruction = instruction, .pointer = pointer, .kind = kind};

    if (!has_fixed_size(type) || LLVMStoreSizeOfType(c->layout, type) > UINT16_MAX ||
        LLVMStoreSizeOfType(c->layout, type) == 0 || !is_watched(c, instruction, pointer))
        return;
    access.size = (uint32_t)LLVMStoreSizeOfType(c->layout, type);
    if (LLVMGetVolatile(instruction))
        access.flags |= DARN_SITE_VOLATILE;
    access.flags |= order_flags(instruction, kind);
    access.flags |= spin_flags(c, instruction);
    if (kind == DARN_SITE_UPDATE && darn_result_is_unused(instruction))
        access.flags |= DARN_SITE_DROPS;
    if (kind == DARN_SITE_READ && !describe_gaps(&access, c->layout))
        return;
    if (kind == DARN_SITE_READ && is_nameless(instruction))
        access.variable = "";
    access.value = value;
    append(c->accesses, access);
}

static void add_extent(struct collector *c, LLVMValueRef call, struct darn_plugin_access access)
{
    struct darn_accesses *known = c->accesses;

    if (!darn_extent_is_indirect(access.extent) && !is_watched(c, call, access.pointer))
        return;
    if (known->count && known->items[known->count - 1].instruction == call)
        access.flags |= DARN_SITE_LATER;
    access.flags |= DARN_SITE_RANGE;
    access.instruction = call;
    append(c->accesses, access);
}

static void add_range(struct collector *c, LLVMValueRef call, LLVMValueRef pointer,
                      LLVMValueRef length, enum darn_site_kind kind)
{
    add_extent(
        c, call,
        (struct darn_plugin_access){
            .pointer = pointer, .length = length, .kind = kind, .extent = DARN_EXTENT_LENGTH});
}

static LLVMValueRef number(LLVMValueRef like, uint64_t value)
{
    return LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(like))), value, 0);
}

static void add_libcall(struct collector *c, LLVMValueRef call, const struct darn_libcall *libcall)
{
    for (int i = 0; i < DARN_MAX_EFFECTS && libcall->effects[i].extent; i++) {
        const struct darn_effect *effect = &libcall->effects[i];
        LLVMValueRef by = LLVMGetArgOperand(call, effect->by);
        LLVMValueRef times;

        if (effect->extent == DARN_EXTENT_SUCCEEDED)
            times = number(call, effect->with);
        else if (effect->extent == DARN_EXTENT_COMPARED && effect->with == DARN_NO_LIMIT)
            times = number(call, UINT64_MAX);
        else
            times =
                darn_extent_has_parts(effect->extent) ? by : LLVMGetArgOperand(call, effect->with);
        if (darn_extent_is_late(effect->extent) && !darn_guards_behind(call))
            continue; /* an invoke whose way on is that of others, too */
        if (effect->extent == DARN_EXTENT_BYTE)
            by = number(call, 1);
        if (effect->extent == DARN_EXTENT_SCANNED)
            times = number(by, sizeof(void *));
        add_extent(c, call,
                   (struct darn_plugin_access){
                       .pointer = LLVMGetArgOperand(call, effect->argument),
                       .length = darn_extent_is_late(effect->extent) ? call : by,
                       .times = times,
                       .variable = darn_extent_has_parts(effect->extent) ? "" : NULL,
                       .size = darn_call_number(libcall->name),
                       .kind = effect->writes ? DARN_SITE_WRITE : DARN_SITE_READ,
                       .extent = (uint8_t)effect->extent,
                       .flags = effect->flags,
                   });
    }
}

static void add_scanned(struct collector *c, LLVMValueRef call)
{
    struct darn_scanned scanned[DARN_MOST_SCANNED];
    unsigned count = darn_guards_behind(call) ? darn_scanned(call, scanned) : 0;
    size_t length;

    for (unsigned i = 0; i < count; i++) {
        uint8_t extent = scanned[i].size ? DARN_EXTENT_SCANNED : DARN_EXTENT_SCANNED_TEXT;

        add_extent(
            c, call,
            (struct darn_plugin_access){
                .pointer = LLVMGetArgOperand(call, scanned[i].argument),
                .length = call,
                .times = number(call, scanned[i].size),
                .size = darn_call_number(LLVMGetValueName2(LLVMGetCalledValue(call), &length)),
                .kind = DARN_SITE_WRITE,
                .extent = extent,
                .before = (uint8_t)scanned[i].before,
            });
    }
}

static void add_printed(struct collector *c, LLVMValueRef call)
{
    unsigned arguments[DARN_MOST_PRINTED], count = darn_printed(call, arguments);
    size_t length;

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef string = LLVMGetArgOperand(call, arguments[i]);

        add_extent(
            c, call,
            (struct darn_plugin_access){
                .pointer = string,
                .length = string,
                .size = darn_call_number(LLVMGetValueName2(LLVMGetCalledValue(call), &length)),
                .kind = DARN_SITE_READ,
                .extent = DARN_EXTENT_STRING,
            });
    }
}

static void add_string(struct collector *c, LLVMValueRef call)
{
    LLVMValueRef string = LLVMGetArgOperand(call, 0), offset, size, is_same;
    struct darn_string_effect effect;
    LLVMBuilderRef builder;
    LLVMTypeRef byte;

    if (!darn_string_call(call, &effect) || !is_watched(c, call, string))
        return;
    byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(string)));
    builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(byte));
    offset = number(string, effect.offset);
    LLVMPositionBuilderBefore(builder, call);
    size = number(string, effect.size);
    if (effect.copies) {
        is_same = LLVMBuildICmp(builder, LLVMIntEQ, string, LLVMGetArgOperand(call, 1), "");
        size = LLVMBuildSelect(builder, is_same, number(string, 0), size, "");
    }
    add_range(c, call,
              effect.offset ? LLVMBuildGEP2(builder, byte, string, &offset, 1, "") : string,
              size, effect.writes ? DARN_SITE_WRITE : DARN_SITE_READ);
    LLVMDisposeBuilder(builder);
}

static void add_call(struct collector *c, LLVMValueRef call)
{
    const struct darn_libcall *libcall;
    LLVMValueRef condition = darn_wait_condition(call);

    if (c->buffers)
        add_printed(c, call);
    if (condition) {
        append(c->accesses, (struct darn_plugin_access){.instruction = call,
                                                        .pointer = condition,
                                                        .variable = darn_wait_predicate(call),
                                                        .kind = DARN_SITE_WAIT});
    } else if (LLVMIsAMemCpyInst(call) || LLVMIsAMemMoveInst(call)) {
        add_range(c, call, LLVMGetOperand(call, 0), LLVMGetOperand(call, 2), DARN_SITE_WRITE);
        add_range(c, call, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2), DARN_SITE_READ);
    } else if (LLVMIsAMemSetInst(call)) {
        add_range(c, call, LLVMGetOperand(call, 0), LLVMGetOperand(call, 2), DARN_SITE_WRITE);
    } else if ((libcall = darn_libcall(call)) ||
               (c->buffers && (libcall = darn_buffer_call(call)))) {
        add_libcall(c, call, libcall);
    } else if (c->buffers) {
        add_scanned(c, call);
        add_string(c, call);
    }
}

static void add_instruction(struct collector *c, LLVMValueRef instruction)
{
    LLVMValueRef value;

    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
        /* What decides about a loop is used, wherever the optimizer has moved it. */
        if (!darn_origin_is_source(instruction) && !spin_flags(c, instruction))
            break;
        add_access(c, instruction, LLVMGetOperand(instruction, 0), LLVMTypeOf(instruction),
                   DARN_SITE_READ, NULL);
        break;
    case LLVMStore:
        value = LLVMGetOperand(instruction, 0);
        add_access(c, instruction, LLVMGetOperand(instruction, 1), LLVMTypeOf(value),
                   DARN_SITE_WRITE, value);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        value = LLVMGetOperand(instruction, 1);
        add_access(c, instruction, LLVMGetOperand(instruction, 0), LLVMTypeOf(value),
                   DARN_SITE_UPDATE, darn_update_value(instruction, c->layout));
        break;
    case LLVMFence:
        if (!LLVMIsAtomicSingleThread(instruction))
            append(c->accesses,
                   (struct darn_plugin_access){.instruction = instruction,
                                               .kind = DARN_SITE_FENCE,
                                               .flags = order_flags(instruction, DARN_SITE_FENCE)});
        break;
    case LLVMCall:
    case LLVMInvoke:
        add_call(c, instruction);
        break;
    default:
        break;
    }
}

void darn_accesses_collect(struct darn_accesses *accesses, LLVMValueRef function,
                           LLVMTargetDataRef layout, struct darn_plugin_escape *escape,
                           const struct darn_map *spins, int buffers)
{
    struct collector c = {accesses, layout, escape, spins, buffers};
    LLVMBasicBlockRef block;
    LLVMValueRef instruction;

    for (block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        for (instruction = LLVMGetFirstInstruction(block); instruction;
             instruction = LLVMGetNextInstruction(instruction))
            add_instruction(&c, instruction);
    }
}

int darn_access_is_plain(const struct darn_plugin_access *access)
{
    return access->pointer && access->kind != DARN_SITE_WAIT &&
           !(access->flags &
             (DARN_SITE_ATOMIC | DARN_SITE_VOLATILE | DARN_SITE_RANGE | DARN_SITE_SPIN));
}

static int call_may_synchronize(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (!callee || !LLVMIsAFunction(callee))
        return 1;
    return LLVMGetIntrinsicID(callee) == 0 && !darn_libcall(call);
}

int darn_may_synchronize(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMLoad:
    case LLVMStore:
        /* A volatile variable may be somebody's flag: what it orders must stay behind it. */
        return LLVMGetVolatile(instruction) ||
               LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke:
    case LLVMCallBr:
        return 1;
    case LLVMCall:
        return call_may_synchronize(instruction);
    default:
        return 0;
    }
}
