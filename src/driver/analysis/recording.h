/*
 * Recording a program: learning runs that find out which sites share memory and which reads spin,
 * then the run that is recorded. darn record and darn predict both do it.
 */
#ifndef DARN_CLI_RECORDING_H
#define DARN_CLI_RECORDING_H

#include <stdbool.h>

#include "base/options.h"
#include "driver/process/launch.h"
#include "cli/say.h"

struct darn_recording {
    const char *command;         /* for messages: record, predict */
    struct darn_options options; /* of the runs; trace, learn and profile are filled in */
    const char *output;          /* the trace; NULL: not given */
    const char *profile;         /* kept from run to run; NULL: a temporary one */
    int learn_runs;              /* -1: one, or none when `profile` is there already */
    bool all, sync_only, any;
    bool quiet; /* says nothing about what was recorded */
    bool help;
    bool inside;                    /* the output is in a directory that is ours alone */
    bool silent;                    /* nobody sees what the recorded run prints, either */
    struct darn_launch_limit limit; /* of each run. When a program that was to learn has not come to
                                       its end, all its accesses are recorded */
    char **program;
};

/* The options that record and predict share; the table ends with a name that is NULL. */
extern const struct darn_cli_option darn_recording_options[];

/* What the options of a run in base/options.h mean here: those that a recording takes. */
bool darn_recording_takes(const char *name);

/* Reads one option, argv[*at]. 1 when it was one; 0 when it is none of ours; -EINVAL with one line
 * in `error`. */
int darn_recording_read(struct darn_recording *recording, int *at, int argc, char **argv,
                        char *error, size_t size);

/* Prints the help of the shared options. */
void darn_recording_help(void);

/* Learns and records into `output`. 0 and the program's own exit status in *status; or an exit
 * status of ours, after one line on stderr. */
int darn_recording_run(struct darn_recording *recording, int *status);

#endif
