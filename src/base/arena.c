#include "base/arena.h"

#include <stdlib.h>

#include "base/grow.h"

#define CHUNK 65536

struct darn_arena_chunk {
    struct darn_arena_chunk *next;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void darn_arena_free(struct darn_arena *arena)
{
    while (arena->chunks) {
        struct darn_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        free(chunk);
    }
    arena->left = 0;
}

void *darn_arena_get(struct darn_arena *arena, size_t size)
{
    size_t rounded = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct darn_arena_chunk *chunk = arena->chunks;

    if (rounded > arena->left) {
        size_t bytes = rounded > CHUNK ? rounded : CHUNK;

        chunk = darn_need_zeroed(1, sizeof(*chunk) + bytes);
        chunk->size = bytes;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->left = bytes;
    }
    arena->left -= rounded;
    return chunk->bytes + (chunk->size - arena->left - rounded);
}
