/*
 * The plan of a comparison: which programs are run, in which variants, by which commands.
 *
 * A text file, one directive per line, '#' starts a comment:
 *
 *     variant NAME BASE ROUNDS LIMIT TITLE…        limit in seconds for one run
 *     run PROGRAM VARIANT [NAME=VALUE…] COMMAND…   split at blanks; leading assignments go to its
 * environment
 *
 * The results of a variant are divided by those of its base, which must stand before it. A variant
 * that is its own base is shown as it is, in seconds and megabytes.
 */
#ifndef DARN_BENCH_PLAN_H
#define DARN_BENCH_PLAN_H

#include <stddef.h>

enum { DARN_PLAN_VARIANTS = 16, DARN_PLAN_PROGRAMS = 64, DARN_PLAN_WORDS = 64 };

struct darn_variant {
    char *name;
    char *title;
    size_t base; /* index of a variant; its own if it is measured, not compared */
    unsigned rounds;
    double limit;
};

struct darn_plan {
    struct darn_variant variant[DARN_PLAN_VARIANTS];
    size_t variants;
    char *program[DARN_PLAN_PROGRAMS];
    size_t programs;
    /* NULL-terminated words, or NULL where a program has no such variant. */
    char **command[DARN_PLAN_PROGRAMS][DARN_PLAN_VARIANTS];
};

/* Reads the file into an empty plan. Returns 0, or -1 after one line on stderr. */
int darn_plan_read(struct darn_plan *plan, const char *path);
void darn_plan_free(struct darn_plan *plan);

/* The index of the variant with that name, or -1. */
int darn_plan_variant(const struct darn_plan *plan, const char *name);

#endif
