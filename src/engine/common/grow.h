/* Arrays that grow. An engine that has no memory left cannot go on, and says so. */
#ifndef DARN_ENGINE_GROW_H
#define DARN_ENGINE_GROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *darn_need_memory(void *memory)
{
    if (!memory) {
        fputs("darn: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* The array with room for `need` items; what is new is zeroed. */
static inline void *darn_grow(void *array, size_t *capacity, size_t need, size_t item)
{
    size_t more = *capacity ? *capacity : 16;

    if (need <= *capacity)
        return array;
    while (more < need)
        more *= 2;
    array = darn_need_memory(reallocarray(array, more, item));
    memset((char *)array + *capacity * item, 0, (more - *capacity) * item);
    *capacity = more;
    return array;
}

/* Spreads the bits of a key over the upper half of the result, for tables of a power of two. */
static inline uint32_t darn_spread(uint64_t key)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

#endif
