/*
 * What to do next about a finding, in one line.
 */
#ifndef DARN_REPORT_ADVICE_H
#define DARN_REPORT_ADVICE_H

#include "report/finding.h"
#include "report/text/ink.h"
#include "report/text/style.h"

/* Prints how such a finding is usually mended, without a line end. */
void darn_advice(struct darn_ink *ink, const struct darn_finding *finding,
                 const struct darn_style *style);

/* The command that shows the finding again; NULL when nothing could be aimed at. It lives as long
 * as the pool. */
const char *darn_advice_again(const struct darn_finding *finding, struct darn_pool *pool);

#endif
