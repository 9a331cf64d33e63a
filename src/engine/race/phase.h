/*
 * What the multilockset algorithm (Wang & Stoller, figure 3) keeps of a variable: ReadSets,
 * WriteSet, ReadThreadSet and WriteThreadSet.
 *
 * Figure 3 asks two questions apart: whether some locksets have nothing in common, and whether some
 * periods are concurrent. They need not be about the same accesses: a program that reads a result
 * without its lock after all threads were joined gets an alarm, because the threads were concurrent
 * with each other before. So we apply figure 3 to one *phase* of a variable at a time. An access
 * that happens after all earlier ones begins a new phase; an access that is concurrent with one in
 * an older phase makes one phase of that and all later ones. Put otherwise: phases are as short as
 * they can be with everything in one of them happening before everything in the next. Two accesses
 * that are concurrent are always in one phase, so no race is lost by it.
 *
 * An older phase is kept for the sake of a thread that is still to come and is concurrent with it.
 * It can go as soon as the phases after it say all that it says: whoever is concurrent with it is
 * concurrent with them as well. That way a program of a million phases keeps a few.
 *
 * Of the thread sets those periods are kept that happen before no other one in the set, for whoever
 * is concurrent with an earlier one is concurrent with a later one; that there were concurrent ones
 * is a flag. For each period an access is remembered as evidence.
 *
 * Phases are shared between variables (the elements of an array mostly have one past) and copied
 * when one of those has more to say.
 */
#ifndef DARN_ENGINE_PHASE_H
#define DARN_ENGINE_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine_access.h"
#include "engine/common/held.h"
#include "engine/common/lockset.h"
#include "engine/common/periods.h"

struct darn_phase;
struct darn_phases;

/* All are the caller's. NULL when there is no memory. */
struct darn_phases *darn_phases_create(struct darn_locksets *sets, struct darn_held *held,
                                       struct darn_periods *periods);
/* The phases of all variables have gone before. */
void darn_phases_destroy(struct darn_phases *phases);

/* One more owner, and one less; the phase may be NULL. */
void darn_phase_share(struct darn_phase *phase);
void darn_phase_leave(struct darn_phases *phases, struct darn_phase *phase);

/* Two accesses that show best why there is a race: they are of different threads, and conflict. */
struct darn_phase_pair {
    struct darn_access earlier, later;
};

/* The last phase of a variable after an access by `thread` in its present period, which is the
 * epoch of the access; in place of the one that is given, which is NULL before the first access.
 * `races` is set if figure 3 reports a race, and has not done so for this phase before; `pair` is
 * filled then. */
struct darn_phase *darn_phase_next(struct darn_phases *phases, struct darn_phase *phase,
                                   const struct darn_access *access, uint32_t thread, bool *races,
                                   struct darn_phase_pair *pair);

size_t darn_phases_memory(const struct darn_phases *phases);

#endif
