/*
 * Findings, read back from where they were kept: the directory of a hunt, that of one of its
 * findings, or JSON Lines.
 */
#ifndef DARN_CLI_HEAL_FINDING_H
#define DARN_CLI_HEAL_FINDING_H

#include <jansson.h>
#include <stddef.h>

#include "cli/words.h"
#include "report/finding.h"

struct darn_heal_findings {
    json_t *objects;            /* an array: as they were written, */
    struct darn_finding **list; /* and what reports need of them */
    size_t count;
    struct darn_words directories; /* of those that have a schedule (kept.h) */
};

/* 0, or an exit status after one line on stderr. */
int darn_heal_findings_read(struct darn_heal_findings *findings, const char *name);
void darn_heal_findings_free(struct darn_heal_findings *findings);

/* Whether `cause`, a race or an atomicity violation, may have led to the failure: one of its
 * accesses is in the function that fails. */
bool darn_heal_may_cause(const struct darn_finding *cause, const struct darn_finding *failure);

/* What reports need of a finding, from its JSON object; the stacks are left out. NULL when it has
 * no accesses. */
struct darn_finding *darn_heal_finding(const json_t *object);

#endif
