/*
 * What a round has left behind: findings in a file of JSON Lines, coverage, its output.
 */
#ifndef DARN_DRIVER_CAMPAIGN_HARVEST_H
#define DARN_DRIVER_CAMPAIGN_HARVEST_H

#include "driver/campaign/campaign_store.h"

struct darn_campaign_harvest {
    struct darn_campaign_sighting *findings;
    size_t count, room;
    struct darn_campaign_coverage coverage;
};

/* Reads the findings; a file that is not there has none. */
void darn_campaign_harvest_findings(struct darn_campaign_harvest *harvest, const char *path);

/* Adds one of our own: a test that fails although it does not without noise. */
void darn_campaign_harvest_failure(struct darn_campaign_harvest *harvest, const char *test,
                                   const char *how);

void darn_campaign_harvest_free(struct darn_campaign_harvest *harvest);

/* The last line of a file that has something in it, to be freed; NULL: there is none. */
char *darn_campaign_last_line(const char *path);

#endif
