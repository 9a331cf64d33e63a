#include "engine/deadlock/lost.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* How many threads that held a mutex last are remembered for it. */
#define VISITORS 8

/* A thread that is waiting. */
struct waiting {
    struct darn_notice wait;
    struct darn_notice signal; /* that was lost before it */
    uint32_t visitor_count;
    uint32_t visitors[VISITORS]; /* threads that held the mutex between the two */
};

struct darn_lost_cond {
    struct waiting *waiting; /* the first to wait comes first */
    size_t count, capacity;
    size_t sent;                /* signals that are on their way to one of them */
    struct darn_notice lost[2]; /* the last that was lost, and the last of another thread */
};

/* Locks that a thread holds, and since when. */
struct since {
    uint64_t lock, time;
    uint32_t depth;
};

struct darn_lost_thread {
    struct since *held;
    size_t count, capacity;
    uint32_t cond;  /* that it is waiting for; 0: none */
    uint64_t mutex; /* with this one */
};

/* Who held a mutex last, the latest first: since when. */
struct darn_lost_mutex {
    struct {
        uint32_t thread;
        uint64_t time; /* 0: nobody */
    } visits[VISITORS];
};

void darn_lost_free(struct darn_lost *lost)
{
    for (size_t i = 0; i < lost->cond_capacity; i++)
        free(lost->conds[i].waiting);
    for (uint32_t i = 0; i < lost->threads.count; i++)
        free(lost->states[i].held);
    free(lost->conds);
    free(lost->states);
    free(lost->seen);
    darn_map_free(&lost->waiters);
    darn_map_free(&lost->mutexes);
    darn_threads_free(&lost->threads);
    *lost = (struct darn_lost){0};
}

static struct darn_lost_thread *thread_of(struct darn_lost *lost, uint32_t thread)
{
    uint32_t index = darn_threads_index(&lost->threads, thread);

    lost->states =
        darn_grow(lost->states, &lost->state_capacity, lost->threads.count, sizeof(*lost->states));
    return &lost->states[index];
}

static struct darn_lost_mutex *mutex_of(struct darn_lost *lost, uint64_t address)
{
    bool added;
    uintptr_t *number = darn_map_at(&lost->mutexes, address, &added);

    if (added) {
        *number = ++lost->seen_count;
        lost->seen =
            darn_grow(lost->seen, &lost->seen_capacity, lost->seen_count, sizeof(*lost->seen));
    }
    return &lost->seen[*number - 1];
}

static struct since *find_held(const struct darn_lost_thread *thread, uint64_t lock)
{
    for (size_t i = thread->count; i-- > 0;) {
        if (thread->held[i].lock == lock)
            return &thread->held[i];
    }
    return NULL;
}

static void on_acquire(struct darn_lost *lost, const struct darn_event *event)
{
    struct darn_lost_thread *thread = thread_of(lost, event->thread);
    struct since *held = find_held(thread, event->target);

    if (held) {
        held->depth++;
        return;
    }
    thread->held =
        darn_grow(thread->held, &thread->capacity, thread->count + 1, sizeof(*thread->held));
    thread->held[thread->count++] = (struct since){event->target, lost->time, 1};
}

static void visit(struct darn_lost_mutex *mutex, uint32_t thread, uint64_t time)
{
    size_t at = 0;

    while (at < VISITORS - 1 && mutex->visits[at].time && mutex->visits[at].thread != thread)
        at++;
    memmove(&mutex->visits[1], &mutex->visits[0], at * sizeof(mutex->visits[0]));
    mutex->visits[0].thread = thread;
    mutex->visits[0].time = time;
}

/* A mutex that is given back by a wait was not held to see anything, or the thread would not wait.
 */
static void on_release(struct darn_lost *lost, const struct darn_event *event)
{
    struct darn_lost_thread *thread = thread_of(lost, event->thread);
    struct since *held = find_held(thread, event->target);

    if (!held || --held->depth)
        return;
    if (lost->is_on && !(thread->cond && thread->mutex == event->target))
        visit(mutex_of(lost, event->target), event->thread, held->time);
    *held = thread->held[--thread->count];
}

static struct darn_lost_cond *cond_of(struct darn_lost *lost, uint32_t cond)
{
    lost->conds =
        darn_grow(lost->conds, &lost->cond_capacity, (size_t)cond + 1, sizeof(*lost->conds));
    return &lost->conds[cond];
}

static uintptr_t waiter_key(uint32_t cond, uint32_t thread)
{
    return (uintptr_t)cond << 32 | thread;
}

/* The signal that may have been meant for this wait. */
static struct darn_notice lost_before(const struct darn_lost_cond *cond,
                                      const struct darn_lost_thread *thread,
                                      const struct darn_event *wait, bool has_predicate)
{
    const struct since *held = find_held(thread, wait->extra);
    uint64_t after = has_predicate && held ? held->time : 0;

    for (int i = 0; i < 2; i++) {
        if (cond->lost[i].time > after && cond->lost[i].event.thread != wait->thread)
            return cond->lost[i];
    }
    return (struct darn_notice){.time = 0};
}

