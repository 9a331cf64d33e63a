/*
 * The options of darn shrink.
 */
#ifndef DARN_CLI_SHRINK_H
#define DARN_CLI_SHRINK_H

#include "cli/say.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_shrink_options[];

#endif
