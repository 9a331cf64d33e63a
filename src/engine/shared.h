/*
 * Which places of a program access memory that its threads really share, as one run shows it.
 *
 * Two accesses of different threads to a common byte, of which one writes, are shared when
 *  - nothing puts them in order (order.h), or
 *  - a lock that keeps the two apart is held at both: it orders them, but in another run the other
 *    way round.
 * What is ordered without such a lock was handed over, and is each thread's own while it has it: by
 * the start or end of a thread, through a queue, by a flag. An access does not put itself in order:
 * what an atomic load learns counts from the next event on, so that atomic variables are shared
 * whatever their memory order is. Memory that was freed and allocated again, and the stack of a
 * thread that has begun, have no past.
 */
#ifndef DARN_ENGINE_SHARED_H
#define DARN_ENGINE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "trace/event.h"

/* The number of the place that a site belongs to, from 1 on, small; 0: nobody asks about it. The
 * same for a site each time. */
typedef uint32_t darn_shared_place(void *context, uint32_t site);

struct darn_shared;

/* NULL when there is no memory. */
struct darn_shared *darn_shared_create(darn_shared_place *place_of, void *context);
void darn_shared_destroy(struct darn_shared *shared);

void darn_shared_event(struct darn_shared *shared, const struct darn_event *event);

/* Whether one of the accesses so far at this place is of a pair that is shared. */
bool darn_shared_has(const struct darn_shared *shared, uint32_t place);

/* `dropped` counts accesses that were forgotten too early: a place may have been missed. */
struct darn_engine_cost darn_shared_cost(const struct darn_shared *shared);

#endif
