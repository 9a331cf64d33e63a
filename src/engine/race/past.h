/*
 * The past of a variable in two accesses. This is enough to name both sides of a conflict whenever
 * there is one: the two are of different threads, and the first is a write if there was any.
 *
 * Eraser has no clocks: in the epochs of these accesses the number of the thread stands for the
 * slot.
 */
#ifndef DARN_ENGINE_PAST_H
#define DARN_ENGINE_PAST_H

#include "engine/common/engine_access.h"
#include "engine/race/racebase.h"

/* Zeroed at first. */
struct darn_past {
    struct darn_access first, second;
};

static inline uint32_t darn_past_thread(const struct darn_access *access)
{
    return darn_epoch_slot(access->epoch);
}

static inline bool darn_access_writes(const struct darn_access *access)
{
    return darn_access_sort_of(access) == DARN_PLAIN_WRITE;
}

/* To be remembered in the cell at this address. */
struct darn_access darn_past_access(const struct darn_event *event, uint32_t holding,
                                    uint64_t address);

void darn_past_add(struct darn_past *past, const struct darn_access *access);

/* The same for the access that ends the time in which a variable was its owner's alone. What the
 * owner did is kept only as long as there is nothing better: mostly it is initialization, and
 * harmless. */
void darn_past_share(struct darn_past *past, const struct darn_access *access, uint32_t owner);

/* Reports the access together with the best of the past; or, if it conflicts with neither of the
 * two, these. The access itself is not in the past yet. `reported` is zeroed at the beginning of an
 * event: a range is not reported again for each of its cells. */
void darn_past_report(struct darn_racebase *base, const struct darn_past *past,
                      const struct darn_access *access, uint64_t address,
                      struct darn_access *reported);

#endif
