/* Coverage as a page: where in the source each fact is, and each pair that is possible and was not
 * seen. */
#ifndef DARN_CLI_COVERAGE_HTML_H
#define DARN_CLI_COVERAGE_HTML_H

#include "driver/campaign/campaign_coverage.h"

struct darn_coverage_html {
    const char *file, *about;
    const size_t *curve; /* how many facts were known after each of `points` files */
    size_t points;
};

/* `share` may have no sites. 0 or a negative errno. */
int darn_coverage_html(const struct darn_coverage_html *html,
                       const struct darn_campaign_coverage *coverage,
                       const struct darn_campaign_share *share);

#endif
