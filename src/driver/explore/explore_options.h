/*
 * What is wanted of an exploration.
 */
#ifndef DARN_DRIVER_EXPLORE_OPTIONS_H
#define DARN_DRIVER_EXPLORE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "search/search.h"

/* Which accesses are scheduling points, besides synchronization. */
enum darn_explore_points { DARN_POINTS_SHARED, DARN_POINTS_SYNC, DARN_POINTS_ALL };

struct darn_explore_options {
    struct darn_search_options search;
    uint64_t schedules;  /* the most */
    uint32_t seconds_ms; /* 0: no limit */
    uint32_t timeout_ms;
    bool timeout_given; /* else it gets longer with the program */
    uint64_t jobs;
    uint64_t max_steps;
    bool max_steps_given;
    uint32_t points; /* enum darn_explore_points */
    bool keep_going, races;
    bool all;              /* what has the same cause as another finding is told at length, too */
    bool usual_counts;     /* a status that the program always ends with is a failure, too */
    bool early;            /* waits may time out although others can go on */
    bool report_spins;     /* of races: the reads of loops that only wait count, too */
    uint32_t really_spins; /* 1, for measuring: spins are not recognised */
    const char *oracle, *reset, *input;
    const char *with; /* a command beside each run; NULL: none */
    uint32_t stop;    /* the signal that ends the program then */
    const char *directory; /* where failures are kept; NULL: nowhere */
    char **program;        /* with its arguments */
};

/* By enum darn_explore_points. */
extern const char *const darn_explore_points_names[];

#endif
