/*
 * The wait-for graph: which thread waits for what, who has that, and whether such edges make a
 * cycle. Those who ask say which waits count and what an answer means: the watchdog (stuck.h), a
 * thread that waits for a hold (heal/heal_wait.c) or before a gate (heal/gates_cycle.c).
 *
 * Nobody stands still for it. A snapshot keeps the `version` of each wait (waits.h); the search
 * takes only threads that are still in that very wait, and looks at them once more when it has
 * found a way. Who waits does not change what it holds: all edges of the way were there at the same
 * moment, namely from the snapshot to the end of the search.
 */
#ifndef DARN_RUNTIME_WAITFOR_H
#define DARN_RUNTIME_WAITFOR_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/waits.h"

/* For a snapshot on the stack of a thread of the program; more who wait are not seen. */
#define DARN_WAITFOR_FEW 256

#define DARN_WAITFOR_DEPTH 32 /* longer cycles are not seen */

/* A thread that waited when the snapshot was made. */
struct darn_waiter {
    struct darn_thread *thread;
    uint32_t version;
    uint8_t kind; /* enum darn_wait_kind */
    uint8_t mark; /* what the search knows about it */
};

struct darn_waitfor {
    struct darn_waiter *waiters; /* memory of the caller, */
    uint32_t most, count;        /* for so many of them */
    uint32_t kinds;              /* of waits that count: DARN_WAITFOR(kind) | … */
    /* Where a mutex cannot be read, the lists of the threads say who has it. They are wrong about
     * one that another thread gave back: good enough to go on without waiting, not to report. */
    bool guesses;
    /* Of DARN_WAIT_GATE: whether this wait leads to the goal, by darn_waitfor_keeps. */
    bool (*by_gate)(struct darn_waitfor *graph, const struct darn_thread *from, uintptr_t target);
    /* The cycle that was found, if no gate is in it: each waits for the next, the last one for the
     * thread itself, which comes first if it is in the snapshot. */
    struct darn_waiter *way[DARN_WAITFOR_DEPTH];
    uint32_t length;
    /* Of the search: to whom the way shall lead, and how far it has come. */
    struct darn_thread *goal;
    uint32_t depth, steps;
};

#define DARN_WAITFOR(kind) (1U << (kind))

#define DARN_WAITFOR_LOCKS                                                                         \
    (DARN_WAITFOR(DARN_WAIT_MUTEX) | DARN_WAITFOR(DARN_WAIT_READ) | DARN_WAITFOR(DARN_WAIT_WRITE))

/* Makes the snapshot. */
void darn_waitfor_look(struct darn_waitfor *graph);

/* What the thread waits for; false: it is not in the wait of the snapshot any more. */
bool darn_waiter_read(const struct darn_waiter *waiter, struct darn_wait *wait);

/* Whether the thread waits for itself, over others, if this is what it waits for. */
bool darn_waitfor_is_cycle(struct darn_waitfor *graph, struct darn_thread *thread,
                           const struct darn_wait *wait);

/* For `by_gate`: whether the thread is the goal, or cannot go on before it. */
bool darn_waitfor_keeps(struct darn_waitfor *graph, const struct darn_thread *thread);

#endif
