/*
 * Many items of one size, named by numbers from 1 on (0 is none): half the size of a pointer. They
 * live in chunks that never move, and are used again when they are given back.
 */
#ifndef DARN_BASE_POOL_H
#define DARN_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#define DARN_POOL_BITS  10
#define DARN_POOL_CHUNK ((size_t)1 << DARN_POOL_BITS)

/* `item` is set to the size of an item, at least 4; the rest is zeroed. */
struct darn_pool {
    size_t item;
    char **chunks;
    size_t chunk_count, chunk_capacity;
    uint32_t fresh; /* how many were ever used */
    uint32_t free;  /* list through the first word of the items */
    size_t used;
};

void darn_pool_free(struct darn_pool *pool);

/* What is in it is not defined. The first four bytes of one that was given back are the pool's; the
 * others stay as they were. */
uint32_t darn_pool_take(struct darn_pool *pool);
void darn_pool_give(struct darn_pool *pool, uint32_t id);

static inline void *darn_pool_at(const struct darn_pool *pool, uint32_t id)
{
    return pool->chunks[id >> DARN_POOL_BITS] + (id & (DARN_POOL_CHUNK - 1)) * pool->item;
}

static inline size_t darn_pool_memory(const struct darn_pool *pool)
{
    return pool->chunk_count * DARN_POOL_CHUNK * pool->item +
           pool->chunk_capacity * sizeof(*pool->chunks);
}

#endif
