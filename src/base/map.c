#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

struct darn_map_slot {
    uintptr_t key; /* 0: empty */
    uintptr_t value;
};

static struct darn_map_slot *find(const struct darn_map *map, uintptr_t key)
{
    /* Fibonacci hashing: pointers differ in their middle bits. */
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (map->capacity - 1);

    while (map->slots[i].key && map->slots[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

static void grow(struct darn_map *map)
{
    struct darn_map old = *map;

    map->capacity = old.capacity ? 2 * old.capacity : 64;
    map->slots = calloc(map->capacity, sizeof(*map->slots));
    if (!map->slots) {
        fputs("darn: out of memory\n", stderr);
        exit(1);
    }
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].key)
            *find(map, old.slots[i].key) = old.slots[i];
    }
    free(old.slots);
}

void darn_map_free(struct darn_map *map)
{
    free(map->slots);
    *map = (struct darn_map){0};
}

void darn_map_put(struct darn_map *map, uintptr_t key, uintptr_t value)
{
    struct darn_map_slot *slot;

    if (2 * (map->count + 1) > map->capacity)
        grow(map);
    slot = find(map, key);
    if (!slot->key) {
        slot->key = key;
        map->count++;
    }
    slot->value = value;
}

uintptr_t darn_map_get(const struct darn_map *map, uintptr_t key, uintptr_t otherwise)
{
    const struct darn_map_slot *slot;

    if (!map->capacity)
        return otherwise;
    slot = find(map, key);
    return slot->key ? slot->value : otherwise;
}
