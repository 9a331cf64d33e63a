/*
 * darn sections infer --runs: sections that are learned from correct runs (AVIO's invariants). Its
 * parts.
 */
#ifndef DARN_CLI_SECTIONS_LEARN_H
#define DARN_CLI_SECTIONS_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/say.h"
#include "driver/section/section_file.h"

struct darn_trace;

void darn_help_sections_learn(void);

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_sections_learn_options[];

/* The command line. */
struct darn_learn_line {
    uint64_t runs;
    uint64_t jobs;
    uint64_t seed;
    uint32_t timeout_ms;
    const char *oracle, *expect, *input;
    const char *output; /* NULL: not given */
    bool help;
    char **program;
};

/* 0 or an exit status, after one line on stderr. */
int darn_learn_read(struct darn_learn_line *line, int argc, char **argv);

/* The pairs of all traces so far, with the places that they name. */
struct darn_learning;

/* NULL when there is no memory. */
struct darn_learning *darn_learning_new(void);
void darn_learning_free(struct darn_learning *learning);

/* The trace of a correct run. Damage ends it early: what comes before counts. */
void darn_learning_take(struct darn_learning *learning, struct darn_trace *trace);

struct darn_learned {
    uint64_t pairs;   /* of accesses that follow each other */
    uint64_t broken;  /* that were interrupted */
    uint64_t private; /* that were seen only where one thread, or no writer, was */
    uint64_t dropped; /* for which there was no room */
};

/* Adds a section for each entry of the pairs that hold. */
struct darn_learned darn_learning_give(const struct darn_learning *learning,
                                       struct darn_sections *sections);

#endif
