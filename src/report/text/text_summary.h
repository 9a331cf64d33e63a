/*
 * The SUMMARY: line of the text form, the last line of a run with findings.
 */
#ifndef DARN_REPORT_TEXT_SUMMARY_H
#define DARN_REPORT_TEXT_SUMMARY_H

#include <stdio.h>

#include "report/summary.h"
#include "report/text/style.h"

void darn_text_summary(FILE *out, const struct darn_summary *summary,
                       const struct darn_style *style);

#endif
