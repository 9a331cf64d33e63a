/*
 * Rounds, one after the other or some at a time, until the time is over, somebody says stop, or so
 * many are done.
 */
#ifndef DARN_DRIVER_CAMPAIGN_RUN_H
#define DARN_DRIVER_CAMPAIGN_RUN_H

#include "driver/campaign/campaign.h"
#include "driver/campaign/campaign_store.h"

struct darn_campaign_wanted {
    double seconds;  /* 0: no limit */
    uint64_t rounds; /* in this call; 0: no limit */
    uint64_t jobs;
    uint64_t seed; /* 0: that of the file */
    bool quiet;    /* no word about findings: whoever asked tells them in the end */
};

struct darn_campaign_result {
    uint64_t rounds;
    int64_t coverage_new, findings_new;
    int signal; /* that has ended it; 0: none */
};

/* 0 or DARN_REFUSED. */
int darn_campaign_run(struct darn_campaign *campaign, struct darn_listener *listener,
                      struct darn_campaign_store *store, const struct darn_campaign_wanted *wanted,
                      struct darn_campaign_result *result);

#endif
