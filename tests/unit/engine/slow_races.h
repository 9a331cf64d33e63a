/*
 * What happens before what and what races, found the slow way: every edge by its definition
 * (src/engine/common/order.h), the whole closure, every pair of accesses. Nothing here is clever,
 * and none of it is shared with the engines.
 */
#ifndef DARN_TESTS_SLOW_RACES_H
#define DARN_TESTS_SLOW_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/engine.h"
#include "random_trace.h"

#define SLOW_WORDS (TRACE_EVENTS / 64)

struct slow {
    const struct darn_event *events;
    size_t count;
    struct darn_engine_config config;
    bool locks;                                /* they make edges */
    bool known;                                /* what only may order makes none */
    uint64_t before[TRACE_EVENTS][SLOW_WORDS]; /* bit i of row j: i happens before j */
    bool races[TRACE_EVENTS][TRACE_EVENTS];    /* [i][j], i < j */
};

static inline bool happens_before(const struct slow *slow, size_t i, size_t j)
{
    return slow->before[j][i / 64] >> (i % 64) & 1;
}

static inline void slow_edge(struct slow *slow, size_t i, size_t j)
{
    slow->before[j][i / 64] |= UINT64_C(1) << (i % 64);
}

static inline bool is_synchronization(const struct slow *slow, const struct darn_event *event)
{
    return (event->flags & DARN_EVENT_SYNC && !slow->config.ignore_sync) ||
           (event->flags & DARN_EVENT_ATOMIC && !slow->config.ignore_atomic);
}

static inline bool is_spin(const struct slow *slow, const struct darn_event *event)
{
    return event->flags & DARN_EVENT_SYNC && !slow->config.ignore_sync;
}

static inline bool has_order(const struct slow *slow, const struct darn_event *event, int flag)
{
    return event->flags & flag && !slow->config.ignore_atomic;
}

static inline bool touches(const struct darn_event *event, uint64_t byte)
{
    uint64_t at = byte - event->target;

    if (!darn_event_is_access(event) || byte < event->target || at >= event->size)
        return false;
    return !(event->flags & DARN_EVENT_GAPS) || (event->extra >> at & 1);
}

static inline bool renews(const struct darn_event *event, uint64_t byte)
{
    return (event->kind == DARN_EVENT_ALLOC || event->kind == DARN_EVENT_FREE) &&
           byte >= event->target && byte - event->target < event->extra;
}

static inline void slow_threads(struct slow *slow, size_t j)
{
    const struct darn_event *event = &slow->events[j];
    bool first = true;

    for (size_t i = 0; i < j; i++) {
        const struct darn_event *other = &slow->events[i];

        if (event->kind == DARN_EVENT_AFTER_ALL && !slow->known)
            slow_edge(slow, i, j);
        if (other->thread == event->thread) {
            slow_edge(slow, i, j);
            first = false;
        }
        /* A thread of which there are no events has begun and ended all the same. */
        if (event->kind == DARN_EVENT_JOIN &&
            (other->thread == event->target ||
             (other->kind == DARN_EVENT_FORK && other->target == event->target)))
            slow_edge(slow, i, j);
    }
    for (size_t i = 0; i < j && first; i++) {
        if (slow->events[i].kind == DARN_EVENT_FORK && slow->events[i].target == event->thread)
            slow_edge(slow, i, j);
    }
}

static inline void slow_objects(struct slow *slow, size_t j)
{
    const struct darn_event *event = &slow->events[j];

    for (size_t i = 0; i < j; i++) {
        const struct darn_event *other = &slow->events[i];

        if (other->target != event->target)
            continue;
        if (event->kind == DARN_EVENT_ACQUIRE && other->kind == DARN_EVENT_RELEASE && slow->locks &&
            !(event->lock == DARN_EVENT_RDLOCK && other->lock == DARN_EVENT_RDLOCK))
            slow_edge(slow, i, j);
        if (event->kind == DARN_EVENT_TAKE && other->kind == DARN_EVENT_POST)
            slow_edge(slow, i, j);
        if (event->kind == DARN_EVENT_RECEIVE && other->kind == DARN_EVENT_SEND)
            slow_edge(slow, i, j);
    }
}

/* The generation of an ARRIVE: how many times, before it, a departure followed an arrival in such a
 * way that it closed the generation then open. */
static inline size_t generation_of(const struct slow *slow, size_t arrival)
{
    size_t generation = 0, mine[TRACE_THREADS] = {0};

    for (size_t i = 0; i <= arrival; i++) {
        const struct darn_event *event = &slow->events[i];

        if (event->kind == DARN_EVENT_ARRIVE)
            mine[event->thread] = generation;
        if (event->kind == DARN_EVENT_DEPART && mine[event->thread] == generation)
            generation++;
    }
    return generation;
}

