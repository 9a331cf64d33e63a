/*
 * The command line of `darn analyze`.
 */
#ifndef DARN_CLI_ANALYZE_H
#define DARN_CLI_ANALYZE_H

#include <stdbool.h>

#include "driver/analysis/analysis.h"
#include "cli/say.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_analyze_options[];

/* What a line says so far. A zeroed struct but for `options.command` has the defaults. */
struct darn_analyze_line {
    struct darn_analysis_options options;
    bool help, engine_help;
};

/* Reads the option at argv[*at]. 0 or an exit status, after one line on stderr. */
int darn_analyze_read(struct darn_analyze_line *line, int *at, int argc, char **argv);

#endif
