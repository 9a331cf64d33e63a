/*
 * Texts that are kept once each, and numbered in the order of their first appearance.
 */
#ifndef DARN_TRACE_NAMES_H
#define DARN_TRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/htable.h"

struct darn_trace_names {
    struct darn_arena arena;
    struct darn_htable table; /* of numbers + 1 */
    struct darn_trace_name *names;
    size_t count, room;
};

/* A zeroed struct has no names. */
void darn_names_free(struct darn_trace_names *names);

/* The number of the text, from 0. */
size_t darn_names_put(struct darn_trace_names *names, const char *text, size_t length);

/* The text with a NUL behind it; NULL when there is no such number. It stays where it is. */
const char *darn_names_get(const struct darn_trace_names *names, size_t number);

#endif
