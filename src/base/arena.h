/*
 * Memory of the trace tools. Without memory the process ends with a message, as with darn_map: it
 * is a tool, no program under test lives in it.
 */
#ifndef DARN_BASE_ARENA_H
#define DARN_BASE_ARENA_H

#include <stddef.h>

/* The memory itself; does not return for NULL. */
void *darn_trace_check(void *memory);

/* Zeroed. */
void *darn_trace_get(size_t count, size_t size);

/* An array that holds `need` elements at least: what `realloc` gives, with *room brought up to
 * date. New elements are not zeroed. */
void *darn_trace_grow(void *array, size_t *room, size_t need, size_t size);

/* Memory that is given back all at once. */
struct darn_trace_arena {
    struct darn_trace_chunk *chunks;
    size_t left; /* in the newest chunk */
};

/* A zeroed struct is an empty arena. */
void darn_trace_arena_free(struct darn_trace_arena *arena);
/* Zeroed, aligned for any type. */
void *darn_trace_arena_get(struct darn_trace_arena *arena, size_t size);

#endif
