/*
 * Which finding is which: its id, by its fingerprint (base/fingerprint.h), and the variable of
 * findings that are not about memory.
 */
#ifndef DARN_REPORT_IDENTITY_H
#define DARN_REPORT_IDENTITY_H

#include "report/finding.h"

/* `p->x` here and `q->x` there: the name of the global, if it is one, tells more. */
bool darn_identity_is_vague(const char *a, const char *b);

/* The id of a race whose accesses know their site_hash. It lives as long as the pool. */
const char *darn_identity_race(struct darn_text_pool *pool, uint64_t one, uint64_t other,
                               const char *variable);

/* The id of a finding by its kind, the places of its accesses, their operations, and the variable:
 * of an atomicity violation whose accesses know their site_hash, the same as that of the runtime.
 */
const char *darn_identity_places(struct darn_finding *finding);

/* After the symbols are known: names the variable of a deadlock (its locks, sorted: `m1, m2`; those
 * without a name are left out) and of a notification (the condition variable), and gives a
 * finding of these kinds its id, as well as one that has none. */
void darn_identify(struct darn_finding *finding);

#endif
