/*
 * Atomicity violations, in words: two accesses of one thread that belong together, and one of
 * another thread between them. They are observed (a section of the repository or of the source was
 * violated) or confirmed (a controlled run made the three accesses happen).
 */
#ifndef DARN_REPORT_VIOLATION_H
#define DARN_REPORT_VIOLATION_H

#include "report/finding.h"
#include "report/text/ink.h"
#include "report/text/style.h"

/* Where the accesses of a violation stand. */
enum { DARN_VIOLATION_ENTRY, DARN_VIOLATION_REMOTE, DARN_VIOLATION_END, DARN_VIOLATION_ACCESSES };

/* Whether it is an atomicity violation all of whose accesses are known. */
bool darn_violation_is_whole(const struct darn_finding *finding);

/* What happened, by the operations (AtomRace, table 1) and the kind of section: `the value of 'x'
 * that was read at line 40 was stale when it was written back at line 42`. NULL if the violation is
 * not whole. The text lives as long as the pool, as those below do. */
const char *darn_violation_pattern(const struct darn_finding *finding,
                                   const struct darn_style *style, struct darn_pool *pool);

/* Where the section comes from: `load-and-store in deposit, from bank.sections:12; inferred by the
 * compiler`. NULL when no section is known. */
const char *darn_violation_section(const struct darn_finding *finding,
                                   const struct darn_style *style, struct darn_pool *pool);

/* What to write into the repository if the violation does no harm: `allow=read,write at
 * bank.sections:12`. NULL when that is not possible. */
const char *darn_violation_allowance(const struct darn_finding *finding,
                                     const struct darn_style *style, struct darn_pool *pool);

/* The file of the repository; NULL when the section is in none. */
const char *darn_violation_repository(const struct darn_finding *finding, struct darn_pool *pool);

/* ` at line 40`; ` at bank.c:40` when it is in another file than the first access; ` in the same
 * line` as the first access. */
void darn_violation_place(struct darn_ink *ink, const struct darn_finding *finding,
                          const struct darn_style *style, const struct darn_access *access);

/* violation_advice.c: how it is mended, in one line without an end. */
void darn_violation_advice(struct darn_ink *ink, const struct darn_finding *finding,
                           const struct darn_style *style);

#endif
