/*
 * The compiler driver's own options and environment: one table for reading and help.
 */
#ifndef DARN_CLI_CC_OPTIONS_H
#define DARN_CLI_CC_OPTIONS_H

#include "cli/say.h"
#include "cli/words.h"

#include <stdbool.h>

/* Variables by which the plugin gets to know what is wanted, beside that of ignorelist.h. */
#define DARN_FUNCTIONS_VARIABLE "DARN_FUNCTIONS" /* "1" */
#define DARN_WARNINGS_VARIABLE  "DARN_WARNINGS"  /* "0" */
#define DARN_SECTIONS_VARIABLE  "DARN_SECTIONS"  /* "0" */
#define DARN_ONLY_VARIABLE      "DARN_ONLY"      /* the path of a repository, */
#define DARN_HEAL_VARIABLE      "DARN_HEAL"      /* and where it lies in the field */

/* Both end with a name that is NULL. */
extern const struct darn_cli_option darn_cc_options[];
extern const struct darn_cli_option darn_cc_environment[];

struct darn_cc_own {
    bool help;
    bool functions;
    bool no_warnings;
    bool no_sections;
    const char *ignorelist; /* NULL: none */
    const char *only;       /* NULL: everything is instrumented */
    const char *heal;       /* NULL: healed by what DARN_OPTIONS names */
};

/* Separates our options from those for clang, which are added to `clang`. 0, or -EINVAL with one
 * line in `error`. */
int darn_cc_options_take(struct darn_cc_own *own, struct darn_words *clang, int argc, char **argv,
                         char *error, size_t error_size);

#endif
