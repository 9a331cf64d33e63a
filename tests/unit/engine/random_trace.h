/*
 * Random traces that a program could have left: locks are held by one thread at a time, a barrier
 * lets nobody through before all have come, a thread that was joined does nothing more.
 *
 * Each trace draws for itself how likely each kind of step is, so that there are traces with much
 * synchronization and few accesses, and the other way round.
 */
#ifndef DARN_TESTS_RANDOM_TRACE_H
#define DARN_TESTS_RANDOM_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/event.h"

#define TRACE_EVENTS  128
#define TRACE_THREADS 12
#define TRACE_LOCKS   3
#define TRACE_RWLOCKS 2
#define TRACE_BYTES   24 /* of memory, at TRACE_MEMORY */

#define TRACE_MEMORY    UINT64_C(0x1004) /* crosses granules */
#define TRACE_LOCK      UINT64_C(0x2000)
#define TRACE_RWLOCK    UINT64_C(0x3000)
#define TRACE_BARRIER   UINT64_C(0x4000)
#define TRACE_CONDITION UINT64_C(0x5000)
#define TRACE_SEMAPHORE UINT64_C(0x6000)
#define TRACE_MESSAGE   UINT64_C(0x2000) /* where a lock is, too */

enum step {
    STEP_PLAIN,
    STEP_ATOMIC,
    STEP_SPIN,
    STEP_FENCE,
    STEP_LOCK,
    STEP_UNLOCK,
    STEP_RWLOCK,
    STEP_RWUNLOCK,
    STEP_FORK,
    STEP_EXIT,
    STEP_JOIN,
    STEP_ARRIVE,
    STEP_WAIT,
    STEP_SIGNAL,
    STEP_POST,
    STEP_TAKE,
    STEP_SEND,
    STEP_RECEIVE,
    STEP_MEMORY,
    STEP_AFTER_ALL,
    STEP_END,
    STEP_KINDS
};

enum doing { NOT_BORN, RUNNING, IN_BARRIER, PASSED_BARRIER, WAITING, WOKEN, ENDED, JOINED };

struct random_thread {
    enum doing doing;
    uint32_t generation; /* of the barrier */
    uint32_t mutex;      /* that it waits with */
    bool timeout;
};

struct random_trace {
    struct darn_event events[TRACE_EVENTS];
    size_t count;

    uint64_t seed;
    uint32_t weights[STEP_KINDS];
    uint32_t total;
    uint32_t sites; /* 0: each event has a site of its own */
    bool guarded;   /* accesses keep to what their locks protect, mostly */
    bool orphans;   /* threads come without a fork */
    bool ends;      /* objects end, and ends are remembered */
    struct random_thread threads[TRACE_THREADS];
    uint32_t thread_count;
    uint32_t holder[TRACE_LOCKS];          /* thread + 1 */
    uint32_t writer[TRACE_RWLOCKS];        /* thread + 1 */
    uint32_t readers[TRACE_RWLOCKS];       /* bits */
    uint32_t arrived, generation, parties; /* of the barrier */
    uint32_t permits;                      /* of the semaphore */
};

static inline uint32_t draw(struct random_trace *trace, uint32_t below)
{
    trace->seed ^= trace->seed << 13;
    trace->seed ^= trace->seed >> 7;
    trace->seed ^= trace->seed << 17;
    return (uint32_t)((trace->seed >> 20) % below);
}

static inline struct darn_event *emit(struct random_trace *trace, uint32_t thread, uint8_t kind,
                                      uint64_t target)
{
    struct darn_event *event = &trace->events[trace->count++];

    *event = (struct darn_event){.kind = kind, .thread = thread, .target = target};
    event->site = trace->sites ? 1 + draw(trace, trace->sites) : (uint32_t)trace->count;
    event->stack = (uint32_t)trace->count;
    return event;
}

