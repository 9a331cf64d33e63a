#include "engine/deadlock/deadlock_objects.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"

#define LINE_SHIFT 6

void darn_objects_free(struct darn_objects *objects)
{
    free(objects->all);
    darn_map_free(&objects->ids);
    darn_map_free(&objects->lines);
    *objects = (struct darn_objects){0};
}

/* An address keeps its map entry when its object has ended; `life` says how many it has had. */
static uint32_t make(struct darn_objects *objects, uint64_t address, uint32_t life)
{
    uintptr_t line = address >> LINE_SHIFT;
    uint32_t id = (uint32_t)++objects->count;

    objects->all =
        darn_grow(objects->all, &objects->capacity, objects->count + 1, sizeof(*objects->all));
    objects->all[id] = (struct darn_sync_object){
        .address = address, .next = (uint32_t)darn_map_get(&objects->lines, line, 0), .life = life};
    darn_map_put(&objects->lines, line, id);
    darn_map_put(&objects->ids, address, (uintptr_t)id << 1);
    return id;
}

/* The entry of an address is the number of its last object, times two, plus one if that has ended.
 */
uint32_t darn_object_at(struct darn_objects *objects, uint64_t address)
{
    uintptr_t entry = darn_map_get(&objects->ids, address, 0);

    if (entry && !(entry & 1))
        return (uint32_t)(entry >> 1);
    return make(objects, address, entry ? objects->all[entry >> 1].life + 1 : 1);
}

static void end_on_line(struct darn_objects *objects, uint64_t line, uint64_t from, uint64_t to)
{
    uint32_t first = (uint32_t)darn_map_get(&objects->lines, line, 0), left = 0, next;

    if (!first)
        return;
    for (uint32_t id = first; id; id = next) {
        struct darn_sync_object *object = &objects->all[id];
        bool ends = object->address >= from && object->address < to && !object->users;

        next = object->next;
        if (ends && object->life < DARN_OBJECT_LIVES) {
            darn_map_put(&objects->ids, object->address, (uintptr_t)id << 1 | 1);
            continue;
        }
        objects->worn += ends;
        object->next = left;
        left = id;
    }
    darn_map_put(&objects->lines, line, left);
}

void darn_objects_event(struct darn_objects *objects, const struct darn_event *event)
{
    uint64_t from = event->target, to = from + event->extra;

    if ((event->kind != DARN_EVENT_ALLOC && event->kind != DARN_EVENT_FREE) || to <= from)
        return;
    /* Of a block that is larger than all the memory with objects on it, no line is looked for. */
    if ((to - from) >> LINE_SHIFT > objects->count) {
        for (size_t id = 1; id <= objects->count; id++) {
            uint64_t address = objects->all[id].address;

            if (address >= from && address < to)
                end_on_line(objects, address >> LINE_SHIFT, from, to);
        }
        return;
    }
    for (uint64_t line = from >> LINE_SHIFT; line <= (to - 1) >> LINE_SHIFT; line++)
        end_on_line(objects, line, from, to);
}

size_t darn_objects_memory(const struct darn_objects *objects)
{
    return objects->capacity * sizeof(*objects->all) + darn_map_memory(&objects->ids) +
           darn_map_memory(&objects->lines);
}
