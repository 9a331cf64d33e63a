/*
 * What became of a test, in words: for `darn campaign init` and for rounds.
 */
#ifndef DARN_DRIVER_CAMPAIGN_OUTCOME_H
#define DARN_DRIVER_CAMPAIGN_OUTCOME_H

#include "driver/campaign/campaign_child.h"

/* "passed", "failed", "hung", "unfit" or "lost"; `why` says more, or is empty. `says_status`: its
 * exit status says whether it was right; otherwise an oracle has. */
const char *darn_campaign_outcome(const struct darn_campaign_end *end, bool says_status, char *why,
                                  size_t size);

/* Adds the last line that it has printed: why it has failed stands there most often. */
void darn_campaign_add_last_line(const char *output, char *why, size_t size);

/* Adds what else is to be said: what it has left behind, how much it has printed. */
void darn_campaign_add_remarks(const struct darn_campaign_end *end, char *why, size_t size);

#endif
