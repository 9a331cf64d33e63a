#include "engine/atomicity/vblock.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "engine/common/place.h"

void darn_vblocks_init(struct darn_vblocks *blocks, struct darn_periods *periods)
{
    *blocks =
        (struct darn_vblocks){.periods = periods, .all = {.item = sizeof(struct darn_vblock)}};
}

void darn_vblocks_free(struct darn_vblocks *blocks)
{
    darn_pool_free(&blocks->all);
    darn_htable_free(&blocks->table);
}

static uint64_t hash_side(uint64_t hash, const struct darn_vside *side)
{
    hash = darn_fold(hash, (uint64_t)side->site << 32 | side->set);
    return hash ^ (uint64_t)side->op << 1 ^ side->is_final;
}

static uint32_t hash_block(const struct darn_vblock *block)
{
    uint64_t hash = hash_side(hash_side(DARN_HASH_START, &block->side[0]), &block->side[1]);

    hash = darn_fold(hash, (uint64_t)block->held << 32 | block->mid);
    hash = darn_fold(hash, (uint64_t)block->period << 32 | block->unit);
    return darn_spread(hash ^ (uint64_t)block->is_two << 1 ^ block->is_flipped);
}

static bool equal_sides(const struct darn_vside *a, const struct darn_vside *b)
{
    return a->site == b->site && a->set == b->set && a->op == b->op && a->is_final == b->is_final;
}

static bool equal_blocks(const struct darn_vblock *a, const struct darn_vblock *b)
{
    return equal_sides(&a->side[0], &b->side[0]) && equal_sides(&a->side[1], &b->side[1]) &&
           a->held == b->held && a->mid == b->mid && a->period == b->period && a->unit == b->unit &&
           a->is_two == b->is_two && a->is_flipped == b->is_flipped;
}

uint32_t darn_vblocks_put(struct darn_vblocks *blocks, const struct darn_vblock *block)
{
    uint32_t hash = hash_block(block), id;
    struct darn_vblock *made;
    size_t at = hash;

    while ((id = darn_htable_next(&blocks->table, hash, &at))) {
        if (equal_blocks(darn_vblock_at(blocks, id), block))
            return id;
    }
    id = darn_pool_take(&blocks->all);
    made = darn_vblock_at(blocks, id);
    *made = *block;
    made->period = darn_periods_keep(blocks->periods, block->example.thread);
    darn_htable_add(&blocks->table, hash, id);
    if (blocks->all.used > blocks->most)
        blocks->most = blocks->all.used;
    return id;
}

void darn_vblocks_remove(struct darn_vblocks *blocks, uint32_t id)
{
    struct darn_vblock *block = darn_vblock_at(blocks, id);

    darn_htable_remove(&blocks->table, hash_block(block), id);
    darn_periods_drop(blocks->periods, block->period);
    block->period = 0;
    darn_pool_give(&blocks->all, id);
}

size_t darn_vblocks_memory(const struct darn_vblocks *blocks)
{
    return darn_pool_memory(&blocks->all) + darn_htable_memory(&blocks->table);
}

bool darn_vblock_lets(const struct darn_vworld *world, const struct darn_vblock *block,
                      uint32_t set)
{
    return darn_lockset_disjoint_for(world->sets, set, block->held);
}

/*
 * The four patterns of section 6.1: an operation of another transaction between two.
 *
 * One thing is ours: a read between two writes must be an initial one. After a write of its own
 * transaction it sees that write; if it does not, a write came between the two, and this is a
 * pattern of its own block. Without it, W(x) and W(x) in two critical sections and W(x) R(x) in one
 * are reported, though no trace of them is unserializable (lemma 2 says otherwise). A read that is
 * the second of a block is initial if the first is no write, by rule a.
 */
static bool is_unserializable(const struct darn_vblock *outer, const struct darn_vblock *other,
                              int side)
{
    unsigned first = outer->side[0].op, last = outer->side[1].op;
    const struct darn_vside *inner = &other->side[side];

    if (inner->op == DARN_VOP_READ)
        return first == DARN_VOP_WRITE && last == DARN_VOP_WRITE &&
               !(side == 1 && other->side[0].op == DARN_VOP_WRITE);
    if (inner->op != DARN_VOP_WRITE)
        return false;
    if (last == DARN_VOP_READ)
        return first == DARN_VOP_READ || first == DARN_VOP_WRITE;
    return first == DARN_VOP_READ && last == DARN_VOP_WRITE && inner->is_final;
}

unsigned darn_vblock_check_one(const struct darn_vworld *world, const struct darn_vblock *a,
                               const struct darn_vblock *b,
                               struct darn_vstep found[DARN_VTRIPLES][3])
{
    const struct darn_vblock *both[2] = {a, b};
    unsigned count = 0;

    for (uint8_t outer = 0; outer < 2; outer++) {
        for (uint8_t side = 0; side < 2; side++) {
            if (!is_unserializable(both[outer], both[!outer], side) ||
                !darn_vblock_lets(world, both[outer], both[!outer]->side[side].set))
                continue;
            found[count][0] = (struct darn_vstep){outer, 0};
            found[count][1] = (struct darn_vstep){!outer, side};
            found[count][2] = (struct darn_vstep){outer, 1};
            count++;
        }
    }
    if (count && !darn_periods_concurrent(world->periods, a->period, b->period))
        return 0;
    return count;
}

/* Section 6.2: both operations of `inner` can occur between those of `outer`. */
static bool fits_inside(const struct darn_vworld *world, const struct darn_vblock *outer,
                        const struct darn_vblock *inner)
{
    return darn_lockset_disjoint_for(world->sets, outer->held, inner->mid) &&
           darn_vblock_lets(world, outer, inner->side[0].set) &&
           darn_vblock_lets(world, outer, inner->side[1].set);
}

/* a1 b1 a2 b2 */
static bool can_overlap(const struct darn_vworld *world, const struct darn_vblock *a,
                        const struct darn_vblock *b)
{
    return darn_vblock_lets(world, a, b->side[0].set) && darn_vblock_lets(world, b, a->side[1].set);
}

static void set_steps(struct darn_vstep found[4], const uint8_t blocks[4])
{
    uint8_t side[2] = {0, 0};

    for (int i = 0; i < 4; i++)
        found[i] = (struct darn_vstep){blocks[i], side[blocks[i]]++};
}

/*
 * Two conflicts, one on each variable, are unserializable if they have opposite directions. If both
 * transactions come to the variables in one order, this takes that one of them is inside of the
 * other; if they come in opposite orders, any overlap will do.
 */
bool darn_vblock_check_two(const struct darn_vworld *world, const struct darn_vblock *a,
                           const struct darn_vblock *b, struct darn_vstep found[4])
{
    bool crossed = a->is_flipped != b->is_flipped;
    static const uint8_t b_inside[4] = {0, 1, 1, 0}, a_inside[4] = {1, 0, 0, 1};
    static const uint8_t a_first[4] = {0, 1, 0, 1}, b_first[4] = {1, 0, 1, 0};

    if (!darn_vops_conflict(a->side[0].op, b->side[crossed].op) ||
        !darn_vops_conflict(a->side[1].op, b->side[!crossed].op) ||
        !darn_periods_concurrent(world->periods, a->period, b->period))
        return false;
    if (fits_inside(world, a, b))
        set_steps(found, b_inside);
    else if (fits_inside(world, b, a))
        set_steps(found, a_inside);
    else if (crossed && can_overlap(world, a, b))
        set_steps(found, a_first);
    else if (crossed && can_overlap(world, b, a))
        set_steps(found, b_first);
    else
        return false;
    return true;
}
