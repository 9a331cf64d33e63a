/* What the runs of one program in one variant gave: medians, and how they ended. */
#ifndef DARN_BENCH_RESULT_H
#define DARN_BENCH_RESULT_H

#include "measure.h"
#include "plan.h"

#include <stdbool.h>
#include <stddef.h>

enum { DARN_RESULT_RUNS = 64 };

enum darn_result_end {
    DARN_RESULT_NONE,   /* there is no such variant of this program */
    DARN_RESULT_DONE,   /* every run ended well, with the output of the base */
    DARN_RESULT_LIMIT,  /* one took too long */
    DARN_RESULT_FAILED, /* one ended badly, or with another output */
};

struct darn_result {
    enum darn_result_end end;
    unsigned runs;
    double sample[DARN_QUANTITIES][DARN_RESULT_RUNS];
    bool reported; /* races: exit status 66, of darn as of TSan */
    char why[128]; /* when it failed */
};

/* One row per program of the plan. */
typedef struct darn_result darn_result_row[DARN_PLAN_VARIANTS];

/* What counts for a variant: its own runs, or those of another one. */
const struct darn_result *darn_result_of(const darn_result_row row, const struct darn_plan *plan,
                                         size_t variant);

void darn_result_add(struct darn_result *result, const struct darn_usage *usage);

double darn_result_median(const struct darn_result *result, enum darn_quantity quantity);

/* How far the runs lie apart: (largest - smallest) / median. */
double darn_result_spread(const struct darn_result *result, enum darn_quantity quantity);

/* What a variant takes to what its base takes in the same round: the median of the rounds that both
 * have. 0 when one of the two is missing. */
double darn_result_ratio(const darn_result_row row, const struct darn_plan *plan, size_t variant,
                         enum darn_quantity quantity);

struct darn_summary {
    size_t programs; /* that have a ratio */
    double mean;     /* geometric */
    double worst;
    size_t worst_program;
};

/* Over all programs of the plan. */
struct darn_summary darn_result_summary(const darn_result_row *rows, const struct darn_plan *plan,
                                        size_t variant, enum darn_quantity quantity);

#endif
