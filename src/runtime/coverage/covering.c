#include "runtime/coverage/covering.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/coverage/coverage_file.h"
#include "runtime/os/os.h"
#include "runtime/report/tell.h"
#include "runtime/state.h"
#include "runtime/watch/sites.h"

#define STATUS_WRONG_USAGE 2

bool darn_covering;

/*
 * A cell stands for 4 bytes, a granule. Its word says which of those that share the cell, exactly:
 * of an address of 47 bits 2 lie in the granule, 18 choose the cell, and 27 are here. What does not
 * fit (site numbers, addresses) is left out; threads whose numbers are equal in 10 bits pass for
 * the same, which makes no fact. The bytes of the granule that are touched are here, too: one may
 * hold several variables.
 *
 *   bits  0      1       2 to 5  6 to 15  16 to 35  36 to 62
 *         valid  writes  bytes   thread   site      which granule
 */
#define CELLS      (UINT32_C(1) << 18)
#define GRANULE    4
#define SITE_BITS  20
#define MOST_PARTS 16 /* granules of one access that are looked at */

static _Atomic uint64_t *last, *last_write;

static uint64_t word_of(const struct darn_thread *thread, uint32_t site, uintptr_t granule,
                        unsigned bytes, bool writes)
{
    return (uint64_t)(granule / CELLS) << 36 | (uint64_t)site << 16 |
           (uint64_t)(thread->number & 1023) << 6 | bytes << 2 | (uint64_t)writes << 1 | 1;
}

static bool is_same_granule(uint64_t a, uint64_t b)
{
    return (a & 1) && a >> 36 == b >> 36;
}

static bool is_same_memory(uint64_t a, uint64_t b)
{
    return is_same_granule(a, b) && (a & b) >> 2 & 15;
}

static bool is_other_thread(uint64_t a, uint64_t b)
{
    return (a ^ b) >> 6 & 1023;
}

static uint32_t site_of(uint64_t word)
{
    return (uint32_t)(word >> 16) & ((1U << SITE_BITS) - 1);
}

static void see(enum darn_coverage_kind kind, uint64_t before, uint64_t now)
{
    if (!darn_coverage_is_known(kind, site_of(before), site_of(now)))
        darn_coverage_put_sites(kind, site_of(before), site_of(now));
}

static void note_granule(uint64_t now, uintptr_t granule, bool writes, bool reads)
{
    _Atomic uint64_t *cell = &last[granule % CELLS], *write = &last_write[granule % CELLS];
    uint64_t before = atomic_load_explicit(cell, memory_order_relaxed), written;

    /* A thread that does the same again only reads here. */
    if (before != now)
        before = atomic_exchange_explicit(cell, now, memory_order_relaxed);
    if (is_same_memory(before, now) && is_other_thread(before, now) && ((before | now) & 2))
        see(DARN_COVERAGE_PAIR, before, now);
    written = atomic_load_explicit(write, memory_order_relaxed);
    if (reads && is_same_memory(written, now) && is_other_thread(written, now))
        see(DARN_COVERAGE_READS, written, now);
    if (writes && written != now)
        atomic_store_explicit(write, now, memory_order_relaxed);
}

/* Memory that is given back gets other variables. */
static void forget_cell(_Atomic uint64_t *cell, uintptr_t granule)
{
    uint64_t word = (uint64_t)(granule / CELLS) << 36;

    if (is_same_granule(atomic_load_explicit(cell, memory_order_relaxed), word))
        atomic_store_explicit(cell, 0, memory_order_relaxed);
}

static void forget(uintptr_t start, uintptr_t end)
{
    uintptr_t granule = start / GRANULE, most = granule + CELLS;

    for (; granule * GRANULE < end && granule < most; granule++) {
        forget_cell(&last[granule % CELLS], granule);
        forget_cell(&last_write[granule % CELLS], granule);
    }
}

/* Its own stack is another thread's when it has ended. */
static bool is_on_own_stack(const struct darn_thread *thread, uintptr_t address)
{
    return address >= thread->stack_start && address < thread->stack_end;
}

