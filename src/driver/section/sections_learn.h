/*
 * Sections that are learned from correct runs (AVIO's invariants).
 */
#ifndef DARN_DRIVER_SECTIONS_LEARN_H
#define DARN_DRIVER_SECTIONS_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/play/free_runs.h"
#include "driver/process/listener.h"
#include "driver/section/section_file.h"

struct darn_trace;

/* What is wanted. */
struct darn_learn_options {
    uint64_t runs;
    uint64_t seed;
    struct darn_free_options runs_as; /* how each is made and judged */
};

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

/* Begins with the first two; the next four are what came of it. */
struct darn_learn {
    struct darn_listener *listener;
    const struct darn_learn_options *options;
    struct darn_sections sections; /* the caller frees them */
    struct darn_learned learned;
    uint64_t made, correct; /* runs */
    int signal;             /* that has ended it early; 0: none */
    /* Its own. */
    struct darn_learning *learning;
    struct darn_free_runs runs;
    char profile[DARN_OPTIONS_PATH];
    uint64_t begun;
    bool warned;
};

/* sections_learn_runs.c: makes the runs and learns from them. 0 or DARN_REFUSED. */
int darn_learn(struct darn_learn *learn);

#endif
