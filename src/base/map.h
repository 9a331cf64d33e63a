/* A hash map from one machine word to another, for the tools and the plugin. Key 0 is not allowed.
 */
#ifndef DARN_BASE_MAP_H
#define DARN_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct darn_map {
    struct darn_map_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* A zeroed struct is an empty map. */
void darn_map_free(struct darn_map *map);

void darn_map_put(struct darn_map *map, uintptr_t key, uintptr_t value);

/* The value of the key, or `otherwise`. */
uintptr_t darn_map_get(const struct darn_map *map, uintptr_t key, uintptr_t otherwise);

#endif