static void stop_waiting(struct darn_lost *lost, struct darn_objects *conds, uint32_t number,
                         bool was_signalled)
{
    struct darn_lost_thread *thread = thread_of(lost, number);
    struct darn_lost_cond *cond;

    if (!thread->cond)
        return;
    cond = &lost->conds[thread->cond];
    for (size_t i = 0; i < cond->count; i++) {
        if (cond->waiting[i].wait.event.thread != number)
            continue;
        memmove(&cond->waiting[i], &cond->waiting[i + 1],
                (--cond->count - i) * sizeof(*cond->waiting));
        conds->all[thread->cond].users--;
        break;
    }
    if ((was_signalled && cond->sent) || cond->sent > cond->count)
        cond->sent--;
    thread->cond = 0;
}

static void on_wait(struct darn_lost *lost, struct darn_objects *conds,
                    const struct darn_event *event, uint32_t number, uint32_t holding,
                    bool has_predicate)
{
    struct darn_lost_cond *cond = cond_of(lost, number);
    struct darn_lost_thread *thread;
    struct waiting *waiting;

    stop_waiting(lost, conds, event->thread, false);
    thread = thread_of(lost, event->thread);
    darn_map_put(&lost->waiters, waiter_key(number, event->thread), 1);
    cond->waiting =
        darn_grow(cond->waiting, &cond->capacity, cond->count + 1, sizeof(*cond->waiting));
    waiting = &cond->waiting[cond->count++];
    *waiting = (struct waiting){.wait = {*event, holding, lost->time},
                                .signal = lost_before(cond, thread, event, has_predicate)};
    if (waiting->signal.time) {
        const struct darn_lost_mutex *mutex = mutex_of(lost, event->extra);

        for (int i = 0; i < VISITORS && mutex->visits[i].time > waiting->signal.time; i++)
            waiting->visitors[waiting->visitor_count++] = mutex->visits[i].thread;
    }
    thread->cond = number;
    thread->mutex = event->extra;
    conds->all[number].users++;
}

static void on_signal(struct darn_lost *lost, const struct darn_event *event, uint32_t number,
                      uint32_t holding)
{
    struct darn_lost_cond *cond = cond_of(lost, number);

    if (cond->sent < cond->count) {
        cond->sent = event->kind == DARN_EVENT_SIGNAL ? cond->sent + 1 : cond->count;
        return;
    }
    if (cond->lost[0].time && cond->lost[0].event.thread != event->thread)
        cond->lost[1] = cond->lost[0];
    cond->lost[0] = (struct darn_notice){*event, holding, lost->time};
    lost->is_on = true;
}

void darn_lost_event(struct darn_lost *lost, struct darn_objects *conds,
                     const struct darn_event *event, uint32_t cond, uint32_t holding,
                     bool has_predicate)
{
    lost->time++;
    switch (event->kind) {
    case DARN_EVENT_ACQUIRE:
        on_acquire(lost, event);
        break;
    case DARN_EVENT_RELEASE:
        on_release(lost, event);
        break;
    case DARN_EVENT_WAIT:
        on_wait(lost, conds, event, cond, holding, has_predicate);
        break;
    case DARN_EVENT_WAKE:
        stop_waiting(lost, conds, event->thread, !(event->flags & DARN_EVENT_TIMEOUT));
        break;
    case DARN_EVENT_EXIT:
        stop_waiting(lost, conds, event->thread, false);
        break;
    case DARN_EVENT_SIGNAL:
    case DARN_EVENT_BROADCAST:
        on_signal(lost, event, cond, holding);
        break;
    default:
        break;
    }
}

static bool was_seen(const struct darn_lost *lost, uint32_t cond, const struct waiting *waiting)
{
    for (uint32_t i = 0; i < waiting->visitor_count; i++) {
        if (darn_map_get(&lost->waiters, waiter_key(cond, waiting->visitors[i]), 0))
            return true;
    }
    return false;
}

void darn_lost_find(const struct darn_lost *lost,
                    void (*found)(void *to, uint32_t cond, const struct darn_notice *signal,
                                  const struct darn_notice *wait),
                    void *to)
{
    for (size_t i = 0; i < lost->cond_capacity; i++) {
        const struct darn_lost_cond *cond = &lost->conds[i];

        /* Signals that were sent go to those who have waited longest. */
        for (size_t j = cond->sent; j < cond->count; j++) {
            const struct waiting *waiting = &cond->waiting[j];

            if (waiting->signal.time && !(waiting->wait.event.flags & DARN_EVENT_TRY) &&
                !was_seen(lost, (uint32_t)i, waiting))
                found(to, (uint32_t)i, &waiting->signal, &waiting->wait);
        }
    }
}

size_t darn_lost_memory(const struct darn_lost *lost)
{
    size_t memory =
        lost->cond_capacity * sizeof(*lost->conds) + lost->state_capacity * sizeof(*lost->states) +
        lost->seen_capacity * sizeof(*lost->seen) + darn_threads_memory(&lost->threads) +
        darn_map_memory(&lost->waiters) + darn_map_memory(&lost->mutexes);

    for (size_t i = 0; i < lost->cond_capacity; i++)
        memory += lost->conds[i].capacity * sizeof(*lost->conds[i].waiting);
    for (uint32_t i = 0; i < lost->threads.count; i++)
        memory += lost->states[i].capacity * sizeof(*lost->states[i].held);
    return memory;
}
