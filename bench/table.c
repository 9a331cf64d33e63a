#include "table.h"

static const char *const heading[DARN_QUANTITIES] = {
    [DARN_USER] = "User time",
    [DARN_CPU] = "User and system time",
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
    const struct darn_result *result = darn_result_of(row, plan, variant);
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

/* Half as much again in one run as in another is not the program's doing. */
static bool is_unsteady(const struct darn_result *result)
{
    return result->end == DARN_RESULT_DONE && darn_result_median(result, DARN_USER) > 0.1 &&
           darn_result_spread(result, DARN_USER) > 0.5;
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
            if (is_unsteady(result))
                fprintf(out,
                        "- %s, %s: runs whose user time lies %.0f %% apart: the machine was not "
                        "quiet\n",
                        plan->program[i], title, 100 * darn_result_spread(result, DARN_USER));
            any |= result->end == DARN_RESULT_FAILED || result->end == DARN_RESULT_LIMIT ||
                   result->reported || is_unsteady(result);
        }
    }
    if (any)
        fprintf(out, "\n");
}

/* How much more one program needs. */
static double more_of(const struct darn_plan *plan, const struct darn_result *row,
                      const struct darn_goal *goal)
{
    return darn_result_median(darn_result_of(row, plan, goal->variant), goal->quantity) -
           darn_result_median(darn_result_of(row, plan, plan->variant[goal->variant].base),
                              goal->quantity);
}

/* Of one program, a ratio of memory says little when it needs hardly any: the absolute number too.
 */
static void print_worst(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                        const struct darn_goal *goal, const struct darn_summary *summary)
{
    double more = more_of(plan, rows[summary->worst_program], goal);

    fprintf(out, "%.3f (%s", summary->worst, plan->program[summary->worst_program]);
    if (goal->quantity == DARN_PEAK)
        fprintf(out, ", %+.1f MB", more);
    fprintf(out, ")");
}

/* A mean that stands alone is told with the worst case. */
static bool stands_alone(const struct darn_plan *plan, const struct darn_goal *goal)
{
    for (size_t i = 0; i < plan->goals; i++) {
        const struct darn_goal *other = &plan->goal[i];
        if (other->kind == DARN_GOAL_WORST && other->variant == goal->variant &&
            other->quantity == goal->quantity)
            return false;
    }
    return true;
}

static void print_limit(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                        const struct darn_goal *goal)
{
    struct darn_summary summary = darn_result_summary(rows, plan, goal->variant, goal->quantity);
    double measured = goal->kind == DARN_GOAL_WORST ? summary.worst : summary.mean;

    if (summary.programs == 0)
        return;
    fprintf(out, "| %s | ≤ %g | ", goal->text, goal->limit);
    if (goal->kind == DARN_GOAL_MEAN)
        fprintf(out, "%.3f", measured);
    if (goal->kind == DARN_GOAL_MEAN && stands_alone(plan, goal))
        fprintf(out, ", worst ");
    if (goal->kind == DARN_GOAL_WORST || stands_alone(plan, goal))
        print_worst(out, plan, rows, goal, &summary);
    fprintf(out, " | %s |\n", measured <= goal->limit ? "yes" : "**no**");
}

/* Names the programs that are not below. */
static void print_below(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                        const struct darn_goal *goal)
{
    size_t below = 0, compared = 0;

    fprintf(out, "| %s | every program |", goal->text);
    for (size_t i = 0; i < plan->programs; i++) {
        double ours = darn_result_ratio(rows[i], plan, goal->variant, goal->quantity);
        double theirs = darn_result_ratio(rows[i], plan, goal->peer, goal->quantity);
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

/* Names the programs that need both more times as much, and more. */
static void print_within(FILE *out, const struct darn_plan *plan, const darn_result_row *rows,
                         const struct darn_goal *goal)
{
    size_t within = 0, compared = 0;

    fprintf(out, "| %s | ≤ %g, or %g more |", goal->text, goal->limit, goal->more);
    for (size_t i = 0; i < plan->programs; i++) {
        double ratio = darn_result_ratio(rows[i], plan, goal->variant, goal->quantity), more;

        if (ratio <= 0)
            continue;
        compared++;
        more = more_of(plan, rows[i], goal);
        if (ratio <= goal->limit || more <= goal->more)
            within++;
        else
            fprintf(out, " not %s (%.2f, %+.1f);", plan->program[i], ratio, more);
    }
    fprintf(out, " %zu of %zu | %s |\n", within, compared,
            compared > 0 && within == compared ? "yes" : "**no**");
}

void darn_table_goals(FILE *out, const struct darn_plan *plan, const darn_result_row *rows)
{
    if (plan->goals == 0)
        return;
    fprintf(out, "| Goal | wanted | measured | met |\n|---|---|---|---|\n");
    for (size_t i = 0; i < plan->goals; i++) {
        if (plan->goal[i].kind == DARN_GOAL_BELOW)
            print_below(out, plan, rows, &plan->goal[i]);
        else if (plan->goal[i].kind == DARN_GOAL_WITHIN)
            print_within(out, plan, rows, &plan->goal[i]);
        else
            print_limit(out, plan, rows, &plan->goal[i]);
    }
    fprintf(out, "\n");
}
