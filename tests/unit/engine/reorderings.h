/*
 * All correct reorderings of a small trace, one state after the other: in each, every thread has
 * done a beginning of what it did, a lock is held by one thread or by readers, every read has seen
 * the write that it saw, and fork, join and messages are kept. Slow and obvious, and none of it is
 * shared with the engines.
 *
 * `keep`: only those in which the critical sections of a lock come in the order of the trace.
 */
#ifndef DARN_TESTS_REORDERINGS_H
#define DARN_TESTS_REORDERINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/event.h"

#define SMALL_EVENTS    18
#define SMALL_THREADS   4
#define SMALL_LOCKS     3
#define SMALL_VARIABLES 3

#define SMALL_LOCK     UINT64_C(0x2000)
#define SMALL_VARIABLE UINT64_C(0x1000)
#define SMALL_MESSAGE  UINT64_C(0x4000)

struct small_trace {
    struct darn_event events[SMALL_EVENTS];
    uint32_t count;
    uint64_t seed;
    uint32_t locking;                          /* of 16 steps so many take or give back a lock */
    uint32_t held[SMALL_LOCKS][SMALL_THREADS]; /* 0, or enum darn_event_lock + 1 */
    bool is_born[SMALL_THREADS], is_over[SMALL_THREADS];
};

static inline uint32_t small_draw(struct small_trace *trace, uint32_t below)
{
    trace->seed ^= trace->seed << 13;
    trace->seed ^= trace->seed >> 7;
    trace->seed ^= trace->seed << 17;
    return (uint32_t)((trace->seed >> 20) % below);
}

static inline struct darn_event *small_add(struct small_trace *trace, uint32_t thread, uint8_t kind,
                                           uint64_t target)
{
    struct darn_event *event = &trace->events[trace->count++];

    /* Each event is a place of its own. */
    *event =
        (struct darn_event){.kind = kind, .thread = thread, .target = target, .site = trace->count};
    return event;
}

static inline bool small_is_free(const struct small_trace *trace, uint32_t lock, bool shared)
{
    for (uint32_t i = 0; i < SMALL_THREADS; i++) {
        if (trace->held[lock][i] && !(shared && trace->held[lock][i] == DARN_EVENT_RDLOCK + 1))
            return false;
    }
    return true;
}

static inline bool small_holds(const struct small_trace *trace, uint32_t thread)
{
    for (uint32_t i = 0; i < SMALL_LOCKS; i++) {
        if (trace->held[i][thread])
            return true;
    }
    return false;
}

static inline void small_lock(struct small_trace *trace, uint32_t thread, uint32_t lock)
{
    uint32_t *held = &trace->held[lock][thread];
    uint8_t kind = DARN_EVENT_MUTEX;

    if (*held) {
        small_add(trace, thread, DARN_EVENT_RELEASE, SMALL_LOCK + 8 * lock)->lock =
            (uint8_t)(*held - 1);
        *held = 0;
        return;
    }
    if (lock == SMALL_LOCKS - 1) /* a read-write lock */
        kind = small_draw(trace, 2) ? DARN_EVENT_RDLOCK : DARN_EVENT_WRLOCK;
    if (!small_is_free(trace, lock, kind == DARN_EVENT_RDLOCK))
        return;
    small_add(trace, thread, DARN_EVENT_ACQUIRE, SMALL_LOCK + 8 * lock)->lock = kind;
    *held = kind + 1u;
}

static inline void small_step(struct small_trace *trace, uint32_t thread, uint32_t locks)
{
    uint32_t other = small_draw(trace, SMALL_THREADS), what = small_draw(trace, 16);
    uint64_t variable = SMALL_VARIABLE + 8 * small_draw(trace, SMALL_VARIABLES);

    if (!trace->is_born[other]) {
        trace->is_born[other] = true;
        if (small_draw(trace, 2))
            small_add(trace, thread, DARN_EVENT_FORK, other);
        return;
    }
    if (what < trace->locking)
        small_lock(trace, thread, small_draw(trace, locks));
    else if (what < 14)
        small_add(trace, thread, small_draw(trace, 2) ? DARN_EVENT_READ : DARN_EVENT_WRITE,
                  variable)
            ->size = 8;
    else if (what == 14)
        small_add(trace, thread, small_draw(trace, 2) ? DARN_EVENT_SEND : DARN_EVENT_RECEIVE,
                  SMALL_MESSAGE);
    else if (other != thread && !trace->is_over[other] && !small_holds(trace, other)) {
        small_add(trace, thread, DARN_EVENT_JOIN, other);
        trace->is_over[other] = true;
    }
}

