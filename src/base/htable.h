/*
 * The hash table of the tools: it finds the numbers of items by their hash. Open addressing with
 * linear probing, at most half full.
 *
 * The items themselves are the owner's, in an array or a pool, and are numbered from 1 on. The
 * table keeps the hash beside each number: so an item is looked at only when all 32 bits of its
 * hash agree, and the table grows and closes gaps without asking for hashes again. Several items
 * may have one hash, be it by chance or because they belong together; a lookup goes through them:
 *
 *     size_t at = hash;
 *     uint32_t item;
 *
 *     while ((item = darn_htable_next(&table, hash, &at)) && !is_wanted(item))
 *         continue;
 */
#ifndef DARN_BASE_HTABLE_H
#define DARN_BASE_HTABLE_H

#include <stddef.h>
#include <stdint.h>

struct darn_htable_slot {
    uint32_t hash;
    uint32_t item; /* 0: empty */
};

/* A zeroed struct is an empty table. */
struct darn_htable {
    struct darn_htable_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

void darn_htable_free(struct darn_htable *table);

/* It is not looked whether the item is there already. */
void darn_htable_add(struct darn_htable *table, uint32_t hash, uint32_t item);

/* The item, which is there under this hash, goes. */
void darn_htable_remove(struct darn_htable *table, uint32_t hash, uint32_t item);

/* All items go. A table that was once large, and is not used for much any more, becomes smaller
 * each time: what clearing costs is in proportion to what was put in. */
void darn_htable_clear(struct darn_htable *table);

/* Another item with this hash; 0: no more. `at` is the hash at first. */
static inline uint32_t darn_htable_next(const struct darn_htable *table, uint32_t hash, size_t *at)
{
    if (!table->capacity)
        return 0;
    for (;;) {
        const struct darn_htable_slot *slot = &table->slots[*at & (table->capacity - 1)];

        ++*at;
        if (!slot->item || slot->hash == hash)
            return slot->item;
    }
}

static inline size_t darn_htable_memory(const struct darn_htable *table)
{
    return table->capacity * sizeof(*table->slots);
}

#endif
