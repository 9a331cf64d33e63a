#include "runtime/thread/unwind.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/order/outside.h"
#include "runtime/os/os.h"
#include "runtime/thread/cfi_find.h"
#include "runtime/thread/thread.h"

/* One frame of more than this is not believed. */
#define MAX_FRAME (1 << 20)

#define WORD sizeof(uintptr_t)

/* ---- ways, and the table of them ---- */

/* kind: 3 bits, by_rbp: 1, words: 18, rbp_at: 8. */
#define WORDS_BITS  18
#define RBP_BITS    8
#define PACKED_BITS (3 + 1 + WORDS_BITS + RBP_BITS)

static bool is_words(int64_t bytes, int64_t least, int64_t end)
{
    return bytes % (int64_t)WORD == 0 && bytes / (int64_t)WORD >= least &&
           bytes / (int64_t)WORD < end;
}

static bool fits(const struct darn_cfi_row *row)
{
    if (row->is_signal || row->expression ||
        (row->cfa_register != DARN_CFI_RSP && row->cfa_register != DARN_CFI_RBP) ||
        !is_words(row->cfa_offset, 1, 1 << WORDS_BITS))
        return false;
    if (row->rip.kind != DARN_CFI_AT || row->rip.offset != -(int64_t)WORD)
        return false;
    /* Within the frame: it is read without a further look at the end of the stack. */
    return row->rbp.kind == DARN_CFI_SAME ||
           (row->rbp.kind == DARN_CFI_AT && is_words(-row->rbp.offset, 1, 1 << RBP_BITS) &&
            -row->rbp.offset <= row->cfa_offset);
}

struct darn_way darn_way_of(const struct darn_cfi_row *row)
{
    int64_t below = row->rbp.kind == DARN_CFI_AT ? -row->rbp.offset : 0;

    if (row->rip.kind == DARN_CFI_UNDEFINED)
        return (struct darn_way){.kind = DARN_WAY_END};
    if (!fits(row))
        return (struct darn_way){.kind = DARN_WAY_LOOKUP};
    return (struct darn_way){.kind = DARN_WAY_WORDS,
                             .by_rbp = row->cfa_register == DARN_CFI_RBP,
                             .words = (uint32_t)row->cfa_offset / WORD,
                             .rbp_at = (uint32_t)below / WORD};
}

uint32_t darn_way_pack(const struct darn_way *way)
{
    return (uint32_t)way->kind | (uint32_t)way->by_rbp << 3 | way->words << 4 |
           way->rbp_at << (4 + WORDS_BITS);
}

struct darn_way darn_way_unpack(uint32_t packed)
{
    return (struct darn_way){.kind = (enum darn_way_kind)(packed & 7),
                             .by_rbp = packed >> 3 & 1,
                             .words = packed >> 4 & ((1u << WORDS_BITS) - 1),
                             .rbp_at = packed >> (4 + WORDS_BITS) & ((1u << RBP_BITS) - 1)};
}

/*
 * 128 kB. An entry is one word, so that nobody sees half of it: the way, and the return address
 * without those bits that its place in the table says. Addresses have 47 bits.
 */
#define TABLE_BITS   14
#define ADDRESS_BITS 47
#define TAG_SHIFT    (64 - (ADDRESS_BITS - TABLE_BITS))

_Static_assert(PACKED_BITS <= TAG_SHIFT, "a way and the rest of its address fit in a word");

static _Atomic uint64_t ways[1 << TABLE_BITS];

static inline _Atomic uint64_t *place_of(uintptr_t pc)
{
    return &ways[(pc ^ pc >> TABLE_BITS) % (1 << TABLE_BITS)];
}

static inline uint64_t tag_of(uintptr_t pc)
{
    return (uint64_t)(pc >> TABLE_BITS) << TAG_SHIFT;
}

void darn_unwind_forget(void)
{
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        atomic_store_explicit(&ways[i], 0, memory_order_relaxed);
}

/* ---- reading the stack ---- */

static inline bool is_on_stack(const struct darn_thread *thread, uintptr_t at, size_t size)
{
    return at % WORD == 0 && at >= thread->stack_start && at < thread->stack_end &&
           thread->stack_end - at >= size;
}

__attribute__((noinline, cold)) static bool copy_word(const struct darn_unwind *at,
                                                      uintptr_t address, uintptr_t *word)
{
    return at->reach != DARN_REACH_OWN &&
           darn_os_copy(word, (const void *)address, sizeof(*word)) == (long)sizeof(*word);
}

