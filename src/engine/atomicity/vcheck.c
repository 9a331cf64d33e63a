#include "engine/atomicity/vcheck.h"

#include "engine/common/place.h"

static struct darn_vworld world_of(const struct darn_vcheck *check)
{
    return (struct darn_vworld){check->base->sets, check->base->periods};
}

void darn_vcheck_step(struct darn_vcheck *check, struct darn_prediction *prediction,
                      const struct darn_vblock *block, int side, uint64_t address, uint32_t size)
{
    struct darn_event event = {
        .target = address,
        .thread = block->example.thread,
        .size = size,
        .site = block->side[side].site,
        .stack = block->example.stack[side],
        .kind = block->side[side].op == DARN_VOP_WRITE ? DARN_EVENT_WRITE : DARN_EVENT_READ,
    };

    darn_atom_step(check->base, prediction, &event, block->example.holding[side], block->unit);
}

/* A new prediction of the steps in this order; NULL when there was one of the same places in the
 * same transactions (`units` is a hash), or there are too many. */
static struct darn_prediction *see(struct darn_vcheck *check, const struct darn_vside *steps[],
                                   size_t count, uint64_t units, uint64_t address)
{
    uint64_t key = darn_hash_word(DARN_HASH_START + count, units);
    struct darn_prediction *prediction;
    size_t before, after;

    for (size_t i = 0; i < count; i++) {
        key = darn_hash_place(key, darn_place(&check->base->config, steps[i]->site, 0), address);
        key = darn_hash_number(key, steps[i]->op);
    }
    (void)darn_pairs_predictions(check->base->pairs, &before);
    if (check->reported >= DARN_VCHECK_PREDICTIONS) {
        check->unreported++;
        return NULL;
    }
    prediction = darn_pairs_see_key(check->base->pairs, DARN_PREDICTS_ATOMICITY, key, address);
    (void)darn_pairs_predictions(check->base->pairs, &after);
    check->reported += after > before;
    return prediction;
}

static void check_one(struct darn_vcheck *check, const struct darn_vset *set,
                      const struct darn_vblock *a, const struct darn_vblock *b)
{
    struct darn_vworld world = world_of(check);
    const struct darn_vblock *both[2] = {a, b};
    struct darn_vstep found[DARN_VTRIPLES][3];
    unsigned count = darn_vblock_check_one(&world, a, b, found);

    for (unsigned i = 0; i < count; i++) {
        const struct darn_vside *sides[3];
        struct darn_prediction *prediction;
        uint32_t unit;

        for (int j = 0; j < 3; j++)
            sides[j] = &both[found[i][j].block]->side[found[i][j].side];
        unit = both[found[i][0].block]->unit;
        prediction =
            see(check, sides, 3, darn_place(&check->base->config, unit, 0), set->place.address[0]);
        for (int j = 0; prediction && j < 3; j++)
            darn_vcheck_step(check, prediction, both[found[i][j].block], found[i][j].side,
                             set->place.address[0], set->place.size[0]);
    }
}

/* Never 0, and the same whichever of the two transactions comes first. */
static uint64_t crowd_of(const struct darn_vcheck *check, const struct darn_vblock *a,
                         const struct darn_vblock *b)
{
    const struct darn_engine_config *config = &check->base->config;
    uint64_t one = darn_hash_word(DARN_HASH_START, darn_place(config, a->unit, 0));
    uint64_t other = darn_hash_word(DARN_HASH_START, darn_place(config, b->unit, 0));

    return (one + other) | 1;
}

uint64_t darn_vcheck_crowd(const struct darn_vcheck *check, const struct darn_vblock *a,
                           const struct darn_vblock *b)
{
    return darn_map_get(&check->crowds, crowd_of(check, a, b), 0);
}

static void check_two(struct darn_vcheck *check, const struct darn_vset *set,
                      const struct darn_vblock *a, const struct darn_vblock *b)
{
    struct darn_vworld world = world_of(check);
    const struct darn_vblock *both[2] = {a, b};
    const struct darn_vside *sides[4];
    struct darn_vstep found[4];
    struct darn_prediction *prediction;
    uint64_t crowd = crowd_of(check, a, b), size = darn_vcheck_crowd(check, a, b);

    if (!darn_vblock_check_two(&world, a, b, found))
        return;
    if (size >= DARN_VCHECK_CROWD) {
        check->unreported++;
        return;
    }
    for (int j = 0; j < 4; j++)
        sides[j] = &both[found[j].block]->side[found[j].side];
    prediction = see(check, sides, 4, crowd, set->place.address[0]);
    if (prediction)
        darn_map_put(&check->crowds, crowd, size + 1);
    for (int j = 0; prediction && j < 4; j++) {
        const struct darn_vblock *block = both[found[j].block];
        int which = block->is_flipped != (found[j].side == 1);

        darn_vcheck_step(check, prediction, block, found[j].side, set->place.address[which],
                         set->place.size[which]);
    }
}

/* Theorem 3 for a variable, theorem 4 for a pair of them. Which transaction a block comes from need
 * not be known: what is of one thread is never concurrent. */
static void check_set(struct darn_vcheck *check, const struct darn_vset *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const struct darn_vblock *a = darn_vblock_at(check->blocks, set->members[i]);
        uint32_t rest = set->count - i - 1;

        if (check->work < rest) {
            check->skipped += rest;
            continue;
        }
        check->work -= rest;
        for (uint32_t j = i + 1; j < set->count; j++) {
            const struct darn_vblock *b = darn_vblock_at(check->blocks, set->members[j]);

            if (a->period == b->period)
                continue;
            if (a->is_two)
                check_two(check, set, a, b);
            else
                check_one(check, set, a, b);
        }
    }
}

static void check_sets(struct darn_vcheck *check, bool is_two)
{
    for (uint32_t id = 1; id <= check->sets->all.fresh; id++) {
        const struct darn_vset *set = darn_vset_at(check->sets, id);

        if (!set->is_final || darn_vblock_at(check->blocks, set->members[0])->is_two != is_two)
            continue;
        check_set(check, set);
        darn_vsets_done(check->sets, id);
    }
}

/* What one variable shows is easier to understand, and comes first. */
void darn_vcheck_sets(struct darn_vcheck *check)
{
    check_sets(check, false);
    check_sets(check, true);
}
