/* What must come before what in every schedule, by fork, join and barrier, as the closure of all
 * edges between the events of a short trace. A barrier is used once. */
#ifndef DARN_TESTS_EVENT_ORDER_H
#define DARN_TESTS_EVENT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

#define ORDER_EVENTS 256

struct order {
    bool before[ORDER_EVENTS][ORDER_EVENTS];
};

/* An edge from a to b, where a comes first in the trace. A JOIN orders what comes after it. */
static inline bool order_is_edge(const struct darn_event *events, uint32_t a, uint32_t b)
{
    const struct darn_event *one = &events[a], *two = &events[b];

    if (one->thread == two->thread ||
        (one->kind == DARN_EVENT_ARRIVE && two->kind == DARN_EVENT_DEPART))
        return true;
    if (one->kind == DARN_EVENT_FORK)
        return one->target == two->thread;
    for (uint32_t i = a; i < b; i++) {
        if (events[i].kind == DARN_EVENT_JOIN && events[i].thread == two->thread &&
            events[i].target == one->thread)
            return true;
    }
    return false;
}

static inline void order_close(struct order *order, const struct darn_event *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++)
            order->before[i][j] = i < j && order_is_edge(events, i, j);
    }
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < k; i++) {
            for (uint32_t j = k + 1; order->before[i][k] && j < count; j++)
                order->before[i][j] |= order->before[k][j];
        }
    }
}

static inline bool order_concurrent(const struct order *order, uint32_t a, uint32_t b)
{
    return a != b && !order->before[a][b] && !order->before[b][a];
}

#endif
