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

/* Where a set was found: one variable, or two. */
struct darn_vplace {
    uint64_t address[2];
    uint32_t size[2];
};

struct darn_vset {
    uint32_t *members; /* ascending */
    uint64_t hash;
    uint32_t count, capacity;
    uint32_t references; /* with `is_final` both 0 and false: free */
    uint32_t next;       /* in its bucket, or among the free ones */
    bool is_final;       /* a variable has ended with it: it is to be checked */
    struct darn_vplace place;
};

/* A zeroed struct has the empty set only. */
struct darn_vsets {
    struct darn_vset *all; /* from 1 */
    size_t count, capacity;
    size_t live, members; /* room for members, of all */
    uint32_t first_free;
    uint32_t *buckets;
    size_t bucket_count;
};

void darn_vsets_free(struct darn_vsets *sets);

/* The set with one more member, in place of the one that is given. */
uint32_t darn_vsets_add(struct darn_vsets *sets, uint32_t set, uint32_t member);

/* The set without the members for which `is_gone` is set, in place of the one that is given. */
uint32_t darn_vsets_strip(struct darn_vsets *sets, uint32_t set, const bool *is_gone);

/* One more, and one less, that has it. */
void darn_vsets_share(struct darn_vsets *sets, uint32_t set);
void darn_vsets_leave(struct darn_vsets *sets, uint32_t set);

/* No more members come: it is to be checked. */
void darn_vsets_end(struct darn_vsets *sets, uint32_t set, const struct darn_vplace *place);

/* It was checked. */
void darn_vsets_done(struct darn_vsets *sets, uint32_t set);

size_t darn_vsets_memory(const struct darn_vsets *sets);

#endif
