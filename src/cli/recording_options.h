/*
 * The options that darn record and darn predict share.
 */
#ifndef DARN_CLI_RECORDING_OPTIONS_H
#define DARN_CLI_RECORDING_OPTIONS_H

#include "cli/command.h"
#include "driver/analysis/recording.h"
#include "cli/say.h"

/* They fill a struct darn_recording. */
extern const struct darn_option darn_recording_options[];

/* The options of a run that a recording takes. */
#define DARN_GROUP_OF_RUN(at)                                                                      \
    {                                                                                              \
        .heading = "Of the options of darn run:", .options = darn_run_options, .base = at,         \
        .only = "noise|noise_kind|seed|max_size|spin_threshold|verbosity"                          \
    }

/* What does not go together. 0 or an exit status, after one line on stderr. */
int darn_recording_check(const char *command, const struct darn_recording *recording);

#endif
