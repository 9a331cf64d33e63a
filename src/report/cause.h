/*
 * Which findings have the same cause: one bug shows itself at many pairs of places. The first of
 * them is the finding, the others are its variants.
 *
 * Two have it when they share a side (the same access of the same line), a variable, two functions
 * that access the same object, or, of deadlocks, two locks or two places. Variants are still counted and listed: what is put together
 * wrongly is not lost.
 */
#ifndef DARN_REPORT_CAUSE_H
#define DARN_REPORT_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/finding.h"
#include "report/text/style.h"

/* Findings in the order in which they are to be read. They stay the caller's, and stay there. */
struct darn_causes {
    const struct darn_finding **findings;
    size_t *leaders; /* of each: the index of the one whose variant it is, or its own */
    size_t count, room;
};

bool darn_cause_is_same(const struct darn_finding *a, const struct darn_finding *b);

/* The index of the finding whose variant it is; its own, the last, when it is the first of its
 * cause. */
size_t darn_causes_add(struct darn_causes *causes, const struct darn_finding *finding);
void darn_causes_free(struct darn_causes *causes);

/* Of one that is the first of its cause: how many others there are. */
size_t darn_causes_variants(const struct darn_causes *causes, size_t leader);

/* Lists them behind the report of the first, and says that --all shows them at length. Nothing
 * when there are none. */
void darn_causes_print(const struct darn_causes *causes, size_t leader, FILE *out,
                       const struct darn_style *style);

/* "bank.c:12 (write), bank.c:31 (read) 'acct->balance'" */
void darn_cause_line(const struct darn_finding *finding, FILE *out, const struct darn_style *style);

#endif
