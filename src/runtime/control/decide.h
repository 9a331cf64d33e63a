/* Who goes on: the choices of a scheduling point, and what the strategy makes of them. */
#ifndef DARN_RUNTIME_DECIDE_H
#define DARN_RUNTIME_DECIDE_H

#include "runtime/control/slots.h"

/* The beginning of a run, in which this slot runs. */
void darn_decide_begin(struct darn_slot *first);

/* Fills in the choices, and says how many there are; with `spins` also threads that spin in vain.
 */
uint32_t darn_decide_collect(bool spins);

/* The same, but when nobody can go on it sets timers off, or ends the run: that is a deadlock. 0:
 * the outside is busy, and has been waited for so long already, in nanoseconds. */
uint32_t darn_decide_find(uint64_t waited);

/* Asks the strategy which of the choices it is, and notes the step. */
struct darn_slot *darn_decide_pick(uint32_t count, bool waking);

/* Whether the place is one of the triple that the plan has: it must never be passed unseen. */
bool darn_decide_aims_at(uint64_t place);

/* The thread comes to the beginning, or to the end, of a function or block: see darn_strategy_end.
 */
void darn_decide_scope(const struct darn_slot *slot, bool begins,
                       const struct darn_strategy_scope *scope);

/* The thread leaves a section: see darn_strategy_leave. */
void darn_decide_leave(const struct darn_slot *slot);

/* Whether who ends the process gives way to others in this run. */
bool darn_decide_ends_late(void);

/* The process ends now: notes what the others were about to do. */
void darn_decide_cut_off(void);

/* Whether something outside of the threads may change what they do. */
bool darn_decide_is_disturbed(void);

/* The step is made. */
void darn_decide_make(struct darn_slot *slot);

#endif
