#include "table.h"

static const char *const heading[DARN_QUANTITIES] = {
    [DARN_USER] = "User time",
    [DARN_WALL] = "Wall time",
    [DARN_PEAK] = "Peak memory",
};

static bool is_column(const struct darn_plan *plan, size_t variant)
{
    /* Bases other than the first one are smaller sizes: they are there to divide by. */
    return variant == 0 || plan->variant[variant].base != variant;
}

static void print_ratio(FILE *out, double ratio)
{
    fprintf(out, ratio < 9.995 ? " %.2f |" : " %.1f |", ratio);
}

static void print_cell(FILE *out, const struct darn_plan *plan, const darn_result_row row,
                       size_t variant, enum darn_quantity quantity)
{
    const struct darn_result *result = &row[variant];
    double ratio = darn_result_ratio(row, plan, variant, quantity);

    if (result->end == DARN_RESULT_LIMIT)
        fprintf(out, " > %.0f s |", plan->variant[variant].limit);
    else if (result->end == DARN_RESULT_FAILED)
        fprintf(out, " failed |");
    else if (ratio <= 0)
        fprintf(out, " |");
    else if (plan->variant[variant].base != variant)
        print_ratio(out, ratio);
    else if (quantity == DARN_PEAK)
        fprintf(out, " %.0f MB |", darn_result_median(result, quantity));
    else
        fprintf(out, " %.2f s |", darn_result_median(result, quantity));
}

static void print_header(FILE *out, const struct darn_plan *plan, enum darn_quantity quantity)
{
    fprintf(out, "| %s |", heading[quantity]);
    for (size_t i = 0; i < plan->variants; i++) {
        if (is_column(plan, i))
            fprintf(out, " %s |", plan->variant[i].title);
    }
    fprintf(out, "\n|---|");
    for (size_t i = 0; i < plan->variants; i++) {
        if (is_column(plan, i))
            fprintf(out, "---:|");
    }
    fprintf(out, "\n");
}

static void print_summary(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                          enum darn_quantity quantity, bool worst)
{
    fprintf(out, "| **%s** |", worst ? "worst" : "geometric mean");
    for (size_t i = 0; i < plan->variants; i++) {
        struct darn_summary summary = darn_result_summary(rows, plan, i, quantity);
        if (!is_column(plan, i))
            continue;
        if (plan->variant[i].base == i || summary.programs == 0)
            fprintf(out, " |");
        else
            print_ratio(out, worst ? summary.worst : summary.mean);
    }
    fprintf(out, "\n");
}

void darn_table_ratios(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                       enum darn_quantity quantity)
{
    print_header(out, plan, quantity);
    for (size_t i = 0; i < plan->programs; i++) {
        fprintf(out, "| %s |", plan->program[i]);
        for (size_t j = 0; j < plan->variants; j++) {
            if (is_column(plan, j))
                print_cell(out, plan, rows[i], j, quantity);
        }
        fprintf(out, "\n");
    }
    print_summary(out, plan, rows, quantity, false);
    print_summary(out, plan, rows, quantity, true);
    fprintf(out, "\n");
}

void darn_table_remarks(FILE *out, const struct darn_plan *plan, const darn_result_row *rows)
{
    bool any = false;

    for (size_t i = 0; i < plan->programs; i++) {
        for (size_t j = 0; j < plan->variants; j++) {
            const struct darn_result *result = &rows[i][j];
            const char *title = plan->variant[j].title;
            if (result->end == DARN_RESULT_FAILED)
                fprintf(out, "- %s, %s: %s\n", plan->program[i], title, result->why);
            else if (result->end == DARN_RESULT_LIMIT)
                fprintf(out, "- %s, %s: stopped after %.0f s; not in the means\n", plan->program[i],
                        title, plan->variant[j].limit);
            if (result->reported)
                fprintf(out, "- %s, %s: reported races\n", plan->program[i], title);
            any |= result->end == DARN_RESULT_FAILED || result->end == DARN_RESULT_LIMIT ||
                   result->reported;
        }
    }
    if (any)
        fprintf(out, "\n");
}

/* `who` says more about the number, and may be empty. */
static void print_goal(FILE *out, const char *what, double measured, double goal, const char *who)
{
    fprintf(out, "| %s | ≤ %.1f | %.3f%s | %s |\n", what, goal, measured, who,
            measured <= goal ? "yes" : "**no**");
}

/* `darn run --budget=max` is to stay below TSan on every program: names those where it does not. */
static void print_below(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                        size_t variant, size_t peer)
{
    size_t below = 0, compared = 0;

    fprintf(out, "| `--budget=max`: user time below TSan | every program |");
    for (size_t i = 0; i < plan->programs; i++) {
        double ours = darn_result_ratio(rows[i], plan, variant, DARN_USER);
        double theirs = darn_result_ratio(rows[i], plan, peer, DARN_USER);
        if (ours <= 0 || theirs <= 0)
            continue;
        compared++;
        if (ours < theirs)
            below++;
        else
            fprintf(out, " not %s (%.2f against %.2f);", plan->program[i], ours, theirs);
    }
    fprintf(out, " %zu of %zu | %s |\n", below, compared,
            compared > 0 && below == compared ? "yes" : "**no**");
}

static void print_default_budget(FILE *out, const struct darn_plan *plan,
                                 const darn_result_row *rows, size_t darn)
{
    struct darn_summary user = darn_result_summary(rows, plan, darn, DARN_USER);
    struct darn_summary peak = darn_result_summary(rows, plan, darn, DARN_PEAK);
    const struct darn_result *row = rows[peak.worst_program];
    char who[128];

    print_goal(out, "default budget: user time, geometric mean", user.mean, 1.3, "");
    snprintf(who, sizeof who, " (%s)", plan->program[user.worst_program]);
    print_goal(out, "default budget: user time, worst", user.worst, 2.0, who);
    print_goal(out, "default budget: peak memory, geometric mean", peak.mean, 1.2, "");
    /* The absolute number too: in a very small program the ratio says little. */
    snprintf(who, sizeof who, " (%s, %+.1f MB)", plan->program[peak.worst_program],
             darn_result_median(&row[darn], DARN_PEAK) -
                 darn_result_median(&row[plan->variant[darn].base], DARN_PEAK));
    print_goal(out, "default budget: peak memory, worst", peak.worst, 1.2, who);
}

void darn_table_goals(FILE *out, const struct darn_plan *plan, const darn_result_row *rows)
{
    int darn = darn_plan_variant(plan, "darn");
    int max = darn_plan_variant(plan, "max");
    int tsan = darn_plan_variant(plan, "tsan");

    if (darn < 0 || darn_result_summary(rows, plan, (size_t)darn, DARN_USER).programs == 0)
        return;
    fprintf(out, "| Goal | wanted | measured | met |\n|---|---|---|---|\n");
    print_default_budget(out, plan, rows, (size_t)darn);
    if (max >= 0 && tsan >= 0)
        print_below(out, plan, rows, (size_t)max, (size_t)tsan);
    fprintf(out, "\n");
}
