#include "report/text_pool.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct darn_pool_block {
    struct darn_pool_block *next;
    alignas(max_align_t) char memory[];
};

void darn_pool_release(struct darn_text_pool *pool)
{
    while (pool->blocks) {
        struct darn_pool_block *block = pool->blocks;

        pool->blocks = block->next;
        free(block);
    }
}

void *darn_pool_get(struct darn_text_pool *pool, size_t count, size_t size)
{
    struct darn_pool_block *block;
    size_t bytes;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) &&
                !__builtin_add_overflow(bytes, sizeof(*block), &bytes);

    block = darn_need_memory(fits ? calloc(1, bytes) : NULL);
    block->next = pool->blocks;
    pool->blocks = block;
    return block->memory;
}

char *darn_pool_part(struct darn_text_pool *pool, const char *text, size_t length)
{
    char *copy = darn_pool_get(pool, length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

char *darn_pool_text(struct darn_text_pool *pool, const char *text)
{
    return text ? darn_pool_part(pool, text, strlen(text)) : NULL;
}

char *darn_pool_format(struct darn_text_pool *pool, const char *format, ...)
{
    va_list arguments, again;
    char *text;
    int length;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text = darn_pool_get(pool, length < 0 ? SIZE_MAX : (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
