/*
 * Findings, read back from where they were kept: the directory of a hunt, that of one of its
 * findings, or JSON Lines.
 */
#ifndef DARN_DRIVER_HEAL_FINDING_H
#define DARN_DRIVER_HEAL_FINDING_H

#include <stddef.h>

#include "driver/process/listener.h"
#include "base/words.h"
#include "report/finding.h"

struct darn_heal_findings {
    struct darn_finding **list;
    size_t count;
    struct darn_words homes; /* of each: its directory; empty: it has none */
    struct darn_words directories; /* of those that have a schedule (kept.h) */
};

/* 0, or DARN_REFUSED. */
int darn_heal_findings_read(struct darn_listener *listener, struct darn_heal_findings *findings,
                            const char *name);
void darn_heal_findings_free(struct darn_heal_findings *findings);

/* Whether `cause`, a race or an atomicity violation, may have led to the failure: one of its
 * accesses is in the function that fails. */
bool darn_heal_may_cause(const struct darn_finding *cause, const struct darn_finding *failure);

#endif
