/*
 * A hash table from 64-bit keys to small numbers, and an array that grows. Nothing here ever ends
 * an exploration: without memory things are forgotten.
 */
#ifndef DARN_SEARCH_TABLE_H
#define DARN_SEARCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct darn_table_slot {
    uint64_t key;
    uint32_t value;
    uint32_t stamp; /* as that of the table: in use */
};

/* A zeroed struct is an empty table. */
struct darn_search_table {
    struct darn_table_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint32_t stamp;
};

void darn_table_free(struct darn_search_table *table);

/* Forgets everything; takes no longer for a large table. */
void darn_table_clear(struct darn_search_table *table);

/* Where the value of the key is, valid until the next call; a new one is 0. NULL when there is no
 * memory. */
uint32_t *darn_table_at(struct darn_search_table *table, uint64_t key, bool *added);

uint32_t darn_table_get(const struct darn_search_table *table, uint64_t key, uint32_t otherwise);

/* Elements of one size, which whoever owns the array knows. A zeroed struct is an empty one. */
struct darn_array {
    void *at;
    size_t count, capacity;
};

void darn_array_free(struct darn_array *array);

/* A new element at the end, zeroed; NULL when there is no memory. */
void *darn_array_add(struct darn_array *array, size_t size);

/* At least `count` elements, new ones zeroed. False when there is no memory. */
bool darn_array_reach(struct darn_array *array, size_t count, size_t size);

#endif
