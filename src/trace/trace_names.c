#include "trace/trace_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

struct darn_trace_name {
    const char *text;
    size_t length;
};

void darn_names_free(struct darn_trace_names *names)
{
    darn_arena_free(&names->arena);
    darn_htable_free(&names->table);
    free(names->names);
    *names = (struct darn_trace_names){0};
}

/* The number of the text + 1; 0: it is new. */
static uint32_t find_name(const struct darn_trace_names *names, uint32_t hash, const char *text,
                          size_t length)
{
    size_t at = hash;
    uint32_t number;

    while ((number = darn_htable_next(&names->table, hash, &at))) {
        const struct darn_trace_name *name = &names->names[number - 1];

        if (name->length == length && memcmp(name->text, text, length) == 0)
            break;
    }
    return number;
}

size_t darn_names_put(struct darn_trace_names *names, const char *text, size_t length)
{
    uint64_t wide = darn_hash_bytes(DARN_HASH_START, text, length);
    uint32_t hash = (uint32_t)(wide ^ wide >> 32), known = find_name(names, hash, text, length);
    char *copy;

    if (known)
        return known - 1;
    copy = darn_arena_get(&names->arena, length + 1);
    memcpy(copy, text, length);
    names->names = darn_grow(names->names, &names->room, names->count + 1, sizeof(*names->names));
    names->names[names->count++] = (struct darn_trace_name){copy, length};
    darn_htable_add(&names->table, hash, (uint32_t)names->count);
    return names->count - 1;
}

const char *darn_names_get(const struct darn_trace_names *names, size_t number)
{
    return number < names->count ? names->names[number].text : NULL;
}
