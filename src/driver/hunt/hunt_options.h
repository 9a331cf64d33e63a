/*
 * The command line of darn hunt.
 */
#ifndef DARN_CLI_HUNT_LINE_H
#define DARN_CLI_HUNT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/say.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_hunt_options[];

struct darn_hunt_line {
    uint32_t seconds_ms; /* for everything */
    uint32_t timeout_ms; /* of one run */
    uint64_t jobs, trials, seed, max_steps;
    bool max_steps_given;
    const char *directory; /* NULL: a new one */
    const char *oracle, *reset, *input, *suppressions, *strip_path_prefix;
    const char *sections; /* NULL: those that the compiler has inferred */
    bool no_explore, no_shrink;
    bool early; /* waits may time out although others can go on */
    bool json;
    const char *json_file; /* NULL: stdout */
    uint32_t color;
    bool help;
    char **program; /* with its arguments; NULL: that of the directory */
};

/* Reads the line into a zeroed struct. 0, or an exit status after one line on stderr. */
int darn_hunt_read(struct darn_hunt_line *line, int argc, char **argv);

#endif
