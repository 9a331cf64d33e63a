/*
 * Hands findings to `darn report`, a process of its own, which knows about symbols, suppressions
 * and formats (docs/raw-finding-format.md). Called one at a time, under the findings' lock, with
 * signals blocked.
 */
#ifndef DARN_RUNTIME_DELIVER_H
#define DARN_RUNTIME_DELIVER_H

#include <stdbool.h>

#include "runtime/report/found.h"

enum darn_delivery { DARN_REPORTED, DARN_SUPPRESSED };

enum darn_delivery darn_deliver_race(const struct darn_race *race, uint64_t id,
                                     const char *variable);

/* deliver_violation.c */
enum darn_delivery darn_deliver_violation(const struct darn_violation *violation, uint64_t id,
                                          const char *variable);

struct darn_crash;

/* deliver_crash.c */
enum darn_delivery darn_deliver_crash(const struct darn_crash *crash, uint64_t id);

struct darn_stuck;

enum darn_delivery darn_deliver_stuck(const struct darn_stuck *stuck, uint64_t id);

/* The counts at the end of the run, and the SUMMARY line. */
void darn_deliver_summary(const struct darn_known_finding *findings, uint32_t count);

/* Has a trace of locks analyzed, and what it predicts reported: whether there was anything. */
bool darn_deliver_locks(const char *trace, size_t length);

/* Has the files that the options name checked; 0, or the exit status that says they are bad. */
int darn_deliver_check(void);

#endif
