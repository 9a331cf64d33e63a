/* One run of one command: what it cost and how it ended. */
#ifndef DARN_BENCH_MEASURE_H
#define DARN_BENCH_MEASURE_H

#include <stdbool.h>

struct darn_usage {
    double user;     /* seconds, over all threads */
    double system;   /* seconds that the kernel worked for it */
    double wall;     /* seconds */
    double peak;     /* megabytes of resident memory at the highest point */
    int status;      /* as wait(2) gives it */
    bool over_limit; /* it was killed for taking too long */
};

/*
 * Runs the command (leading words NAME=VALUE go to its environment) with its output in the two
 * files and kills it, with all that it started, after `limit` seconds. Returns 0, or -1 if it could
 * not be started at all (errno is set).
 */
int darn_measure(char *const command[], const char *stdout_path, const char *stderr_path,
                 double limit, struct darn_usage *usage);

#endif
