/*
 * darn sections refine: its parts.
 */
#ifndef DARN_CLI_SECTIONS_REFINE_H
#define DARN_CLI_SECTIONS_REFINE_H

#include "base/noise.h"
#include "driver/play/free_runs.h"
#include "driver/section/refinement.h"
#include "cli/say.h"

void darn_help_sections_refine(void);

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_sections_refine_options[];

/* The command line. */
struct darn_refine_line {
    uint64_t runs; /* correct ones without a change, after which it ends */
    uint64_t jobs;
    uint64_t seed;
    bool seed_given;
    uint32_t timeout_ms;
    struct darn_noise noise;
    const char *oracle, *expect, *input;
    const char *output; /* NULL: the file itself */
    bool verbose, help;
    const char *file;
    char **program; /* NULL: none was given */
};

/* 0 or an exit status, after one line on stderr. */
int darn_refine_read(struct darn_refine_line *line, int argc, char **argv);

/* A refinement under way. */
struct darn_refine {
    const struct darn_refine_line *line;
    struct darn_sections sections;
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
    bool progress;       /* a line of progress is on the terminal */
    uint64_t number;     /* of the run that news are about */
    const char *failure; /* in words, if it failed */
};

size_t darn_refine_left(const struct darn_refine *refine);

/* What is said meanwhile, on stderr. */
void darn_refine_progress(void *refine);
void darn_refine_clear_progress(struct darn_refine *refine);
darn_refinement_tell darn_refine_tell;

/* What is said in the end. */
void darn_refine_summary(const struct darn_refine *refine, FILE *out);

#endif
