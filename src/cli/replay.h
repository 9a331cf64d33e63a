/*
 * The options of darn replay.
 */
#ifndef DARN_CLI_REPLAY_H
#define DARN_CLI_REPLAY_H

#include "cli/say.h"

/* Ends with a name that is NULL. */
extern const struct darn_cli_option darn_replay_options[];

#endif
