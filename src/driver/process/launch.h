/*
 * Starting the program under test: what darn run, record and predict have in common.
 */
#ifndef DARN_DRIVER_LAUNCH_H
#define DARN_DRIVER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/process/client.h"
#include "driver/process/listener.h"
#include "base/options.h"

/* Which programs will do. */
enum darn_program_wanted {
    DARN_PROGRAM_COMPILED,   /* by darn, or a script, which may start one that is */
    DARN_PROGRAM_BY_DEFAULT, /* the same, unless the user says --any */
    DARN_PROGRAM_ANY,
};

/* Whether there is such a program. 0, with its path, or DARN_REFUSED. */
int darn_check_program(struct darn_listener *listener, const char *name,
                       enum darn_program_wanted wanted, char *path, size_t size);

/* Makes a path option absolute: the program may change its directory. 0 or DARN_REFUSED. */
int darn_make_absolute(struct darn_listener *listener, struct darn_options *options,
                       const char *name, const char *path);

/* Puts the options into the environment of programs to come. 0 or DARN_REFUSED. */
int darn_pass_options(struct darn_listener *listener, const struct darn_options *options);

struct darn_launch_limit {
    uint32_t milliseconds; /* after which the program is killed; 0: never */
    bool was_reached;
    struct darn_client client; /* that is run beside the program */
    /* Is called again and again while the program runs; NULL: nobody has anything to do. */
    void (*meanwhile)(void *context);
    void *context;
};

/* Runs the program and waits for its end: its exit status, 128 + n when signal n has ended it, as a
 * shell says. With `quiet` nobody sees what it prints. */
int darn_launch(struct darn_listener *listener, char **program, bool quiet,
                struct darn_launch_limit *limit);

#endif
