#define _GNU_SOURCE
#include "runtime/thread/waitfor.h"

#include <pthread.h>
#include <stddef.h>

#include "runtime/control/turn.h"
#include "runtime/os/glibc.h"
#include "runtime/os/os.h"
#include "runtime/thread/thread.h"
#include "schedule/block.h"

/* A search that has looked at threads so often gives up: with gates it looks at some again. */
#define MOST_STEPS 4096

enum { UNSEEN, ON_THE_WAY, LEADS, DEAD };

/* ---- what a thread waits for ---- */

/* In a controlled run it is the step that the thread is about to make. */
static enum darn_wait_kind kind_of_step(const struct darn_slot *slot)
{
    if (slot->state != DARN_STATE_READY)
        return DARN_WAIT_NONE;
    switch (slot->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
        return DARN_WAIT_MUTEX;
    case DARN_STEP_READLOCK:
        return DARN_WAIT_READ;
    case DARN_STEP_WRITELOCK:
        return DARN_WAIT_WRITE;
    case DARN_STEP_JOIN:
        return DARN_WAIT_JOIN;
    case DARN_STEP_CALL:
        return DARN_WAIT_GATE;
    default:
        return DARN_WAIT_NONE;
    }
}

static bool read_wait(const struct darn_thread *thread, struct darn_wait *wait)
{
    const struct darn_slot *slot = darn_turns ? thread->slot : NULL;

    if (!slot)
        return darn_wait_read(&thread->wait, wait);
    *wait = (struct darn_wait){.kind = (uint32_t)kind_of_step(slot), .target = slot->object};
    return wait->kind != DARN_WAIT_NONE;
}

bool darn_waiter_read(const struct darn_waiter *waiter, struct darn_wait *wait)
{
    return waiter->thread->is_alive && read_wait(waiter->thread, wait) &&
           wait->version == waiter->version;
}

void darn_waitfor_look(struct darn_waitfor *graph)
{
    struct darn_thread *thread;
    struct darn_wait wait;
    uint32_t index = 0;

    graph->count = 0;
    while (graph->count < graph->most && (thread = darn_threads_next(&index))) {
        if (read_wait(thread, &wait))
            graph->waiters[graph->count++] = (struct darn_waiter){
                .thread = thread, .version = wait.version, .kind = (uint8_t)wait.kind};
    }
}

/* ---- who has that ---- */

/* What one wait needs. */
struct need {
    const struct darn_thread *from;
    struct darn_wait wait;
    uintptr_t mutex; /* 0: none */
    bool is_known;   /* who has it: */
    int owner;
};

/* The target is the program's own memory, and may be gone by now: it is copied. Signalled or not,
 * who waits for a condition needs the mutex to go on. */
static void find_owner(struct need *need)
{
    uint32_t kind = need->wait.kind;
    pthread_mutex_t mutex;

    if (kind == DARN_WAIT_MUTEX)
        need->mutex = need->wait.target;
    else if (kind == DARN_WAIT_COND || kind == DARN_WAIT_OTHER)
        need->mutex = __atomic_load_n(&need->from->waits_with, __ATOMIC_ACQUIRE);
    need->is_known = need->mutex && darn_os_copy(&mutex, (const void *)need->mutex,
                                                 sizeof(mutex)) == (long)sizeof(mutex);
    need->owner = need->is_known ? darn_mutex_owner(&mutex) : 0;
}

/* What it has given back to wait for a condition, it does not hold. */
static bool holds(const struct darn_thread *thread, uintptr_t mutex)
{
    struct darn_thread_lock unused;

    return darn_lock_is_listed(thread, mutex, &unused) &&
           __atomic_load_n(&thread->waits_with, __ATOMIC_ACQUIRE) != mutex;
}

static bool has_mutex(const struct darn_waitfor *graph, const struct need *need,
                      const struct darn_thread *thread)
{
    if (!need->mutex)
        return false;
    if (need->is_known)
        return need->owner && need->owner == thread->tid;
    return graph->guesses && holds(thread, need->mutex);
}

