/*
 * In which state a program is between two steps, as a hash: what a search needs to know whether it
 * has been there before. Values are not known; what is known is where each thread stands and which
 * step changed each object last. There are several grades:
 *
 * - EXACT: two runs with the same hash are in the same state, if the program is deterministic and
 *   its accesses to shared memory are steps. The hash has what each thread has made and seen: a
 *   read is told by all the changes of its object up to then. (Coarser than the happens-before of
 *   Musuvathi and Qadeer's CHESS: the order of a read and a later write leaves no trace.)
 * - PLACES: where each thread stands, whichever thread it is, and the place that changed each
 *   object last. Far fewer states: what took many different ways to the same places is one. A
 *   search over those gets deep where an exact one would drown in the beginning.
 * - OBJECTS, READS: the same, finer: also the object of the step that each thread stands before;
 *   also whose change the last thing was that each thread has seen.
 */
#ifndef DARN_SEARCH_STATE_H
#define DARN_SEARCH_STATE_H

#include "base/map.h"
#include "search/trail.h"

enum darn_state_grade {
    DARN_STATE_OF_PLACES,
    DARN_STATE_OF_OBJECTS,
    DARN_STATE_OF_READS,
    DARN_STATE_EXACT,
};

struct darn_search_state {
    enum darn_state_grade grade;
    uint64_t threads, memory; /* sums over both */
    /* Private. */
    struct darn_map index; /* of objects */
    struct darn_array objects, each;
    uint32_t thread_count;
};

/* The beginning of a run. */
void darn_state_begin(struct darn_search_state *state, enum darn_state_grade grade,
                      const struct darn_trail *trail);
void darn_state_free(struct darn_search_state *state);

/* Step number `i` of the trail is made. */
void darn_state_step(struct darn_search_state *state, const struct darn_trail *trail, uint32_t i);

/* What a step that could be made now would lead to. Of the rough grades this is known but for where
 * its thread stands then: `rest` is the state without the thread, and `context` what it depends on,
 * as far as it is known. With EXACT the rest is all, and the context is 0. */
struct darn_state_glance {
    uint64_t rest, context;
};

struct darn_state_glance darn_state_glance(const struct darn_search_state *state,
                                           const struct darn_step *step);

/* The part of the thread with that number in the state. */
uint64_t darn_state_share(const struct darn_search_state *state, uint32_t thread);

static inline uint64_t darn_state_now(const struct darn_search_state *state)
{
    return state->threads + state->memory;
}

#endif
