/*
 * Which test, mode and setting the next round has, and what is learned from the last ones (Letko,
 * 4.3: steps 1 and 3). A bandit gives the test and its mode; a search of its own for each of these
 * gives the setting. Pure: no files, no processes.
 */
#ifndef DARN_DRIVER_CAMPAIGN_CHOICE_H
#define DARN_DRIVER_CAMPAIGN_CHOICE_H

#include "driver/campaign/campaign.h"
#include "driver/campaign/campaign_space.h"
#include "driver/campaign/campaign_store.h"

#define DARN_CAMPAIGN_PLAIN_RUNS 3 /* of each test, before anything else */

/* A test in a mode. */
struct darn_campaign_arm {
    unsigned test;
    enum darn_campaign_mode mode;
    struct darn_campaign_space space;
    struct darn_tuner *tuner;
    unsigned tried, under_way;
    bool is_out; /* darn cannot hunt or explore this program */
};

/* What is known of a test. */
struct darn_campaign_known_test {
    struct darn_words variables, sites; /* of findings: noise is aimed there */
    unsigned plain, plain_failed;       /* runs without noise */
    unsigned plain_wanted;              /* that are to come */
};

struct darn_campaign_chooser {
    const struct darn_campaign *campaign;
    struct darn_campaign_arm *arms;
    unsigned arm_count;
    struct darn_tuner *outer; /* over the arms */
    struct darn_campaign_known_test *tests;
    uint64_t random;
};

struct darn_campaign_choice {
    unsigned test;
    enum darn_campaign_mode mode;
    struct darn_campaign_arm *arm; /* NULL: a plain run */
    struct darn_tuning_point point;
    enum darn_tuner_kind by, outer_by;
    uint64_t seed;
    const char *aim; /* `var:NAME` or `site:FILE:LINE`; NULL: random noise */
};

void darn_campaign_chooser_init(struct darn_campaign_chooser *chooser,
                                const struct darn_campaign *campaign);
void darn_campaign_chooser_free(struct darn_campaign_chooser *chooser);

/* False: nothing can be done while what is under way is not over. */
bool darn_campaign_choose(struct darn_campaign_chooser *chooser,
                          struct darn_campaign_choice *choice);

/* It is over. `gain` is what it has shown that is new, in each second of those that it took. */
enum darn_campaign_verdict { DARN_CAMPAIGN_PASSED, DARN_CAMPAIGN_FAILED, DARN_CAMPAIGN_UNFIT };
void darn_campaign_told(struct darn_campaign_chooser *chooser,
                        const struct darn_campaign_choice *choice,
                        enum darn_campaign_verdict verdict, double gain, double seconds);

/* It was broken off, and counts for nothing. */
void darn_campaign_dropped(struct darn_campaign_chooser *chooser,
                           const struct darn_campaign_choice *choice);

/* A round of an earlier time. */
void darn_campaign_remember(struct darn_campaign_chooser *chooser,
                            const struct darn_campaign_past *past);

/* A finding names variables and lines, at which later noise is aimed. */
void darn_campaign_aim_at(struct darn_campaign_chooser *chooser, unsigned test,
                          const char *finding);

/* What new coverage and new findings are worth, in each second. */
double darn_campaign_gain(int64_t coverage, int64_t findings, double seconds);

/* Whether the test has failed without noise as well. */
bool darn_campaign_is_flaky(const struct darn_campaign_chooser *chooser, unsigned test);

#endif
