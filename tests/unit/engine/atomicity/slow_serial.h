/*
 * Conflict serializability the slow and obvious way, as Velodrome does it (Flanagan, Freund, Yi,
 * PLDI 2008): a graph of transactions with an edge for each conflict, for the order of each thread,
 * and for fork and join. A transaction that has ended and that no edge leads to any more is
 * collected: it can be in no cycle.
 */
#ifndef DARN_TESTS_SLOW_SERIAL_H
#define DARN_TESTS_SLOW_SERIAL_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "trace/event.h"

#define SLOW_NODES   160 /* an event is at most one transaction */
#define SLOW_THREADS 16
#define SLOW_BYTES   32
#define SLOW_START   UINT64_C(0x1000)

struct slow_serial {
    bool edge[SLOW_NODES][SLOW_NODES];
    bool is_open[SLOW_NODES], is_collected[SLOW_NODES];
    uint32_t count;
    uint32_t last[SLOW_THREADS]; /* node + 1: the last one of the thread */
    bool in_transaction[SLOW_THREADS];
    uint32_t writer[SLOW_BYTES]; /* node + 1 */
    bool reader[SLOW_BYTES][SLOW_NODES];
    uint32_t node_of[SLOW_NODES]; /* by the number of an event from 0 on */
    bool has_cycle;
    uint32_t collected;
};

static inline bool slow_reaches(const struct slow_serial *slow, uint32_t from, uint32_t to,
                                bool *seen)
{
    if (from == to)
        return true;
    seen[from] = true;
    for (uint32_t i = 0; i < slow->count; i++) {
        if (slow->edge[from][i] && !seen[i] && slow_reaches(slow, i, to, seen))
            return true;
    }
    return false;
}

static inline void slow_edge(struct slow_serial *slow, uint32_t from, uint32_t to)
{
    bool seen[SLOW_NODES] = {false};

    if (from == to || slow->is_collected[from])
        return;
    slow->has_cycle |= slow_reaches(slow, to, from, seen);
    slow->edge[from][to] = true;
}

/* Until nothing more goes. */
static inline void slow_collect(struct slow_serial *slow)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < slow->count; i++) {
            bool is_free = !slow->is_open[i] && !slow->is_collected[i];

            for (uint32_t j = 0; j < slow->count; j++)
                is_free &= !slow->edge[j][i];
            if (!is_free)
                continue;
            slow->is_collected[i] = again = true;
            slow->collected++;
            memset(slow->edge[i], 0, sizeof(slow->edge[i]));
        }
    }
}

static inline uint32_t slow_new(struct slow_serial *slow, uint32_t thread, bool is_open)
{
    uint32_t node = slow->count++;

    assert(node < SLOW_NODES && thread < SLOW_THREADS);
    slow->is_open[node] = is_open;
    if (slow->last[thread])
        slow_edge(slow, slow->last[thread] - 1, node);
    slow->last[thread] = node + 1;
    return node;
}

static inline void slow_begin(struct slow_serial *slow, uint32_t thread)
{
    slow_new(slow, thread, true);
    slow->in_transaction[thread] = true;
}

static inline void slow_end(struct slow_serial *slow, uint32_t thread)
{
    slow->in_transaction[thread] = false;
    slow->is_open[slow->last[thread] - 1] = false;
    slow_collect(slow);
}

/* What the thread does now: its transaction, or one of one event. */
static inline uint32_t slow_now(struct slow_serial *slow, uint32_t thread)
{
    return slow->in_transaction[thread] ? slow->last[thread] - 1 : slow_new(slow, thread, false);
}

static inline void slow_access(struct slow_serial *slow, const struct darn_event *event,
                               uint32_t number)
{
    uint32_t node = slow_now(slow, event->thread);

    slow->node_of[number] = node;
    for (uint32_t i = 0; i < event->size; i++) {
        uint32_t byte = (uint32_t)(event->target - SLOW_START) + i;

        if (event->flags & DARN_EVENT_GAPS && !(event->extra >> i & 1))
            continue;
        assert(byte < SLOW_BYTES);
        if (slow->writer[byte])
            slow_edge(slow, slow->writer[byte] - 1, node);
        if (!darn_event_writes(event)) {
            slow->reader[byte][node] = true;
            continue;
        }
        for (uint32_t j = 0; j < slow->count; j++) {
            if (slow->reader[byte][j])
                slow_edge(slow, j, node);
        }
        memset(slow->reader[byte], 0, sizeof(slow->reader[byte]));
        slow->writer[byte] = node + 1;
    }
    slow_collect(slow);
}

static inline void slow_forget(struct slow_serial *slow, uint64_t address, uint64_t size)
{
    for (uint64_t i = address; i < address + size; i++) {
        slow->writer[i - SLOW_START] = 0;
        memset(slow->reader[i - SLOW_START], 0, sizeof(slow->reader[0]));
    }
}

static inline void slow_fork(struct slow_serial *slow, uint32_t parent, uint32_t child)
{
    uint32_t from = slow_now(slow, parent);

    slow_edge(slow, from, slow_new(slow, child, false));
}

static inline void slow_join(struct slow_serial *slow, uint32_t thread, uint32_t other)
{
    uint32_t to = slow_now(slow, thread);

    if (slow->last[other])
        slow_edge(slow, slow->last[other] - 1, to);
}

#endif
