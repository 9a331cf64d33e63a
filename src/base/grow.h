/* Memory of tools, and arrays that grow. A tool that has no memory left cannot go on: it says so
 * and ends, with the same status everywhere. No program under test lives in it. */
#ifndef DARN_BASE_GROW_H
#define DARN_BASE_GROW_H

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

/* Never NULL, not even for no items. */
static inline void *darn_need_zeroed(size_t count, size_t size)
{
    return darn_need_memory(calloc(count ? count : 1, size));
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

#endif