static inline bool read_word(const struct darn_unwind *at, uintptr_t address, uintptr_t *word)
{
    if (at->reach == DARN_REACH_COPY || !is_on_stack(at->thread, address, sizeof(*word)))
        return copy_word(at, address, word);
    *word = *(const uintptr_t *)address;
    return true;
}

static bool read_for_expression(const void *reader, uintptr_t address, uintptr_t *word)
{
    return read_word(reader, address, word);
}

/* ---- steps ---- */

/* The caller is there if its frame lies above, and not too far. A thread's first function was
 * called by ours, and what is above that is nobody's business. */
static inline bool go(struct darn_unwind *at, uintptr_t pc, uintptr_t sp, uintptr_t bp)
{
    uintptr_t top = at->thread->top;

    if (sp <= at->sp || sp - at->sp > MAX_FRAME || sp % WORD || pc < 4096 || pc >> ADDRESS_BITS ||
        (top && at->sp <= top && sp > top))
        return false;
    at->pc = pc;
    at->sp = sp;
    at->bp = bp;
    return true;
}

static inline bool step_by_words(struct darn_unwind *at, struct darn_way way)
{
    uintptr_t cfa = (way.by_rbp ? at->bp : at->sp) + way.words * WORD, pc, bp = at->bp;

    return cfa > at->sp && cfa - at->sp <= MAX_FRAME && read_word(at, cfa - WORD, &pc) &&
           (!way.rbp_at || read_word(at, cfa - way.rbp_at * WORD, &bp)) && go(at, pc, cfa, bp);
}

/* A frame pointer that points elsewhere is none: code without call frame information may well be
 * code without frame pointers. */
static bool step_by_frame(struct darn_unwind *at)
{
    uintptr_t frame = at->bp, pc, bp;

    return frame >= at->sp && frame - at->sp <= MAX_FRAME - 2 * WORD &&
           is_on_stack(at->thread, frame, 2 * WORD) && read_word(at, frame, &bp) &&
           read_word(at, frame + WORD, &pc) && go(at, pc, frame + 2 * WORD, bp);
}

/* The kernel has put the registers on the stack of the handler, which may be an alternate one: the
 * way back may lead anywhere. Linux, x86-64: ucontext_t, uc_mcontext.gregs. */
#define SIGNAL_RBP 120
#define SIGNAL_RSP 160
#define SIGNAL_RIP 168

static bool step_out_of_signal(struct darn_unwind *at)
{
    uintptr_t pc, sp, bp;

    if (!read_word(at, at->sp + SIGNAL_RIP, &pc) || !read_word(at, at->sp + SIGNAL_RSP, &sp) ||
        !read_word(at, at->sp + SIGNAL_RBP, &bp) || pc < 4096 || pc >> ADDRESS_BITS || sp % WORD)
        return false;
    at->pc = pc + 1; /* it is no return address, but is looked up like one */
    at->sp = sp;
    at->bp = bp;
    return true;
}

static bool step_by_row(struct darn_unwind *at, const struct darn_cfi_row *row)
{
    struct darn_cfi_registers registers = {at->pc - 1, at->sp, at->bp};
    uintptr_t cfa, pc, bp = at->bp;

    if (row->is_signal)
        return step_out_of_signal(at);
    if (row->expression) {
        if (!darn_cfi_evaluate(row->expression, row->expression_size, &registers,
                               read_for_expression, at, &cfa))
            return false;
    } else if (row->cfa_register == DARN_CFI_RSP || row->cfa_register == DARN_CFI_RBP) {
        cfa = (row->cfa_register == DARN_CFI_RSP ? at->sp : at->bp) + (uintptr_t)row->cfa_offset;
    } else {
        return step_by_frame(at);
    }
    if (row->rip.kind != DARN_CFI_AT || !read_word(at, cfa + (uintptr_t)row->rip.offset, &pc))
        return false;
    if (row->rbp.kind == DARN_CFI_AT && !read_word(at, cfa + (uintptr_t)row->rbp.offset, &bp))
        return false;
    /* Functions that align their stack save rbp where rbp itself points to. */
    if (row->rbp.kind == DARN_CFI_OTHER && !read_word(at, at->bp, &bp))
        return false;
    return go(at, pc, cfa, bp);
}

static bool step_by(struct darn_unwind *at, struct darn_way way, const struct darn_cfi_row *row)
{
    switch (way.kind) {
    case DARN_WAY_WORDS:
        return step_by_words(at, way);
    case DARN_WAY_FRAME:
        return step_by_frame(at);
    case DARN_WAY_LOOKUP:
        return step_by_row(at, row);
    default:
        return false;
    }
}

