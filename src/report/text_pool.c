#include "report/text_pool.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"

void darn_pool_release(struct darn_text_pool *pool)
{
    darn_arena_free(&pool->arena);
}

void *darn_pool_get(struct darn_text_pool *pool, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
        darn_need_memory(NULL);
    return darn_arena_get(&pool->arena, bytes);
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
