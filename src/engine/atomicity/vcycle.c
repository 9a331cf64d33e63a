/*
 * Cyclic dependencies between three and more transactions (Wang & Stoller 6.3). The paper's theorem
 * 5 goes through all traces of initial reads and final writes; what its authors have built, and
 * this is, looks for the cycles themselves.
 *
 * A cycle of transactions over different variables: t1 accesses x and later y; another one comes to
 * x after it and to z, a third comes to z after that one and to y, before t1 does. All of them but
 * t1 happen, one after the other, between the two accesses of t1; if the locks that t1 holds allow
 * it, there is a trace with this cycle. One of them may be a *relay*: a final write of a variable
 * that is read before it and read after it. What is not looked for: cycles that need two
 * transactions to be interrupted.
 */
#include "engine/atomicity/vblocks.h"
#include "engine/atomicity/vcheck.h"
#include "engine/common/place.h"

#define MOST_MIDDLE 3 /* transactions in a cycle, without t1 */
#define CYCLES      64
#define WORK        UINT64_C(20000000)

struct middle {
    const struct darn_vblock *block;
    const struct darn_vpair_entry *pair; /* NULL: a relay */
    uint32_t variable;                   /* of a relay */
    int side;
};

struct walk {
    struct darn_vcheck *check;
    struct darn_vworld world;
    const struct darn_vblock *outer;
    const struct darn_vpair_entry *outer_pair;
    uint32_t target; /* variable: where the cycle closes */
    struct middle middles[MOST_MIDDLE];
    uint32_t count;
    bool has_relay;
    uint64_t work;
};

/* Which of the two variables of its pair a side is on. */
static int which_of(const struct darn_vblock *block, int side)
{
    return block->is_flipped != (side == 1);
}

static uint64_t key_of(const struct walk *walk, const struct darn_vblock *block)
{
    uint64_t sum = 0;

    for (int side = 0; side < 2; side++) {
        uint64_t place = darn_place(&walk->check->base->config, block->side[side].site, 0);

        if (block->side[side].op == DARN_VOP_DUMMY)
            continue;
        sum += darn_hash_number(darn_hash_word(DARN_HASH_START, place), block->side[side].op);
    }
    return sum;
}

static void add_step(struct walk *walk, struct darn_prediction *prediction, const struct middle *of,
                     int side)
{
    uint32_t variable = of->pair ? of->pair->variable[which_of(of->block, side)] : of->variable;
    const struct darn_variable *at = darn_atom_variable(walk->check->base, variable);

    darn_vcheck_step(walk->check, prediction, of->block, side, at->address, at->size);
}

/* Whether two of the transactions are known not to be atomic by themselves: then the cycle tells
 * nothing new. */
static bool is_told(const struct walk *walk)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        if (darn_vcheck_crowd(walk->check, walk->outer, walk->middles[i].block))
            return true;
        for (uint32_t j = 0; j < i; j++) {
            if (darn_vcheck_crowd(walk->check, walk->middles[j].block, walk->middles[i].block))
                return true;
        }
    }
    return false;
}

static void report(struct walk *walk)
{
    const struct middle outer = {walk->outer, walk->outer_pair, 0, 0};
    uint64_t key = key_of(walk, walk->outer) + walk->count;
    struct darn_prediction *prediction;

    if (is_told(walk))
        return;
    for (uint32_t i = 0; i < walk->count; i++)
        key += key_of(walk, walk->middles[i].block);
    prediction = darn_pairs_see_key(walk->check->base->pairs, DARN_PREDICTS_ATOMICITY, key, 0);
    if (!prediction)
        return;
    walk->check->cycles++;
    add_step(walk, prediction, &outer, 0);
    for (uint32_t i = 0; i < walk->count; i++) {
        if (!walk->middles[i].pair) {
            add_step(walk, prediction, &walk->middles[i], walk->middles[i].side);
            continue;
        }
        add_step(walk, prediction, &walk->middles[i], 0);
        add_step(walk, prediction, &walk->middles[i], 1);
    }
    add_step(walk, prediction, &outer, 1);
    prediction->target = prediction->steps[0].event.target;
}

/* Before each thing that is looked at, be it the next moment left aside: a variable with thousands of
 * pairs takes its time. False: enough was looked at. */
static bool spend(struct walk *walk)
{
    return walk->work && --walk->work;
}

/* Whether it is none of those that are in the cycle already, and can happen with them. */
static bool is_another(const struct walk *walk, const struct darn_vblock *block)
{
    const struct darn_periods *periods = walk->world.periods;

    for (uint32_t i = 0; i < walk->count; i++) {
        if (!darn_periods_concurrent(periods, walk->middles[i].block->period, block->period))
            return false;
    }
    return darn_periods_concurrent(periods, walk->outer->period, block->period);
}

/* Whether a lock is free although t1 stands still. What went before in the cycle has given its
 * locks back; but if t1 holds any, it may wait for t1 before it can do so. */