static inline void make_small(struct small_trace *trace, uint64_t seed, uint32_t length,
                              uint32_t locking)
{
    uint32_t threads, locks;

    *trace =
        (struct small_trace){.seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15), .locking = locking};
    for (int i = 0; i < 4; i++)
        small_draw(trace, 2);
    threads = 2 + small_draw(trace, SMALL_THREADS - 1);
    locks = 1 + small_draw(trace, SMALL_LOCKS);
    for (uint32_t i = 0; i < SMALL_THREADS; i++)
        trace->is_born[i] = i == 0 || i >= threads;
    for (uint32_t i = threads; i < SMALL_THREADS; i++)
        trace->is_over[i] = true;
    for (uint32_t steps = 0; trace->count < length && steps < 400; steps++) {
        uint32_t thread = small_draw(trace, threads);

        if (trace->is_born[thread] && !trace->is_over[thread])
            small_step(trace, thread, locks);
    }
}

#define STATES (1u << 18)

struct reorderings {
    const struct small_trace *trace;
    bool keep;
    uint32_t needs[SMALL_EVENTS]; /* events that come first in any case */
    int8_t seen[SMALL_EVENTS];    /* of reads: the write, or -1 */
    bool races[SMALL_EVENTS][SMALL_EVENTS];
    bool stuck[SMALL_EVENTS]
              [SMALL_EVENTS]; /* acquisitions of two threads that wait for each other */
    uint64_t *states;         /* that were visited, a hash table; 0: none */
    uint32_t state_count;
};

static inline bool shares(const struct darn_event *a, const struct darn_event *b)
{
    return a->lock == DARN_EVENT_RDLOCK && b->lock == DARN_EVENT_RDLOCK;
}

static inline void find_needs(struct reorderings *all)
{
    const struct darn_event *events = all->trace->events;

    for (uint32_t j = 0; j < all->trace->count; j++) {
        all->seen[j] = -1;
        for (uint32_t i = 0; i < j; i++) {
            if (events[i].thread == events[j].thread ||
                (events[i].kind == DARN_EVENT_FORK && events[i].target == events[j].thread) ||
                (events[j].kind == DARN_EVENT_JOIN && events[i].thread == events[j].target) ||
                (events[j].kind == DARN_EVENT_RECEIVE && events[i].kind == DARN_EVENT_SEND))
                all->needs[j] |= 1u << i;
            if (events[j].kind == DARN_EVENT_JOIN && events[i].kind == DARN_EVENT_FORK &&
                events[i].target == events[j].target)
                all->needs[j] |= 1u << i;
            if (events[j].kind == DARN_EVENT_READ && events[i].kind == DARN_EVENT_WRITE &&
                events[i].target == events[j].target)
                all->seen[j] = (int8_t)i;
        }
    }
}

/* The acquisition of a lock that the thread of `thread` holds in this state; -1: it does not. */
static inline int holding_of(const struct reorderings *all, uint32_t done, uint32_t thread,
                             uint64_t lock)
{
    int acquired = -1;

    for (uint32_t i = 0; i < all->trace->count; i++) {
        const struct darn_event *event = &all->trace->events[i];

        if (!(done >> i & 1) || event->thread != thread || event->target != lock)
            continue;
        if (event->kind == DARN_EVENT_ACQUIRE)
            acquired = (int)i;
        else if (event->kind == DARN_EVENT_RELEASE)
            acquired = -1;
    }
    return acquired;
}

