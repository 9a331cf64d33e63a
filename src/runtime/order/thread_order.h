/* What a thread has in this room. */
#ifndef DARN_RUNTIME_THREAD_ORDER_H
#define DARN_RUNTIME_THREAD_ORDER_H

#include <stdbool.h>

#include "runtime/order/clocks.h"
#include "runtime/order/late.h"
#include "runtime/order/wheres.h"
#include "runtime/thread/thread.h"
#include "trace/event.h"

#define DARN_ORDER_OFTEN_SIZE 1024
#define DARN_ORDER_REPEATS    2048

struct darn_thread_order {
    struct darn_thread_clock clock;
    struct darn_late late;
    bool has_fenced; /* with a fence that releases: relaxed stores release from then on */
    uint64_t ticket; /* of the barrier that it is in (barriers.h) */
    struct darn_where_cache wheres[DARN_WHERES_CACHE];
    uint32_t passed;                       /* accesses of sites that come often, */
    uint32_t asked;                        /* and of which it was looked whether they are known */
    uint16_t often[DARN_ORDER_OFTEN_SIZE]; /* how often sites have come, by hash */
    uint64_t repeats[DARN_ORDER_REPEATS];  /* (repeats.h) */
};

/* Of a thread that may have none: it was there before order was of interest. NULL: no memory. */
struct darn_thread_order *darn_order_begin(struct darn_thread *thread);

static inline struct darn_thread_order *darn_order_of(struct darn_thread *thread)
{
    return __builtin_expect(thread->has_clock, 1) ? thread->order : darn_order_begin(thread);
}

/* An event of a lock (ordering.h), if nobody but the clocks has to be told: whether it is nothing
 * new. */
static inline bool darn_order_knows_lock(struct darn_thread *thread, enum darn_event_kind kind,
                                         uint64_t lock, uint32_t lock_kind)
{
    struct darn_thread_order *order = thread->order;

    if (thread->stream || !thread->has_clock || lock_kind == DARN_EVENT_RDLOCK ||
        lock_kind == DARN_EVENT_WRLOCK || !darn_late_is_settled(&order->late, &order->clock))
        return false;
    switch (kind) {
    case DARN_EVENT_REQUEST:
        return true;
    case DARN_EVENT_ACQUIRE:
        return darn_clock_has_seen(&order->clock, lock);
    case DARN_EVENT_RELEASE:
        return darn_clock_has_given(&order->clock, lock);
    default:
        return false;
    }
}

/* What comes before an access that is about to happen is acquired. Whether the thread is called by
 * code outside. */
bool darn_order_pass(struct darn_thread *thread, struct darn_thread_order *order,
                     const void *frame);

#endif
