/*
 * Memory that is given back all at once: the strings and arrays of one finding.
 *
 * A finding is built from two sources, the raw JSON and the debug information, and shown a moment
 * later; who owns which of its strings would be the hardest part of the code. The pool owns all.
 */
#ifndef DARN_REPORT_TEXT_POOL_H
#define DARN_REPORT_TEXT_POOL_H

#include <stddef.h>

#include "base/arena.h"

struct darn_text_pool {
    struct darn_arena arena;
};

/* A zeroed struct is an empty pool. */
void darn_pool_release(struct darn_text_pool *pool);

/* Zeroed memory, aligned for any type. Never NULL: without memory the process ends (grow.h); the
 * program under test goes on. */
void *darn_pool_get(struct darn_text_pool *pool, size_t count, size_t size);

/* A copy of the text; NULL for NULL. */
char *darn_pool_text(struct darn_text_pool *pool, const char *text);
char *darn_pool_part(struct darn_text_pool *pool, const char *text, size_t length);
char *darn_pool_format(struct darn_text_pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
