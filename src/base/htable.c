#include "base/htable.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define FIRST 16

void darn_htable_free(struct darn_htable *table)
{
    free(table->slots);
    *table = (struct darn_htable){0};
}

static void put_in(struct darn_htable *table, struct darn_htable_slot slot)
{
    size_t mask = table->capacity - 1, at = slot.hash & mask;

    while (table->slots[at].item)
        at = (at + 1) & mask;
    table->slots[at] = slot;
}

/* Apart, so that an addition that needs no room is short. */
__attribute__((noinline)) static void make_room(struct darn_htable *table)
{
    struct darn_htable old = *table;

    table->capacity = old.capacity ? 2 * old.capacity : FIRST;
    table->slots = darn_need_memory(calloc(table->capacity, sizeof(*table->slots)));
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].item)
            put_in(table, old.slots[i]);
    }
    free(old.slots);
}

void darn_htable_add(struct darn_htable *table, uint32_t hash, uint32_t item)
{
    if (2 * (table->count + 1) > table->capacity)
        make_room(table);
    put_in(table, (struct darn_htable_slot){hash, item});
    table->count++;
}

/* Those that were pushed away from their cells move up, so that none is cut off from its own by
 * the gap. */
void darn_htable_remove(struct darn_htable *table, uint32_t hash, uint32_t item)
{
    size_t mask = table->capacity - 1, gap = hash & mask;

    while (table->slots[gap].item != item)
        gap = (gap + 1) & mask;
    for (size_t i = (gap + 1) & mask; table->slots[i].item; i = (i + 1) & mask) {
        if (((i - table->slots[i].hash) & mask) >= ((i - gap) & mask)) {
            table->slots[gap] = table->slots[i];
            gap = i;
        }
    }
    table->slots[gap].item = 0;
    table->count--;
}

void darn_htable_clear(struct darn_htable *table)
{
    if (!table->count)
        return;
    if (table->capacity > FIRST && 16 * table->count < table->capacity) {
        table->capacity /= 2;
        table->slots =
            darn_need_memory(reallocarray(table->slots, table->capacity, sizeof(*table->slots)));
    }
    memset(table->slots, 0, table->capacity * sizeof(*table->slots));
    table->count = 0;
}
