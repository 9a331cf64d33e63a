#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run shorter than the clock's step must not make a ratio infinite. */
static const double SMALLEST = 1e-3;

void darn_result_add(struct darn_result *result, const struct darn_usage *usage)
{
    if (result->runs == DARN_RESULT_RUNS)
        return;
    result->sample[DARN_USER][result->runs] = usage->user;
    result->sample[DARN_CPU][result->runs] = usage->user + usage->system;
    result->sample[DARN_WALL][result->runs] = usage->wall;
    result->sample[DARN_PEAK][result->runs] = usage->peak;
    result->runs++;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Copies the samples in order; there is at least one. */
static void sorted(const struct darn_result *result, enum darn_quantity quantity, double *into)
{
    memcpy(into, result->sample[quantity], result->runs * sizeof *into);
    qsort(into, result->runs, sizeof *into, compare_doubles);
}

static double middle_of(const double *samples, unsigned count)
{
    unsigned middle = count / 2;

    return count % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

double darn_result_median(const struct darn_result *result, enum darn_quantity quantity)
{
    double samples[DARN_RESULT_RUNS];

    if (result->runs == 0)
        return 0;
    sorted(result, quantity, samples);
    return middle_of(samples, result->runs);
}

double darn_result_spread(const struct darn_result *result, enum darn_quantity quantity)
{
    double samples[DARN_RESULT_RUNS];

    if (result->runs == 0)
        return 0;
    sorted(result, quantity, samples);
    return (samples[result->runs - 1] - samples[0]) /
           fmax(darn_result_median(result, quantity), SMALLEST);
}

const struct darn_result *darn_result_of(const darn_result_row row, const struct darn_plan *plan,
                                         size_t variant)
{
    return &row[plan->variant[variant].runs];
}

double darn_result_ratio(const darn_result_row row, const struct darn_plan *plan, size_t variant,
                         enum darn_quantity quantity)
{
    const struct darn_result *result = darn_result_of(row, plan, variant);
    const struct darn_result *base = darn_result_of(row, plan, plan->variant[variant].base);

    double ratios[DARN_RESULT_RUNS];
    unsigned count = result->runs < base->runs ? result->runs : base->runs;

    if (result->end != DARN_RESULT_DONE || base->end != DARN_RESULT_DONE)
        return 0;
    /* What runs one after the other has the same neighbours on the machine: a minute in which it
     * gives half as much hits both. */
    for (unsigned round = 0; round < count; round++)
        ratios[round] = fmax(result->sample[quantity][round], SMALLEST) /
                        fmax(base->sample[quantity][round], SMALLEST);
    qsort(ratios, count, sizeof *ratios, compare_doubles);
    return middle_of(ratios, count);
}

struct darn_summary darn_result_summary(const darn_result_row *rows, const struct darn_plan *plan,
                                        size_t variant, enum darn_quantity quantity)
{
    struct darn_summary summary = {.programs = 0};
    double logarithms = 0;

    for (size_t i = 0; i < plan->programs; i++) {
        double ratio = darn_result_ratio(rows[i], plan, variant, quantity);
        if (ratio <= 0)
            continue;
        logarithms += log(ratio);
        if (ratio > summary.worst) {
            summary.worst = ratio;
            summary.worst_program = i;
        }
        summary.programs++;
    }
    if (summary.programs > 0)
        summary.mean = exp(logarithms / (double)summary.programs);
    return summary;
}
