/*
 * The blocks of Wang & Stoller, section 6: two events of one transaction, with what is needed to
 * tell whether another transaction can come between them in a way that no serial order explains. A
 * 1v-block has both events on one variable, a 2v-block on two. (Blocks of the heap: blocks.h.)
 *
 * A block is kept once, whatever the variable: which variables have it is in vset.h. To the tuples
 * of the paper we add where the events are in the source, so that each place is reported. Ids of
 * blocks count from 1.
 */
#ifndef DARN_ENGINE_VBLOCK_H
#define DARN_ENGINE_VBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "base/pool.h"
#include "engine/common/lockset.h"
#include "engine/common/periods.h"

enum darn_vop {
    DARN_VOP_DUMMY, /* stands in where a transaction has one event only; part of no pattern */
    DARN_VOP_READ,
    DARN_VOP_WRITE,
};

struct darn_vside {
    uint32_t site;
    uint32_t set;  /* lockset: held(e) */
    uint8_t op;    /* enum darn_vop */
    bool is_final; /* 1v: the last write to the variable in its transaction */
};

/* What is not in the tuple: the first example. */
struct darn_vexample {
    uint32_t stack[2], holding[2];
    uint32_t thread;
};

struct darn_vblock {
    struct darn_vside side[2]; /* in the order of the transaction */
    uint32_t held;             /* lockset: held(e1, e2), without a break */
    uint32_t mid;              /* 2v: lockset: heldmid(e1, e2) */
    uint32_t period;           /* kept, of periods.h */
    uint32_t unit;             /* site where the transaction begins */
    bool is_two;
    bool is_flipped; /* 2v: the first event is on the second variable of the pair */
    struct darn_vexample example;
};

/* What comparisons need. */
struct darn_vworld {
    struct darn_locksets *sets;
    struct darn_periods *periods;
};

struct darn_vblocks {
    struct darn_periods *periods;
    struct darn_pool all; /* a free one has period 0 */
    struct darn_htable table;
    size_t most;
};

void darn_vblocks_init(struct darn_vblocks *blocks, struct darn_periods *periods);
void darn_vblocks_free(struct darn_vblocks *blocks);

static inline struct darn_vblock *darn_vblock_at(const struct darn_vblocks *blocks, uint32_t id)
{
    return darn_pool_at(&blocks->all, id);
}

/* The id of the block that has this tuple. A new one keeps its period. */
uint32_t darn_vblocks_put(struct darn_vblocks *blocks, const struct darn_vblock *block);
void darn_vblocks_remove(struct darn_vblocks *blocks, uint32_t id);
size_t darn_vblocks_memory(const struct darn_vblocks *blocks);

/* Whether the locks let an event with held(e) = `set` come between the two of a block. */
bool darn_vblock_lets(const struct darn_vworld *world, const struct darn_vblock *block,
                      uint32_t set);

/* One step of an interleaving that is not serializable. */
struct darn_vstep {
    uint8_t block; /* 0 or 1: a or b */
    uint8_t side;
};

#define DARN_VTRIPLES 4

/* Two 1v-blocks of one variable: how many unserializable patterns they can form, with the steps of
 * each. None: isAtomic1vBlk. */
unsigned darn_vblock_check_one(const struct darn_vworld *world, const struct darn_vblock *a,
                               const struct darn_vblock *b,
                               struct darn_vstep found[DARN_VTRIPLES][3]);

/* Two 2v-blocks of the same pair of variables: whether they can be interleaved in an unserializable
 * way, and how. False: isAtomic2vBlk. */
bool darn_vblock_check_two(const struct darn_vworld *world, const struct darn_vblock *a,
                           const struct darn_vblock *b, struct darn_vstep found[4]);

static inline bool darn_vops_conflict(unsigned a, unsigned b)
{
    return a && b && (a == DARN_VOP_WRITE || b == DARN_VOP_WRITE);
}

#endif
