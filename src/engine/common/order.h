/*
 * What happens before what, from all synchronization events of event.h; with or without the edges
 * that locks make. For happens-before and hybrid race detection.
 *
 * The edges, each from the earlier to the later event:
 *  - FORK to the first event of the thread, the last event of a thread to its JOIN;
 *  - RELEASE to ACQUIRE of a lock, but not from one reader to another (only with `locks`);
 *  - ARRIVE to DEPART of one generation of a barrier. A generation closes at its first departure;
 *    fast threads may arrive for the next one before slow ones have departed;
 *  - SIGNAL and BROADCAST to the WAKE of each thread that has been waiting since before;
 *  - POST to TAKE of a semaphore, SEND to RECEIVE of a target: from all earlier to all later;
 *  - every earlier event to AFTER_ALL;
 *  - atomic accesses as C11 says: from the heads of the release sequences that a load reads from,
 *    to the load. A head is a store or update that releases, or the fence that releases before
 *    one that is relaxed. A load acquires itself, or is relaxed and the next fence that acquires
 *    does it. A store of another thread ends a release sequence, an update does not. Values are
 *    not in the trace: a load is taken to read what was written by the event before it on the
 *    same bytes. An update may come in two halves: the one that releases, and a READ with
 *    DARN_EVENT_HALF that acquires;
 *  - accesses with DARN_EVENT_SYNC: from all writes to all later reads of a byte. They mix with
 *    atomic ones: a SYNC read acquires, a SYNC write releases;
 *  - with `flow`, the last write of each byte to its reads (reads_from.h). A read is compared with
 * others before it learns this: `after` does it. From a SEND to DARN_EVENT_THINNED on, not
 *    every access is known: what comes later comes after all that was before, and locks order
 * again.
 */
#ifndef DARN_ENGINE_ORDER_H
#define DARN_ENGINE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/clock.h"
#include "trace/event.h"

struct darn_order_config {
    bool locks;       /* a release of a lock happens before its next acquisition */
    bool ignore_sync; /* as in darn_engine_config */
    bool ignore_atomic;
    bool known; /* nothing orders that only may have: AFTER_ALL, and messages of which it is not
                   known who got them */
    bool flow;  /* a write comes before the reads that see it */
    /* With `flow`: as in darn_engine_config; may be NULL. */
    bool (*reads_too)(const void *context, uint32_t site);
    const void *context;
};

struct darn_order_thread {
    struct darn_stamp now;
    uint32_t used; /* the last time at which an engine has remembered an epoch of this thread: the
                      engine sets it to now.time */
    uint32_t number;
};

struct darn_order;

/* NULL when there is no memory. */
struct darn_order *darn_order_create(const struct darn_order_config *config);
void darn_order_destroy(struct darn_order *order);

/* Each event is given first to `before`, which does what it acquires, and then to `after`, which
 * does what it releases. Between the two `now` is the clock of the event. The thread is valid until
 * `after`. */
struct darn_order_thread *darn_order_before(struct darn_order *order,
                                            const struct darn_event *event);
void darn_order_after(struct darn_order *order, struct darn_order_thread *thread,
                      const struct darn_event *event);

/* The thread of an event as it is before `before`: without what the event itself acquires. Valid
 * until then. */
struct darn_order_thread *darn_order_thread(struct darn_order *order,
                                            const struct darn_event *event);

/* Whether an access counts as synchronization: two such accesses do not race. */
bool darn_order_is_sync(const struct darn_order *order, const struct darn_event *event);

/* The number of the thread of an epoch. */
uint32_t darn_order_who(const struct darn_order *order, darn_epoch epoch);

/* Whether everything that the threads still do comes after this epoch. Threads that nobody has
 * forked are the exception: `orphans` counts them. */
bool darn_order_settled(const struct darn_order *order, darn_epoch epoch);
uint64_t darn_order_orphans(const struct darn_order *order);

/* How often edges were added for want of numbers (slots.h): races may have been missed. */
uint64_t darn_order_degraded(const struct darn_order *order);

/* For stamps that are kept, and dropped before the order is destroyed. */
struct darn_clocks *darn_order_clocks(struct darn_order *order);
size_t darn_order_memory(const struct darn_order *order);

#endif
