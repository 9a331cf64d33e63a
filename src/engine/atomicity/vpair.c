#include "engine/atomicity/vpair.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"

void darn_vpairs_init(struct darn_vpairs *pairs)
{
    *pairs = (struct darn_vpairs){.all = {.item = sizeof(struct darn_vpair_entry)}};
}

void darn_vpairs_free(struct darn_vpairs *pairs)
{
    darn_pool_free(&pairs->all);
    darn_htable_free(&pairs->table);
    free(pairs->heads);
}

static uint32_t hash_variables(const uint32_t variable[2])
{
    uint64_t low = variable[variable[0] > variable[1]], high = variable[variable[0] < variable[1]];

    return darn_spread(high << 32 | low);
}

static int side_of(const struct darn_vpair_entry *entry, uint32_t variable)
{
    return entry->variable[1] == variable;
}

static uint32_t *before_of(const struct darn_vpairs *pairs, uint32_t pair, uint32_t variable)
{
    struct darn_vpair_entry *entry = darn_vpair_at(pairs, pair);

    return &entry->before[side_of(entry, variable)];
}

static uint32_t *after_of(const struct darn_vpairs *pairs, uint32_t pair, uint32_t variable)
{
    struct darn_vpair_entry *entry = darn_vpair_at(pairs, pair);

    return &entry->after[side_of(entry, variable)];
}

static void enlist(struct darn_vpairs *pairs, uint32_t pair, int side)
{
    struct darn_vpair_entry *entry = darn_vpair_at(pairs, pair);
    uint32_t variable = entry->variable[side], first;

    pairs->heads =
        darn_grow(pairs->heads, &pairs->head_capacity, (size_t)variable + 1, sizeof(*pairs->heads));
    first = pairs->heads[variable];
    entry->after[side] = first;
    entry->before[side] = 0;
    if (first)
        *before_of(pairs, first, variable) = pair;
    pairs->heads[variable] = pair;
}

static void unlist(struct darn_vpairs *pairs, const struct darn_vpair_entry *entry, int side)
{
    uint32_t variable = entry->variable[side];
    uint32_t after = entry->after[side], before = entry->before[side];

    if (after)
        *before_of(pairs, after, variable) = before;
    if (before)
        *after_of(pairs, before, variable) = after;
    else
        pairs->heads[variable] = after;
}

struct darn_vpair_entry *darn_vpairs_get(struct darn_vpairs *pairs, uint32_t first, uint32_t second)
{
    uint32_t hash = hash_variables((const uint32_t[2]){first, second}), pair;
    struct darn_vpair_entry *entry;
    size_t at = hash;

    while ((pair = darn_htable_next(&pairs->table, hash, &at))) {
        const uint32_t *of = darn_vpair_at(pairs, pair)->variable;

        if ((of[0] == first && of[1] == second) || (of[0] == second && of[1] == first))
            return darn_vpair_at(pairs, pair);
    }
    if (pairs->all.used == DARN_VPAIRS_MOST)
        return NULL;
    pair = darn_pool_take(&pairs->all);
    entry = darn_vpair_at(pairs, pair);
    *entry = (struct darn_vpair_entry){.variable = {first, second}};
    darn_htable_add(&pairs->table, hash, pair);
    enlist(pairs, pair, 0);
    enlist(pairs, pair, 1);
    return entry;
}

uint32_t darn_vpairs_first(const struct darn_vpairs *pairs, uint32_t variable)
{
    return variable < pairs->head_capacity ? pairs->heads[variable] : 0;
}

void darn_vpairs_remove(struct darn_vpairs *pairs, uint32_t pair)
{
    struct darn_vpair_entry *entry = darn_vpair_at(pairs, pair);

    darn_htable_remove(&pairs->table, hash_variables(entry->variable), pair);
    unlist(pairs, entry, 0);
    unlist(pairs, entry, 1);
    *entry = (struct darn_vpair_entry){0};
    darn_pool_give(&pairs->all, pair);
}

size_t darn_vpairs_memory(const struct darn_vpairs *pairs)
{
    return darn_pool_memory(&pairs->all) + darn_htable_memory(&pairs->table) +
           pairs->head_capacity * sizeof(*pairs->heads);
}
