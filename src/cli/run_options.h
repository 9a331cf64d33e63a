/*
 * The command line of `darn run`: the options of a run (base/options.h) and those below.
 */
#ifndef DARN_CLI_RUN_OPTIONS_H
#define DARN_CLI_RUN_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "cli/say.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_run_options[];

struct darn_run {
    struct darn_options options;
    bool any;
    bool preload;
    bool help;
    char **program;      /* its argv; NULL when the line names none */
    bool noise_left_out; /* --noise-from named more than there is room for */
};

/* Reads what DARN_OPTIONS says (`variable`, may be NULL) and then the command line, which wins.
 * 0, or -EINVAL with one line in `error`. */
int darn_run_options_read(struct darn_run *run, const char *variable, int argc, char **argv,
                          char *error, size_t error_size);

#endif
