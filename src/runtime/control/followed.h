/*
 * A schedule that is followed, where its threads wait for the outside: for a client, or whoever
 * else is no thread of the program. What comes from there comes sooner or later than it did in the
 * run that was recorded.
 */
#ifndef DARN_CONTROL_FOLLOWED_H
#define DARN_CONTROL_FOLLOWED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/slots.h"

/* The step that comes next; NULL: no schedule is followed, or it is over. */
const struct darn_step *darn_followed_next(void);

/* Whether the thread that is to go on is still outside, or waits for what came from there: nobody
 * else goes on until then, or until it has been waited for long enough, in nanoseconds. */
bool darn_followed_awaits(uint64_t waited);

/* Whether the step of the slot comes next, and its time was over before anything came: so it is
 * now, even if something has come. */
bool darn_followed_is_late(const struct darn_slot *slot);

/* If the step that comes next is such a one, its time is over. */
void darn_followed_jump(void);

#endif
