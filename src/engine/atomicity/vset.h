/*
 * Sets of blocks (vblock.h), as numbers: the blocks of a variable, or of a pair of variables. Equal
 * sets are one and are checked once: the elements of an array, or the fields of a thousand objects,
 * mostly have one set. 0 is the empty set.
 */
#ifndef DARN_ENGINE_VSET_H
#define DARN_ENGINE_VSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "base/pool.h"

/* Where a set was found: one variable, or two. */
struct darn_vtarget {
    uint64_t address[2];
    uint32_t size[2];
};

struct darn_vset {
    uint32_t *members; /* ascending */
    uint64_t hash;
    uint32_t count, capacity;
    uint32_t references; /* with `is_final` both 0 and false: free */
    bool is_final;       /* a variable has ended with it: it is to be checked */
    struct darn_vtarget place;
};

struct darn_vsets {
    struct darn_pool all;
    struct darn_htable table;
    size_t members; /* room for them, of all */
};

/* There is the empty set only. */
void darn_vsets_init(struct darn_vsets *sets);
void darn_vsets_free(struct darn_vsets *sets);

static inline struct darn_vset *darn_vset_at(const struct darn_vsets *sets, uint32_t set)
{
    return darn_pool_at(&sets->all, set);
}

/* NULL for the empty set. */
static inline struct darn_vset *darn_vset_get(const struct darn_vsets *sets, uint32_t set)
{
    return set ? darn_vset_at(sets, set) : NULL;
}

/* The set with one more member, in place of the one that is given. */
uint32_t darn_vsets_add(struct darn_vsets *sets, uint32_t set, uint32_t member);

/* The set without the members for which `is_gone` is set, in place of the one that is given. */
uint32_t darn_vsets_strip(struct darn_vsets *sets, uint32_t set, const bool *is_gone);

/* One more, and one less, that has it. */
void darn_vsets_share(struct darn_vsets *sets, uint32_t set);
void darn_vsets_leave(struct darn_vsets *sets, uint32_t set);

/* No more members come: it is to be checked. */
void darn_vsets_end(struct darn_vsets *sets, uint32_t set, const struct darn_vtarget *place);

/* It was checked. */
void darn_vsets_done(struct darn_vsets *sets, uint32_t set);

size_t darn_vsets_memory(const struct darn_vsets *sets);

#endif
