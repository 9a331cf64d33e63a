/*
 * Which places of a program access memory that its threads really share, as one run shows it, and
 * what the others do with it.
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
 *
 * Of each place it is told what the other access does in such pairs: it reads, writes, or both, as
 * an update does. Who asks says in which of them there is harm: what one thread writes and others
 * only read is shared, but a section that allows reads is none the worse for it.
 */
#ifndef DARN_ENGINE_SHARED_H
#define DARN_ENGINE_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "site/site_section.h"
#include "trace/event.h"

/* What is asked about a site. */
struct darn_shared_place {
    uint32_t number; /* of the place that it belongs to, from 1 on, small; 0: nobody asks */
    uint8_t harm;    /* what others may not do there: enum darn_section_allow, or-ed */
    bool reads; /* a write there stands for a read, too, that has no event (DARN_SITE_COVERS) */
};

/* The same for a site each time, and the same harm for all sites of a place. */
typedef struct darn_shared_place darn_shared_ask(void *context, uint32_t site);

struct darn_shared;

/* `harm` is that of all places. The less there is of it, the less has to be remembered. NULL when
 * there is no memory. */
struct darn_shared *darn_shared_create(darn_shared_ask *ask, void *context, uint8_t harm);
void darn_shared_destroy(struct darn_shared *shared);

void darn_shared_event(struct darn_shared *shared, const struct darn_event *event);

/* Of the harm of the place, what others did in pairs so far that are shared: enum
 * darn_section_allow, or-ed; 0: none. */
uint8_t darn_shared_by(const struct darn_shared *shared, uint32_t place);

/* `dropped` counts accesses that were forgotten too early: a place may have been missed. */
struct darn_engine_cost darn_shared_cost(const struct darn_shared *shared);

#endif
