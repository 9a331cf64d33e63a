/*
 * The plan of a comparison: which programs are run, in which variants, by which commands.
 *
 * A text file, one directive per line, '#' starts a comment:
 *
 *     variant NAME BASE ROUNDS LIMIT TITLE…        limit in seconds for one run
 *     again NAME VARIANT BASE TITLE…               the runs of VARIANT, with another base
 *     run PROGRAM VARIANT [NAME=VALUE…] COMMAND…   split at blanks; leading assignments go to its
 *                                                  environment
 *     tables QUANTITY…                             of user, cpu (user and system), wall and
 *                                                  peak; without it all of them
 *     goal VARIANT QUANTITY mean|worst LIMIT TEXT…
 *     below VARIANT PEER QUANTITY TEXT…            on every program
 *     within VARIANT QUANTITY LIMIT MORE TEXT…     on every program: times as much, or so much more
 *
 * The results of a variant are divided by those of its base, which must stand before it. A variant
 * that is its own base is shown as it is, in seconds and megabytes.
 */
#ifndef DARN_BENCH_PLAN_H
#define DARN_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    DARN_PLAN_VARIANTS = 16,
    DARN_PLAN_PROGRAMS = 64,
    DARN_PLAN_WORDS = 64,
    DARN_PLAN_GOALS = 16
};

enum darn_quantity { DARN_USER, DARN_CPU, DARN_WALL, DARN_PEAK, DARN_QUANTITIES };

struct darn_variant {
    char *name;
    char *title;
    size_t base; /* index of a variant; its own if it is measured, not compared */
    size_t runs; /* index of the variant whose runs count; its own but for `again` */
    unsigned rounds;
    double limit;
};

enum darn_goal_kind { DARN_GOAL_MEAN, DARN_GOAL_WORST, DARN_GOAL_BELOW, DARN_GOAL_WITHIN };

struct darn_goal {
    enum darn_goal_kind kind;
    enum darn_quantity quantity;
    size_t variant;
    size_t peer;  /* DARN_GOAL_BELOW */
    double limit; /* the others */
    double more;  /* DARN_GOAL_WITHIN: or so much more, in the unit of the quantity */
    char *text;
};

struct darn_plan {
    struct darn_variant variant[DARN_PLAN_VARIANTS];
    size_t variants;
    char *program[DARN_PLAN_PROGRAMS];
    size_t programs;
    /* NULL-terminated words, or NULL where a program has no such variant. */
    char **command[DARN_PLAN_PROGRAMS][DARN_PLAN_VARIANTS];
    struct darn_goal goal[DARN_PLAN_GOALS];
    size_t goals;
    bool is_chosen[DARN_QUANTITIES], any_chosen;
};

/* Reads the file into an empty plan. Returns 0, or -1 after one line on stderr. */
int darn_plan_read(struct darn_plan *plan, const char *path);
void darn_plan_free(struct darn_plan *plan);

/* Whether there is to be a table of it. */
bool darn_plan_shows(const struct darn_plan *plan, enum darn_quantity quantity);

#endif
