/*
 * Whether a run that does not end never will (DARN_RUN_PROVE).
 *
 * From step `fair_from` on every thread gets its turn, spins are not taken for blocked, and waits
 * time out. If the state that the run was in comes again, and each thread that can go on has gone
 * on since, then the same steps lead there for ever: a livelock. The state is what the threads are
 * about to do, their registers, their stacks, the locks that they hold, and all memory. Who looks
 * at the clock, or at anything else outside of the program, is in another state each time.
 *
 * What hooks see comes first, for it is cheap: all memory that was written to since. Only when that
 * is the same does the kernel watch whether anybody asks the world (os_watch.h), which ends the
 * proof; one time around later all memory is hashed, and once more after another one
 * (state_hash.h): so a string that libstdc++ appends to, or a state of rand_r, is progress.
 *
 * The states of a run are compared as Brent does: with one, then with that 1 step later, 2 steps
 * later, 4, 8 and so on.
 */
#ifndef DARN_RUNTIME_LIVELOCK_H
#define DARN_RUNTIME_LIVELOCK_H

#include <stdbool.h>

#include "runtime/control/turn.h"

/* The fair part of a run has begun. */
extern bool darn_fair;

/* So many steps were made. */
void darn_livelock_step(uint64_t steps);

/* The calling thread has come to a step: the state that it is in. */
void darn_livelock_stand(struct darn_slot *self);

/* It goes on from there. */
void darn_livelock_go(struct darn_slot *self);

/* It is about to write. */
void darn_livelock_write(const struct darn_touch *touch);

/* Something happens that is not in the state. */
void darn_livelock_spoil(void);

/* The step is made. */
void darn_livelock_made(enum darn_step_op op);

/* Somebody is about to be chosen: ends the run if that goes on for ever. */
void darn_livelock_decide(void);

#endif
