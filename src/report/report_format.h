/*
 * The formats of reports. How to add one: docs/howto-report-format.md.
 */
#ifndef DARN_REPORT_FORMAT_H
#define DARN_REPORT_FORMAT_H

#include <stdio.h>

#include "report/finding.h"
#include "report/summary.h"
#include "report/text/style.h"

struct darn_format {
    const char *name;
    /* Prints a finding that was resolved. */
    void (*finding)(FILE *out, const struct darn_finding *finding, const struct darn_style *style);
    /* Prints the end of a run with findings; NULL when there is nothing to say then. */
    void (*summary)(FILE *out, const struct darn_summary *summary, const struct darn_style *style);
};

/* NULL when there is no such format. */
const struct darn_format *darn_format_find(const char *name);

/* The implementations, one per file. */
extern const struct darn_format darn_format_text;
extern const struct darn_format darn_format_json;

#endif
