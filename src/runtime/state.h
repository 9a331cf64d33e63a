/* The one state of the runtime, apart from what a module keeps to itself. */
#ifndef DARN_RUNTIME_STATE_H
#define DARN_RUNTIME_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

/* What the hooks do. */
enum darn_mode {
    DARN_MODE_WATCH,   /* look for races that happen */
    DARN_MODE_RECORD,  /* write a trace */
    DARN_MODE_LEARN,   /* find out which sites share memory */
    DARN_MODE_CONTROL, /* one thread at a time (turn.h) */
    DARN_MODE_HEAL,    /* look for nothing, and heal what is known (heal.h) */
};

struct darn_state {
    bool ready;    /* options are read, threads may be made known */
    bool inert;    /* there is nothing to do, or nothing may be done: never ready (init.c) */
    bool secure;   /* the program has rights that its caller has not: nothing of the caller's is
                      believed, and nobody is started in its name */
    bool finished; /* the program has ended as far as we are concerned */
    bool is_asked; /* this is the process that `darn run` became: it says also that nothing was
                      found */
    bool has_forked;
    bool is_run;    /* `darn run` has started this process, or one that has */
    int pid;        /* a child of vfork has our memory, but is not us */
    bool quiet;     /* nothing is to be known about locks but who waits for which */
    bool preloaded; /* into a program that was not compiled by darn: no frame pointers */
    enum darn_mode mode;
    uint64_t seed;
    struct darn_options options;
};

extern struct darn_state darn_state;

/* The program was built to be healed, and for nothing else (darn cc --only); empty: it was not. */
extern const char darn_production[] __attribute__((visibility("hidden")));

/* The repository that such a program was built to be healed by (--darn-heal); empty: none. */
extern const char darn_heal_path[] __attribute__((visibility("hidden")));

/* Reads the options and starts to watch; does nothing when that was done already. */
void darn_init(void);

/* Around fork: the runtime's locks are held, so that the child finds everything in order. */
void darn_before_fork(void);
void darn_after_fork_in_parent(void);
void darn_after_fork_in_child(void);

/* The program calls exit: the destructor of a runtime that was preloaded comes before the handlers
 * that would tell. */
void darn_ends_with(int status);

/* The exit status that the findings so far make of the program's own. */
int darn_exit_status(int status);

/* Before another program takes the place of this one: writes what was learned and healed. */
void darn_before_exec(void);

/* Says the last word about this run and returns the exit status, given the program's own. */
int darn_finish(int status);

#endif
