/*
 * darn campaign: each word after it is a command of its own.
 */
#ifndef DARN_CLI_CAMPAIGN_LINE_H
#define DARN_CLI_CAMPAIGN_LINE_H

#include <limits.h>

#include "cli/line.h"
#include "cli/say.h"

extern const struct darn_command darn_campaign_init_command;
extern const struct darn_command darn_campaign_run_command;
extern const struct darn_command darn_campaign_work_command;
extern const struct darn_command darn_campaign_merge_command;
extern const struct darn_command darn_campaign_status_command;

#define DARN_ROW_DATABASE(at)                                                                      \
    {                                                                                              \
        .name = "db", .type = DARN_OPTION_STRING, .offset = at, .value = "FILE",                   \
        .help = "the database (default: beside the file, night.db for\n"                           \
                "night.json)"                                                                      \
    }

/* The database that belongs to the file: `given`, or night.db for night.json. */
void darn_campaign_database(const char *file, const char *given, char path[PATH_MAX]);

#endif
