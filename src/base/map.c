#include "base/map.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/hash.h"

void darn_map_free(struct darn_map *map)
{
    darn_htable_free(&map->table);
    free(map->entries);
    *map = (struct darn_map){.count = 0};
}

void darn_map_clear(struct darn_map *map)
{
    darn_htable_clear(&map->table);
    map->count = 0;
}

/* Pointers differ in their middle bits, and some numbers in their upper ones only. */
static uint32_t hash_key(uintptr_t key)
{
    return darn_spread(key ^ key >> 32);
}

static struct darn_map_entry *find_key(const struct darn_map *map, uint32_t hash, uintptr_t key)
{
    size_t at = hash;
    uint32_t entry;

    while ((entry = darn_htable_next(&map->table, hash, &at))) {
        if (map->entries[entry - 1].key == key)
            return &map->entries[entry - 1];
    }
    return NULL;
}

uintptr_t *darn_map_at(struct darn_map *map, uintptr_t key, bool *added)
{
    uint32_t hash = hash_key(key);
    struct darn_map_entry *entry = find_key(map, hash, key);

    *added = !entry;
    if (entry)
        return &entry->value;
    map->entries = darn_grow(map->entries, &map->capacity, map->count + 1, sizeof(*map->entries));
    entry = &map->entries[map->count++];
    *entry = (struct darn_map_entry){key, 0};
    darn_htable_add(&map->table, hash, (uint32_t)map->count);
    return &entry->value;
}

void darn_map_put(struct darn_map *map, uintptr_t key, uintptr_t value)
{
    bool added;

    *darn_map_at(map, key, &added) = value;
}

uintptr_t darn_map_get(const struct darn_map *map, uintptr_t key, uintptr_t otherwise)
{
    const struct darn_map_entry *entry = find_key(map, hash_key(key), key);

    return entry ? entry->value : otherwise;
}
