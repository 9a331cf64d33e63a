/*
 * What is known of order is a few edges: a thread releases something to an object, or acquires it
 * from there, or from all that anybody did. In a run that is watched they move the clocks
 * (clocks.h), in one that is recorded they are events of the trace, and nothing else has clocks.
 */
#ifndef DARN_RUNTIME_EDGES_H
#define DARN_RUNTIME_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/clocks.h"
#include "runtime/order/thread_order.h"
#include "runtime/record/stream.h"
#include "runtime/thread/thread.h"

/* Whether anybody takes edges of the thread now. Not if it is a handler that has come in between
 * while the thread writes its stream. */
static inline bool darn_edges_taken(const struct darn_thread *thread)
{
    return thread->has_clock || (thread->stream && !thread->stream->busy);
}

static inline void darn_edge_release(struct darn_thread *thread, uint64_t object)
{
    if (thread->has_clock)
        darn_clock_release(&thread->order->clock, object);
    else
        darn_stream_release(thread, object);
}

static inline void darn_edge_acquire(struct darn_thread *thread, uint64_t object)
{
    if (thread->has_clock)
        darn_clock_acquire(&thread->order->clock, object);
    else
        darn_stream_acquire(thread, object);
}

static inline void darn_edge_acquire_all(struct darn_thread *thread)
{
    if (thread->has_clock)
        darn_clock_acquire_all(&thread->order->clock);
    else
        darn_stream_acquire_all(thread);
}

#endif
