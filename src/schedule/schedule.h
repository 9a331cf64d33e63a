/*
 * A schedule file: text, versioned, made to be replayed on its own. It has the program and its
 * arguments, what was armed, where virtual time started, and every step: which thread went on, what
 * it did there and where (as MODULE+OFFSET of the ELF file, so that it does not depend on where a
 * module was loaded). Consecutive steps of one thread share a line.
 */
#ifndef DARN_SCHEDULE_SCHEDULE_H
#define DARN_SCHEDULE_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "schedule/block.h"

struct darn_schedule_place {
    uint32_t module; /* index; the number of modules: in none */
    uint64_t offset;
};

struct darn_schedule_step {
    uint32_t thread;
    uint8_t op, flags; /* enum darn_step_op, enum darn_step_flag */
    struct darn_schedule_place place;
};

/* The places of a triple, so that a replay tells when it is met. */
struct darn_schedule_aim {
    uint32_t kind; /* DARN_AIM_FIRST to DARN_AIM_REMOTE_SECTION */
    struct darn_schedule_place place;
};

/* All texts and arrays are owned by the schedule. */
struct darn_schedule {
    char *program;      /* absolute path */
    char *directory;    /* in which it ran */
    char **arguments;   /* with the name of the program first; ends with NULL */
    char **environment; /* NAME=VALUE that the command had set for it; ends with NULL */
    char *input;        /* the file that was its standard input, beside the schedule; NULL: empty */
    uint64_t time;      /* where virtual time started */
    uint64_t build; /* a hash of the program's file: a replay of another build is warned about */
    uint64_t max_steps;
    uint64_t fair_from; /* with DARN_RUN_PROVE: the first step of the fair part */
    uint32_t run_flags; /* enum darn_run_flag that a replay needs */
    char **modules;     /* paths */
    size_t module_count;
    uint64_t *armed; /* keys of the sites that were armed (darn_site_key) */
    size_t armed_count;
    unsigned char *inputs; /* recorded inputs (block.h), to be fed back */
    size_t input_length;
    struct darn_schedule_aim *aims;
    size_t aim_count;
    struct darn_schedule_step *steps;
    size_t step_count;
    uint64_t essential; /* of a run that fails: the number of the step at which, had thread */
    uint64_t instead;   /* `instead` gone on, the run would have ended well. 0: not known */
    char *ending; /* one word, for people and `darn replay` to compare: "deadlock", "abort", … */
};

/* NULL, with one line in `error` that names the line of the file. The lists of arguments and of the
 * environment are always there. */
struct darn_schedule *darn_schedule_read(FILE *file, char *error, size_t size);
/* 0 or a negative errno; -EINVAL when it has no program, or a step or place that is none. */
int darn_schedule_write(const struct darn_schedule *schedule, FILE *file);
void darn_schedule_free(struct darn_schedule *schedule);

/* The steps that a block has made, the triple that it had, and the modules in which they lie, in
 * the place of those that the schedule had. 0, -ENOMEM, or -EINVAL when a step of the block is
 * none. */
int darn_schedule_take_steps(struct darn_schedule *schedule,
                             const struct darn_control_block *block);

/* Fills in follow[] of a block whose modules are known; a module is found by its path, or by its
 * name if it was moved. Returns how many steps could be placed, up to the first whose module is not
 * there: fewer than step_count then. */
size_t darn_schedule_give_steps(const struct darn_schedule *schedule,
                                struct darn_control_block *block);

/* Gives the triple to the plan of the block. */
void darn_schedule_give_aims(const struct darn_schedule *schedule,
                             struct darn_control_block *block);

#endif
