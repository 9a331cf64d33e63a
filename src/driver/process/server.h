/*
 * A fork server: the program under test, started once, waiting before main for the next controlled
 * run. One for each job.
 */
#ifndef DARN_DRIVER_SERVER_H
#define DARN_DRIVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/process/listener.h"
#include "schedule/block.h"

struct darn_server_options {
    struct darn_listener *listener;
    char **program;      /* with its arguments */
    const char *input;   /* a file that is each run's standard input; NULL: empty */
    const char *with;    /* a shell command beside each run; NULL: none */
    int stop;            /* the signal that ends the program when that has ended */
    const char *reset;   /* a shell command before each run; NULL: none */
    int cpu;             /* to pin it to; -1: none */
    uint32_t timeout_ms; /* of one run, in real time; 0: none */
    double until;        /* darn_clock: no run goes on after it; 0: no limit */
    bool show;           /* the program's output goes to the listener, too, as it comes */
    bool searches;       /* many runs: a sanitizer looks up no symbols */
};

struct darn_server; /* one job */

/* Starts the program up to main. NULL after a refusal, with *status DARN_REFUSED or DARN_LATE. The
 * program dies with the thread that has started it last: here, or in darn_server_run when it was
 * lost. */
struct darn_server *darn_server_start(const struct darn_server_options *options, int *status);

/* Ends it and everything it has started. */
void darn_server_stop(struct darn_server *server);

/* Fill in block->request (and follow[], switches[], sites[]) before. */
struct darn_control_block *darn_server_block(struct darn_server *server);

enum darn_server_result {
    DARN_SERVER_RAN,     /* block->result says how it ended */
    DARN_SERVER_TIMEOUT, /* the run took too long and was killed: block->result has what there is */
    DARN_SERVER_LOST,    /* the server itself is gone, and starting it anew did not help */
    DARN_SERVER_STOPPED, /* darn_server_interrupt, or the time of all runs is over (`until`) */
    DARN_SERVER_HELD,    /* DARN_RUN_HOLD: the process block->child stands still, for a debugger */
};

/* Makes one controlled run. */
enum darn_server_result darn_server_run(struct darn_server *server);

/* Why a server is DARN_SERVER_LOST, in one line; nothing was printed. */
const char *darn_server_loss(const struct darn_server *server);

/* Of the runs to come; 0: none. */
void darn_server_set_timeout(struct darn_server *server, uint32_t ms);

/* Those are cut off, too, that have come to no step and used no processor for so long; 0: not. */
void darn_server_set_stillness(struct darn_server *server, uint32_t ms);

/* When the time of all runs to come is over: one that is under way then is stopped, which says
 * nothing about it, and no other one begins. 0: never. */
void darn_server_set_until(struct darn_server *server, double until);

/* From a signal handler or another thread: the run under way is killed and no other one begins. */
void darn_server_interrupt(struct darn_server *server);

/* What the last run has printed on stdout and stderr together, up to 64 KiB from its end (with a
 * NUL after it); and a hash of all of it. */
const char *darn_server_output(struct darn_server *server, size_t *length);
uint64_t darn_server_output_hash(struct darn_server *server);

/* All of it as a file, from the start on; the caller closes it. Negative when it cannot be had. */
int darn_server_output_file(struct darn_server *server);

/* Arms exactly the sites with these keys, sorted (all of them with NULL and SIZE_MAX). */
void darn_server_arm(struct darn_server *server, const uint64_t *keys, size_t count);

/* Runs the program under several plain schedules until no new shared site comes up, at most `runs`
 * times, and arms the sites that share memory. Returns how many are armed, or -1 when the program
 * cannot be run (a refusal). */
int darn_server_learn(struct darn_server *server, int runs);

/* Arms the sites that runs with DARN_RUN_LEARN have found to share memory; how many there are. */
int darn_server_arm_shared(struct darn_server *server);

/* How many runs darn_server_learn took. */
uint32_t darn_server_learned(const struct darn_server *server);

/* Arms what is armed in `model`, another server of the same program. */
void darn_server_arm_like(struct darn_server *server, struct darn_server *model);

/* The keys of the sites that are armed, sorted; the caller frees them. */
uint64_t *darn_server_armed(struct darn_server *server, size_t *count);

#endif