static inline void access_memory(struct random_trace *trace, uint32_t thread, enum step step)
{
    static const uint32_t sizes[] = {1, 1, 2, 4, 4, 8, 8, 8, 3, 12, 16};
    uint32_t size = sizes[draw(trace, sizeof(sizes) / sizeof(sizes[0]))];
    uint32_t at = draw(trace, TRACE_BYTES - size + 1);
    uint8_t kind = draw(trace, 2) ? DARN_EVENT_READ : DARN_EVENT_WRITE;
    struct darn_event *event;

    if (trace->guarded && draw(trace, 8)) {
        /* A lock protects eight bytes. */
        for (uint32_t i = 0; i < TRACE_LOCKS; i++) {
            if (trace->holder[i] == thread + 1) {
                size = 1u << draw(trace, 4);
                at = 8 * i + draw(trace, 8 - size + 1);
            }
        }
    } else if (draw(trace, 2)) {
        at -= at % (size < 8 ? size : 8);
    }
    if (step != STEP_PLAIN && !draw(trace, 3))
        kind = DARN_EVENT_UPDATE;
    event = emit(trace, thread, kind, TRACE_MEMORY + at);
    event->size = size;
    if (step == STEP_PLAIN && !draw(trace, 6)) {
        event->flags = DARN_EVENT_GAPS;
        event->extra = 1 + draw(trace, (1u << (size < 16 ? size : 16)) - 1);
    }
    if (step == STEP_SPIN)
        event->flags |= DARN_EVENT_SYNC;
    if (step == STEP_ATOMIC || kind == DARN_EVENT_UPDATE) {
        event->flags |= DARN_EVENT_ATOMIC;
        if (kind != DARN_EVENT_WRITE && draw(trace, 2))
            event->flags |= DARN_EVENT_ACQUIRES;
        if (kind != DARN_EVENT_READ && draw(trace, 2))
            event->flags |= DARN_EVENT_RELEASES;
    }
}

static inline void lock(struct random_trace *trace, uint32_t thread, uint32_t i)
{
    emit(trace, thread, DARN_EVENT_ACQUIRE, TRACE_LOCK + 8 * i);
    trace->holder[i] = thread + 1;
}

static inline void unlock(struct random_trace *trace, uint32_t thread, uint32_t i)
{
    emit(trace, thread, DARN_EVENT_RELEASE, TRACE_LOCK + 8 * i);
    trace->holder[i] = 0;
}

static inline void rwlock(struct random_trace *trace, uint32_t thread, uint32_t i)
{
    bool reads = draw(trace, 3), mine = trace->readers[i] >> thread & 1;

    if (trace->writer[i] || mine || (!reads && trace->readers[i]))
        return;
    emit(trace, thread, DARN_EVENT_ACQUIRE, TRACE_RWLOCK + 8 * i)->lock =
        reads ? DARN_EVENT_RDLOCK : DARN_EVENT_WRLOCK;
    if (reads)
        trace->readers[i] |= 1u << thread;
    else
        trace->writer[i] = thread + 1;
}

static inline void rwunlock(struct random_trace *trace, uint32_t thread, uint32_t i)
{
    bool reads = trace->readers[i] >> thread & 1;

    if (!reads && trace->writer[i] != thread + 1)
        return;
    emit(trace, thread, DARN_EVENT_RELEASE, TRACE_RWLOCK + 8 * i)->lock =
        reads ? DARN_EVENT_RDLOCK : DARN_EVENT_WRLOCK;
    trace->readers[i] &= ~(1u << thread);
    if (!reads)
        trace->writer[i] = 0;
}

static inline void be_born(struct random_trace *trace, uint32_t parent)
{
    uint32_t child = trace->thread_count;

    if (child == TRACE_THREADS)
        return;
    trace->thread_count++;
    trace->threads[child].doing = RUNNING;
    if (trace->orphans)
        return;
    emit(trace, parent, DARN_EVENT_FORK, child);
    if (draw(trace, 2))
        emit(trace, child, DARN_EVENT_START, parent);
}

static inline bool holds_any(const struct random_trace *trace, uint32_t thread)
{
    for (uint32_t i = 0; i < TRACE_LOCKS; i++) {
        if (trace->holder[i] == thread + 1)
            return true;
    }
    for (uint32_t i = 0; i < TRACE_RWLOCKS; i++) {
        if (trace->writer[i] == thread + 1 || trace->readers[i] >> thread & 1)
            return true;
    }
    return false;
}

/* A thread that is running may be joined, too: STD traces have no EXIT. */
static inline void join_one(struct random_trace *trace, uint32_t thread)
{
    uint32_t other = draw(trace, trace->thread_count);
    enum doing doing = trace->threads[other].doing;

    if (other == thread || (doing != ENDED && (doing != RUNNING || draw(trace, 4))) ||
        holds_any(trace, other))
        return;
    emit(trace, thread, DARN_EVENT_JOIN, other);
    trace->threads[other].doing = JOINED;
}

