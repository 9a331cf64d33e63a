/*
 * A refinement of a repository by runs of its program.
 */
#ifndef DARN_DRIVER_SECTIONS_REFINE_H
#define DARN_DRIVER_SECTIONS_REFINE_H

#include "base/noise.h"
#include "driver/play/free_runs.h"
#include "driver/section/refinement.h"
#include "driver/process/listener.h"

/* What is wanted. */
struct darn_refine_options {
    uint64_t runs; /* correct ones without a change, after which it ends */
    uint64_t seed;
    bool seed_given;
    struct darn_noise noise;
    struct darn_free_options runs_as; /* how each is made and judged */
};

/* A refinement under way. It begins with the first four. */
struct darn_refine {
    struct darn_listener *listener;
    const struct darn_refine_options *options;
    darn_refinement_tell *tell;    /* is given the refinement, and what a run has changed */
    struct darn_sections sections; /* what is to be refined, and what is left of it */
    struct darn_refinement refinement;
    struct darn_refinement_counts counts;
    struct darn_free_runs runs;
    char file[PATH_MAX]; /* for the runs to come */
    uint32_t generation; /* of that file */
    bool changed;        /* it is not up to date */
    uint64_t begun;      /* the number of the last run that was begun, in all */
    uint64_t made;       /* runs of this time: ended, */
    uint64_t failed;     /* and failed */
    uint64_t counted;    /* and left complete counts, */
    uint64_t unclear;    /* and nobody can say: no answer of the oracle, or no counts */
    uint64_t number;     /* of the run that news are about */
    const char *failure; /* in words, if it failed */
};

/* Makes the runs, and goes on where an earlier refinement of the same file has come to. 0 or
 * DARN_REFUSED. */
int darn_refine(struct darn_refine *refine);
void darn_refine_free(struct darn_refine *refine);

/* How many sections are left. */
size_t darn_refine_left(const struct darn_refine *refine);

/* It is at its end: so many correct runs as were wanted have changed nothing. */
bool darn_refine_is_quiet(const struct darn_refine *refine);

#endif
