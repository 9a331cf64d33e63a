/*
 * The pairs of variables that transactions have accessed together, each with its set of 2v-blocks
 * (vset.h). The pairs of one variable form a list, so that they can go with it.
 */
#ifndef DARN_ENGINE_VPAIR_H
#define DARN_ENGINE_VPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "base/pool.h"

/* The most pairs; beyond that new ones are dropped. */
#define DARN_VPAIRS_MOST (UINT32_C(1) << 22)

struct darn_vpair_entry {
    uint32_t after[2], before[2]; /* in the list of each of the two */
    uint32_t variable[2];         /* the first is the first of its 2v-blocks, too; 0: free */
    uint32_t set;                 /* of a free one: 0 */
};

struct darn_vpairs {
    struct darn_pool all;
    struct darn_htable table;
    uint32_t *heads; /* of the lists, by variable */
    size_t head_capacity;
};

void darn_vpairs_init(struct darn_vpairs *pairs);
void darn_vpairs_free(struct darn_vpairs *pairs);

static inline struct darn_vpair_entry *darn_vpair_at(const struct darn_vpairs *pairs, uint32_t pair)
{
    return darn_pool_at(&pairs->all, pair);
}

/* The pair of two variables, in whatever order; made if needed, and then in this one. NULL when
 * there are too many. */
struct darn_vpair_entry *darn_vpairs_get(struct darn_vpairs *pairs, uint32_t first,
                                         uint32_t second);

/* The first pair of a variable, and the one after; 0: none. */
uint32_t darn_vpairs_first(const struct darn_vpairs *pairs, uint32_t variable);

static inline uint32_t darn_vpair_after(const struct darn_vpair_entry *entry, uint32_t variable)
{
    return entry->after[entry->variable[1] == variable];
}

void darn_vpairs_remove(struct darn_vpairs *pairs, uint32_t pair);
size_t darn_vpairs_memory(const struct darn_vpairs *pairs);

#endif
