#include "search/tuning/tuner_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- steps that the kinds share ---- */

void darn_tuning_anywhere(const struct darn_tuning_space *space, uint64_t *random,
                          struct darn_tuning_point *point)
{
    for (unsigned i = 0; i < space->count; i++)
        point->at[i] = (uint32_t)darn_random_below(random, space->parameters[i].count);
}

/* Another value for one parameter: a near one of numbers, any other one of choices. Of numbers,
 * steps of every size: a range of a thousand is neither crossed one by one, nor are neighbours
 * overlooked. */
static uint32_t step_from(const struct darn_tuning_parameter *parameter, uint64_t *random,
                          uint32_t from)
{
    uint32_t size = parameter->count, step;

    if (size < 2)
        return from;
    if (!parameter->ordered)
        return (uint32_t)((from + 1 + darn_random_below(random, size - 1)) % size);
    step = (uint32_t)(darn_tuning_chance(random) * darn_tuning_chance(random) *
                      darn_tuning_chance(random) * size) +
           1;
    if (darn_random_below(random, 2))
        return from >= step ? from - step : from ? 0 : 1;
    return size - 1 - from >= step ? from + step : from < size - 1 ? size - 1 : from - 1;
}

void darn_tuning_near(const struct darn_tuning_space *space, uint64_t *random,
                      struct darn_tuning_point *point)
{
    unsigned must;

    if (!space->count)
        return;
    must = (unsigned)darn_random_below(random, space->count);
    for (unsigned i = 0; i < space->count; i++)
        if (i == must || darn_random_below(random, 2 * space->count) == 0)
            point->at[i] = step_from(&space->parameters[i], random, point->at[i]);
}

bool darn_tuning_same(const struct darn_tuning_space *space, const struct darn_tuning_point *a,
                      const struct darn_tuning_point *b)
{
    return memcmp(a->at, b->at, space->count * sizeof(*a->at)) == 0;
}

/* ---- the two that learn nothing ---- */

static enum darn_tuner_kind choose_fixed(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    for (unsigned i = 0; i < tuner->space.count; i++)
        point->at[i] = tuner->space.parameters[i].initial;
    return tuner->kind;
}

static enum darn_tuner_kind choose_random(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    darn_tuning_anywhere(&tuner->space, &tuner->random, point);
    return tuner->kind;
}

const struct darn_tuner_row darn_tuner_fixed = {.name = "fixed", .choose = choose_fixed};
const struct darn_tuner_row darn_tuner_random = {.name = "random", .choose = choose_random};

/* ---- all of them ---- */

static const struct darn_tuner_row *const rows[DARN_TUNERS] = {
    [DARN_TUNER_PORTFOLIO] = &darn_tuner_portfolio, [DARN_TUNER_FIXED] = &darn_tuner_fixed,
    [DARN_TUNER_RANDOM] = &darn_tuner_random,       [DARN_TUNER_CLIMB] = &darn_tuner_climb,
    [DARN_TUNER_ANNEAL] = &darn_tuner_anneal,       [DARN_TUNER_GENETIC] = &darn_tuner_genetic,
    [DARN_TUNER_BANDIT] = &darn_tuner_bandit,
};

struct darn_tuner *darn_tuner_new(enum darn_tuner_kind kind, const struct darn_tuning_space *space,
                                  uint64_t seed)
{
    struct darn_tuner *tuner = darn_need_zeroed(1, sizeof(*tuner));

    tuner->kind = kind;
    tuner->space = *space;
    tuner->random = darn_mix_two(seed, kind);
    if (rows[kind]->size)
        tuner->own = darn_need_zeroed(1, rows[kind]->size);
    if (rows[kind]->begin)
        rows[kind]->begin(tuner);
    return tuner;
}

void darn_tuner_free(struct darn_tuner *tuner)
{
    if (!tuner)
        return;
    if (rows[tuner->kind]->end)
        rows[tuner->kind]->end(tuner);
    free(tuner->own);
    free(tuner);
}

enum darn_tuner_kind darn_tuner_choose(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    memset(point, 0, sizeof(*point));
    return rows[tuner->kind]->choose(tuner, point);
}

void darn_tuner_tell(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                     enum darn_tuner_kind by, double gain, double seconds)
{
    tuner->told++;
    tuner->spent[by] += seconds;
    if (rows[tuner->kind]->tell)
        rows[tuner->kind]->tell(tuner, point, by, gain);
}

const char *darn_tuner_name(enum darn_tuner_kind kind)
{
    return kind < DARN_TUNERS ? rows[kind]->name : "?";
}

enum darn_tuner_kind darn_tuner_of(const char *name)
{
    int kind = 0;

    while (kind < DARN_TUNERS && strcmp(rows[kind]->name, name) != 0)
        kind++;
    return (enum darn_tuner_kind)kind;
}
