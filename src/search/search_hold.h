/*
 * Directed delays: all threads that come to a certain place wait there for as long as anybody else
 * can go on. Most bugs need no more than that: one thread in the wrong place for long enough. Which
 * place is not known, but there are far fewer places than schedules, and some are better than
 * others: those between two things that a thread does to what it shares.
 */
#ifndef DARN_SEARCH_HOLD_H
#define DARN_SEARCH_HOLD_H

#include "search/know.h"
#include "search/park.h"
#include "search/search.h"

#define DARN_HOLD_ROLES 64

struct darn_search_hold {
    uint64_t random;
    /* Private. */
    uint32_t tries[2][DARN_HOLD_ROLES];
    struct darn_array tried;  /* by place: bits */
    struct darn_array scores; /* by place */
    uint32_t mixes;
    struct darn_array order; /* indexes of places, the best first */
    size_t judged;           /* runs that the order knows of */
    size_t done;             /* at so many of the best everybody was held */
};

/* False when nothing is known of the program yet. */
bool darn_hold_next(struct darn_search_hold *hold, const struct darn_know *know,
                    struct darn_task *task);
/* The same by a script. False when there is no place left for that. */
bool darn_hold_park(struct darn_search_hold *hold, const struct darn_know *know,
                    struct darn_park *park, struct darn_task *task);
/* Each thread at a place of its own (park.h): the best ones the first time, then any. */
bool darn_hold_mix(struct darn_search_hold *hold, const struct darn_know *know,
                   struct darn_park *park, struct darn_task *task);
/* True while there is a place of some promise at which nobody was held so far. */
bool darn_hold_fresh(struct darn_search_hold *hold, const struct darn_know *know);
void darn_hold_free(struct darn_search_hold *hold);

#endif
