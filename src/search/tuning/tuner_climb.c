/*
 * Hill climbing and simulated annealing: one point is held on to, and its neighbours are tried.
 * They differ in when a worse one is taken: never, or by chance as long as it is warm.
 */
#include <math.h>

#include "search/tuning/tuner_private.h"

#define DECAY   0.97 /* of the value of the point that is held, with each try */
#define PATIENT 24   /* tries without a gain, after which climbing begins elsewhere */
#define COOLING 0.97 /* of the temperature, with each try */
#define COLDEST 0.02

struct climb {
    struct darn_tuning_point here;
    double value;
    double scale;       /* the largest gain so far: temperatures are shares of it */
    double temperature; /* of annealing; 1 is warm */
    unsigned idle;      /* tries since the last gain */
    bool has_here;
};

static enum darn_tuner_kind choose(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    struct climb *climb = tuner->own;

    if (!climb->has_here) {
        darn_tuning_anywhere(&tuner->space, &tuner->random, point);
    } else {
        *point = climb->here;
        darn_tuning_near(&tuner->space, &tuner->random, point);
    }
    return tuner->kind;
}

static void move_to(struct climb *climb, const struct darn_tuning_point *point, double gain)
{
    if (gain > climb->value)
        climb->idle = 0;
    climb->here = *point;
    climb->value = gain;
    climb->has_here = true;
}

static void tell_climb(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                       enum darn_tuner_kind by, double gain)
{
    struct climb *climb = tuner->own;

    (void)by;
    climb->value *= DECAY;
    climb->idle++;
    if (!climb->has_here || gain > climb->value ||
        (gain > 0 && darn_tuning_same(&tuner->space, point, &climb->here)))
        move_to(climb, point, gain);
    else if (climb->idle >= PATIENT && climb->value < climb->scale / 2) {
        climb->has_here = false; /* nothing is left here */
        climb->value = 0;
        climb->idle = 0;
    }
    climb->scale = gain > climb->scale ? gain : climb->scale * 0.999;
}

static void begin_anneal(struct darn_tuner *tuner)
{
    ((struct climb *)tuner->own)->temperature = 1;
}

/* Metropolis: a loss of as much as the temperature is taken once in e times. */
static bool takes(struct darn_tuner *tuner, const struct climb *climb, double gain)
{
    double loss = climb->scale > 0 ? (climb->value - gain) / climb->scale : 0;

    return loss <= 0 || darn_tuning_chance(&tuner->random) < exp(-loss / climb->temperature);
}

static void tell_anneal(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                        enum darn_tuner_kind by, double gain)
{
    struct climb *climb = tuner->own;

    (void)by;
    climb->value *= DECAY;
    climb->idle++;
    if (gain > climb->scale)
        climb->scale = gain;
    if (!climb->has_here || takes(tuner, climb, gain))
        move_to(climb, point, gain);
    climb->temperature *= COOLING;
    if (climb->temperature < COLDEST)
        climb->temperature =
            climb->idle >= PATIENT ? 1 : COLDEST; /* warm again, when it is stuck */
}

const struct darn_tuner_row darn_tuner_climb = {
    .name = "climb", .size = sizeof(struct climb), .choose = choose, .tell = tell_climb};
const struct darn_tuner_row darn_tuner_anneal = {.name = "anneal",
                                                 .size = sizeof(struct climb),
                                                 .begin = begin_anneal,
                                                 .choose = choose,
                                                 .tell = tell_anneal};
