#include "runtime/record/share.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/record/sets.h"
#include "runtime/report/counters.h"
#include "runtime/watch/sites.h"

/*
 * The shadow word of 8 bytes: 0 when nobody has touched them, else
 *
 *   bits 0..19   the set of sites that have (sets.h), without those that are marked anyway
 *   bits 20..43  the thread, while it is only one: its number, plus 1
 *   bit 44       somebody has written
 *   bit 45       more than one thread
 *
 * A word goes from one thread to many and from read to written, never back, by compare-and-swap: a
 * site is either in the set when that happens, or comes later and sees the new state. With both
 * bits, the set does not matter any more.
 */
#define SET_MASK    ((UINT64_C(1) << DARN_SET_BITS) - 1)
#define OWNER_SHIFT DARN_SET_BITS
#define OWNER_MASK  (UINT64_C(0xffffff) << OWNER_SHIFT)
#define WRITTEN     (UINT64_C(1) << 44)
#define MANY        (UINT64_C(1) << 45)
#define SHARED      (WRITTEN | MANY)

/* A thread whose number does not fit is never the same as the one before. */
#define OWNER_OTHER OWNER_MASK

/*
 * The shadow of 256 KiB, mapped when they are touched; the kernel makes its pages one by one. The
 * last writer of each 4 bytes: in the upper half the number of its site, plus 1, in the lower half
 * the thread. Flags are rarely smaller than that, and often lie side by side.
 */
#define LEAF_SHIFT   18
#define BRANCH_SHIFT 33
#define ADDRESS_BITS 47
#define LEAF_BYTES   (UINT64_C(1) << LEAF_SHIFT)
#define LEAVES       (1 << (BRANCH_SHIFT - LEAF_SHIFT))
#define BRANCHES     (1 << (ADDRESS_BITS - BRANCH_SHIFT))

struct leaf {
    _Atomic uint64_t words[LEAF_BYTES / 8];
    _Atomic uint64_t writers[LEAF_BYTES / 4];
};

struct branch {
    _Atomic(void *) leaves[LEAVES];
};

static _Atomic(void *) branches[BRANCHES];

static_assert(sizeof(struct leaf) % 4096 == 0, "whole pages of it are discarded");

/* Who makes an access. */
struct toucher {
    struct darn_site_entry entry;
    uint64_t owner;   /* as the word has it */
    uint64_t own;     /* the same, or what no word has */
    uint64_t written; /* WRITTEN or 0 */
    uint64_t writer;
};

/* The memory that *slot names, mapped by whoever comes first. */
static void *make(_Atomic(void *) *slot, size_t size)
{
    void *expected = atomic_load(slot), *made;

    if (expected)
        return expected;
    made = darn_os_allocate(size);
    if (!made || atomic_compare_exchange_strong(slot, &expected, made))
        return made;
    darn_os_free(made, size);
    return expected;
}

static struct leaf *find_leaf(uintptr_t address)
{
    struct branch *branch;

    if (address >> ADDRESS_BITS)
        return NULL;
    branch = atomic_load_explicit(&branches[address >> BRANCH_SHIFT], memory_order_acquire);
    if (!branch)
        return NULL;
    return atomic_load_explicit(&branch->leaves[address >> LEAF_SHIFT & (LEAVES - 1)],
                                memory_order_acquire);
}

__attribute__((noinline)) static struct leaf *make_leaf(uintptr_t address)
{
    struct branch *branch;

    if (address >> ADDRESS_BITS)
        return NULL;
    branch = make(&branches[address >> BRANCH_SHIFT], sizeof(*branch));
    if (!branch)
        return NULL;
    return make(&branch->leaves[address >> LEAF_SHIFT & (LEAVES - 1)], sizeof(struct leaf));
}

static inline bool is_marked(const struct toucher *toucher)
{
    return toucher->entry.mark && atomic_load_explicit(toucher->entry.mark, memory_order_relaxed);
}

/* Returns whether the site was not marked before. */
static bool mark(const struct toucher *toucher)
{
    return toucher->entry.mark && !is_marked(toucher) &&
           !atomic_exchange_explicit(toucher->entry.mark, 1, memory_order_relaxed);
}

static void mark_number(uint32_t number)
{
    darn_site_mark(number);
}

/* Sets and sites that lie in them, remembered for the next access: one cell for each pair, taken
 * by the latest that belongs there. */
#define CONTAINED 16384

static _Atomic uint64_t contained[CONTAINED];