static bool is_free(const struct walk *walk, uint32_t set)
{
    const struct darn_vworld *world = &walk->world;

    for (uint32_t i = 0; walk->outer->held != DARN_LOCKSET_EMPTY && i < walk->count; i++) {
        const struct middle *before = &walk->middles[i];
        int last = before->pair ? 1 : before->side;

        if (!darn_lockset_disjoint_for(world->sets, before->block->side[last].set, set))
            return false;
    }
    return darn_vblock_lets(world, walk->outer, set);
}

/* Whether a whole transaction can happen while t1 is between its two accesses. */
static bool can_be(const struct walk *walk, const struct darn_vblock *block)
{
    return is_another(walk, block) && is_free(walk, block->side[0].set) &&
           is_free(walk, block->side[1].set) && is_free(walk, block->mid);
}

static bool is_visited(const struct walk *walk, uint32_t variable)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct darn_vpair_entry *pair = walk->middles[i].pair;

        if (pair && (pair->variable[0] == variable || pair->variable[1] == variable))
            return true;
    }
    return false;
}

static void walk_on(struct walk *walk, uint32_t variable, unsigned op);

/* The cycle closes if `op`, the last one on the variable, conflicts with that of t1. */
static void close_at(struct walk *walk, unsigned op)
{
    if (walk->count > 1 && darn_vops_conflict(op, walk->outer->side[1].op))
        report(walk);
}

/* A final write after a read: what reads the variable next comes after both. */
static void try_relays(struct walk *walk, uint32_t variable)
{
    const struct darn_vvariable *of = darn_atom_variable(walk->check->base, variable);
    const struct darn_vset *set = darn_vset_get(walk->check->sets, of->set);

    walk->has_relay = true;
    for (uint32_t i = 0; set && i < set->count && spend(walk); i++) {
        const struct darn_vblock *block = darn_vblock_at(walk->check->blocks, set->members[i]);
        int side = block->side[1].op == DARN_VOP_WRITE && block->side[1].is_final;
        const struct darn_vside *write = &block->side[side];

        if (write->op != DARN_VOP_WRITE || !write->is_final || !is_free(walk, write->set) ||
            !is_another(walk, block))
            continue;
        walk->middles[walk->count++] = (struct middle){block, NULL, variable, side};
        if (variable == walk->target)
            close_at(walk, DARN_VOP_WRITE);
        else if (walk->count < MOST_MIDDLE)
            walk_on(walk, variable, DARN_VOP_WRITE);
        walk->count--;
    }
    walk->has_relay = false;
}

static bool can_relay(const struct walk *walk, unsigned op)
{
    return op == DARN_VOP_READ && !walk->has_relay && walk->count < MOST_MIDDLE;
}

static void try_block(struct walk *walk, const struct darn_vpair_entry *pair, uint32_t variable,
                      unsigned op, const struct darn_vblock *block)
{
    int in = which_of(block, 0) == (pair->variable[1] == variable) ? 0 : 1;
    uint32_t next = pair->variable[which_of(block, !in)];
    unsigned out = block->side[!in].op;

    if (!darn_vops_conflict(op, block->side[in].op) || !can_be(walk, block))
        return;
    walk->middles[walk->count++] = (struct middle){block, pair, 0, 0};
    if (next == walk->target) {
        close_at(walk, out);
        if (can_relay(walk, out) && walk->outer->side[1].op == DARN_VOP_READ)
            try_relays(walk, next);
    } else if (walk->count < MOST_MIDDLE) {
        walk_on(walk, next, out);
    }
    walk->count--;
}

/* From an operation on a variable to all that can come after it. */
static void walk_on(struct walk *walk, uint32_t variable, unsigned op)
{
    const struct darn_vpairs *pairs = walk->check->pairs;

    for (uint32_t at = darn_vpairs_first(pairs, variable); at && spend(walk);) {
        const struct darn_vpair_entry *pair = darn_vpair_at(pairs, at);
        const struct darn_vset *set;

        at = darn_vpair_after(pair, variable);
        if (is_visited(walk, pair->variable[pair->variable[0] == variable]))
            continue;
        set = darn_vset_get(walk->check->sets, pair->set);
        for (uint32_t i = 0; set && i < set->count && spend(walk); i++)
            try_block(walk, pair, variable, op,
                      darn_vblock_at(walk->check->blocks, set->members[i]));
    }
    if (can_relay(walk, op))
        try_relays(walk, variable);
}

void darn_vcheck_cycles(struct darn_vcheck *check)
{
    struct walk walk = {.check = check,
                        .world = {check->base->sets, check->base->periods},
                        .work = check->work < WORK ? check->work : WORK};

    for (uint32_t i = 1; i <= check->pairs->all.fresh && check->cycles < CYCLES; i++) {
        const struct darn_vpair_entry *pair = darn_vpair_at(check->pairs, i);
        const struct darn_vset *set = darn_vset_get(check->sets, pair->set);

        for (uint32_t j = 0; set && j < set->count && walk.work; j++) {
            const struct darn_vblock *block = darn_vblock_at(check->blocks, set->members[j]);

            walk.outer = block;
            walk.outer_pair = pair;
            walk.target = pair->variable[which_of(block, 1)];
            walk_on(&walk, pair->variable[which_of(block, 0)], block->side[0].op);
        }
    }
    check->is_cut = !walk.work || check->cycles >= CYCLES;
}
