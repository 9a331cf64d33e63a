/*
 * Many runs of a program, several at a time, in which threads run as they like: what `darn run`
 * does, again and again, each judged by its exit status or by what the user gives.
 */
#ifndef DARN_DRIVER_FREE_RUNS_H
#define DARN_DRIVER_FREE_RUNS_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/process/listener.h"
#include "base/options.h"
#include "driver/play/verdict.h"

#define DARN_FREE_RUN_TEXT 512

/* One run. */
struct darn_free_run {
    uint64_t number;                /* given by `next` */
    uint32_t job;                   /* no two runs at the same time have the same one */
    struct darn_options options;    /* of the program: given by `next` */
    enum darn_verdict_kind verdict; /* NONE: the oracle did not answer in time */
    char text[DARN_FREE_RUN_TEXT];  /* one line; empty when the run was fine */
};

/* What is wanted of them. */
struct darn_free_options {
    char **program;
    const char *oracle; /* as of darn explore; NULL: none */
    const char *expect; /* a file, which the standard output must be equal to; NULL: none */
    const char *input;  /* a file; NULL: our own standard input (input.h) */
    uint32_t timeout_ms;
    uint64_t jobs;
};

struct darn_free_runs {
    struct darn_listener *listener;
    const struct darn_free_options *options;
    /* All three with the lock held. `next` fills in number and options, and returns false when no
     * other run is needed; `done` is given what became of the run, unless it was interrupted. */
    bool (*next)(void *context, struct darn_free_run *run);
    void (*done)(void *context, const struct darn_free_run *run);
    void (*progress)(void *context); /* now and then */
    void *context;

    /* The rest is its own. */
    const char *directory; /* for files of the runs: the private one */
    const char *input;     /* a file; NULL: the standard input is empty */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t running;
    atomic_bool stop;
    atomic_int signal; /* that has interrupted it; 0: none */
    char *expected;
    size_t expected_size;
    int status; /* of a job that could not go on */
};

/* Finds the directory, and reads the input and what is expected. 0, or DARN_REFUSED. */
int darn_free_runs_open(struct darn_free_runs *runs);
void darn_free_runs_close(struct darn_free_runs *runs);

/* Makes runs until `next` has no more. SIGINT, SIGTERM and SIGHUP end it early. 0 or
 * DARN_REFUSED. */
int darn_free_runs_make(struct darn_free_runs *runs);

/* DIRECTORY/NAME.NUMBER. */
void darn_free_runs_file(const struct darn_free_runs *runs, const char *name, uint64_t number,
                         char *path, size_t size);

/* How many may run at the same time: the number of cores. */
uint32_t darn_free_runs_cores(void);

#endif
