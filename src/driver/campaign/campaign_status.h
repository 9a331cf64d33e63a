/*
 * What a campaign has come to, by questions to its database.
 */
#ifndef DARN_DRIVER_CAMPAIGN_STATUS_H
#define DARN_DRIVER_CAMPAIGN_STATUS_H

#include "driver/campaign/campaign_store.h"

#define DARN_CAMPAIGN_TESTS 100000 /* that are listed */

struct darn_campaign_test_status {
    char *name;
    int64_t rounds, failed, hung, unfit;
    int64_t plain, plain_failed; /* runs without noise */
    int64_t coverage, findings;  /* that its rounds have shown first */
    double seconds;
};

/* A value of something that varies, and what rounds with it have shown. */
struct darn_campaign_help {
    char *mode, *name, *value;
    int64_t rounds;
    double gain; /* new coverage and findings, in each second: of all rounds together */
};

struct darn_campaign_status {
    int64_t rounds, shards;
    int64_t plain;  /* rounds without noise, which see no coverage */
    double seconds; /* of all rounds together */
    int64_t coverage;
    int64_t once, twice; /* facts that so many rounds have seen */
    int64_t findings, confirmed;
    struct darn_campaign_test_status *tests;
    size_t test_count;
    struct darn_campaign_help *helps;
    size_t help_count;
};

/* 0 or DARN_REFUSED. */
int darn_campaign_status(struct darn_campaign_store *store, struct darn_campaign_status *status);
void darn_campaign_status_free(struct darn_campaign_status *status);

/* What is to be said of a test, or "". */
const char *darn_campaign_remark(const struct darn_campaign_test_status *test);

/* How many rounds it takes to see something new, as far as the past tells: by Good and Turing, the
 * share of facts that were seen in one round alone. 0: nobody knows yet. */
double darn_campaign_rounds_to_new(const struct darn_campaign_status *status);

/* The same in words, of "round" or whatever stands for one: "about 5.5 new ones in a round, 2160 in
 * all at least". */
void darn_campaign_outlook(const struct darn_campaign_status *status, const char *round, char *text,
                           size_t size);

/* How many facts there seem to be in all: Chao's lower bound from those seen once and twice. */
double darn_campaign_coverage_in_all(const struct darn_campaign_status *status);

#endif
