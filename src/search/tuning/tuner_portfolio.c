/*
 * All searches in turns: each gets a share, and what paid lately gets more. The initial point comes
 * first, and again and again. Where nothing new is seen any more, nothing can be learned, and what
 * is left are bugs that are a matter of patience: then, and while no other point pays more, it gets
 * two thirds of the time, so that nobody waits for a bug longer than 1.5 times what it takes with
 * fixed settings.
 */
#include <string.h>

#include "search/tuning/tuner_private.h"

#define SHARE  1.0       /* of everybody */
#define FIXED  2.0       /* of the initial point: see above */
#define PAYS   6.0       /* more for who has the best mean gain; others in proportion */
#define FORGET 0.98      /* of what everybody gained, with each point */
#define CALM   0.1       /* of the best gain ever: when the best mean is below, nothing pays */
#define HOME   (2.0 / 3) /* of the time, when nothing pays: of the initial point */

struct portfolio {
    struct darn_tuner *parts[DARN_TUNERS];
    double tries[DARN_TUNERS], gains[DARN_TUNERS], most; /* most: the best gain ever */
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

static bool is_home_due(const struct darn_tuner *tuner)
{
    double all = 0;

    for (int kind = 0; kind < DARN_TUNERS; kind++)
        all += tuner->spent[kind];
    return tuner->spent[DARN_TUNER_FIXED] <= HOME * all;
}

static enum darn_tuner_kind draw(struct darn_tuner *tuner)
{
    struct portfolio *portfolio = tuner->own;
    double weights[DARN_TUNERS] = {0}, best = 0, total = 0, left;
    int first = DARN_TUNER_FIXED, last = DARN_TUNER_FIXED;

    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS; kind++)
        if (mean_of(portfolio, kind) > best)
            best = mean_of(portfolio, kind);
    if (best <= CALM * portfolio->most || best <= mean_of(portfolio, DARN_TUNER_FIXED)) {
        if (is_home_due(tuner))
            return DARN_TUNER_FIXED;
        first = DARN_TUNER_FIXED + 1;
    }
    for (int kind = first; kind < DARN_TUNERS; kind++) {
        weights[kind] = kind == DARN_TUNER_FIXED ? FIXED : SHARE;
        if (best > 0)
            weights[kind] += PAYS * mean_of(portfolio, kind) / best;
        total += weights[kind];
    }
    left = darn_tuning_chance(&tuner->random) * total;
    for (int kind = first; kind < DARN_TUNERS && left >= 0; kind++) {
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
        darn_tuner_tell(portfolio->parts[kind], point, by, gain, 0);
        portfolio->tries[kind] *= FORGET;
        portfolio->gains[kind] *= FORGET;
    }
    portfolio->most = gain > portfolio->most ? gain : portfolio->most;
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