static inline void arrive(struct random_trace *trace, uint32_t thread)
{
    emit(trace, thread, DARN_EVENT_ARRIVE, TRACE_BARRIER);
    trace->threads[thread].doing = IN_BARRIER;
    trace->threads[thread].generation = trace->generation;
    if (++trace->arrived < trace->parties)
        return;
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        if (trace->threads[i].doing == IN_BARRIER &&
            trace->threads[i].generation == trace->generation)
            trace->threads[i].doing = PASSED_BARRIER;
    }
    trace->arrived = 0;
    trace->generation++;
}

static inline void wait_with(struct random_trace *trace, uint32_t thread, uint32_t i)
{
    if (trace->holder[i] != thread + 1)
        return;
    emit(trace, thread, DARN_EVENT_WAIT, TRACE_CONDITION)->extra = TRACE_LOCK + 8 * i;
    unlock(trace, thread, i);
    trace->threads[thread].doing = WAITING;
    trace->threads[thread].mutex = i;
}

static inline void signal_all(struct random_trace *trace, uint32_t thread)
{
    bool all = draw(trace, 2);

    emit(trace, thread, all ? DARN_EVENT_BROADCAST : DARN_EVENT_SIGNAL, TRACE_CONDITION);
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        if (trace->threads[i].doing == WAITING) {
            trace->threads[i].doing = WOKEN;
            trace->threads[i].timeout = false;
            if (!all)
                return;
        }
    }
}

static inline void give_memory(struct random_trace *trace, uint32_t thread)
{
    uint32_t at = draw(trace, TRACE_BYTES), size = 1 + draw(trace, TRACE_BYTES - at);

    struct darn_event *event =
        emit(trace, thread, draw(trace, 2) ? DARN_EVENT_ALLOC : DARN_EVENT_FREE, TRACE_MEMORY + at);

    event->extra = size;
    if (event->kind == DARN_EVENT_FREE && trace->ends && draw(trace, 2))
        event->flags = DARN_EVENT_STAYS;
}

/* Of a lock that nobody holds, or of something else that threads use. */
static inline void end_object(struct random_trace *trace, uint32_t thread)
{
    static const uint64_t others[] = {TRACE_RWLOCK, TRACE_BARRIER, TRACE_CONDITION,
                                      TRACE_SEMAPHORE};
    uint32_t i = draw(trace, TRACE_LOCKS);
    uint64_t target = draw(trace, 2) ? TRACE_LOCK + 8 * i : others[draw(trace, 4)];
    struct darn_event *event = emit(trace, thread, DARN_EVENT_DESTROY, target);

    event->extra = 8;
    event->flags = (uint16_t)((draw(trace, 2) ? DARN_EVENT_STAYS : 0) |
                              darn_event_about(DARN_EVENT_IS_MUTEX));
}

static inline void run(struct random_trace *trace, uint32_t thread, enum step step)
{
    uint32_t i = draw(trace, TRACE_LOCKS), rw = draw(trace, TRACE_RWLOCKS);

    switch (step) {
    case STEP_PLAIN:
    case STEP_ATOMIC:
    case STEP_SPIN:
        access_memory(trace, thread, step);
        break;
    case STEP_FENCE:
        emit(trace, thread, DARN_EVENT_FENCE, 0)->flags =
            (uint16_t)((1 + draw(trace, 3)) * DARN_EVENT_ACQUIRES);
        break;
    case STEP_LOCK:
        if (!trace->holder[i])
            lock(trace, thread, i);
        break;
    case STEP_UNLOCK:
        if (trace->holder[i] == thread + 1)
            unlock(trace, thread, i);
        break;
    case STEP_RWLOCK:
        rwlock(trace, thread, rw);
        break;
    case STEP_RWUNLOCK:
        rwunlock(trace, thread, rw);
        break;
    case STEP_FORK:
        be_born(trace, thread);
        break;
    case STEP_EXIT:
        if (thread && !holds_any(trace, thread)) {
            emit(trace, thread, DARN_EVENT_EXIT, 0);
            trace->threads[thread].doing = ENDED;
        }
        break;
    case STEP_JOIN:
        join_one(trace, thread);
        break;
    case STEP_ARRIVE:
        arrive(trace, thread);
        break;
    case STEP_WAIT:
        wait_with(trace, thread, i);
        break;
    case STEP_SIGNAL:
        signal_all(trace, thread);
        break;
    case STEP_POST:
        emit(trace, thread, DARN_EVENT_POST, TRACE_SEMAPHORE);
        trace->permits++;
        break;
    case STEP_TAKE:
        if (trace->permits) {
            emit(trace, thread, DARN_EVENT_TAKE, TRACE_SEMAPHORE);
            trace->permits--;
        }
        break;
    case STEP_SEND:
        emit(trace, thread, DARN_EVENT_SEND, TRACE_MESSAGE);
        break;
    case STEP_RECEIVE:
        emit(trace, thread, DARN_EVENT_RECEIVE, TRACE_MESSAGE);
        break;
    case STEP_MEMORY:
        give_memory(trace, thread);
        break;
    case STEP_AFTER_ALL:
        emit(trace, thread, DARN_EVENT_AFTER_ALL, 0);
        break;
    case STEP_END:
        end_object(trace, thread);
        break;
    case STEP_KINDS:
        break;
    }
}