static inline uint64_t pair_of(uint32_t set, const struct toucher *toucher)
{
    return (uint64_t)set << 32 | toucher->entry.number;
}

static inline _Atomic uint64_t *contained_cell(uint32_t set, const struct toucher *toucher)
{
    return &contained[(toucher->entry.number + (uint64_t)set * 61) % CONTAINED];
}

static inline bool is_contained(uint32_t set, const struct toucher *toucher)
{
    return atomic_load_explicit(contained_cell(set, toucher), memory_order_relaxed) ==
           pair_of(set, toucher);
}

static void note_contained(uint32_t set, const struct toucher *toucher)
{
    atomic_store_explicit(contained_cell(set, toucher), pair_of(set, toucher),
                          memory_order_relaxed);
}

static uint64_t set_with(uint64_t word, const struct toucher *toucher)
{
    uint32_t set = (uint32_t)(word & SET_MASK), with;

    if (!toucher->entry.mark || is_marked(toucher))
        return set;
    with = darn_set_with(set, (uint32_t)toucher->entry.number);
    if (with == set)
        note_contained(set, toucher);
    if (with != DARN_SET_NONE)
        return with;
    if (mark(toucher))
        darn_count(DARN_COUNT_SHARE_SETS_FULL);
    return set;
}

/* What the word becomes by the access. Marks sites before the word says so: should the program end
 * in between, they are not lost. */
static uint64_t next_word(uint64_t word, const struct toucher *toucher)
{
    bool is_own = (word & (MANY | OWNER_MASK)) == toucher->own;
    uint64_t written = (word & WRITTEN) | toucher->written;

    if (is_own || !word)
        return set_with(word, toucher) | toucher->owner | written;
    if (!written)
        return set_with(word, toucher) | MANY;
    mark(toucher);
    if ((word & SHARED) != SHARED)
        darn_set_each((uint32_t)(word & SET_MASK), mark_number);
    return SHARED;
}

/* Whether the access changes nothing: most do not. */
static inline bool is_usual(uint64_t word, const struct toucher *toucher)
{
    if ((word & SHARED) == SHARED)
        return !toucher->entry.mark || is_marked(toucher);
    if ((!(word & MANY) && (word & OWNER_MASK) != toucher->own) || (toucher->written & ~word))
        return false;
    return is_contained((uint32_t)(word & SET_MASK), toucher) || is_marked(toucher);
}

__attribute__((noinline)) static void change_word(_Atomic uint64_t *cell, uint64_t word,
                                                  const struct toucher *toucher)
{
    uint64_t next;

    do {
        next = next_word(word, toucher);
    } while (next != word && !atomic_compare_exchange_weak(cell, &word, next));
}

static inline void touch_word(_Atomic uint64_t *cell, const struct toucher *toucher)
{
    uint64_t word = atomic_load_explicit(cell, memory_order_acquire);

    if (__builtin_expect(!is_usual(word, toucher), 0)) {
        struct toucher copy = *toucher; /* so that the original may stay in registers */

        change_word(cell, word, &copy);
    }
}

static inline void touch_writer(_Atomic uint64_t *cell, const struct toucher *toucher)
{
    if (atomic_load_explicit(cell, memory_order_relaxed) != toucher->writer)
        atomic_store_explicit(cell, toucher->writer, memory_order_relaxed);
}

/* An access within one leaf; `last` is the address of its last byte. */
static inline void touch_leaf(struct leaf *leaf, uintptr_t address, uintptr_t last,
                              const struct toucher *toucher)
{
    uint64_t from = address % LEAF_BYTES, to = last % LEAF_BYTES;

    for (uint64_t i = from / 8; i <= to / 8; i++)
        touch_word(&leaf->words[i], toucher);
    if (toucher->written) {
        for (uint64_t i = from / 4; i <= to / 4; i++)
            touch_writer(&leaf->writers[i], toucher);
    }
}

static uint64_t owner_of(const struct darn_thread *thread)
{
    uint64_t number = thread ? (uint64_t)thread->number + 1 : OWNER_OTHER;

    return number < OWNER_OTHER >> OWNER_SHIFT ? number << OWNER_SHIFT : OWNER_OTHER;
}

