#include "base/arena.h"

#include <stdlib.h>

#include "base/grow.h"

/* Of a chunk: there may be thousands of small arenas, and one of gigabytes. */
#define FIRST 1024
#define MOST  65536

#define ALIGNED _Alignof(max_align_t)

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

/* Under ASan each item has a chunk of its own: whoever writes beyond its end is seen. */
static size_t next_size(const struct darn_arena *arena)
{
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    (void)arena;
    return 0;
#else
    size_t size = arena->chunks ? 2 * arena->chunks->size : FIRST;

    return size < MOST ? size : MOST;
#endif
}

void *darn_arena_get(struct darn_arena *arena, size_t size)
{
    size_t rounded = (size ? size + ALIGNED - 1 : ALIGNED) / ALIGNED * ALIGNED;
    struct darn_arena_chunk *chunk = arena->chunks;

    if (rounded > arena->left) {
        size_t next = next_size(arena), bytes = rounded > next ? rounded : next;

        chunk = darn_need_zeroed(1, sizeof(*chunk) + bytes);
        chunk->size = bytes;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->left = bytes;
    }
    arena->left -= rounded;
    return chunk->bytes + (chunk->size - arena->left - rounded);
}
