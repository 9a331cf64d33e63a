/*
 * Cyclic dependencies between three and more transactions (Wang & Stoller 6.3). The paper's theorem
 * 5 goes through all traces of initial reads and final writes; what its authors have built, and
 * this is, looks for the cycles themselves.
 *
 * A cycle of transactions over different variables: t1 accesses x and later y; another one comes to
 * x after it and to z, a third comes to z after that one and to y, before t1 does. All of them but
 * t1 happen, one after the other, between the two accesses of t1; if the locks that t1 holds allow
 * it, there is a trace with this cycle. What is not looked for: cycles in which a transaction only
 * passes on one variable, and those that need two transactions to be interrupted.
 */
#include "engine/place.h"
#include "engine/vcheck.h"

#define MOST_MIDDLE 3 /* transactions in a cycle, without t1 */
#define CYCLES      64
#define WORK        UINT64_C(20000000)

struct middle {
    const struct darn_vblock *block;
    const struct darn_vpair_entry *pair;
};

struct walk {
    struct darn_vcheck *check;
    struct darn_vworld world;
    const struct darn_vblock *outer;
    const struct darn_vpair_entry *outer_pair;
    uint32_t target; /* variable: where the cycle closes */
    struct middle middles[MOST_MIDDLE];
    uint32_t count;
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

        sum += darn_hash_number(darn_hash_word(DARN_HASH_START, place), block->side[side].op);
    }
    return sum;
}

static void add_step(struct walk *walk, struct darn_prediction *prediction,
                     const struct middle *of, int side)
{
    uint32_t variable = of->pair->variable[which_of(of->block, side)];
    const struct darn_variable *at = darn_atom_variable(walk->check->base, variable);

    darn_vcheck_step(walk->check, prediction, of->block, side, at->address, at->size);
}

static void report(struct walk *walk)
{
    const struct middle outer = {walk->outer, walk->outer_pair};
    uint64_t key = key_of(walk, walk->outer) + walk->count;
    struct darn_prediction *prediction;

    for (uint32_t i = 0; i < walk->count; i++)
        key += key_of(walk, walk->middles[i].block);
    prediction =
        darn_pairs_see_key(walk->check->base->pairs, DARN_PREDICTS_ATOMICITY, key, 0);
    if (!prediction)
        return;
    walk->check->cycles++;
    add_step(walk, prediction, &outer, 0);
    for (uint32_t i = 0; i < walk->count; i++) {
        add_step(walk, prediction, &walk->middles[i], 0);
        add_step(walk, prediction, &walk->middles[i], 1);
    }
    add_step(walk, prediction, &outer, 1);
    prediction->target = prediction->steps[0].event.target;
}

/* Whether a whole transaction can happen while t1 is between its two accesses, and is none of those
 * that do so already. */
static bool can_be(struct walk *walk, const struct darn_vblock *block)
{
    const struct darn_vworld *world = &walk->world;

    if (walk->work)
        walk->work--;
    for (uint32_t i = 0; i < walk->count; i++) {
        if (!darn_periods_concurrent(world->periods, walk->middles[i].block->period,
                                     block->period))
            return false;
    }
    return darn_periods_concurrent(world->periods, walk->outer->period, block->period) &&
           darn_vblock_lets(world, walk->outer, block->side[0].set) &&
           darn_vblock_lets(world, walk->outer, block->side[1].set) &&
           darn_lockset_disjoint_for(world->sets, walk->outer->held, block->mid);
}

static bool is_visited(const struct walk *walk, uint32_t variable)
{
    for (uint32_t i = 0; i < walk->count; i++) {
        if (walk->middles[i].pair->variable[0] == variable ||
            walk->middles[i].pair->variable[1] == variable)
            return true;
    }
    return false;
}

static void walk_on(struct walk *walk, uint32_t variable, unsigned op);

static void try_block(struct walk *walk, const struct darn_vpair_entry *pair, uint32_t variable,
                      unsigned op, const struct darn_vblock *block)
{
    int in = which_of(block, 0) == (pair->variable[1] == variable) ? 0 : 1;
    uint32_t next = pair->variable[which_of(block, !in)];

    if (!darn_vops_conflict(op, block->side[in].op) || !can_be(walk, block))
        return;
    walk->middles[walk->count++] = (struct middle){block, pair};
    if (next == walk->target) {
        if (walk->count > 1 && darn_vops_conflict(block->side[!in].op, walk->outer->side[1].op))
            report(walk);
    } else if (walk->count < MOST_MIDDLE) {
        walk_on(walk, next, block->side[!in].op);
    }
    walk->count--;
}

/* From an operation on a variable to all that can come after it. */
static void walk_on(struct walk *walk, uint32_t variable, unsigned op)
{
    const struct darn_vpairs *pairs = walk->check->pairs;

    for (uint32_t at = darn_vpairs_first(pairs, variable); at && walk->work;
         at = darn_vpairs_after(pairs, at, variable)) {
        const struct darn_vpair_entry *pair = &pairs->all[at];
        uint32_t next = pair->variable[pair->variable[0] == variable];
        const struct darn_vset *set = &walk->check->sets->all[pair->set];

        if (pair == walk->outer_pair || is_visited(walk, next))
            continue;
        for (uint32_t i = 0; pair->set && i < set->count && walk->work; i++)
            try_block(walk, pair, variable, op, &walk->check->blocks->all[set->members[i]]);
    }
}

void darn_vcheck_cycles(struct darn_vcheck *check)
{
    struct walk walk = {.check = check,
                        .world = {check->base->sets, check->base->periods},
                        .work = check->work < WORK ? check->work : WORK};

    for (uint32_t i = 1; i <= check->pairs->count && check->cycles < CYCLES; i++) {
        const struct darn_vpair_entry *pair = &check->pairs->all[i];
        const struct darn_vset *set = &check->sets->all[pair->set];

        for (uint32_t j = 0; pair->set && j < set->count && walk.work; j++) {
            const struct darn_vblock *block = &check->blocks->all[set->members[j]];

            walk.outer = block;
            walk.outer_pair = pair;
            walk.target = pair->variable[which_of(block, 1)];
            walk_on(&walk, pair->variable[which_of(block, 0)], block->side[0].op);
        }
    }
    check->is_cut = !walk.work || check->cycles >= CYCLES;
}