/* Which bytes of the granule lie in [start, end). */
static unsigned bytes_in(uintptr_t granule, uintptr_t start, uintptr_t end)
{
    uintptr_t first = granule * GRANULE;
    unsigned bytes = 15;

    if (start > first)
        bytes &= 15U << (start - first);
    if (end < first + GRANULE)
        bytes &= 15U >> (first + GRANULE - end);
    return bytes;
}

void darn_coverage_note_access(const struct darn_thread *thread, const struct darn_touch *touch)
{
    bool writes = touch->op != DARN_OP_READ, reads = touch->op != DARN_OP_WRITE;
    uintptr_t end = touch->address + touch->size, granule = touch->address / GRANULE;
    uintptr_t most = granule + MOST_PARTS;
    uint32_t site;

    if (touch->op == DARN_OP_FREE && !touch->object) {
        forget(touch->address, end);
        return;
    }
    if (!touch->site || touch->assertion || touch->address >> 47 ||
        is_on_own_stack(thread, touch->address))
        return;
    site = darn_site_number(touch->site);
    if (site >> SITE_BITS)
        return;
    for (; granule * GRANULE < end && granule < most; granule++)
        note_granule(word_of(thread, site, granule, bytes_in(granule, touch->address, end), writes),
                     granule, writes, reads);
}

/* ---- locks and waits ---- */

static uintptr_t caller(const void *frame)
{
    return ((const uintptr_t *)frame)[1];
}

static void see_call(enum darn_coverage_kind kind, uint64_t first, uint64_t second)
{
    if (first && !darn_coverage_is_known(kind, first, second))
        darn_coverage_put_calls(kind, first, second);
}

/* Who has taken a lock last, and still has it: its thread (16 bits) and where (48). One word for
 * all: of several threads inside, the last one that came is the one that others are near to. */
static _Atomic uint64_t inside;

/* Each look writes a word that all threads share. So calls that are new look each time, and what a
 * thread does all the time is looked at less and less as long as it shows nothing new: every eighth
 * lock, in the end every 509th. Primes, or the turns of a loop over a few locks would agree. */
static const uint16_t gaps[] = {8, 17, 31, 67, 127, 257, 509};
#define GAPS       (sizeof(gaps) / sizeof(*gaps))
#define LOOKS      32 /* that a call has for itself */
#define NEAR_CALM  16 /* looks without anything new, for each step */
#define NEAR_STEPS (GAPS * NEAR_CALM - 1)

/* What most locks do not come to has the registers to save. */
#define SELDOM __attribute__((noinline))

static bool is_known_call(const struct darn_coverage_call *call, enum darn_coverage_kind kind)
{
    return call && atomic_load_explicit(&call->seen, memory_order_relaxed) & UINT32_C(1) << kind;
}

/* Whether it is time to look who is near. */
static bool is_look_due(struct darn_thread *thread, const struct darn_coverage_call *call)
{
    return !call || atomic_load_explicit(&call->looks, memory_order_relaxed) < LOOKS ||
           thread->near_wait-- <= 0;
}

SELDOM static void note_near(struct darn_thread *thread, struct darn_coverage_call *call,
                             uintptr_t pc)
{
    uint64_t own = (uint64_t)(thread->number & 0xffff) << 48, other, first, second;
    uint32_t looks = call ? atomic_load_explicit(&call->looks, memory_order_relaxed) : LOOKS;

    if (looks < LOOKS)
        atomic_store_explicit(&call->looks, looks + 1, memory_order_relaxed);
    thread->near_wait = gaps[thread->near_gap / NEAR_CALM];
    thread->near_gap += thread->near_gap < NEAR_STEPS;
    thread->is_noted_inside = true;
    other =
        atomic_exchange_explicit(&inside, own | (pc & (UINT64_MAX >> 16)), memory_order_relaxed);
    if (!other || !((other ^ own) >> 48))
        return;
    first = darn_coverage_call(other & (UINT64_MAX >> 16));
    second = darn_coverage_call(pc);
    if (first && second && !darn_coverage_is_known(DARN_COVERAGE_NEAR, first, second)) {
        darn_coverage_put_calls(DARN_COVERAGE_NEAR, first, second);
        thread->near_gap = 0;
    }
}

