/*
 * What a campaign has come to, as the page of `darn report --html` draws it
 * (report/html/campaign.js).
 */
#ifndef DARN_DRIVER_CAMPAIGN_PICTURE_H
#define DARN_DRIVER_CAMPAIGN_PICTURE_H

#include <jansson.h>

#include "driver/campaign/campaign_store.h"

/* An object, or NULL after a refusal. */
json_t *darn_campaign_picture(struct darn_campaign_store *store);

#endif
