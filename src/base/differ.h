/*
 * Which items of two lists are the same, in the same order: as many as possible. Lines of texts, or
 * steps of runs.
 */
#ifndef DARN_BASE_DIFFER_H
#define DARN_BASE_DIFFER_H

#include <stdbool.h>
#include <stddef.h>

struct darn_differ {
    size_t before, after; /* how many items each list has */
    bool (*is_same)(const struct darn_differ *differ, size_t before, size_t after);
    const void *context;
    bool *gone, *added; /* of each item: only the one list has it. The caller frees both */
};

/* Fills in `gone` and `added`. Lists that differ in more than a thousand items are taken for all
 * different. */
void darn_differ(struct darn_differ *differ);

#endif
