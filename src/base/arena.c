#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK 65536

struct darn_trace_chunk {
    struct darn_trace_chunk *next;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *darn_trace_check(void *memory)
{
    if (!memory) {
        fputs("darn: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void *darn_trace_get(size_t count, size_t size)
{
    return darn_trace_check(calloc(count ? count : 1, size));
}

void *darn_trace_grow(void *array, size_t *room, size_t need, size_t size)
{
    size_t wanted = *room ? *room : 16;

    if (need <= *room)
        return array;
    while (wanted < need)
        wanted *= 2;
    array = darn_trace_check(wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size));
    *room = wanted;
    return array;
}

void darn_trace_arena_free(struct darn_trace_arena *arena)
{
    while (arena->chunks) {
        struct darn_trace_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        free(chunk);
    }
    arena->left = 0;
}

void *darn_trace_arena_get(struct darn_trace_arena *arena, size_t size)
{
    size_t rounded = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct darn_trace_chunk *chunk = arena->chunks;

    if (rounded > arena->left) {
        size_t bytes = rounded > CHUNK ? rounded : CHUNK;

        chunk = darn_trace_get(1, sizeof(*chunk) + bytes);
        chunk->size = bytes;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->left = bytes;
    }
    arena->left -= rounded;
    return chunk->bytes + (chunk->size - arena->left - rounded);
}