static bool is_known_order(struct darn_coverage_call *call, uintptr_t outer)
{
    for (int i = 0; call && i < DARN_COVERAGE_OUTERS; i++) {
        uintptr_t known = atomic_load_explicit(&call->outer[i], memory_order_relaxed);

        if (known == outer)
            return true;
        if (!known)
            break;
    }
    return false;
}

/* The first ones stay: threads would write in turns. */
SELDOM static void note_order(struct darn_coverage_call *call, uintptr_t outer, uintptr_t pc)
{
    see_call(DARN_COVERAGE_ORDER, darn_coverage_call(outer), darn_coverage_call(pc));
    for (int i = 0; call && i < DARN_COVERAGE_OUTERS; i++)
        if (!atomic_load_explicit(&call->outer[i], memory_order_relaxed)) {
            atomic_store_explicit(&call->outer[i], outer, memory_order_relaxed);
            break;
        }
}

SELDOM static struct darn_coverage_call *note_call(uintptr_t pc)
{
    return darn_coverage_call(pc) ? darn_coverage_find(pc) : NULL;
}

/* Most locks are taken where nothing is new: they find the call, and compare. */
void darn_coverage_note_lock(struct darn_thread *thread, const void *frame)
{
    uintptr_t pc = caller(frame);
    enum darn_coverage_kind kind = thread->was_blocked ? DARN_COVERAGE_BLOCKED : DARN_COVERAGE_FREE;
    struct darn_coverage_call *call = darn_coverage_find(pc);

    if (__builtin_expect(!call, 0))
        call = note_call(pc);
    /* In a controlled run nobody waits in libc, and what is free depends on the schedule. */
    if (!thread->slot && !is_known_call(call, kind))
        darn_coverage_see_call(kind, pc);
    thread->was_blocked = false;
    for (uint32_t i = 0; i < thread->locks.count; i++)
        if (!is_known_order(call, thread->locks.held[i].pc))
            note_order(call, thread->locks.held[i].pc, pc);
    if (is_look_due(thread, call))
        note_near(thread, call, pc);
}

void darn_coverage_note_blocked(struct darn_thread *thread, const volatile void *lock,
                                const void *frame)
{
    struct darn_thread *other;
    struct darn_thread_lock held;
    uint32_t index = 0;

    (void)frame;
    thread->was_blocked = true;
    while ((other = darn_threads_next(&index)))
        if (other != thread && darn_lock_is_listed(other, (uintptr_t)lock, &held)) {
            see_call(DARN_COVERAGE_BLOCKING, darn_coverage_call(held.pc), 0);
            return;
        }
}

void darn_coverage_note_release(struct darn_thread *thread)
{
    uint64_t word = atomic_load_explicit(&inside, memory_order_relaxed);

    thread->is_noted_inside = false;
    if (word && word >> 48 == (thread->number & 0xffff))
        atomic_compare_exchange_strong(&inside, &word, 0);
}

void darn_coverage_note_wake(bool timed_out, const void *frame)
{
    see_call(timed_out ? DARN_COVERAGE_TIMEOUT : DARN_COVERAGE_WOKEN,
             darn_coverage_call(caller(frame)), 0);
}

void darn_coverage_note_missed(const void *frame)
{
    see_call(DARN_COVERAGE_MISSED, darn_coverage_call(caller(frame)), 0);
}

/* ---- the beginning ---- */

int darn_coverage_open(void)
{
    const char *path = darn_state.options.coverage;
    int result;

    if (!path[0])
        return 0;
    last = darn_os_allocate(CELLS * sizeof(*last));
    last_write = darn_os_allocate(CELLS * sizeof(*last_write));
    result = last && last_write ? darn_coverage_file_open(path) : -1;
    if (result < 0) {
        darn_say_failed("darn: coverage: the file cannot be written", result);
        return STATUS_WRONG_USAGE;
    }
    darn_covering = true;
    return 0;
}
