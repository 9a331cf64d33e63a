#include "search/table.h"

#include <stdlib.h>
#include <string.h>

#include "search/random.h"

void darn_table_free(struct darn_search_table *table)
{
    free(table->slots);
    *table = (struct darn_search_table){0};
}

void darn_table_clear(struct darn_search_table *table)
{
    table->count = 0;
    if (++table->stamp == 0 && table->slots) {
        memset(table->slots, 0, table->capacity * sizeof(*table->slots));
        table->stamp = 1;
    }
}

static struct darn_table_slot *find(const struct darn_search_table *table, uint64_t key)
{
    size_t i = (size_t)darn_search_mix(key) & (table->capacity - 1);

    while (table->slots[i].stamp == table->stamp && table->slots[i].key != key)
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

static bool grow(struct darn_search_table *table)
{
    struct darn_search_table old = *table;
    struct darn_table_slot *slots;

    table->capacity = old.capacity ? 2 * old.capacity : 64;
    slots = calloc(table->capacity, sizeof(*slots));
    if (!slots) {
        table->capacity = old.capacity;
        return false;
    }
    table->slots = slots;
    table->stamp = 1;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].stamp != old.stamp)
            continue;
        slots = find(table, old.slots[i].key);
        *slots = old.slots[i];
        slots->stamp = 1;
    }
    free(old.slots);
    return true;
}

uint32_t *darn_table_at(struct darn_search_table *table, uint64_t key, bool *added)
{
    struct darn_table_slot *slot;

    if (2 * (table->count + 1) > table->capacity && !grow(table) &&
        table->count + 1 >= table->capacity)
        return NULL;
    slot = find(table, key);
    *added = slot->stamp != table->stamp;
    if (*added) {
        *slot = (struct darn_table_slot){.key = key, .stamp = table->stamp};
        table->count++;
    }
    return &slot->value;
}

uint32_t darn_table_get(const struct darn_search_table *table, uint64_t key, uint32_t otherwise)
{
    const struct darn_table_slot *slot;

    if (!table->capacity)
        return otherwise;
    slot = find(table, key);
    return slot->stamp == table->stamp ? slot->value : otherwise;
}

void darn_array_free(struct darn_array *array)
{
    free(array->at);
    *array = (struct darn_array){0};
}

bool darn_array_reach(struct darn_array *array, size_t count, size_t size)
{
    if (count > array->capacity) {
        size_t capacity = array->capacity ? 2 * array->capacity : 16;
        void *at;

        if (capacity < count)
            capacity = count;
        at = realloc(array->at, capacity * size);
        if (!at)
            return false;
        array->at = at;
        array->capacity = capacity;
    }
    if (count > array->count) {
        memset((char *)array->at + array->count * size, 0, (count - array->count) * size);
        array->count = count;
    }
    return true;
}

void *darn_array_add(struct darn_array *array, size_t size)
{
    if (!darn_array_reach(array, array->count + 1, size))
        return NULL;
    return (char *)array->at + (array->count - 1) * size;
}
