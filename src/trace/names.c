#include "trace/trace_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct darn_name_slot {
    uint32_t hash;
    uint32_t length;
    size_t number; /* + 1; 0: empty */
};

void darn_names_free(struct darn_trace_names *names)
{
    darn_trace_arena_free(&names->arena);
    free(names->slots);
    free(names->texts);
    *names = (struct darn_trace_names){0};
}

static struct darn_name_slot *find(const struct darn_trace_names *names, uint32_t hash,
                                   const char *text, size_t length)
{
    size_t i = hash & (names->capacity - 1);

    for (;; i = (i + 1) & (names->capacity - 1)) {
        struct darn_name_slot *slot = &names->slots[i];

        if (!slot->number)
            return slot;
        if (text && slot->hash == hash && slot->length == (uint32_t)length &&
            memcmp(names->texts[slot->number - 1], text, length) == 0)
            return slot;
    }
}

static void grow(struct darn_trace_names *names)
{
    struct darn_name_slot *old = names->slots;
    size_t old_capacity = names->capacity;

    names->capacity = old_capacity ? 2 * old_capacity : 64;
    names->slots = darn_trace_get(names->capacity, sizeof(*names->slots));
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].number) /* all of them differ */
            *find(names, old[i].hash, NULL, 0) = old[i];
    free(old);
}

size_t darn_names_put(struct darn_trace_names *names, const char *text, size_t length)
{
    uint64_t wide = darn_hash_bytes(DARN_HASH_START, text, length);
    uint32_t hash = (uint32_t)(wide ^ wide >> 32);
    struct darn_name_slot *slot;
    char *copy;

    if (2 * (names->count + 1) > names->capacity)
        grow(names);
    slot = find(names, hash, text, length);
    if (slot->number)
        return slot->number - 1;
    copy = darn_trace_arena_get(&names->arena, length + 1);
    memcpy(copy, text, length);
    names->texts =
        darn_trace_grow(names->texts, &names->room, names->count + 1, sizeof(*names->texts));
    names->texts[names->count++] = copy;
    *slot = (struct darn_name_slot){hash, (uint32_t)length, names->count};
    return names->count - 1;
}

const char *darn_names_get(const struct darn_trace_names *names, size_t number)
{
    return number < names->count ? names->texts[number] : NULL;
}
