/*
 * The pairs of variables that transactions have accessed together, each with its set of 2v-blocks
 * (vset.h). The pairs of one variable form a list, so that they can go with it.
 */
#ifndef DARN_ENGINE_VPAIR_H
#define DARN_ENGINE_VPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most pairs; beyond that new ones are dropped. */
#define DARN_VPAIRS_MOST (UINT32_C(1) << 22)

struct darn_vpair_entry {
    uint32_t variable[2]; /* the first is the first of its 2v-blocks, too; 0: free */
    uint32_t set;
    uint32_t next;                /* in its bucket, or among the free ones */
    uint32_t after[2], before[2]; /* in the list of each of the two */
};

/* A zeroed struct has none. */
struct darn_vpairs {
    struct darn_vpair_entry *all; /* from 1 */
    size_t count, capacity, live;
    uint32_t first_free;
    uint32_t *buckets;
    size_t bucket_count;
    uint32_t *heads; /* of the lists, by variable */
    size_t head_capacity;
};

void darn_vpairs_free(struct darn_vpairs *pairs);

/* The pair of two variables, in whatever order; made if needed, and then in this one. NULL when
 * there are too many. */
struct darn_vpair_entry *darn_vpairs_get(struct darn_vpairs *pairs, uint32_t first,
                                         uint32_t second);

/* The first pair of a variable, and the one after; 0: none. */
uint32_t darn_vpairs_first(const struct darn_vpairs *pairs, uint32_t variable);
uint32_t darn_vpairs_after(const struct darn_vpairs *pairs, uint32_t pair, uint32_t variable);

void darn_vpairs_remove(struct darn_vpairs *pairs, uint32_t pair);
size_t darn_vpairs_memory(const struct darn_vpairs *pairs);

#endif
