/*
 * A number for each thread that a module has met, from 0 on, in the order in which it met them: an
 * index for arrays. Thread numbers are small in our own traces, but nothing keeps them so in a
 * trace from elsewhere, or in one that is damaged.
 */
#ifndef DARN_ENGINE_THREADS_H
#define DARN_ENGINE_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/grow.h"

#define DARN_THREADS_DIRECT 65536u

/* A zeroed struct knows no thread. */
struct darn_threads {
    uint32_t *direct; /* index + 1; 0: not met */
    size_t capacity;
    struct darn_map others;
    uint32_t count;
};

/* index + 1, or 0. */
static inline uint32_t darn_threads_find(const struct darn_threads *threads, uint32_t number)
{
    if (number < threads->capacity)
        return threads->direct[number];
    if (number < DARN_THREADS_DIRECT)
        return 0;
    return (uint32_t)darn_map_get(&threads->others, number, 0);
}

static inline uint32_t darn_threads_index(struct darn_threads *threads, uint32_t number)
{
    uint32_t known = darn_threads_find(threads, number);

    if (known)
        return known - 1;
    threads->count++;
    if (number < DARN_THREADS_DIRECT) {
        threads->direct = darn_grow(threads->direct, &threads->capacity, (size_t)number + 1,
                                    sizeof(*threads->direct));
        threads->direct[number] = threads->count;
    } else {
        darn_map_put(&threads->others, number, threads->count);
    }
    return threads->count - 1;
}

static inline size_t darn_threads_memory(const struct darn_threads *threads)
{
    return threads->capacity * sizeof(*threads->direct) + darn_map_memory(&threads->others);
}

static inline void darn_threads_free(struct darn_threads *threads)
{
    free(threads->direct);
    darn_map_free(&threads->others);
    *threads = (struct darn_threads){0};
}

#endif
