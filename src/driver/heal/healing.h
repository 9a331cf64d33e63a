/*
 * darn heal: runs a program so that thread bugs that are known do not happen.
 *
 * What is to be healed is a repository of sections and signatures of deadlocks. It is given, or
 * made from findings; the runtime in the program does the healing.
 */
#ifndef DARN_DRIVER_HEALING_H
#define DARN_DRIVER_HEALING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "driver/process/listener.h"
#include "driver/heal/heal_finding.h"
#include "driver/section/section_elf.h"
#include "report/heal/heal_report.h"
#include "report/heal/heal_fix.h"

struct darn_heal_options {
    const char *sections, *from; /* what to heal */
    const char *learn;           /* a file that is written */
    const char *with;            /* an option of the runtime; NULL: as it likes, */
    uint32_t bound;              /* and another one; 0: as it likes */
    bool verify;
    uint64_t schedules, jobs, seed, max_steps; /* of the verification */
    bool max_steps_given;
    uint32_t seconds_ms, timeout_ms;
    const char *oracle, *reset, *input, *directory;
    char **program; /* with its arguments */
};

#define DARN_HEAL_RANGES 32

/* What came of a finding: the lines that belong under one lock. */
struct darn_heal_fix {
    const struct darn_finding *finding;
    struct darn_fix_range ranges[DARN_HEAL_RANGES];
    size_t count;
};

struct darn_heal {
    struct darn_heal_options options;
    struct darn_listener *listener;
    char path[PATH_MAX]; /* of the program */
    bool compiled;       /* by darn: sections can be healed, not only deadlocks */
    struct darn_heal_findings findings;
    struct darn_section_elf elf;
    struct darn_sections repository;
    struct darn_words signatures; /* of deadlocks, see heal_deadlock.h */
    struct darn_heal_fix *fixes;  /* one for each finding */
    char file[PATH_MAX];          /* the repository that the runtime reads; empty: none */
    bool is_made;                 /* ours, and not a file that was given */
    const char *directory;        /* the private one; NULL: none yet */
};

/* heal.c: finds the program, which options.program names. 0 or DARN_REFUSED. */
int darn_heal_find_program(struct darn_heal *heal);

/* Reads what is given and makes what the findings ask for. Warns of what cannot be healed. 0 or
 * DARN_REFUSED. */
int darn_heal_make_repository(struct darn_heal *heal);

/* The runtime reads a file: the one that was given, or one in a directory of ours. 0 or
 * DARN_REFUSED. */
int darn_heal_call_repository(struct darn_heal *heal);

/* How many sections of the repository are to be healed; and how many of these are orders. */
size_t darn_heal_sections(const struct darn_heal *heal);
size_t darn_heal_orders(const struct darn_heal *heal);
void darn_heal_free(struct darn_heal *heal);

/* heal_from.c: makes the repository from the findings. Says what nothing can be made of. */
void darn_heal_from(struct darn_heal *heal);

/* Whether both say the same. */
bool darn_heal_is_same(const struct darn_section *a, const struct darn_section *b);

/* Writes the repository. 0 or a negative errno. */
int darn_heal_write(const struct darn_heal *heal, const char *path);
int darn_heal_print(const struct darn_heal *heal, FILE *out);

/* The lines of a section, for a fix. */
struct darn_fix_range darn_heal_range(const struct darn_section *section);

/* heal_run.c: runs the healed program to its end. 0, with its exit status; or DARN_REFUSED. */
int darn_heal_run(struct darn_heal *heal, int *status);

/* What the run says that it has healed; healed->with is NULL when it has left no account. The
 * caller frees it. */
void darn_heal_account(const struct darn_heal *heal, struct darn_healed *healed);

/* Tells of each fix that is worth it. */
typedef void darn_heal_tell_fix(void *context, const struct darn_fix *fix);
void darn_heal_each_fix(const struct darn_heal *heal, const struct darn_healed *healed,
                        darn_heal_tell_fix *tell, void *context);

/* heal_verify.c: what became of the schedules. */
struct darn_heal_verified {
    uint64_t schedules, failures;     /* of the exploration */
    uint64_t replays, replays_failed; /* of the schedules that have shown the bug, */
    uint64_t known;                   /* and how many of them fail when nothing is healed */
    uint64_t findings;                /* of --from, */
    uint64_t missing;                 /* and sections that are not in the program */
    uint64_t cut;                     /* runs that were cut off: how they end is not known */
    uint64_t orders; /* different orders of what threads share, of the exploration */
    uint64_t points; /* accesses in the source at which threads are switched */
    uint64_t races;  /* sections of one access alone */
    double seconds;
    bool exhausted; /* nothing is left to try */
    int signal;     /* that has ended it early; 0: none */
};

/* 0 or DARN_REFUSED; `verified`, zeroed before, has what was tried in either case. */
int darn_heal_verify(struct darn_heal *heal, struct darn_heal_verified *verified);

/* The options of the runtime, as they go into DARN_OPTIONS. 0 or DARN_REFUSED. */
int darn_heal_set_options(const struct darn_heal *heal, struct darn_options *options);

#endif
