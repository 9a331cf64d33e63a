/*
 * darn fix: candidates for a fix of what a hunt has confirmed (report/fix), each built and tried in
 * a copy of the source tree.
 *
 * Where the system has mount namespaces, the copy is mounted in the place of the tree for
 * everything that is run here: a build that knows absolute paths finds itself where it always was,
 * and the tree itself cannot be written.
 */
#ifndef DARN_DRIVER_FIXING_H
#define DARN_DRIVER_FIXING_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "driver/fix/recorded.h"
#include "driver/heal/heal_finding.h"
#include "driver/play/index.h"
#include "driver/play/kept.h"
#include "driver/process/listener.h"
#include "report/fix/patch.h"
#include "report/text_pool.h"

struct darn_fix_options {
    const char *finding; /* its directory */
    const char *tree;    /* of the sources; NULL: what the program and they have in common */
    const char *build;   /* a shell command; NULL: as the program was compiled */
    const char *test;    /* another one; NULL: none */
    uint32_t seconds_ms; /* for the hunt of one candidate, */
    uint32_t limit_ms;   /* and for all together; 0: no limit */
    uint64_t fixes;      /* enough are found then */
    uint64_t seed, jobs;
    bool apply;
};

/* What has become of a candidate. */
enum darn_fix_result {
    DARN_FIX_PROVED,
    DARN_FIX_NO_BUILD,
    DARN_FIX_BREAKS,  /* it ends or prints otherwise */
    DARN_FIX_REMAINS, /* the bug does */
    DARN_FIX_PART,    /* the bug is gone, but it fails still */
    DARN_FIX_HARMS,   /* there is a new one */
    DARN_FIX_NO_TEST, /* the tests fail */
    DARN_FIX_RESULTS
};

/* Of the programs without and with the fix. */
struct darn_fix_proof {
    uint64_t schedules;         /* that the hunt has made with it */
    double seconds;             /* that the hunt took */
    double before_ms, after_ms; /* processor time of a free run, the least of some; 0: not known */
    uint64_t others;            /* bugs that were known before, and are still there */
    bool ran;                   /* freely, and it ended as before, or well */
    bool compared;              /* what it prints is what good runs print */
    bool followed;              /* the failing schedule was, and the run ends well: */
    uint64_t switches, made;    /* its switches, and those that are still made */
    bool tested;                /* by the user's command */
};

struct darn_fixing {
    struct darn_fix_options options;
    struct darn_listener *listener;
    /* A fix that was proved. */
    void (*proved)(void *context, const struct darn_fixing *fixing, const struct darn_patch *patch,
                   const struct darn_fix_proof *proof);
    void *context;
    struct darn_text_pool pool;
    struct darn_heal_findings findings;
    struct darn_kept kept;
    struct darn_patches patches;
    struct darn_patches joined; /* those that were but a part, with what may mend the rest */
    size_t candidates;          /* in both */
    struct darn_words left;     /* the directories of what else makes it fail */
    char tree[PATH_MAX];        /* of the user */
    char copy[PATH_MAX];        /* the private one */
    const char *enter; /* how a mount namespace is entered: the option of unshare; NULL: not */
    const char *build_in, *build;        /* the directory and the command; NULL: by the records */
    struct darn_records records;         /* of the program */
    struct darn_words known;             /* what the program without a fix shows: darn_fix_key */
    const char *key;                     /* of the finding */
    struct darn_words outcomes;          /* what it leads to: crash, assertion, … */
    struct darn_words statuses, outputs; /* of free runs without a fix */
    double before_ms;                    /* of a free run without a fix */
    double cost_ms;                      /* of one of many */
    uint32_t free_ms; /* how long a free run with a fix may take; 0: nobody knows yet */
    bool follows;     /* the failing schedule can be followed in the program as it was built here */
    unsigned hunts;
    uint64_t results[DARN_FIX_RESULTS];
    char why[512]; /* the last candidate was none */
};

/* Tries the candidates. 0 or DARN_REFUSED; `results` counts what has become of them. */
int darn_fix(struct darn_fixing *fixing);
void darn_fixing_free(struct darn_fixing *fixing);

/* ---- fix_tree.c ---- */

/* Copies the tree, and finds out how commands are run there. 0 or DARN_REFUSED. */
int darn_fix_copy(struct darn_fixing *fixing);

