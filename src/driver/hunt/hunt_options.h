/*
 * What is wanted of a hunt.
 */
#ifndef DARN_DRIVER_HUNT_OPTIONS_H
#define DARN_DRIVER_HUNT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct darn_hunt_options {
    uint32_t seconds_ms; /* for everything */
    uint32_t timeout_ms; /* of one run */
    bool timeout_given;
    uint64_t jobs, trials, seed, max_steps;
    bool max_steps_given;
    const char *directory; /* NULL: a new one */
    const char *oracle, *reset, *input, *suppressions, *strip_path_prefix;
    const char *with; /* a command beside each run; NULL: none */
    uint32_t stop;    /* the signal that ends the program then */
    const char *predicted; /* NULL, or findings of darn predict, which are tried, too */
    const char *sections;  /* NULL: those that the compiler has inferred */
    bool no_explore, no_shrink;
    bool report_spins; /* races on what a loop waits for are targets, too */
    bool early;     /* waits may time out although others can go on */
    char **program; /* with its arguments; NULL: that of the directory */
};

#endif
