/* The slots of a controlled run: one for each thread that is alive. Private to turn.h's files. */
#ifndef DARN_RUNTIME_SLOTS_H
#define DARN_RUNTIME_SLOTS_H

#include "runtime/control/turn.h"
#include "schedule/block.h"

extern struct darn_slot darn_slots[DARN_SLOTS];
extern uint32_t darn_slot_end;    /* all that are in use lie below */
extern uint32_t darn_slots_alive; /* how many those are */

bool darn_slot_is_used(const struct darn_slot *slot);

/* NULL: there are too many. */
struct darn_slot *darn_slot_take(struct darn_thread *thread);

#endif
