/* Which race that was reported has the same cause as another one. */
#ifndef DARN_RUNTIME_FOUND_CAUSE_H
#define DARN_RUNTIME_FOUND_CAUSE_H

#include "runtime/report/found.h"

/* So many variants of a race are told in a line each; of the others the summary has the number. */
#define DARN_VARIANTS_TOLD 5

/* A call has no site: it is known by where it returns to. 0: nobody knows. */
uintptr_t darn_side_place(const struct darn_side *side);

/* What a race is compared by: the sites, the memory and who accesses it. */
void darn_cause_describe(struct darn_known_finding *finding, const struct darn_race *race);

/* The id of the first race that was reported and has the same cause: a side or the variable, or two
 * functions that access the same block of the heap. 0: none. One that was only predicted does not
 * stand for one that has happened. */
uint64_t darn_cause_find(const struct darn_known_finding *findings, uint32_t count,
                         const struct darn_known_finding *finding);

/* Whether enough variants of that race were told. */
bool darn_cause_is_told(const struct darn_known_finding *findings, uint32_t count,
                        const struct darn_known_finding *variant);

#endif
