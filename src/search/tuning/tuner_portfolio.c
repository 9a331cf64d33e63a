/*
 * All searches in turns: each gets a share, and what paid lately gets more. The initial point comes
 * first, and again and again: nobody shall wait much longer for a bug than with fixed settings.
 */
#include <string.h>

#include "search/tuning/tuner_private.h"

#define SHARE  1.0  /* of everybody */
#define FIXED  2.0  /* of the initial point: see above */
#define PAYS   6.0  /* more for who has the best mean gain; others in proportion */
#define FORGET 0.98 /* of what everybody gained, with each point */

struct portfolio {
    struct darn_tuner *parts[DARN_TUNERS];
    double tries[DARN_TUNERS], gains[DARN_TUNERS];
    bool has_begun;
};

static void begin(struct darn_tuner *tuner)
{
    struct portfolio *portfolio = tuner->own;

    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS; kind++)
        portfolio->parts[kind] =
            darn_tuner_new((enum darn_tuner_kind)kind, &tuner->space, darn_random(&tuner->random));
}

static void end(struct darn_tuner *tuner)
{
    struct portfolio *portfolio = tuner->own;

    for (int kind = 0; kind < DARN_TUNERS; kind++)
        darn_tuner_free(portfolio->parts[kind]);
}

static double mean_of(const struct portfolio *portfolio, int kind)
{
    return portfolio->gains[kind] / (portfolio->tries[kind] + 1);
}

static enum darn_tuner_kind draw(struct darn_tuner *tuner)
{
    struct portfolio *portfolio = tuner->own;
    double weights[DARN_TUNERS] = {0}, best = 0, total = 0, left;
    int last = DARN_TUNER_FIXED;

    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS; kind++)
        if (mean_of(portfolio, kind) > best)
            best = mean_of(portfolio, kind);
    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS; kind++) {
        weights[kind] = kind == DARN_TUNER_FIXED ? FIXED : SHARE;
        if (best > 0)
            weights[kind] += PAYS * mean_of(portfolio, kind) / best;
        total += weights[kind];
    }
    left = darn_tuning_chance(&tuner->random) * total;
    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS && left >= 0; kind++) {
        left -= weights[kind];
        last = kind;
    }
    return (enum darn_tuner_kind)last;
}

static enum darn_tuner_kind choose(struct darn_tuner *tuner, struct darn_tuning_point *point)
{
    struct portfolio *portfolio = tuner->own;
    enum darn_tuner_kind kind = portfolio->has_begun ? draw(tuner) : DARN_TUNER_FIXED;

    portfolio->has_begun = true;
    return darn_tuner_choose(portfolio->parts[kind], point);
}

/* Everybody hears everything: a good point of one is where another goes on. */
static void tell(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                 enum darn_tuner_kind by, double gain)
{
    struct portfolio *portfolio = tuner->own;

    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS; kind++) {
        darn_tuner_tell(portfolio->parts[kind], point, by, gain);
        portfolio->tries[kind] *= FORGET;
        portfolio->gains[kind] *= FORGET;
    }
    if (by > DARN_TUNER_PORTFOLIO && by < DARN_TUNERS) {
        portfolio->tries[by] += 1;
        portfolio->gains[by] += gain;
    }
}

const struct darn_tuner_row darn_tuner_portfolio = {.name = "portfolio",
                                                    .size = sizeof(struct portfolio),
                                                    .begin = begin,
                                                    .end = end,
                                                    .choose = choose,
                                                    .tell = tell};
