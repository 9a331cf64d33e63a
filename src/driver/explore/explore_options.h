/*
 * darn explore: runs a program under many schedules and says which of them fail.
 */
#ifndef DARN_CLI_EXPLORE_H
#define DARN_CLI_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/say.h"
#include "search/search.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_explore_options[];

/* Which accesses are scheduling points, besides synchronization. */
enum darn_explore_points { DARN_POINTS_SHARED, DARN_POINTS_SYNC, DARN_POINTS_ALL };

struct darn_explore_line {
    struct darn_search_options search;
    uint64_t schedules;  /* the most */
    uint32_t seconds_ms; /* 0: no limit */
    uint32_t timeout_ms;
    uint64_t jobs;
    uint64_t max_steps;
    bool max_steps_given;
    uint32_t points; /* enum darn_explore_points */
    bool keep_going, races;
    bool early;        /* waits may time out although others can go on */
    bool really_spins; /* for measuring: spins are not recognised */
    const char *oracle, *reset, *input;
    bool json;
    const char *json_file; /* NULL: stdout */
    const char *directory; /* where failures are kept; NULL: nowhere */
    const char *strip_path_prefix;
    uint32_t color;
    bool help;
    char **program; /* with its arguments */
};

/* Reads the line into a zeroed struct. 0, or an exit status after one line on stderr. */
int darn_explore_read(struct darn_explore_line *line, int argc, char **argv);

const char *darn_explore_points_name(uint32_t points);

#endif
