/*
 * darn heal: runs a program so that thread bugs that are known do not happen.
 *
 * What is to be healed is a repository of sections and signatures of deadlocks. It is given, or
 * made from findings; the runtime in the program does the healing.
 */
#ifndef DARN_CLI_HEAL_H
#define DARN_CLI_HEAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "driver/heal/heal_finding.h"
#include "cli/say.h"
#include "driver/section/section_elf.h"
#include "report/heal/heal_fix.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_heal_options[];

struct darn_heal_line {
    const char *sections, *from; /* what to heal */
    const char *write, *learn;   /* files that are written */
    const char *with, *bound;    /* options of the runtime; NULL: as it likes */
    const char *json;
    bool verify;
    uint64_t schedules, jobs, seed, max_steps; /* of the verification; jobs and max_steps 0: as
                                                  darn explore has them */
    uint32_t seconds_ms, timeout_ms;
    const char *oracle, *reset, *input, *directory;
    const char *only_verify; /* an option that was given and means something with --verify only */
    const char *strip_path_prefix;
    uint32_t color;
    bool help;
    char **program; /* with its arguments */
};

/* Reads the line into a zeroed struct. 0, or an exit status after one line on stderr. */
int darn_heal_read(struct darn_heal_line *line, int argc, char **argv);

#define DARN_HEAL_RANGES 32

/* What came of a finding: the lines that belong under one lock. */
struct darn_heal_fix {
    const struct darn_finding *finding;
    struct darn_fix_range ranges[DARN_HEAL_RANGES];
    size_t count;
};

struct darn_heal {
    struct darn_heal_line line;
    char path[PATH_MAX]; /* of the program */
    bool compiled;       /* by darn: sections can be healed, not only deadlocks */
    struct darn_heal_findings findings;
    struct darn_section_elf elf;
    struct darn_sections repository;
    struct darn_words signatures; /* of deadlocks, see heal_deadlock.h */
    struct darn_heal_fix *fixes;  /* one for each finding */
    char file[PATH_MAX];          /* the repository that the runtime reads; empty: none */
    const char *directory;        /* the private one; NULL: none yet */
};

/* heal_from.c: makes the repository from the findings. Says what nothing can be made of. 0 or an
 * exit status. */
int darn_heal_from(struct darn_heal *heal);

/* Writes the repository. 0 or a negative errno. */
int darn_heal_write(const struct darn_heal *heal, const char *path);

/* The lines of a section, for a fix; `access` is that of the finding, or negative. */
struct darn_fix_range darn_heal_range(const struct darn_heal *heal,
                                      const struct darn_section *section, int access);

/* heal_run.c, heal_verify.c: exit statuses. */
int darn_heal_run(struct darn_heal *heal);
int darn_heal_verify(struct darn_heal *heal);

/* The options of the runtime, as they go into DARN_OPTIONS. 0 or an exit status. */
int darn_heal_set_options(const struct darn_heal *heal, struct darn_options *options);

#endif
