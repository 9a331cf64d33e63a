/* What a campaign has found that nobody knew before. */
#ifndef DARN_CLI_CAMPAIGN_NEWS_H
#define DARN_CLI_CAMPAIGN_NEWS_H

#include "base/words.h"
#include "driver/campaign/campaign_store.h"
#include "report/export/collection.h"

struct darn_campaign_news {
    struct darn_words known; /* ids that the database had before */
    struct darn_collection baseline;
    const char *sarif;
    int64_t told;
};

/* Before the rounds. `baseline`: a database, or JSON Lines; NULL: none. 0 or an exit status. */
int darn_campaign_news_begin(struct darn_campaign_news *news, struct darn_campaign_store *store,
                             const char *baseline);

/* After them: prints a line for each that is new, and puts it into the file if there is one. How
 * many there are. */
int64_t darn_campaign_news_tell(struct darn_campaign_news *news, struct darn_campaign_store *store,
                                const char *sarif);
void darn_campaign_news_free(struct darn_campaign_news *news);

#endif
