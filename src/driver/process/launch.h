/*
 * Starting the program under test: what darn run, record and predict have in common.
 */
#ifndef DARN_CLI_LAUNCH_H
#define DARN_CLI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

/* Whether there is such a program, and darn has compiled it (not asked with `any`). 0, with its
 * path, or an exit status after one line on stderr. */
int darn_check_program(const char *command, const char *name, bool any, char *path, size_t size);

/* Makes a path option absolute: the program may change its directory. 0 or an exit status. */
int darn_make_absolute(const char *command, struct darn_options *options, const char *name,
                       const char *path);

/* Puts the options into the environment of programs to come. 0 or an exit status. */
int darn_pass_options(const char *command, const struct darn_options *options);

struct darn_launch_limit {
    uint32_t milliseconds; /* after which the program is killed; 0: never */
    bool was_reached;
};

/* Runs the program and waits for its end: its exit status, 128 + n when signal n has ended it, as a
 * shell says. With `quiet` nobody sees what it prints. */
int darn_launch(const char *command, char **program, bool quiet, struct darn_launch_limit *limit);

#endif
