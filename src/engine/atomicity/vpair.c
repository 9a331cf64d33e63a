#include "engine/atomicity/vpair.h"

#include <stdlib.h>

#include "engine/common/grow.h"

void darn_vpairs_free(struct darn_vpairs *pairs)
{
    free(pairs->all);
    free(pairs->buckets);
    free(pairs->heads);
    *pairs = (struct darn_vpairs){NULL, 0, 0, 0, 0, NULL, 0, NULL, 0};
}

static uint32_t *bucket_of(struct darn_vpairs *pairs, const uint32_t variable[2])
{
    uint64_t low = variable[variable[0] > variable[1]], high = variable[variable[0] < variable[1]];
    uint64_t key = high << 32 | low;

    return &pairs->buckets[darn_spread(key) & (pairs->bucket_count - 1)];
}

static void grow_buckets(struct darn_vpairs *pairs)
{
    if (pairs->live < pairs->bucket_count)
        return;
    pairs->bucket_count = pairs->bucket_count ? 2 * pairs->bucket_count : 256;
    free(pairs->buckets);
    pairs->buckets = darn_need_memory(calloc(pairs->bucket_count, sizeof(*pairs->buckets)));
    for (uint32_t i = 1; i <= pairs->count; i++) {
        uint32_t *bucket;

        if (!pairs->all[i].variable[0])
            continue;
        bucket = bucket_of(pairs, pairs->all[i].variable);
        pairs->all[i].next = *bucket;
        *bucket = i;
    }
}

static int side_of(const struct darn_vpair_entry *entry, uint32_t variable)
{
    return entry->variable[1] == variable;
}

static void enlist(struct darn_vpairs *pairs, uint32_t pair, int side)
{
    struct darn_vpair_entry *entry = &pairs->all[pair];
    uint32_t variable = entry->variable[side], first;

    pairs->heads =
        darn_grow(pairs->heads, &pairs->head_capacity, (size_t)variable + 1, sizeof(*pairs->heads));
    first = pairs->heads[variable];
    entry->after[side] = first;
    entry->before[side] = 0;
    if (first)
        pairs->all[first].before[side_of(&pairs->all[first], variable)] = pair;
    pairs->heads[variable] = pair;
}

static void unlist(struct darn_vpairs *pairs, uint32_t pair, int side)
{
    struct darn_vpair_entry *entry = &pairs->all[pair];
    uint32_t variable = entry->variable[side];
    uint32_t after = entry->after[side], before = entry->before[side];

    if (after)
        pairs->all[after].before[side_of(&pairs->all[after], variable)] = before;
    if (before)
        pairs->all[before].after[side_of(&pairs->all[before], variable)] = after;
    else
        pairs->heads[variable] = after;
}

static uint32_t take_entry(struct darn_vpairs *pairs)
{
    uint32_t pair = pairs->first_free;

    if (pair) {
        pairs->first_free = pairs->all[pair].next;
        return pair;
    }
    pair = (uint32_t)++pairs->count;
    pairs->all = darn_grow(pairs->all, &pairs->capacity, pairs->count + 1, sizeof(*pairs->all));
    return pair;
}

struct darn_vpair_entry *darn_vpairs_get(struct darn_vpairs *pairs, uint32_t first, uint32_t second)
{
    const uint32_t key[2] = {first, second};
    uint32_t *bucket, pair;

    grow_buckets(pairs);
    bucket = bucket_of(pairs, key);
    for (pair = *bucket; pair; pair = pairs->all[pair].next) {
        const uint32_t *of = pairs->all[pair].variable;

        if ((of[0] == first && of[1] == second) || (of[0] == second && of[1] == first))
            return &pairs->all[pair];
    }
    if (pairs->live == DARN_VPAIRS_MOST)
        return NULL;
    pair = take_entry(pairs);
    pairs->all[pair] = (struct darn_vpair_entry){.variable = {first, second}, .next = *bucket};
    *bucket = pair;
    pairs->live++;
    enlist(pairs, pair, 0);
    enlist(pairs, pair, 1);
    return &pairs->all[pair];
}

uint32_t darn_vpairs_first(const struct darn_vpairs *pairs, uint32_t variable)
{
    return variable < pairs->head_capacity ? pairs->heads[variable] : 0;
}

uint32_t darn_vpairs_after(const struct darn_vpairs *pairs, uint32_t pair, uint32_t variable)
{
    return pairs->all[pair].after[side_of(&pairs->all[pair], variable)];
}

void darn_vpairs_remove(struct darn_vpairs *pairs, uint32_t pair)
{
    uint32_t *link = bucket_of(pairs, pairs->all[pair].variable);

    while (*link != pair)
        link = &pairs->all[*link].next;
    *link = pairs->all[pair].next;
    unlist(pairs, pair, 0);
    unlist(pairs, pair, 1);
    pairs->all[pair] = (struct darn_vpair_entry){.next = pairs->first_free};
    pairs->first_free = pair;
    pairs->live--;
}

size_t darn_vpairs_memory(const struct darn_vpairs *pairs)
{
    return pairs->capacity * sizeof(*pairs->all) + pairs->bucket_count * sizeof(*pairs->buckets) +
           pairs->head_capacity * sizeof(*pairs->heads);
}
