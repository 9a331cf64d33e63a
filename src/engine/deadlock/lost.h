/*
 * Signals that found nobody, and waits that nobody ended (Letko 1.1: losing a notification).
 *
 * A wait that has not ended when the trace ends is put down to the last signal before it that found
 * nobody waiting, unless
 *   - the wait had a timeout, or a later signal may have been for it;
 *   - the thread that waits has sent that signal itself;
 *   - another wait, or the same thread before it, may have seen what the signal was about: a thread
 *     that waits for this condition variable at some time held the mutex between the signal and the
 *     wait. So it is in a pool of threads that have all come to rest when the program ends;
 *   - the predicate of the wait is known: then a loop tests it, and the signal was lost only if it
 * came between the acquisition of the mutex and the wait, that is if whoever signals does not hold
 * the mutex.
 */
#ifndef DARN_ENGINE_LOST_H
#define DARN_ENGINE_LOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "engine/common/threads.h"
#include "engine/deadlock/deadlock_objects.h"
#include "trace/event.h"

/* An event, and what its thread held. */
struct darn_notice {
    struct darn_event event;
    uint32_t holding;
    uint64_t time; /* number of the event; 0: none */
};

struct darn_lost_cond;
struct darn_lost_thread;
struct darn_lost_mutex;

/* A zeroed struct has seen nothing. */
struct darn_lost {
    struct darn_lost_cond *conds; /* by object */
    size_t cond_capacity;
    struct darn_map waiters; /* of a condition variable and a thread that has ever waited for it */
    struct darn_threads threads;
    struct darn_lost_thread *states; /* by the index of the thread */
    size_t state_capacity;
    struct darn_map mutexes; /* of addresses, to their numbers */
    struct darn_lost_mutex *seen;
    size_t seen_count, seen_capacity;
    uint64_t time;
    bool is_on; /* a signal was lost: from here on it matters who holds a mutex */
};

void darn_lost_free(struct darn_lost *lost);

/* Of WAIT, WAKE, SIGNAL and BROADCAST, the condition variable is the object `cond`. */
void darn_lost_event(struct darn_lost *lost, struct darn_objects *conds,
                     const struct darn_event *event, uint32_t cond, uint32_t holding,
                     bool has_predicate);

/* Calls back with each signal that was lost and the wait that hangs for it. */
void darn_lost_find(const struct darn_lost *lost,
                    void (*found)(void *to, uint32_t cond, const struct darn_notice *signal,
                                  const struct darn_notice *wait),
                    void *to);

size_t darn_lost_memory(const struct darn_lost *lost);

#endif
