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

/* The same for a data race between two accesses. */
void darn_advice_race(struct darn_ink *ink, const struct darn_finding *finding,
                      const struct darn_style *style);

/* The same for two operations that came in the wrong order: what would enforce the right one. */
void darn_advice_order(struct darn_ink *ink, const struct darn_finding *finding);

bool darn_advice_is_read_lock(const struct darn_lock *lock);

/* The lock of `access` at this address, or NULL. */
const struct darn_lock *darn_advice_lock_at(const struct darn_finding_access *access,
                                            uint64_t address);

/* At how many places the variable is known to be accessed under this lock. */
uint64_t darn_advice_uses(const struct darn_finding *finding, const struct darn_lock *lock);

/* The one of these locks, at least one, that guards the variable elsewhere. Of several the one that
 * was taken last: those around it are held for other reasons more often. */
const struct darn_lock *darn_advice_guard(const struct darn_finding *finding,
                                          const struct darn_lock *locks, size_t count);

/* The command that shows the finding again; NULL when nothing could be aimed at. It lives as long
 * as the pool. */
const char *darn_advice_again(const struct darn_finding *finding, struct darn_text_pool *pool);

#endif