static inline void slow_barrier(struct slow *slow, size_t j)
{
    size_t arrival = j;

    if (slow->events[j].kind != DARN_EVENT_DEPART)
        return;
    while (slow->events[arrival].kind != DARN_EVENT_ARRIVE ||
           slow->events[arrival].thread != slow->events[j].thread)
        arrival--;
    for (size_t i = 0; i < j; i++) {
        if (slow->events[i].kind == DARN_EVENT_ARRIVE &&
            generation_of(slow, i) == generation_of(slow, arrival))
            slow_edge(slow, i, j);
    }
}

static inline void slow_condition(struct slow *slow, size_t j)
{
    const struct darn_event *event = &slow->events[j];

    if (event->kind != DARN_EVENT_WAKE || event->flags & DARN_EVENT_TIMEOUT)
        return;
    for (size_t i = j; i-- > 0;) {
        const struct darn_event *other = &slow->events[i];

        if (other->kind == DARN_EVENT_WAIT && other->thread == event->thread)
            return;
        if (other->kind == DARN_EVENT_SIGNAL || other->kind == DARN_EVENT_BROADCAST)
            slow_edge(slow, i, j);
    }
}

/* The step that a write hands on: itself, a fence before it, or none (TRACE_EVENTS). */
static inline size_t released_by(const struct slow *slow, size_t write)
{
    const struct darn_event *event = &slow->events[write];

    if (is_spin(slow, event) || has_order(slow, event, DARN_EVENT_RELEASES))
        return write;
    for (size_t i = write; i-- > 0;) {
        if (slow->events[i].kind == DARN_EVENT_FENCE && slow->events[i].thread == event->thread &&
            has_order(slow, &slow->events[i], DARN_EVENT_RELEASES))
            return i;
    }
    return TRACE_EVENTS;
}

/* Whether a release sequence headed by a thread goes on with this write. */
static inline bool continues(const struct slow *slow, const struct darn_event *write,
                             uint32_t thread)
{
    return write->kind == DARN_EVENT_UPDATE || is_spin(slow, write) || write->thread == thread;
}

/* The steps whose effects event `read` acquires, or a fence after it, through one byte. */
static inline void slow_byte(struct slow *slow, size_t read, size_t to, uint64_t byte)
{
    for (size_t head = read; head-- > 0;) {
        const struct darn_event *event = &slow->events[head];
        bool reaches = true;

        if (renews(event, byte))
            return;
        if (!is_synchronization(slow, event) || !darn_event_writes(event) || !touches(event, byte))
            continue;
        for (size_t i = head + 1; i < read; i++) {
            const struct darn_event *write = &slow->events[i];

            if (is_synchronization(slow, write) && darn_event_writes(write) &&
                touches(write, byte) && !continues(slow, write, event->thread))
                reaches = false;
        }
        if (reaches && released_by(slow, head) < TRACE_EVENTS)
            slow_edge(slow, released_by(slow, head), to);
    }
}

static inline bool is_load(const struct slow *slow, const struct darn_event *event)
{
    return darn_event_is_access(event) && event->kind != DARN_EVENT_WRITE &&
           is_synchronization(slow, event);
}

static inline void slow_atomics(struct slow *slow, size_t j)
{
    const struct darn_event *event = &slow->events[j];

    for (uint64_t byte = TRACE_MEMORY; byte < TRACE_MEMORY + TRACE_BYTES; byte++) {
        if (is_load(slow, event) && touches(event, byte) &&
            (is_spin(slow, event) || has_order(slow, event, DARN_EVENT_ACQUIRES)))
            slow_byte(slow, j, j, byte);
        if (event->kind != DARN_EVENT_FENCE || !has_order(slow, event, DARN_EVENT_ACQUIRES))
            continue;
        for (size_t i = 0; i < j; i++) {
            if (slow->events[i].thread == event->thread && is_load(slow, &slow->events[i]) &&
                touches(&slow->events[i], byte))
                slow_byte(slow, i, j, byte);
        }
    }
}

/* The locks that a thread holds just before an event: two bits for each, 1 shared, 2 exclusive. */
static inline uint32_t locks_at(const struct slow *slow, size_t at)
{
    uint32_t locks = 0, thread = slow->events[at].thread;

    for (size_t i = 0; i < at; i++) {
        const struct darn_event *event = &slow->events[i];
        uint32_t place =
            (uint32_t)(event->target >= TRACE_RWLOCK ? event->target - TRACE_RWLOCK + 64
                                                     : event->target - TRACE_LOCK) /
            8 * 2;

        if (event->thread != thread)
            continue;
        if (event->kind == DARN_EVENT_ACQUIRE)
            locks |= (event->lock == DARN_EVENT_RDLOCK ? 1u : 2u) << place;
        if (event->kind == DARN_EVENT_RELEASE)
            locks &= ~(3u << place);
    }
    return locks;
}

