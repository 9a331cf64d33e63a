/*
 * Coverage in the source, as one page of HTML: self-contained, without a script. Each line at which
 * something was seen, or is possible and was not, opens to what that is. All texts of a program are
 * escaped.
 */
#ifndef DARN_REPORT_COVERAGE_PAGE_H
#define DARN_REPORT_COVERAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct darn_coverage_mark {
    char *file, *text;
    unsigned line;
    bool seen; /* otherwise it is possible, and no run has shown it */
};

struct darn_coverage_page {
    struct darn_coverage_mark *marks; /* they will be sorted */
    size_t count;
    const char *about;
    const size_t *curve; /* how many facts were known after each file of facts */
    size_t points;
};

void darn_coverage_page_write(const struct darn_coverage_page *page, FILE *out);

#endif
