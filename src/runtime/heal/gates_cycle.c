/*
 * Whether a wait at a gate is in vain: all who could open it wait, directly or through others, for
 * the thread that stands there.
 *
 * Looked at while the thread waits. Those on the way wait as well, so what they hold does not
 * change meanwhile; `turn` (waits.h) tells whether one of them has moved on, and then there is no
 * way. What a lock is held by is read from the lists of the threads, not from the lock: that one
 * may be gone by now.
 */
#include <stddef.h>

#include "runtime/control/turn.h"
#include "runtime/heal/gates_parts.h"
#include "schedule/block.h"

#define MOST_THREADS 256 /* with more of them, only the bound ends a wait */
#define DEPTH        32

struct search {
    const struct darn_thread *goal;
    struct darn_thread *threads[MOST_THREADS];
    uint32_t count;
    const struct darn_thread *way[DEPTH];
    uint32_t depth;
};

/* What a thread waits for. */
struct wait {
    uint32_t kind; /* enum darn_wait_kind */
    uintptr_t target;
    const struct darn_gate *gate;
};

static struct wait read_slot(const struct darn_thread *thread)
{
    const struct darn_slot *slot = thread->slot;
    struct wait wait = {.kind = DARN_WAIT_NONE, .target = (uintptr_t)slot->object};

    if (slot->state != DARN_STATE_READY)
        return wait;
    switch (slot->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_RELOCK:
        wait.kind = DARN_WAIT_MUTEX;
        break;
    case DARN_STEP_READLOCK:
        wait.kind = DARN_WAIT_READ;
        break;
    case DARN_STEP_WRITELOCK:
        wait.kind = DARN_WAIT_WRITE;
        break;
    case DARN_STEP_JOIN:
        wait.kind = DARN_WAIT_JOIN;
        break;
    case DARN_STEP_CALL:
        wait.gate = darn_gate_of(thread);
        wait.kind = wait.gate ? DARN_WAIT_GATE : DARN_WAIT_NONE;
        break;
    default:
        break;
    }
    return wait;
}

static struct wait read_wait(const struct darn_thread *thread)
{
    struct darn_wait now;
    struct wait wait = {.kind = DARN_WAIT_NONE};

    if (darn_turns && thread->slot)
        return read_slot(thread);
    if (darn_wait_read(&thread->wait, &now))
        wait = (struct wait){.kind = now.kind, .target = now.target};
    if (wait.kind == DARN_WAIT_GATE)
        wait.gate = (const struct darn_gate *)wait.target;
    return wait;
}

/* It waits for a condition variable, and has given its mutex back meanwhile. */
static bool has_given(const struct darn_thread *thread, uintptr_t lock)
{
    const struct darn_slot *slot = darn_turns ? thread->slot : NULL;

    if (slot)
        return slot->mutex == lock && (slot->op == DARN_STEP_WAIT || slot->op == DARN_STEP_RELOCK);
    return __atomic_load_n(&thread->waits_with, __ATOMIC_ACQUIRE) == lock;
}

static bool holds(struct darn_thread *thread, const struct wait *wait)
{
    const struct darn_thread_lock *held = darn_lock_find(&thread->locks, wait->target);

    if (!held || has_given(thread, wait->target))
        return false;
    return wait->kind != DARN_WAIT_READ || held->kind == DARN_LOCK_WRITE;
}

static bool leads(struct search *search, struct darn_thread *from);

static bool leads_by_lock(struct search *search, const struct darn_thread *from,
                          const struct wait *wait)
{
    for (uint32_t i = 0; i < search->count; i++) {
        struct darn_thread *thread = search->threads[i];
        bool next =
            wait->kind == DARN_WAIT_JOIN ? wait->target == thread->number : holds(thread, wait);

        if (next && thread != from && leads(search, thread))
            return true;
    }
    return false;
}

/* It is enough that one of them leaves: all have to wait. */
static bool leads_by_gate(struct search *search, const struct darn_thread *from,
                          const struct darn_gate *gate)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < gate->occupant_count; i++) {
        const struct darn_occupant *occupant = &gate->occupants[i];

        if (occupant->thread == from)
            continue;
        others++;
        if (occupant->away || !leads(search, occupant->thread))
            return false;
    }
    return others;
}

/* Whether `from` cannot go on before the goal does. */
static bool leads(struct search *search, struct darn_thread *from)
{
    uint32_t turn = __atomic_load_n(&from->wait.turn, __ATOMIC_ACQUIRE);
    struct wait wait;
    bool found = false;

    if (from == search->goal)
        return true;
    for (uint32_t i = 0; i < search->depth; i++) {
        if (search->way[i] == from)
            return false;
    }
    if (search->depth == DEPTH)
        return false;
    search->way[search->depth++] = from;
    wait = read_wait(from);
    if (wait.kind == DARN_WAIT_HEAL) /* without a target: it is about to look again */
        found = wait.target && leads(search, (struct darn_thread *)wait.target);
    else if (wait.kind == DARN_WAIT_GATE)
        found = leads_by_gate(search, from, wait.gate);
    else if (wait.kind == DARN_WAIT_MUTEX || wait.kind == DARN_WAIT_READ ||
             wait.kind == DARN_WAIT_WRITE || wait.kind == DARN_WAIT_JOIN)
        found = leads_by_lock(search, from, &wait);
    search->depth--;
    return found && turn == __atomic_load_n(&from->wait.turn, __ATOMIC_ACQUIRE);
}

bool darn_gate_is_vain(const struct darn_gate *gate, const struct darn_thread *thread)
{
    struct search search = {.goal = thread};

    search.count = darn_threads_list(search.threads, MOST_THREADS);
    return leads_by_gate(&search, thread, gate);
}
