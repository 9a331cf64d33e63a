/*
 * From a point of the search (search/tuning) to what a round does: the command with its parameters,
 * and the options of darn. Pure.
 */
#ifndef DARN_DRIVER_CAMPAIGN_SPACE_H
#define DARN_DRIVER_CAMPAIGN_SPACE_H

#include "driver/campaign/campaign.h"

/* What varies when the test is run in this mode: the noise and the mode's own, then the parameters
 * of the test, by index in `of`. */
struct darn_campaign_space {
    struct darn_tuning_space tuning;
    const struct darn_campaign_variable *of[DARN_TUNING_MOST];
};

void darn_campaign_space(struct darn_campaign_space *space, const struct darn_campaign *campaign,
                         const struct darn_campaign_test *test, enum darn_campaign_mode mode);

/* The value that the point gives to the variable; NULL when it does not vary in this space. */
const char *darn_campaign_value(const struct darn_campaign_space *space,
                                const struct darn_tuning_point *point, const char *name);

/* The command of the test, its parameters filled in. */
void darn_campaign_command(const struct darn_campaign_space *space,
                           const struct darn_campaign_test *test,
                           const struct darn_tuning_point *point, struct darn_words *command);

/* {"noise":"random",…}, to be freed; and back: false when it is of another space. */
char *darn_campaign_point_text(const struct darn_campaign_space *space,
                               const struct darn_tuning_point *point);
bool darn_campaign_point_read(const struct darn_campaign_space *space, const char *text,
                              struct darn_tuning_point *point);

#endif
