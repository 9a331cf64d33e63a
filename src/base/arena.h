/*
 * Memory that is given back all at once, in large chunks: for many small things that live as long
 * as each other. A tool without memory ends (grow.h).
 */
#ifndef DARN_BASE_ARENA_H
#define DARN_BASE_ARENA_H

#include <stddef.h>

struct darn_arena {
    struct darn_arena_chunk *chunks;
    size_t left; /* in the newest chunk */
};

/* A zeroed struct is an empty arena. */
void darn_arena_free(struct darn_arena *arena);
/* Zeroed, aligned for any type. */
void *darn_arena_get(struct darn_arena *arena, size_t size);

#endif
