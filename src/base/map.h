/* A hash map from one machine word to another, for the tools and the plugin. */
#ifndef DARN_BASE_MAP_H
#define DARN_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"

struct darn_map_entry {
    uintptr_t key, value;
};

/* A zeroed struct is an empty map. */
struct darn_map {
    struct darn_htable table;       /* of entries + 1 */
    struct darn_map_entry *entries; /* in the order in which their keys came */
    size_t count, capacity;
};

void darn_map_free(struct darn_map *map);

/* Forgets everything, and keeps the memory for what comes next. */
void darn_map_clear(struct darn_map *map);

/* Where the value of the key is, good until the next call; a new one is 0. */
uintptr_t *darn_map_at(struct darn_map *map, uintptr_t key, bool *added);

void darn_map_put(struct darn_map *map, uintptr_t key, uintptr_t value);

/* The value of the key, or `otherwise`. */
uintptr_t darn_map_get(const struct darn_map *map, uintptr_t key, uintptr_t otherwise);

static inline size_t darn_map_memory(const struct darn_map *map)
{
    return darn_htable_memory(&map->table) + map->capacity * sizeof(*map->entries);
}

#endif