/* Readers do not keep each other out. */
static bool has_rwlock(const struct darn_wait *wait, const struct darn_thread *thread)
{
    struct darn_thread_lock held;

    return darn_lock_is_listed(thread, wait->target, &held) &&
           (wait->kind == DARN_WAIT_WRITE || held.kind == DARN_LOCK_WRITE);
}

static bool is_kept_by(const struct darn_waitfor *graph, const struct need *need,
                       const struct darn_thread *thread)
{
    switch (need->wait.kind) {
    case DARN_WAIT_MUTEX:
        return has_mutex(graph, need, thread);
    case DARN_WAIT_COND:
    case DARN_WAIT_OTHER: /* its own mutex it is about to give back, or has just got */
        return thread != need->from && has_mutex(graph, need, thread);
    case DARN_WAIT_READ:
    case DARN_WAIT_WRITE:
        return has_rwlock(&need->wait, thread);
    case DARN_WAIT_JOIN:
        return need->wait.target == thread->number;
    case DARN_WAIT_HEAL: /* without a target it is about to look again */
        return need->wait.target == (uintptr_t)thread;
    default:
        return false;
    }
}

/* ---- the search ---- */

static bool leads(struct darn_waitfor *graph, struct darn_waiter *at);

/* Of several who have a lock, each one must give it back: one that cannot is enough. */
static bool leads_by_holder(struct darn_waitfor *graph, const struct need *need)
{
    if (is_kept_by(graph, need, graph->goal)) {
        graph->length = graph->depth;
        return true;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        struct darn_waiter *next = &graph->waiters[i];

        if (is_kept_by(graph, need, next->thread) && leads(graph, next))
            return true;
    }
    return false;
}

static bool leads_on(struct darn_waitfor *graph, struct need *need)
{
    if (!(graph->kinds & DARN_WAITFOR(need->wait.kind)))
        return false;
    if (need->wait.kind == DARN_WAIT_GATE)
        return graph->by_gate(graph, need->from, need->wait.target);
    find_owner(need);
    return leads_by_holder(graph, need);
}

/* Whether the waiter cannot go on before the goal does. At a gate all must wait, not one: who was
 * on the way when the answer was no may lead to the goal by itself, so the answer is not kept. */
static bool leads(struct darn_waitfor *graph, struct darn_waiter *at)
{
    struct need need = {.from = at->thread};
    bool found;

    if (at->mark != UNSEEN)
        return at->mark == LEADS;
    if (graph->depth == DARN_WAITFOR_DEPTH || ++graph->steps > MOST_STEPS ||
        !darn_waiter_read(at, &need.wait))
        return false;
    at->mark = ON_THE_WAY;
    graph->way[graph->depth++] = at;
    found = leads_on(graph, &need);
    graph->depth--;
    at->mark = found ? LEADS : graph->by_gate ? UNSEEN : DEAD;
    return found;
}

static struct darn_waiter *find_waiter(struct darn_waitfor *graph, const struct darn_thread *thread)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->waiters[i].thread == thread)
            return &graph->waiters[i];
    }
    return NULL;
}

bool darn_waitfor_keeps(struct darn_waitfor *graph, const struct darn_thread *thread)
{
    struct darn_waiter *waiter = find_waiter(graph, thread);

    return thread == graph->goal || (waiter && leads(graph, waiter));
}

/* Not one of those who the answer rests on has moved meanwhile. */
static bool is_still_so(const struct darn_waitfor *graph)
{
    struct darn_wait wait;

    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->waiters[i].mark == LEADS && !darn_waiter_read(&graph->waiters[i], &wait))
            return false;
    }
    return true;
}

bool darn_waitfor_is_cycle(struct darn_waitfor *graph, struct darn_thread *thread,
                           const struct darn_wait *wait)
{
    struct need need = {.from = thread, .wait = *wait};
    struct darn_waiter *own = find_waiter(graph, thread);

    graph->goal = thread;
    graph->depth = graph->steps = graph->length = 0;
    for (uint32_t i = 0; i < graph->count; i++)
        graph->waiters[i].mark = UNSEEN;
    if (own) {
        own->mark = LEADS;
        graph->way[graph->depth++] = own;
    }
    return leads_on(graph, &need) && is_still_so(graph);
}
