/*
 * Scripts that park threads at a place: whoever gets there on its way gives way to the next, all
 * others run to their end, and only then those that are parked go on. It is what a hold (hold.h)
 * does, without chance: when the others run, all that are to be held are there.
 *
 * A script needs the number of the step at which a thread comes to the place. It is taken from the
 * first run that came there; in the new run a thread may take another way and not be parked.
 */
#ifndef DARN_SEARCH_PARK_H
#define DARN_SEARCH_PARK_H

#include "base/map.h"
#include "search/search.h"
#include "search/trail.h"

struct darn_park {
    /* Private. */
    struct darn_array visits;
    struct darn_map places;   /* of which visits are known: in which run they came up */
    struct darn_array ends;   /* by thread: how many steps it had made when it ended */
    struct darn_array sleeps; /* switches that take them for nothing: the thread goes on */
    uint32_t begin;           /* the step before which the first thread waits for others; 0: none */
    uint32_t runs;
    struct darn_map given; /* scripts, by their hash */
};

/* A `plain` run tells where threads end, too. */
void darn_park_learn(struct darn_park *park, const struct darn_trail *trail, bool plain);
/* All but what was given. */
void darn_park_forget(struct darn_park *park);
void darn_park_free(struct darn_park *park);

/* False when there is nothing to park at the place, or the script was given before. */
bool darn_park_give(struct darn_park *park, uint64_t place, struct darn_task *task);

/* How good it is to be parked at the place; 0: no good. */
typedef int darn_park_score(const void *data, uint64_t place);

/* Each thread at a place of its own: the best it comes to; or, with `random`, one of the better
 * ones, in any order of the threads, and some not at all. False when no place is any good, or the
 * script was given before. */
bool darn_park_mix(struct darn_park *park, darn_park_score *score, const void *data,
                   uint64_t *random, struct darn_task *task);

#endif