/* Whether a thread keeps the acquisition waiting. */
static inline bool blocks(const struct reorderings *all, uint32_t done, uint32_t thread, uint32_t j)
{
    const struct darn_event *event = &all->trace->events[j];
    int held = thread == event->thread ? -1 : holding_of(all, done, thread, event->target);

    return held >= 0 && !shares(event, &all->trace->events[held]);
}

static inline bool may_acquire(const struct reorderings *all, uint32_t done, uint32_t j)
{
    const struct darn_event *event = &all->trace->events[j];

    for (uint32_t i = j + 1; all->keep && i < all->trace->count; i++) {
        const struct darn_event *later = &all->trace->events[i];

        if (done >> i & 1 && later->kind == DARN_EVENT_ACQUIRE && later->target == event->target &&
            !shares(event, later))
            return false;
    }
    for (uint32_t thread = 0; thread < SMALL_THREADS; thread++) {
        if (blocks(all, done, thread, j))
            return false;
    }
    return true;
}

/* The next event of each thread; SMALL_EVENTS: none, or something else comes first. */
static inline uint32_t next_of(const struct reorderings *all, uint32_t done, uint32_t thread)
{
    for (uint32_t i = 0; i < all->trace->count; i++) {
        if (all->trace->events[i].thread == thread && !(done >> i & 1))
            return (all->needs[i] & done) == all->needs[i] ? i : SMALL_EVENTS;
    }
    return SMALL_EVENTS;
}

static inline void judge_state(struct reorderings *all, uint32_t done)
{
    for (uint32_t a = 0; a < SMALL_THREADS; a++) {
        for (uint32_t b = 0; b < SMALL_THREADS; b++) {
            uint32_t i = next_of(all, done, a), j = next_of(all, done, b);
            const struct darn_event *first = &all->trace->events[i];
            const struct darn_event *second = &all->trace->events[j];

            if (a == b || i >= j || j == SMALL_EVENTS)
                continue;
            if (darn_event_is_access(first) && darn_event_is_access(second) &&
                first->target == second->target &&
                (darn_event_writes(first) || darn_event_writes(second)))
                all->races[i][j] = true;
            if (first->kind == DARN_EVENT_ACQUIRE && second->kind == DARN_EVENT_ACQUIRE &&
                blocks(all, done, b, i) && blocks(all, done, a, j))
                all->stuck[i][j] = true;
        }
    }
}

static inline bool is_new_state(struct reorderings *all, uint64_t state)
{
    uint32_t at = (uint32_t)((state * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % STATES;

    while (all->states[at]) {
        if (all->states[at] == state + 1)
            return false;
        at = (at + 1) % STATES;
    }
    all->states[at] = state + 1;
    all->state_count++;
    return all->state_count < STATES / 2;
}

/* `writers`: five bits for each variable, the last write + 1. */
static inline void search_from(struct reorderings *all, uint32_t done, uint32_t writers)
{
    if (!is_new_state(all, (uint64_t)writers << 32 | done))
        return;
    judge_state(all, done);
    for (uint32_t thread = 0; thread < SMALL_THREADS; thread++) {
        uint32_t j = next_of(all, done, thread), shift, after = writers;
        const struct darn_event *event = &all->trace->events[j];

        if (j == SMALL_EVENTS)
            continue;
        shift =
            darn_event_is_access(event) ? (uint32_t)(event->target - SMALL_VARIABLE) / 8 * 5 : 0;
        if (event->kind == DARN_EVENT_READ && (int)(writers >> shift & 31) != all->seen[j] + 1)
            continue;
        if (event->kind == DARN_EVENT_ACQUIRE && !may_acquire(all, done, j))
            continue;
        if (event->kind == DARN_EVENT_WRITE)
            after = (writers & ~(31u << shift)) | (j + 1) << shift;
        search_from(all, done | 1u << j, after);
    }
}

/* `states` is STATES words of memory. */
static inline void find_reorderings(struct reorderings *all, const struct small_trace *trace,
                                    bool keep, uint64_t *states)
{
    *all = (struct reorderings){.trace = trace, .keep = keep, .states = states};
    memset(states, 0, STATES * sizeof(*states));
    find_needs(all);
    search_from(all, 0, 0);
}

#endif
