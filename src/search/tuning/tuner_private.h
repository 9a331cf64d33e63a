/*
 * A tuner, as the files of its kinds see it. A kind is a row of the table in tuner.c.
 */
#ifndef DARN_SEARCH_TUNER_PRIVATE_H
#define DARN_SEARCH_TUNER_PRIVATE_H

#include "base/random.h"
#include "search/tuning/tuner.h"

struct darn_tuner {
    enum darn_tuner_kind kind;
    struct darn_tuning_space space;
    uint64_t random;
    uint64_t told;             /* how many points, */
    double spent[DARN_TUNERS]; /* and how many seconds on those of each kind */
    void *own;                 /* of the kind */
};

struct darn_tuner_row {
    const char *name;
    size_t size;                             /* of `own`, which begins as zeroes; 0: it has none */
    void (*begin)(struct darn_tuner *tuner); /* NULL: zeroes will do */
    void (*end)(struct darn_tuner *tuner);   /* NULL: nothing but `own` is to be freed */
    enum darn_tuner_kind (*choose)(struct darn_tuner *tuner, struct darn_tuning_point *point);
    void (*tell)(struct darn_tuner *tuner, const struct darn_tuning_point *point,
                 enum darn_tuner_kind by, double gain); /* NULL: it learns nothing */
};

extern const struct darn_tuner_row darn_tuner_fixed, darn_tuner_random, darn_tuner_climb,
    darn_tuner_anneal, darn_tuner_genetic, darn_tuner_bandit, darn_tuner_portfolio;

/* A number from 0 on and below 1. */
static inline double darn_tuning_chance(uint64_t *random)
{
    return (double)(darn_random(random) >> 11) * 0x1p-53;
}

/* tuner.c: every value with the same chance. */
void darn_tuning_anywhere(const struct darn_tuning_space *space, uint64_t *random,
                          struct darn_tuning_point *point);

/* A neighbour: one parameter is changed at least, others by and by. */
void darn_tuning_near(const struct darn_tuning_space *space, uint64_t *random,
                      struct darn_tuning_point *point);

bool darn_tuning_same(const struct darn_tuning_space *space, const struct darn_tuning_point *a,
                      const struct darn_tuning_point *b);

#endif
