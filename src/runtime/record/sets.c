#include "runtime/record/sets.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/os/os.h"

#define SETS      (UINT32_C(1) << DARN_SET_BITS)
#define SITE_BITS 24
#define LARGEST   255 /* sites of one set: a longer list would be slow to look through */

/* A set is another set and one site more. */
struct node {
    uint64_t hash; /* the sum of what darn_mix makes of its sites: the order does not matter */
    uint32_t parent;
    uint32_t site : SITE_BITS;
    uint32_t size : 8;
};

static_assert(sizeof(struct node) == 16, "there may be a million of them");

/*
 * A table of words that are never changed once they are there: 44 bits of key, then 20 bits of
 * value, which is not 0. It grows by levels: what finds its line of the first level full goes to
 * the second, and so on. So a free cell in a line says that the key is in no later level either,
 * and two threads that add the same key meet at the same cell.
 */
#define LEVELS     4
#define LINE       8 /* words: a cache line */
#define VALUE_MASK ((UINT64_C(1) << DARN_SET_BITS) - 1)

static const uint32_t level_lines[LEVELS] = {1 << 9, 1 << 12, 1 << 15, 1 << 18};

#define TABLE_LINES ((1 << 9) + (1 << 12) + (1 << 15) + (1 << 18))

struct table {
    _Alignas(64) _Atomic uint64_t lines[TABLE_LINES][LINE];
};

struct sets {
    struct table steps;   /* from (set, site) to the set with the site */
    struct table by_hash; /* from the upper part of its hash to a set */
    struct node nodes[SETS];
};

static _Atomic(struct sets *) sets;
static _Atomic uint32_t count = 1; /* of nodes; 0 is the empty set */

static_assert(DARN_SET_BITS + SITE_BITS + DARN_SET_BITS == 64, "a step is one word");

/* Mapped when the first set is made: a run that learns nothing does not pay. */
static struct sets *make_sets(void)
{
    struct sets *made = darn_os_allocate(sizeof(*made)), *expected = NULL;

    if (!made || atomic_compare_exchange_strong(&sets, &expected, made))
        return made;
    darn_os_free(made, sizeof(*made));
    return expected;
}

/* Goes through the cells of a key, from level to level. */
struct walk {
    struct table *table;
    uint64_t hash;
    uint32_t level, line, at;
};

static _Atomic uint64_t *step(struct walk *walk)
{
    if (walk->at == LINE) {
        walk->line += level_lines[walk->level++]; /* where the next level begins */
        walk->at = 0;
    }
    if (walk->level == LEVELS)
        return NULL;
    return &walk->table
                ->lines[walk->line + (walk->hash & (level_lines[walk->level] - 1))][walk->at++];
}

static uint64_t word_of(uint64_t key, uint32_t value)
{
    return key << DARN_SET_BITS | value;
}

/* Puts the word at the first free cell; false when there is none. A word with the same key that is
 * there already says the same. */
static bool add_step(struct sets *all, uint64_t key, uint32_t value)
{
    struct walk walk = {.table = &all->steps, .hash = darn_spread(key)};
    _Atomic uint64_t *cell;

    while ((cell = step(&walk))) {
        uint64_t word = 0;

        if (atomic_compare_exchange_strong(cell, &word, word_of(key, value)) ||
            word >> DARN_SET_BITS == key)
            return true;
    }
    return false;
}

static uint32_t new_node(struct sets *all, struct node node)
{
    uint32_t set = atomic_load(&count);

    do {
        if (set >= SETS)
            return DARN_SET_NONE;
    } while (!atomic_compare_exchange_weak(&count, &set, set + 1));
    all->nodes[set] = node;
    return set;
}

/*
 * The number of the set, which gets one if it has none. Sets are told apart by 64 bits of hash:
 * that two of a million are confused has a chance of one in ten millions.
 */
static uint32_t intern(struct sets *all, struct node node)
{
    uint64_t key = node.hash >> DARN_SET_BITS;
    struct walk walk = {.table = &all->by_hash, .hash = darn_spread(key)};
    uint32_t made = 0;
    _Atomic uint64_t *cell;

    while ((cell = step(&walk))) {
        uint64_t word = atomic_load(cell);

        if (!word) {
            made = made ? made : new_node(all, node);
            if (made == DARN_SET_NONE ||
                atomic_compare_exchange_strong(cell, &word, word_of(key, made)))
                return made;
        }
        /* Another thread may have been faster: then our node stays unused. */
        if (word >> DARN_SET_BITS == key) {
            uint32_t set = (uint32_t)(word & VALUE_MASK);

            if (all->nodes[set].hash == node.hash && all->nodes[set].size == node.size)
                return set;
        }
    }
    return DARN_SET_NONE;
}

static bool contains(const struct sets *all, uint32_t set, uint32_t site)
{
    for (; set; set = all->nodes[set].parent) {
        if (all->nodes[set].site == site)
            return true;
    }
    return false;
}

__attribute__((noinline)) static uint32_t new_step(struct sets *all, uint32_t set, uint32_t site)
{
    uint64_t key = (uint64_t)set << SITE_BITS | site;
    uint32_t size = all->nodes[set].size, with = set;

    if (!contains(all, set, site)) {
        if (size == LARGEST)
            return DARN_SET_NONE;
        with = intern(all, (struct node){.hash = all->nodes[set].hash + darn_mix(site + 1),
                                         .parent = set,
                                         .site = site,
                                         .size = (uint8_t)(size + 1)});
    }
    if (with == DARN_SET_NONE || !add_step(all, key, with))
        return DARN_SET_NONE;
    return with;
}

uint32_t darn_set_with(uint32_t set, uint32_t site)
{
    struct sets *all = atomic_load_explicit(&sets, memory_order_acquire);
    uint64_t key = (uint64_t)set << SITE_BITS | site;
    struct walk walk = {.hash = darn_spread(key)};
    _Atomic uint64_t *cell;

    if (site >> SITE_BITS || (!all && !(all = make_sets())))
        return DARN_SET_NONE;
    walk.table = &all->steps;
    while ((cell = step(&walk))) {
        uint64_t word = atomic_load_explicit(cell, memory_order_acquire);

        if (!word)
            break;
        if (word >> DARN_SET_BITS == key)
            return (uint32_t)(word & VALUE_MASK);
    }
    return new_step(all, set, site);
}

void darn_set_each(uint32_t set, void (*visit)(uint32_t site))
{
    struct sets *all = atomic_load_explicit(&sets, memory_order_acquire);

    for (; all && set; set = all->nodes[set].parent)
        visit(all->nodes[set].site);
}