/* What a path of the tree is called for commands that are run there. */
const char *darn_fix_path(struct darn_fixing *fixing, const char *path);

/* Removes a file of the tree from the copy. 0 or a negative errno. */
int darn_fix_take_away(const struct darn_fixing *fixing, const char *path);

/* When it was written there, in nanoseconds; 0: it is not there. */
uint64_t darn_fix_written(const struct darn_fixing *fixing, const char *path);

struct darn_fix_run {
    const char *command;   /* for a shell */
    const char *directory; /* in which it is run */
    const char *output;    /* the file that gets all that it prints; NULL: none */
    uint32_t timeout_ms;
    double cpu_ms; /* that it took */
};

/* What wait() says, or a negative errno. */
int darn_fix_run(struct darn_fixing *fixing, struct darn_fix_run *run);

/* Writes the changed files into the copy (`undo`: as they were), or into the tree itself. 0 or a
 * negative errno. */
int darn_fix_write(const struct darn_fixing *fixing, const struct darn_patch *patch, bool undo);
int darn_fix_apply(const struct darn_fixing *fixing, const struct darn_patch *patch);

/* ---- fix_build.c ---- */

/* How the program is built, and in which directory: what the user says; the command that has
 * compiled and linked it at once; the tool of the directory that it was built in; or the commands
 * that have compiled its objects and linked them. False when nobody knows. */
bool darn_fix_find_build(struct darn_fixing *fixing);

/* The tool has not built it: whether the commands are known, which are taken from now on. */
bool darn_fix_turn_to_records(struct darn_fixing *fixing);

/* Whether what was found builds by absolute paths. */
bool darn_fix_is_absolute(const struct darn_fixing *fixing);

/* The program as it is in the copy was linked by darn cc, if the user's was. */
bool darn_fix_is_built_alike(struct darn_fixing *fixing);

/* Files were written: the objects that are made of them are taken away, or all, if a file is none's
 * source, as a header. NULL: all. Only where it is built by the records. */
void darn_fix_forget_objects(struct darn_fixing *fixing, const struct darn_patch *patch);

/* The shell command. */
const char *darn_fix_build_command(struct darn_fixing *fixing);

/* ---- fix_runs.c ---- */

/* What wait() says, or a negative errno, in words. */
const char *darn_fix_status_word(struct darn_text_pool *pool, int status);

#define DARN_FIX_ORACLE "status of which the oracle says no"

/* One run with nobody in between: how it ended, and what it printed; the least time of all goes
 * into `cpu_ms`. 0 or DARN_REFUSED. */
int darn_fix_run_freely(struct darn_fixing *fixing, const char **status, const char **output,
                        double *cpu_ms);

/* Milliseconds of the processor that such a run takes, the least of some; 0: not known. */
double darn_fix_cost(struct darn_fixing *fixing);

struct darn_fix_hunted {
    struct darn_index index;
    uint64_t schedules;
    double seconds;
};

/* 0, or DARN_REFUSED; the index is to be closed in either case. */
int darn_fix_hunt(struct darn_fixing *fixing, uint32_t milliseconds,
                  struct darn_fix_hunted *hunted);

struct darn_fix_explored {
    uint64_t schedules;
    double seconds;
    const char *failing; /* the directory of what it has found; NULL: nothing */
};

/* Adds to what was explored before. `way` is the command with the options that say how. 0 or
 * DARN_REFUSED. */
int darn_fix_explore(struct darn_fixing *fixing, const char *way, uint32_t milliseconds,
                     struct darn_fix_explored *explored);

struct darn_fix_followed {
    bool ran, fails;
    uint64_t switches, made;
};

/* The schedule of the finding, in the program as it is built in the copy. */
void darn_fix_follow(struct darn_fixing *fixing, struct darn_fix_followed *followed);

/* ---- fix_prove.c ---- */

/* What the finding is, and in `left` what else of its hunt makes the program fail. 0 or
 * DARN_REFUSED. */
int darn_fix_read(struct darn_fixing *fixing);

/* What the program shows as it is. 0 or DARN_REFUSED. */
int darn_fix_measure(struct darn_fixing *fixing);

/* The candidate is written and built; why it is none is in `why`. */
enum darn_fix_result darn_fix_prove(struct darn_fixing *fixing, struct darn_fix_proof *proof);

#endif
