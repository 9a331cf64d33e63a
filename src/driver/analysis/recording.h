/*
 * Recording a program: learning runs that find out which sites share memory and which reads spin,
 * then the run that is recorded. darn record and darn predict both do it.
 */
#ifndef DARN_DRIVER_RECORDING_H
#define DARN_DRIVER_RECORDING_H

#include <stdbool.h>

#include "base/options.h"
#include "driver/process/launch.h"
#include "driver/process/listener.h"

struct darn_recording {
    struct darn_listener *listener;
    struct darn_options options; /* of the runs; trace, learn and profile are filled in */
    const char *output;          /* the trace; NULL: not given */
    const char *profile;         /* kept from run to run; NULL: a temporary one */
    int learn_runs;              /* -1: one, or none when `profile` is there already */
    bool all, sync_only, any;
    bool quiet;                     /* says nothing about what was recorded */
    bool inside;                    /* the output is in a directory that is ours alone */
    bool followed;                  /* its trace is read while it runs, and of no use at the end */
    bool silent;                    /* nobody sees what the recorded run prints, either */
    struct darn_launch_limit limit; /* of each run. When a program that was to learn has not come to
                                       its end, all its accesses are recorded */
    double until;                   /* darn_clock: of all runs together; 0: none. Whoever learns
                                       leaves half of what is left to the run that is recorded */
    const char *reset;              /* a shell command before each run; NULL: none */
    uint32_t made;                  /* runs, of all kinds */
    char **program;
    int runs; /* that are recorded: 0 is 1; -1: DARN_RECORDING_RUNS, if the first one is short */
    double seconds; /* that the first one took, with what was learned before it */
    int recorded;   /* how many were: their traces are darn_recording_trace(…, 1) and so on */
};

#define DARN_RECORDING_RUNS 3

/* Learns and records into `output`. 0 and the program's own exit status in *status: of several runs
 * that of the first that did not succeed; or DARN_REFUSED; or the exit status of a run that was to
 * learn, when somebody has stopped it.
 *
 * One run may have taken the short way. Those after the first learn and run with another seed, and
 * with noise of their own if nobody has asked for any; nobody sees what they print. */
int darn_recording_run(struct darn_recording *recording, int *status);

/* Where the trace of a run is, the first one being 1: `output`, `output.2`, … */
void darn_recording_trace(const struct darn_recording *recording, int run, char *path, size_t size);

#endif
