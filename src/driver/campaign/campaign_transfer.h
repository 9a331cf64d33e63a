/*
 * What GNU parallel brings to a host that has no shared file system (--transfer), each to the same
 * place as here: the file of the campaign, darn, the programs and directories of the tests, and
 * what the user names. rsync sends only what the host does not have yet.
 */
#ifndef DARN_DRIVER_CAMPAIGN_TRANSFER_H
#define DARN_DRIVER_CAMPAIGN_TRANSFER_H

#include "base/words.h"
#include "driver/campaign/campaign.h"

/* `more`: paths with commas, or NULL. A path that lies in another one is left out. 0, or a negative
 * errno: darn cannot say where it is itself. */
int darn_campaign_transfer(const struct darn_campaign *campaign, const char *more,
                           struct darn_words *paths);

#endif
