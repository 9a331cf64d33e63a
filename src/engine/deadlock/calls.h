/*
 * The waits and signals of a trace, each one once for the condition variable, the mutex, where it
 * is and the slot of its thread, with the periods in which it was seen; and which of them do not go
 * together.
 */
#ifndef DARN_ENGINE_CALLS_H
#define DARN_ENGINE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/htable.h"
#include "engine/common/engine.h"
#include "engine/common/periods.h"
#include "engine/deadlock/moments.h"

struct darn_call {
    uint64_t place;
    uint64_t mutex;     /* of a wait; 0: a signal, or not known */
    uint64_t predicate; /* of a wait; 0: not known */
    uint32_t cond;      /* object */
    uint32_t slot;
    uint32_t site, stack;
    uint32_t holding;
    uint8_t kind; /* DARN_EVENT_WAIT or DARN_EVENT_SIGNAL */
    struct darn_moments moments;
};

/* A zeroed struct has none. */
struct darn_calls {
    struct darn_call *all;
    size_t count, capacity;
    struct darn_htable table; /* of calls + 1 */
    uint64_t dropped;
};

void darn_calls_free(struct darn_calls *calls);

/* A WAIT or a SIGNAL. What is in `call` but for the moments is told by the caller. */
void darn_calls_see(struct darn_calls *calls, struct darn_periods *periods,
                    const struct darn_call *call, uint32_t thread);

/* Calls that could be made at one time, by different threads. */
struct darn_calls_found {
    enum darn_prediction_kind kind;
    uint32_t cond;
    uint32_t count; /* DARN_PREDICTS_WRONG_WAITER: a signal and two waits; TWO_MUTEXES: two waits */
    const struct darn_call *calls[3];
    uint32_t threads[3];
};

/* One for each combination of places of one condition variable. */
void darn_calls_find(struct darn_calls *calls, const struct darn_periods *periods,
                     void (*found)(void *to, const struct darn_calls_found *what), void *to);

size_t darn_calls_memory(const struct darn_calls *calls);

#endif
