/* What findings are told apart by (docs/internals/runtime/report.md#fingerprints). */
#ifndef DARN_RUNTIME_FINGERPRINTS_H
#define DARN_RUNTIME_FINGERPRINTS_H

#include <stdint.h>

#include "runtime/report/found.h"

struct darn_stuck;

/* The name of what is accessed; empty if it has none. NULL: nobody was seen. */
const char *darn_side_variable(const struct darn_side *side);

/* The one that both sides agree on best. */
const char *darn_race_variable(const struct darn_side *one, const struct darn_side *other);

uint64_t darn_race_fingerprint(const struct darn_race *race, const char *variable);
uint64_t darn_violation_fingerprint(const struct darn_violation *violation, const char *variable);
uint64_t darn_stuck_fingerprint(const struct darn_stuck *stuck);

#endif
