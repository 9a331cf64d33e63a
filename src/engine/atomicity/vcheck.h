/*
 * The comparison of blocks, theorems 3 to 5 of Wang & Stoller, and what is reported.
 */
#ifndef DARN_ENGINE_VCHECK_H
#define DARN_ENGINE_VCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "engine/atomicity/atombase.h"
#include "engine/atomicity/vblock.h"
#include "engine/atomicity/vpair.h"
#include "engine/atomicity/vset.h"

/* The most predictions, of all kinds together. */
#define DARN_VCHECK_PREDICTIONS 1024
/* And of those with two variables, for the same two transactions: code that takes no locks has one
 * for any two of its variables. */
#define DARN_VCHECK_CROWD       16

struct darn_vcheck {
    struct darn_atombase *base;
    struct darn_vblocks *blocks;
    struct darn_vsets *sets;
    struct darn_vpairs *pairs;
    uint64_t work;    /* comparisons that are left */
    uint64_t skipped; /* that were not made */
    uint32_t reported;
    uint64_t unreported;    /* came after so many that they were not looked up */
    struct darn_map crowds; /* of predictions, by pairs of transactions */
    uint64_t cycles;        /* that were found */
    bool is_cut;            /* the search for cycles was given up */
};

/* Checks all sets that have ended, and lets them go. */
void darn_vcheck_sets(struct darn_vcheck *check);

/* Cyclic dependencies of three and more transactions (theorem 5), over pairs that are there. */
void darn_vcheck_cycles(struct darn_vcheck *check);

/* How many predictions there are that the transactions of two blocks are not atomic over two
 * variables. */
uint64_t darn_vcheck_crowd(const struct darn_vcheck *check, const struct darn_vblock *a,
                           const struct darn_vblock *b);

/* One step of a prediction, of one of the variables of a place. */
void darn_vcheck_step(struct darn_vcheck *check, struct darn_prediction *prediction,
                      const struct darn_vblock *block, int side, uint64_t address, uint32_t size);

#endif
