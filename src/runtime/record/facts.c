#include "runtime/record/facts.h"

#include <stdatomic.h>

#include "base/hash.h"
#include "runtime/os/os.h"

#define FIRST_SLOTS 1024 /* a power of two */

/* `bits` comes last: whoever sees it sees the keys. 0: free. */
struct slot {
    uint64_t first, second;
    _Atomic uint32_t bits;
};

struct darn_facts_table {
    uint64_t slots; /* a power of two */
    uint64_t used;
    struct darn_facts_table *before; /* the smaller one that it replaces */
    struct slot slot[];
};

static size_t bytes_of(uint64_t slots)
{
    return sizeof(struct darn_facts_table) + slots * sizeof(struct slot);
}

static uint64_t cell_of(uint64_t first, uint64_t second)
{
    return darn_fold(first, second << 32 | second >> 32);
}

/* The slot of the pair and its bits, or the free one where it belongs and 0. There is always a free
 * one. */
static struct slot *slot_of(struct darn_facts_table *table, uint64_t first, uint64_t second,
                            uint32_t *bits)
{
    for (uint64_t i = cell_of(first, second);; i++) {
        struct slot *slot = &table->slot[i & (table->slots - 1)];

        *bits = atomic_load_explicit(&slot->bits, memory_order_acquire);
        if (!*bits || (slot->first == first && slot->second == second))
            return slot;
    }
}

static void fill(struct slot *slot, uint64_t first, uint64_t second, uint32_t bits)
{
    slot->first = first;
    slot->second = second;
    atomic_store_explicit(&slot->bits, bits, memory_order_release);
}

static struct darn_facts_table *grown(struct darn_facts_table *old)
{
    uint64_t slots = old ? 4 * old->slots : FIRST_SLOTS;
    struct darn_facts_table *table = darn_os_allocate(bytes_of(slots));

    if (!table)
        return NULL;
    table->slots = slots;
    table->before = old;
    table->used = old ? old->used : 0;
    for (uint64_t i = 0; old && i < old->slots; i++) {
        struct slot *slot = &old->slot[i];
        uint32_t bits = atomic_load_explicit(&slot->bits, memory_order_relaxed), free;

        if (bits)
            fill(slot_of(table, slot->first, slot->second, &free), slot->first, slot->second, bits);
    }
    return table;
}

uint32_t darn_facts_add(struct darn_facts *facts, uint64_t first, uint64_t second, uint32_t bits)
{
    struct darn_facts_table *table = atomic_load(&facts->table);
    struct slot *slot;
    uint32_t known;

    if (!table || table->used >= table->slots / 2) {
        struct darn_facts_table *larger = grown(table);

        if (larger)
            table = larger;
        if (!table || table->used + 1 >= table->slots) /* a look needs a free slot to end at */
            return UINT32_MAX;
        atomic_store(&facts->table, table);
    }
    slot = slot_of(table, first, second, &known);
    if (known)
        return atomic_fetch_or(&slot->bits, bits);
    fill(slot, first, second, bits);
    table->used++;
    return 0;
}

uint32_t darn_facts_get(const struct darn_facts *facts, uint64_t first, uint64_t second)
{
    struct darn_facts_table *table = atomic_load_explicit(&facts->table, memory_order_acquire);

    uint32_t bits = 0;

    if (table)
        slot_of(table, first, second, &bits);
    return bits;
}

void darn_facts_free(struct darn_facts *facts)
{
    struct darn_facts_table *table = atomic_load(&facts->table), *before;

    atomic_store(&facts->table, NULL);
    for (; table; table = before) {
        before = table->before;
        darn_os_free(table, bytes_of(table->slots));
    }
}
