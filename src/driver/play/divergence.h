/*
 * Where a replay left its schedule, in words.
 */
#ifndef DARN_DRIVER_DIVERGENCE_H
#define DARN_DRIVER_DIVERGENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/story/snapshot.h"
#include "schedule/schedule.h"

/* One line: "diverged at decision 17: expected T1 to lock at bank.c:12, but …". False when the run
 * in the block has kept to the schedule as far as it went. */
bool darn_divergence_text(const struct darn_schedule *schedule,
                          const struct darn_snapshot *snapshot, char *to, size_t size);

/* What the program has read that the schedule does not have: "sockets, devices"; empty: nothing. */
void darn_divergence_inputs(const struct darn_result *result, char *to, size_t size);

#endif
