/* An array that grows, of elements of one size, which whoever owns it knows. */
#ifndef DARN_SEARCH_ARRAY_H
#define DARN_SEARCH_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A zeroed struct is an empty one. */
struct darn_array {
    void *at;
    size_t count, capacity;
};

static inline void darn_array_free(struct darn_array *array)
{
    free(array->at);
    *array = (struct darn_array){0};
}

/* At least `count` elements, new ones zeroed. */
static inline void darn_array_reach(struct darn_array *array, size_t count, size_t size)
{
    if (count <= array->count)
        return;
    array->at = darn_grow(array->at, &array->capacity, count, size);
    memset((char *)array->at + array->count * size, 0, (count - array->count) * size);
    array->count = count;
}

/* A new element at the end, zeroed. */
static inline void *darn_array_add(struct darn_array *array, size_t size)
{
    darn_array_reach(array, array->count + 1, size);
    return (char *)array->at + (array->count - 1) * size;
}

#endif