static inline bool kept_apart(const struct slow *slow, size_t i, size_t j)
{
    uint32_t a = locks_at(slow, i), b = locks_at(slow, j);

    for (uint32_t place = 0; place < 32; place += 2) {
        uint32_t mine = a >> place & 3, other = b >> place & 3;

        if (mine && other && (mine == 2 || other == 2))
            return true;
    }
    return false;
}

static inline bool ends_spin(const struct slow *slow, const struct darn_event *event)
{
    return event->flags & DARN_EVENT_SYNC && !slow->config.ignore_sync && darn_event_writes(event);
}

/* A free is a write, and is remembered if somebody might not notice. */
static inline bool ends_byte(const struct slow *slow, const struct darn_event *event, uint64_t byte)
{
    return slow->locks && event->kind == DARN_EVENT_FREE && renews(event, byte);
}

static inline bool is_race_on(const struct slow *slow, size_t i, size_t j, uint64_t byte)
{
    const struct darn_event *a = &slow->events[i], *b = &slow->events[j];
    bool ended = ends_byte(slow, a, byte) && a->flags & DARN_EVENT_STAYS;
    bool ends = ends_byte(slow, b, byte);

    if (!(touches(a, byte) || ended) || !(touches(b, byte) || ends) || a->thread == b->thread)
        return false;
    if (!darn_event_writes(a) && !darn_event_writes(b) && !ends && !ended)
        return false;
    if (is_synchronization(slow, a) && is_synchronization(slow, b))
        return false;
    if (ends_spin(slow, b) && !darn_event_writes(a) && !ended)
        return false; /* a look at what it will be waited for */
    for (size_t k = i + 1; k < j; k++) {
        if (renews(&slow->events[k], byte))
            return false;
    }
    return !happens_before(slow, i, j) && (slow->locks || !kept_apart(slow, i, j));
}

static inline bool uses_object(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_RELEASE || event->kind == DARN_EVENT_ARRIVE ||
           event->kind == DARN_EVENT_WAIT || event->kind == DARN_EVENT_SIGNAL ||
           event->kind == DARN_EVENT_BROADCAST || event->kind == DARN_EVENT_POST ||
           event->kind == DARN_EVENT_TAKE;
}

/* A use of an object and its end. */
static inline bool is_object_race(const struct slow *slow, size_t i, size_t j)
{
    const struct darn_event *a = &slow->events[i], *b = &slow->events[j];
    bool ended = a->kind == DARN_EVENT_DESTROY && a->flags & DARN_EVENT_STAYS && uses_object(b);
    bool ends = b->kind == DARN_EVENT_DESTROY && uses_object(a);

    if (!slow->locks || a->thread == b->thread || a->target != b->target || !(ended || ends))
        return false;
    for (size_t k = i + 1; k < j; k++) {
        if (slow->events[k].kind == DARN_EVENT_DESTROY && slow->events[k].target == a->target)
            return false;
    }
    return !happens_before(slow, i, j);
}

static inline bool is_race(const struct slow *slow, size_t i, size_t j)
{
    if (is_object_race(slow, i, j))
        return true;
    for (uint64_t byte = TRACE_MEMORY; byte < TRACE_MEMORY + TRACE_BYTES; byte++) {
        if (is_race_on(slow, i, j, byte))
            return true;
    }
    return false;
}

/* `locks`: happens-before; otherwise hybrid. */
static inline void find_slowly(struct slow *slow, const struct random_trace *trace,
                               const struct darn_engine_config *config, bool locks)
{
    *slow = (struct slow){
        .events = trace->events,
        .count = trace->count,
        .config = *config,
        .locks = locks,
        .known = !locks && config->suspect,
    };
    for (size_t j = 0; j < slow->count; j++) {
        slow_threads(slow, j);
        slow_objects(slow, j);
        slow_barrier(slow, j);
        slow_condition(slow, j);
        slow_atomics(slow, j);
        for (size_t i = 0; i < j; i++) {
            for (size_t k = 0; happens_before(slow, i, j) && k < SLOW_WORDS; k++)
                slow->before[j][k] |= slow->before[i][k];
        }
    }
    for (size_t j = 0; j < slow->count; j++) {
        for (size_t i = 0; i < j; i++)
            slow->races[i][j] = is_race(slow, i, j);
    }
}

#endif
