/*
 * Races that are not reported yet: with a read that may be the waiting half of hand-made
 * synchronization, until the end of the run, or until the spin is recognised: then it is none; and
 * one that is predicted, for a moment: windows are aimed at both places, and if the two meet, that
 * is reported instead. Called with signals blocked.
 */
#ifndef DARN_RUNTIME_DEFERRED_H
#define DARN_RUNTIME_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/report/found.h"

/* Puts a copy off until `due` at the latest; UINT64_MAX: until the end. False: there are too many,
 * it has to be reported now. */
bool darn_deferred_add(const struct darn_race *race, uint64_t due);

/* The race was observed: that it was predicted is no news any more. */
void darn_deferred_drop_predicted(const struct darn_race *race);

/* Those that are none. */
void darn_deferred_drop(bool (*is_none)(const struct darn_race *race));

/* Takes one that is due at this time out of the list, so that nobody else reports it. */
bool darn_deferred_take(uint64_t time, struct darn_race *race, struct darn_side sides[2]);

/* Whether there was any. Takes no lock. */
bool darn_deferred_any(void);

void darn_deferred_after_fork(void);

#endif
