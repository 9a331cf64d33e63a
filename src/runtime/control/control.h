/*
 * The control block (schedule/block.h) and the fork server: what passes between a controlled run
 * and the darn command that wants it.
 */
#ifndef DARN_RUNTIME_CONTROL_H
#define DARN_RUNTIME_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/block.h"
#include "site/site.h"

/* NULL: this is no controlled run, nor a server. */
extern struct darn_control_block *darn_control;

static inline bool darn_control_wants(enum darn_run_flag flag)
{
    return darn_control->request.flags & flag;
}

/* Maps the block that the options name. 0, or an exit status after one line. */
int darn_control_open(const char *path);

/* Just before main: serves until the command says that it is enough. Returns in each run. */
void darn_control_serve(void);

/* A module was loaded while the program runs: the command learns of its sites, and those that it
 * has armed are armed. */
void darn_control_loaded(const struct darn_site *start, const struct darn_site *stop);

/* Whether the code there was compiled by darn: in a module that has sites. */
bool darn_control_has_compiled(uint64_t pc);

/* What a run that dies leaves for the report: signals.c. In the server, for all its runs. */
void darn_control_watch_signals(void);

/* The run is about to make a thread: one core is enough from now on. */
void darn_control_pin(void);

/* Ends the run here and now. */
void darn_control_end(enum darn_end end) __attribute__((noreturn));

#endif
