/*
 * A thread that has the turn and comes to no scheduling point: it computes, or it waits for another
 * one in a loop that nobody recognises.
 *
 * By steps: a thread that makes many in a row while others could go on is taken for one that
 * yields. By time: a thread that has computed for a while without a step is interrupted by a
 * signal, and stands where it is: a step `yield` without a place, with the mark DARN_STEP_FORCED.
 * Nobody knows where exactly that was. It need not be known: a replay interrupts a thread whose
 * next step is such a one, when it has computed for as long, or when it comes to another step.
 */
#ifndef DARN_RUNTIME_BUSY_H
#define DARN_RUNTIME_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/turn.h"

/* How long threads wait before they look after the one that has the turn, in nanoseconds. */
uint64_t darn_busy_patience(void);

/* In a waiting thread: the one in the slot has the turn, and no step was made since the last look.
 * Asks it to give way if it has computed for long enough. */
void darn_busy_look(struct darn_slot *slot);

/* In the handler of DARN_SIGNAL_TELL: gives way if that is what the signal is about. */
bool darn_busy_give_way(struct darn_slot *self);

/* Before a step: gives way first if the schedule that is followed says so. */
void darn_busy_follow(struct darn_slot *self);

/* Somebody is about to be chosen: whether the one that ran last has made too many steps in a row.
 * `made`: it is chosen again, with a step that stands for so many accesses. */
bool darn_busy_is_greedy(void);
void darn_busy_made(bool again, uint32_t weight);

/* Whether the slot still counts as one that has yielded. */
bool darn_busy_holds_back(const struct darn_slot *slot, uint64_t steps);

#endif
