/*
 * Sync-preserving ideals (Mathur, Pavlogiannis, Viswanathan, POPL 2021): which part of a run has to
 * happen before some threads can stand right before given events, if the critical sections of each
 * lock come in the order of the run.
 *
 * An ideal is a set of events that has with each event what comes before it: in its thread, by
 * fork, join and all other synchronization but locks, and the write that a read has seen. As a
 * clock it is one time for each slot. It is closed when, of two critical sections of a lock that
 * exclude each other and have both begun in it, the earlier one has also ended in it. The events of
 * a closed ideal, in the order of the trace, are a run that the program can make. If it has none of
 * the given events, the program can stand before all of them at once.
 *
 * To close an ideal, only the locks matter that threads hold at its edge: of each thread those that
 * it held at its time, and of each of these, whether a later section has begun. So there are two
 * histories: for each lock its last sections, for each slot which locks were held when. They have
 * an end: DARN_IDEAL_SECTIONS and DARN_IDEAL_CHANGES. What is older is not known, and then the
 * answer is DARN_IDEAL_UNKNOWN.
 */
#ifndef DARN_ENGINE_IDEAL_H
#define DARN_ENGINE_IDEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/clock.h"
#include "engine/common/held.h"
#include "trace/event.h"

#define DARN_IDEAL_SECTIONS 256u  /* of one lock */
#define DARN_IDEAL_CHANGES  4096u /* of the locks that one slot holds */

struct darn_ideals;

/* NULL when there is no memory. The clocks are the caller's, and live longer. */
struct darn_ideals *darn_ideals_create(struct darn_clocks *clocks);
void darn_ideals_destroy(struct darn_ideals *ideals);

/* Takes notice of an event, after `held` has, by a thread with the clock `now`. With the outermost
 * ACQUIRE or RELEASE of a lock its next time begins, in which an acquisition lies, and before which
 * a release does. With ALLOC and FREE the locks in the memory are gone. */
void darn_ideals_event(struct darn_ideals *ideals, const struct darn_held *held,
                       struct darn_stamp *now, const struct darn_event *event);

/* Right before an event: what its thread knew, and the time in which it lies. */
struct darn_ideal_point {
    const struct darn_clock *clock;
    uint32_t slot, time;
};

enum darn_ideal_answer {
    DARN_IDEAL_OPEN,    /* all of them can be stood before at once */
    DARN_IDEAL_CLOSED,  /* one of the events comes before another one */
    DARN_IDEAL_UNKNOWN, /* the histories do not go back so far */
};

/* The points are of different slots. */
enum darn_ideal_answer darn_ideal_reaches(struct darn_ideals *ideals,
                                          const struct darn_ideal_point *points, size_t count);

/* After DARN_IDEAL_OPEN: whether what the slot did at this time is in the ideal. Of the slots of
 * the points it has what came before these. */
bool darn_ideal_has(const struct darn_ideals *ideals, uint32_t slot, uint32_t time);

size_t darn_ideals_memory(const struct darn_ideals *ideals);

#endif
