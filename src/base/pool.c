#include "base/pool.h"

#include "base/grow.h"

void darn_pool_free(struct darn_pool *pool)
{
    for (size_t i = 0; i < pool->chunk_count; i++)
        free(pool->chunks[i]);
    free(pool->chunks);
    *pool = (struct darn_pool){.item = pool->item};
}

uint32_t darn_pool_take(struct darn_pool *pool)
{
    uint32_t id = pool->free;

    pool->used++;
    if (id) {
        memcpy(&pool->free, darn_pool_at(pool, id), sizeof(id));
        return id;
    }
    id = ++pool->fresh;
    if (id >> DARN_POOL_BITS >= pool->chunk_count) {
        /* Items of 64 bytes are one line of the cache each. */
        char *chunk = darn_need_memory(aligned_alloc(64, DARN_POOL_CHUNK * pool->item));

        pool->chunks = darn_grow(pool->chunks, &pool->chunk_capacity, pool->chunk_count + 1,
                                 sizeof(*pool->chunks));
        pool->chunks[pool->chunk_count++] = chunk;
    }
    return id;
}

void darn_pool_give(struct darn_pool *pool, uint32_t id)
{
    pool->used--;
    memcpy(darn_pool_at(pool, id), &pool->free, sizeof(id));
    pool->free = id;
}
