/*
 * A bandit: each value of a parameter is an arm, and each parameter plays for itself. Numbers are
 * played in up to 16 ranges. UCB with discounting (Garivier and Moulines 2011): what is worth less
 * with time is found out, and no arm is given up for ever.
 */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "search/tuning/tuner_private.h"

#define RANGES   16
#define DISCOUNT 0.99
#define BOLD     0.5 /* how much an arm is preferred for being little known */

struct arm {
    double tries, gains; /* discounted */
};

struct bandit {
    struct arm *arms[DARN_TUNING_MOST];
    double scale; /* the largest gain lately: gains are shares of it */
};

static uint32_t arms_of(const struct darn_tuning_parameter *parameter)
{
    return parameter->ordered && parameter->count > RANGES ? RANGES : parameter->count;
}

static uint32_t arm_of(const struct darn_tuning_parameter *parameter, uint32_t value)
{
    return (uint32_t)((uint64_t)value * arms_of(parameter) / parameter->count);
}

static void begin(struct darn_tuner *tuner)
{
    struct bandit *bandit = tuner->own;

    for (unsigned i = 0; i < tuner->space.count; i++)
        bandit->arms[i] =
            darn_need_zeroed(arms_of(&tuner->space.parameters[i]), sizeof(struct arm));
}

static void end(struct darn_tuner *tuner)
{
    struct bandit *bandit = tuner->own;

    for (unsigned i = 0; i < tuner->space.count; i++)
        free(bandit->arms[i]);
}

/* Arms that are equally good take turns by chance. */
static uint32_t best_arm(struct darn_tuner *tuner, const struct arm *arms, uint32_t count)
{
    const struct bandit *bandit = tuner->own;
    double total = 1, best = -1;
    uint32_t found = 0, equal = 0;

    for (uint32_t i = 0; i < count; i++)
        total += arms[i].tries;
    for (uint32_t i = 0; i < count; i++) {
        double mean = arms[i].tries > 0 && bandit->scale > 0
                          ? arms[i].gains / arms[i].tries / bandit->scale
                          : 0;
        double bound = mean + BOLD * sqrt(log(total) / (arms[i].tries + 1e-3));

        if (arms[i].tries < 0.1)
            bound += 1e6; /* first each of them once */
        if (bound > best * (1 + 1e-9)) {
            best = bound;
            equal = 0;
        }
        if (bound >= best * (1 - 1e-9) && darn_random_below(&tuner->random, ++equal) == 0)
            found = i;
    }
    return found;
}

static enum darn_tuner_kind choose(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    struct bandit *bandit = tuner->own;

    for (unsigned i = 0; i < tuner->space.count; i++) {
        const struct darn_tuning_parameter *parameter = &tuner->space.parameters[i];
        uint32_t arms = arms_of(parameter), arm = best_arm(tuner, bandit->arms[i], arms);
        /* The values v with arm_of(v) == arm. */
        uint32_t low = (uint32_t)(((uint64_t)arm * parameter->count + arms - 1) / arms);
        uint32_t high = (uint32_t)(((uint64_t)(arm + 1) * parameter->count + arms - 1) / arms);

        bandit->arms[i][arm].tries += 0.1; /* or all who ask before they tell get the same */
        point->at[i] = low + (uint32_t)darn_random_below(&tuner->random, high - low);
    }
    return tuner->kind;
}

static void tell(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                 enum darn_tuner_kind by, double gain)
{
    struct bandit *bandit = tuner->own;

    (void)by;
    bandit->scale = gain > bandit->scale ? gain : bandit->scale * DISCOUNT;
    for (unsigned i = 0; i < tuner->space.count; i++) {
        const struct darn_tuning_parameter *parameter = &tuner->space.parameters[i];

        for (uint32_t arm = 0; arm < arms_of(parameter); arm++) {
            bandit->arms[i][arm].tries *= DISCOUNT;
            bandit->arms[i][arm].gains *= DISCOUNT;
        }
        bandit->arms[i][arm_of(parameter, point->at[i])].tries += 1;
        bandit->arms[i][arm_of(parameter, point->at[i])].gains += gain;
    }
}

const struct darn_tuner_row darn_tuner_bandit = {.name = "bandit",
                                                 .size = sizeof(struct bandit),
                                                 .begin = begin,
                                                 .end = end,
                                                 .choose = choose,
                                                 .tell = tell};
