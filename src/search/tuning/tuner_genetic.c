/*
 * A genetic algorithm without generations: a population of points; the better of a few becomes a
 * parent, two parents are crossed parameter by parameter, the child is mutated. A child takes the
 * place of the worst of a few others: so nobody waits until all of a generation have been run.
 */
#include "search/tuning/tuner_private.h"

#define POPULATION 16
#define TOURNAMENT 3
#define DECAY      0.985 /* of everybody's value, with each point that is told */

struct genetic {
    struct darn_tuning_point points[POPULATION];
    double values[POPULATION];
    unsigned count;
};

static unsigned compete(struct genetic *genetic, uint64_t *random, bool for_worst)
{
    unsigned winner = (unsigned)darn_random_below(random, genetic->count);

    for (int i = 1; i < TOURNAMENT; i++) {
        unsigned other = (unsigned)darn_random_below(random, genetic->count);

        if (for_worst ? genetic->values[other] < genetic->values[winner]
                      : genetic->values[other] > genetic->values[winner])
            winner = other;
    }
    return winner;
}

static enum darn_tuner_kind choose(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    struct genetic *genetic = tuner->own;
    uint64_t *random = &tuner->random;
    const struct darn_tuning_point *mother, *father;

    if (genetic->count < POPULATION / 2) {
        darn_tuning_anywhere(&tuner->space, random, point);
        return tuner->kind;
    }
    mother = &genetic->points[compete(genetic, random, false)];
    father = &genetic->points[compete(genetic, random, false)];
    for (unsigned i = 0; i < tuner->space.count; i++)
        point->at[i] = darn_random_below(random, 2) ? mother->at[i] : father->at[i];
    if (darn_tuning_same(&tuner->space, mother, father) || darn_random_below(random, 3))
        darn_tuning_near(&tuner->space, random, point);
    return tuner->kind;
}

static void tell(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                 enum darn_tuner_kind by, double gain)
{
    struct genetic *genetic = tuner->own;
    unsigned place = genetic->count;

    (void)by;
    for (unsigned i = 0; i < genetic->count; i++)
        genetic->values[i] *= DECAY;
    if (genetic->count < POPULATION) {
        genetic->count++;
    } else {
        place = compete(genetic, &tuner->random, true);
        if (gain < genetic->values[place])
            return;
    }
    genetic->points[place] = *point;
    genetic->values[place] = gain;
}

const struct darn_tuner_row darn_tuner_genetic = {
    .name = "genetic", .size = sizeof(struct genetic), .choose = choose, .tell = tell};