/* One step of a thread that waits for something. */
static inline void go_on(struct random_trace *trace, uint32_t thread)
{
    struct random_thread *self = &trace->threads[thread];

    if (self->doing == WAITING && !draw(trace, 16)) {
        self->doing = WOKEN;
        self->timeout = true;
    } else if (self->doing == WOKEN && !trace->holder[self->mutex]) {
        struct darn_event *event;

        lock(trace, thread, self->mutex);
        event = emit(trace, thread, DARN_EVENT_WAKE, TRACE_CONDITION);
        event->extra = TRACE_LOCK + 8 * self->mutex;
        event->flags = self->timeout ? DARN_EVENT_TIMEOUT : 0;
        self->doing = RUNNING;
    } else if (self->doing == PASSED_BARRIER) {
        emit(trace, thread, DARN_EVENT_DEPART, TRACE_BARRIER);
        self->doing = RUNNING;
    }
}

static inline void draw_weights(struct random_trace *trace)
{
    for (int i = 0; i < (trace->ends ? STEP_KINDS : STEP_END); i++) {
        trace->weights[i] = draw(trace, 3) ? 1 + draw(trace, 8) : 0;
        if (i == STEP_EXIT || i == STEP_MEMORY || i == STEP_ARRIVE || i == STEP_AFTER_ALL ||
            i == STEP_END)
            trace->weights[i] = draw(trace, 3);
        if (i == STEP_FORK)
            trace->weights[i] = 1 + draw(trace, 6);
        if (i == STEP_JOIN && draw(trace, 2))
            trace->weights[i] = 20;
        if (i == STEP_PLAIN)
            trace->weights[i] = 1 + draw(trace, 20);
        if (i == STEP_LOCK || i == STEP_UNLOCK)
            trace->weights[i] = trace->guarded ? 20 : trace->weights[i];
        trace->total += trace->weights[i];
    }
}

/* The same seed gives the same trace. */
static inline void make_trace_of(struct random_trace *trace, uint64_t seed, bool ends)
{
    uint32_t length;

    *trace = (struct random_trace){.seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15), .ends = ends};
    for (int i = 0; i < 4; i++)
        draw(trace, 2);
    trace->guarded = draw(trace, 2);
    trace->orphans = !draw(trace, 8);
    trace->sites = draw(trace, 2) ? 0 : 1 + draw(trace, 6);
    trace->parties = 2 + draw(trace, 2);
    trace->thread_count = 1;
    trace->threads[0].doing = RUNNING;
    draw_weights(trace);
    length = 8 + draw(trace, TRACE_EVENTS - 16);
    for (uint32_t steps = 0; trace->count < length && steps < 20 * TRACE_EVENTS; steps++) {
        uint32_t thread = draw(trace, trace->thread_count), which = draw(trace, trace->total);
        int step = 0;

        if (trace->threads[thread].doing != RUNNING) {
            go_on(trace, thread);
            continue;
        }
        while (which >= trace->weights[step])
            which -= trace->weights[step++];
        run(trace, thread, (enum step)step);
    }
}

static inline void make_trace(struct random_trace *trace, uint64_t seed)
{
    make_trace_of(trace, seed, false);
}

#endif
