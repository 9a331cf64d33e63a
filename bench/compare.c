/*
 * Runs the programs of a plan in all their variants, side by side, and prints tables of ratios.
 *
 * usage: compare PLAN LOGS
 *
 * The variants of a program take turns, round by round, so that whatever else the machine does
 * hits all of them alike; the median of the rounds' ratios counts. The output of each run goes to the
 * directory LOGS and must be that of the first variant that is the base. Tables go to stdout,
 * progress to stderr. Exit status: 0, 1 if a run failed, 2 for a plan or directory that cannot be
 * used.
 */
#include "measure.h"
#include "plan.h"
#include "result.h"
#include "table.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_RACES = 66 };

static struct darn_plan plan;
static darn_result_row rows[DARN_PLAN_PROGRAMS];
static const char *logs;

struct paths {
    char out[512], err[512];
};

static struct paths log_paths(size_t program, size_t variant)
{
    struct paths paths;
    const char *names[] = {plan.program[program], plan.variant[variant].name};

    snprintf(paths.out, sizeof paths.out, "%s/%s.%s.out", logs, names[0], names[1]);
    snprintf(paths.err, sizeof paths.err, "%s/%s.%s.err", logs, names[0], names[1]);
    return paths;
}

static bool same_content(const char *left_path, const char *right_path)
{
    FILE *left = fopen(left_path, "rb"), *right = fopen(right_path, "rb");
    char a[65536], b[65536];
    bool same = left != NULL && right != NULL;

    while (same) {
        size_t length = fread(a, 1, sizeof a, left);
        same = fread(b, 1, sizeof b, right) == length && memcmp(a, b, length) == 0;
        if (length < sizeof a)
            break;
    }
    if (left != NULL)
        fclose(left);
    if (right != NULL)
        fclose(right);
    return same;
}

/* Why a run does not count, or NULL. Reports of races alone are no reason. */
static const char *judge(size_t program, size_t variant, const struct darn_usage *usage)
{
    static char why[128];
    size_t base = plan.variant[variant].base;

    if (WIFSIGNALED(usage->status)) {
        snprintf(why, sizeof why, "killed by signal %d", WTERMSIG(usage->status));
        return why;
    }
    if (WEXITSTATUS(usage->status) != 0 && WEXITSTATUS(usage->status) != STATUS_RACES) {
        snprintf(why, sizeof why, "exit status %d", WEXITSTATUS(usage->status));
        return why;
    }
    if (!same_content(log_paths(program, variant).out, log_paths(program, base).out))
        return "its output differs from that of the plain build";
    return NULL;
}

static void run_once(size_t program, size_t variant)
{
    struct darn_result *result = &rows[program][variant];
    struct paths paths = log_paths(program, variant);
    struct darn_usage usage;
    const char *why;

    if (darn_measure(plan.command[program][variant], paths.out, paths.err,
                     plan.variant[variant].limit, &usage) < 0) {
        result->end = DARN_RESULT_FAILED;
        snprintf(result->why, sizeof result->why, "cannot start: %s", strerror(errno));
        return;
    }
    if (usage.over_limit) {
        result->end = DARN_RESULT_LIMIT;
        return;
    }
    why = judge(program, variant, &usage);
    if (why != NULL) {
        result->end = DARN_RESULT_FAILED;
        snprintf(result->why, sizeof result->why, "%s", why);
        return;
    }
    result->end = DARN_RESULT_DONE;
    result->reported |= WEXITSTATUS(usage.status) == STATUS_RACES;
    darn_result_add(result, &usage);
}

static bool may_run(size_t program, size_t variant, unsigned round)
{
    const struct darn_result *result = &rows[program][variant];

    return plan.command[program][variant] != NULL && round < plan.variant[variant].rounds &&
           (result->end == DARN_RESULT_NONE || result->end == DARN_RESULT_DONE);
}

static void show_progress(size_t program, size_t variant)
{
    const struct darn_result *result = &rows[program][variant];

    if (result->end == DARN_RESULT_NONE)
        return;
    fprintf(stderr, "%-10s %-12s ", plan.program[program], plan.variant[variant].name);
    if (result->end == DARN_RESULT_LIMIT)
        fprintf(stderr, "stopped after %.0f s\n", plan.variant[variant].limit);
    else if (result->end == DARN_RESULT_FAILED)
        fprintf(stderr, "failed: %s (%s)\n", result->why, log_paths(program, variant).err);
    else
        fprintf(
            stderr, "user %6.2f s  wall %6.2f s  peak %6.1f MB  x%-6.2f (%u x, spread %.0f %%)%s\n",
            darn_result_median(result, DARN_USER), darn_result_median(result, DARN_WALL),
            darn_result_median(result, DARN_PEAK),
            darn_result_ratio(rows[program], &plan, variant, DARN_USER), result->runs,
            darn_result_spread(result, DARN_USER) * 100, result->reported ? " reported races" : "");
}

static void run_program(size_t program)
{
    bool any = true;

    for (unsigned round = 0; any; round++) {
        any = false;
        for (size_t i = 0; i < plan.variants; i++) {
            if (!may_run(program, i, round))
                continue;
            run_once(program, i);
            any = true;
        }
    }
    for (size_t i = 0; i < plan.variants; i++)
        show_progress(program, i);
}

static bool any_failed(void)
{
    for (size_t i = 0; i < plan.programs; i++) {
        for (size_t j = 0; j < plan.variants; j++) {
            if (rows[i][j].end == DARN_RESULT_FAILED)
                return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    int status;

    if (argc != 3) {
        fprintf(stderr, "usage: compare PLAN LOGS\n");
        return 2;
    }
    logs = argv[2];
    if (access(logs, W_OK) != 0) {
        fprintf(stderr, "%s: %s\n", logs, strerror(errno));
        return 2;
    }
    if (darn_plan_read(&plan, argv[1]) < 0)
        return 2;
    for (size_t i = 0; i < plan.programs; i++)
        run_program(i);
    for (int quantity = 0; quantity < DARN_QUANTITIES; quantity++) {
        if (darn_plan_shows(&plan, (enum darn_quantity)quantity))
            darn_table_ratios(stdout, &plan, rows, (enum darn_quantity)quantity);
    }
    darn_table_remarks(stdout, &plan, rows);
    darn_table_goals(stdout, &plan, rows);
    status = any_failed() ? 1 : 0;
    darn_plan_free(&plan);
    return status;
}
