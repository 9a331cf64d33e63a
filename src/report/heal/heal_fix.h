/*
 * How something that is healed can be mended for good: in words. darn fix makes the patch.
 */
#ifndef DARN_REPORT_HEAL_FIX_H
#define DARN_REPORT_HEAL_FIX_H

#include <stddef.h>
#include <stdio.h>

#include "report/finding.h"
#include "report/text/style.h"

/* Lines that belong under one lock. */
struct darn_fix_range {
    const char *file;
    unsigned first, last;
};

struct darn_fix {
    const struct darn_finding *finding; /* NULL: only the lines are known */
    const char *variable;
    const struct darn_fix_range *ranges;
    size_t count;
};

/* One line. */
void darn_fix_print(FILE *out, const struct darn_fix *fix, const struct darn_style *style);

#endif
