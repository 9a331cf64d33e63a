/*
 * Which parameters the next round of a campaign has (Letko, section 4.3): searches over vectors of
 * values, one interface for all. Pure: a tuner is asked for a point, and told what it was worth. It
 * may be asked several times before it is told, and told of points that it was never asked for:
 * what an earlier campaign tried counts as well. The same seed and the same calls give the same
 * points.
 *
 * What a point is worth falls as it is repeated, for what was shown once is new no more. So no
 * search trusts what it saw long ago: the value of what it holds on to decays.
 */
#ifndef DARN_SEARCH_TUNER_H
#define DARN_SEARCH_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DARN_TUNING_MOST 24 /* parameters */

struct darn_tuning_parameter {
    uint32_t count;   /* its values are 0 … count - 1; not 0 */
    uint32_t initial; /* what somebody would choose who knows nothing */
    bool ordered;     /* numbers: near ones are alike. Otherwise choices */
};

struct darn_tuning_space {
    struct darn_tuning_parameter parameters[DARN_TUNING_MOST];
    unsigned count;
};

struct darn_tuning_point {
    uint32_t at[DARN_TUNING_MOST];
};

enum darn_tuner_kind {
    DARN_TUNER_PORTFOLIO, /* the default: all others, those more often that pay */
    DARN_TUNER_FIXED,     /* always the initial point: to compare with */
    DARN_TUNER_RANDOM,
    DARN_TUNER_CLIMB,   /* hill climbing */
    DARN_TUNER_ANNEAL,  /* simulated annealing */
    DARN_TUNER_GENETIC, /* tournament, crossover, mutation */
    DARN_TUNER_BANDIT,  /* each value of each parameter is an arm */
    DARN_TUNERS,
};

struct darn_tuner;

/* Does not take the space over, but copies it. */
struct darn_tuner *darn_tuner_new(enum darn_tuner_kind kind, const struct darn_tuning_space *space,
                                  uint64_t seed);
void darn_tuner_free(struct darn_tuner *tuner);

/* The next point. Returns who chose it: of a portfolio one of its parts, else the tuner itself. */
enum darn_tuner_kind darn_tuner_choose(struct darn_tuner *tuner, struct darn_tuning_point *point);

/* What it was worth in each second, 0 or more, and how long it took; `by` is what darn_tuner_choose
 * returned. */
void darn_tuner_tell(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                     enum darn_tuner_kind by, double gain, double seconds);

/* "portfolio", "climb", …; DARN_TUNERS when there is none of that name. */
const char *darn_tuner_name(enum darn_tuner_kind kind);
enum darn_tuner_kind darn_tuner_of(const char *name);

#endif
