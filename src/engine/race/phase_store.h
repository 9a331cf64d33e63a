/*
 * Phases (phase.h) as data: lists that mostly have one item, owners, copies. The logic is in
 * phase.c, the only user.
 */
#ifndef DARN_ENGINE_PHASE_STORE_H
#define DARN_ENGINE_PHASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "base/pool.h"
#include "engine/common/engine_access.h"
#include "engine/race/phase.h"

enum {
    DARN_WRITES_MEET = 1 << 0, /* IsConcurrent(WriteThreadSet) */
    DARN_READS_MEET = 1 << 1,  /* IsConcurrentWith(WriteThreadSet, ReadThreadSet) */
    DARN_PHASE_REPORTED = 1 << 2,
};

/* Mostly there is one: it needs no memory of its own. */
struct darn_phase_accesses {
    struct darn_access *more;
    uint32_t count;
    uint32_t room; /* in `more` */
    struct darn_access first;
};

struct darn_phase_sets {
    uint32_t *more;
    uint32_t first;
    uint32_t count;
    uint32_t room;
};

struct darn_phase {
    struct darn_phase *older;
    uint32_t number; /* in the pool */
    uint32_t hash;
    uint32_t common; /* it is in the table of phases, and must not be changed */
    uint32_t references;
    uint32_t flags;
    uint32_t write_set;                /* DARN_LOCKSET_ALL: no write yet */
    struct darn_phase_sets read_sets;  /* ReadSets: none is a subset of another */
    struct darn_phase_accesses reads;  /* ReadThreadSet */
    struct darn_phase_accesses writes; /* WriteThreadSet */
};

struct darn_phase_store {
    struct darn_pool phases;
    struct darn_htable common;
    size_t lists; /* bytes, of the phases */
};

void darn_phase_store_init(struct darn_phase_store *store);
/* The phases themselves have gone before. */
void darn_phase_store_free(struct darn_phase_store *store);
size_t darn_phase_store_memory(const struct darn_phase_store *store);

static inline const struct darn_access *darn_phase_access(const struct darn_phase_accesses *list,
                                                          uint32_t index)
{
    return index ? &list->more[index - 1] : &list->first;
}

static inline uint32_t darn_phase_set(const struct darn_phase_sets *list, uint32_t index)
{
    return index ? list->more[index - 1] : list->first;
}

/* Puts an item into its place: by epoch, and by number. */
void darn_phase_insert_access(struct darn_phase_store *store, struct darn_phase_accesses *list,
                              const struct darn_access *access);
void darn_phase_insert_set(struct darn_phase_store *store, struct darn_phase_sets *list,
                           uint32_t set);
void darn_phase_remove_access(struct darn_phase_accesses *list, uint32_t index);
void darn_phase_remove_set(struct darn_phase_sets *list, uint32_t index);
/* In place of what is in `to`. */
void darn_phase_copy_accesses(struct darn_phase_store *store, struct darn_phase_accesses *to,
                              const struct darn_phase_accesses *from);

/* Empty, with one owner. */
struct darn_phase *darn_phase_make(struct darn_phase_store *store);
/* With the same older phases. */
struct darn_phase *darn_phase_copy(struct darn_phase_store *store, const struct darn_phase *from);
/* The phase for one owner alone, to be changed, in place of the one that is given. */
struct darn_phase *darn_phase_own(struct darn_phase_store *store, struct darn_phase *phase);
/* The phase that has the same to say and is common to all that have, in place of the one that is
 * given. */
struct darn_phase *darn_phase_common(struct darn_phase_store *store, struct darn_phase *phase);
/* One owner less. */
void darn_phase_give_back(struct darn_phase_store *store, struct darn_phase *phase);
/* The older phase takes the place of the one before it. */
void darn_phase_unlink_older(struct darn_phase_store *store, struct darn_phase *phase);

#endif
