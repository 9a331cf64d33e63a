/*
 * Databases of campaigns among what darn report --html is given: their findings, the schedules of
 * their hunts, and what the campaign has come to.
 */
#ifndef DARN_CLI_REPORT_CAMPAIGN_H
#define DARN_CLI_REPORT_CAMPAIGN_H

#include "base/words.h"
#include "driver/play/shown.h"

struct darn_report_campaign {
    struct darn_words paths; /* what is no database, and directories of hunts */
    json_t *findings, *picture;
    char about[256];
};

bool darn_report_is_database(const char *path);

/* Of several campaigns, the page draws the last one. 0 or an exit status. */
int darn_report_campaign_open(struct darn_report_campaign *campaign, char *const *paths, int count,
                              struct darn_shown *shown);
void darn_report_campaign_close(struct darn_report_campaign *campaign);

#endif