/* Any access, also one that is large or the first. */
__attribute__((noinline)) static void touch(uintptr_t address, uintptr_t last,
                                            const struct toucher *toucher)
{
    for (;;) {
        uintptr_t leaf_last = address | (LEAF_BYTES - 1);
        struct leaf *leaf = find_leaf(address);

        if (!leaf)
            leaf = make_leaf(address);
        if (leaf)
            touch_leaf(leaf, address, last < leaf_last ? last : leaf_last, toucher);
        else if (mark(toucher))
            darn_count(DARN_COUNT_SHARE_NO_MEMORY);
        if (last <= leaf_last)
            return;
        address = leaf_last + 1;
    }
}

void darn_share_access(struct darn_thread *thread, uintptr_t address, uint64_t size,
                       const struct darn_site *site, bool writes)
{
    struct toucher toucher = {.entry = site ? darn_site_find(site) : (struct darn_site_entry){0},
                              .owner = owner_of(thread),
                              .written = writes ? WRITTEN : 0};
    uintptr_t last = address + size - 1;
    struct leaf *leaf = find_leaf(address);

    toucher.own = toucher.owner == OWNER_OTHER ? UINT64_MAX : toucher.owner;
    if (toucher.entry.mark)
        toucher.writer = (toucher.entry.number + 1) << 32 | (thread ? thread->number : 0);
    else if (site)
        darn_count(DARN_COUNT_SHARE_SITES_UNKNOWN);
    if (!size || last < address)
        return;
    if (__builtin_expect(leaf && address / LEAF_BYTES == last / LEAF_BYTES, 1)) {
        touch_leaf(leaf, address, last, &toucher);
    } else {
        struct toucher copy = toucher;

        touch(address, last, &copy);
    }
}

/* Looks first: to write would make pages of shadow for memory that nobody has touched. */
static void clear(_Atomic uint64_t *words, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i <= to; i++) {
        if (atomic_load_explicit(&words[i], memory_order_relaxed))
            atomic_store_explicit(&words[i], 0, memory_order_relaxed);
    }
}

static void forget_in_leaf(struct leaf *leaf, uint64_t from, uint64_t to)
{
    if (from == 0 && to == LEAF_BYTES - 1) {
        darn_os_discard(leaf, sizeof(*leaf));
        return;
    }
    clear(leaf->words, from / 8, to / 8);
    clear(leaf->writers, from / 4, to / 4);
}

void darn_share_forget(uintptr_t address, uint64_t size)
{
    uintptr_t last = address + size - 1;

    address = (address + 7) & ~UINT64_C(7); /* what lies before is somebody else's as well */
    if (!size || last < address || last >> ADDRESS_BITS)
        return;
    for (;;) {
        uintptr_t leaf_last = address | (LEAF_BYTES - 1);
        struct leaf *leaf = find_leaf(address);

        if (leaf)
            forget_in_leaf(leaf, address % LEAF_BYTES,
                           (last < leaf_last ? last : leaf_last) % LEAF_BYTES);
        if (last <= leaf_last)
            return;
        address = leaf_last + 1;
    }
}

/* What nobody has touched stays so. */
static void end_in_leaf(struct leaf *leaf, uint64_t from, uint64_t to,
                        const struct toucher *toucher)
{
    for (uint64_t i = from / 8; i <= to / 8; i++) {
        if (atomic_load_explicit(&leaf->words[i], memory_order_relaxed))
            touch_word(&leaf->words[i], toucher);
    }
}

void darn_share_end(const struct darn_thread *thread, uintptr_t address, uint64_t size)
{
    struct toucher toucher = {.owner = owner_of(thread), .written = WRITTEN};
    uintptr_t last = address + size - 1;

    toucher.own = toucher.owner == OWNER_OTHER ? UINT64_MAX : toucher.owner;
    for (uintptr_t at = address; size && at <= last && !(last >> ADDRESS_BITS);) {
        uintptr_t leaf_last = at | (LEAF_BYTES - 1);
        struct leaf *leaf = find_leaf(at);

        if (leaf)
            end_in_leaf(leaf, at % LEAF_BYTES, (last < leaf_last ? last : leaf_last) % LEAF_BYTES,
                        &toucher);
        at = leaf_last + 1;
    }
}

const struct darn_site *darn_share_last_writer(uintptr_t address, uint32_t *thread)
{
    struct leaf *leaf = find_leaf(address);
    uint64_t writer;

    if (!leaf)
        return NULL;
    writer = atomic_load_explicit(&leaf->writers[address % LEAF_BYTES / 4], memory_order_relaxed);
    if (!writer)
        return NULL;
    *thread = (uint32_t)writer;
    return darn_site_at((uint32_t)(writer >> 32) - 1);
}