/* What no module contains is not kept: one may be loaded there. Nor is what could not be copied. */
static bool look_up(struct darn_unwind *at, struct darn_cfi_room *room)
{
    struct darn_way way = {.kind = DARN_WAY_FRAME};
    struct darn_cfi_row row;
    enum darn_cfi_found found = darn_cfi_find(at->pc - 1, &row, room);

    if (found == DARN_CFI_FOUND)
        way = darn_way_of(&row);
    if (found == DARN_CFI_FOUND || (found == DARN_CFI_NOT_THERE && !room))
        atomic_store_explicit(place_of(at->pc), tag_of(at->pc) | darn_way_pack(&way),
                              memory_order_relaxed);
    return step_by(at, way, &row);
}

__attribute__((noinline, cold)) static bool look_up_by_copy(struct darn_unwind *at)
{
    struct darn_cfi_room room;

    return look_up(at, &room);
}

__attribute__((noinline, cold)) static bool look_up_here(struct darn_unwind *at)
{
    return look_up(at, NULL);
}

bool darn_unwind_step(struct darn_unwind *at)
{
    uint64_t entry = atomic_load_explicit(place_of(at->pc), memory_order_relaxed);
    struct darn_way way = darn_way_unpack((uint32_t)entry & ((1u << PACKED_BITS) - 1));

    if (entry >> TAG_SHIFT != at->pc >> TABLE_BITS)
        way.kind = DARN_WAY_NONE;
    if (__builtin_expect(way.kind == DARN_WAY_WORDS, 1))
        return step_by_words(at, way);
    if (way.kind == DARN_WAY_FRAME)
        return step_by_frame(at);
    if (way.kind == DARN_WAY_END)
        return false;
    return at->reach == DARN_REACH_COPY ? look_up_by_copy(at) : look_up_here(at);
}

/* What is left of an entry when its tag is gone, and how many words there are: the CFA is that far
 * above rsp. So are `operator new` and most of libc. */
#define WORDS_MASK ((uint64_t)((1u << WORDS_BITS) - 1) << 4)
#define RBP_MASK   ((uint64_t)((1u << RBP_BITS) - 1) << (4 + WORDS_BITS))
#define BY_RSP     ((uint64_t)DARN_WAY_WORDS)

uint32_t darn_unwind_quickly(uintptr_t *pcs, uint32_t depth, const struct darn_thread *thread,
                             const void *frame)
{
    uintptr_t bp = ((const uintptr_t *)frame)[0], pc = ((const uintptr_t *)frame)[1];
    uintptr_t sp = (uintptr_t)frame + 2 * WORD, top = thread->top;
    uintptr_t last = thread->stack_end - 2 * WORD; /* that a frame may be at */
    const struct darn_outside_range program = darn_outside_program;
    uint32_t count = 0;

    if (top && sp <= top && top - 2 * WORD < last)
        last = top - 2 * WORD;
    if (!is_on_stack(thread, sp, 0) || bp == DARN_STACK_ALONE)
        depth = 1;
    while (pc - 4096 < (UINT64_C(1) << ADDRESS_BITS) - 4096) {
        uint64_t way;

        pcs[count++] = pc;
        if (count == depth)
            break;
        if (pc - program.start < program.size) {
            if (bp - sp > MAX_FRAME - 2 * WORD || bp > last || bp % WORD)
                break;
            pc = ((const uintptr_t *)bp)[1];
            sp = bp + 2 * WORD;
            bp = ((const uintptr_t *)bp)[0];
            continue;
        }
        way = atomic_load_explicit(place_of(pc), memory_order_relaxed) ^ tag_of(pc);
        if (__builtin_expect((way & ~(WORDS_MASK | RBP_MASK)) == BY_RSP, 1)) {
            sp += (way & WORDS_MASK) / 16 * WORD;
            if (sp - 2 * WORD > last)
                break;
            pc = ((const uintptr_t *)sp)[-1];
            if (way & RBP_MASK)
                bp = *(const uintptr_t *)(sp - (way >> (4 + WORDS_BITS)) * WORD);
        } else {
            struct darn_unwind at = {thread, DARN_REACH_OWN, pc, sp, bp};

            pc = darn_unwind_step(&at) ? at.pc : 0;
            sp = at.sp;
            bp = at.bp;
        }
    }
    return count;
}
