/* Who waits for whom at the end of a run. */
#include <string.h>

#include "report/story/snapshot_private.h"

static bool holds(const struct darn_block_thread *thread, uint64_t lock)
{
    for (uint32_t i = 0; i < darn_snapshot_locks(thread); i++)
        if (thread->locks[i] == lock)
            return true;
    return false;
}

static bool takes_lock(const struct darn_block_thread *thread)
{
    switch (thread->op) {
    case DARN_STEP_LOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_RELOCK:
    case DARN_STEP_ONCE:
        return true;
    default:
        return false;
    }
}

bool darn_snapshot_is_blocked(const struct darn_snapshot *snapshot,
                              const struct darn_block_thread *thread)
{
    return thread->state == DARN_STATE_BLOCKED ||
           (thread->state == DARN_STATE_READY && snapshot->block->result.end == DARN_END_DEADLOCK);
}

/* Whether `one` cannot go on before `other` has given something back or has ended. */
static bool waits_for(const struct darn_snapshot *snapshot, const struct darn_block_thread *one,
                      const struct darn_block_thread *other)
{
    if (!darn_snapshot_is_blocked(snapshot, one))
        return false;
    if (one->op != DARN_STEP_JOIN && !takes_lock(one))
        return false;
    if (one->owner)
        return one->owner - 1 == other->thread || (takes_lock(one) && holds(other, one->object));
    /* A lock that several hold for reading has no owner. */
    return takes_lock(one) && holds(other, one->object);
}

/* A wait gives back its own mutex only: who needs another lock of the thread cannot come to end
 * the wait. */
static bool is_kept_from_signalling(const struct darn_snapshot *snapshot,
                                    const struct darn_block_thread *waiter,
                                    const struct darn_block_thread *other)
{
    return darn_snapshot_is_blocked(snapshot, waiter) &&
           (waiter->op == DARN_STEP_WAIT || waiter->op == DARN_STEP_TAKE ||
            waiter->op == DARN_STEP_BARRIER) &&
           waiter != other && takes_lock(other) && waits_for(snapshot, other, waiter);
}

struct walk {
    const struct darn_snapshot *snapshot;
    uint32_t count;
    bool with_waits; /* also the edges of is_kept_from_signalling */
};

static bool is_edge(const struct walk *walk, uint32_t from, uint32_t to)
{
    const struct darn_block_thread *threads = walk->snapshot->block->result.threads;

    return waits_for(walk->snapshot, &threads[from], &threads[to]) ||
           (walk->with_waits &&
            is_kept_from_signalling(walk->snapshot, &threads[from], &threads[to]));
}

/* The shortest way from `start` back to itself, breadth first. Returns its length; 0 for none. */
static size_t way_back(const struct walk *walk, uint32_t start, uint32_t *circle)
{
    uint32_t queue[DARN_BLOCK_THREADS], before[DARN_BLOCK_THREADS];
    bool seen[DARN_BLOCK_THREADS] = {false};
    size_t head = 0, tail = 0, length = 0;

    queue[tail++] = start;
    while (head < tail) {
        uint32_t from = queue[head++];

        if (is_edge(walk, from, start)) {
            for (uint32_t at = from; at != start; at = before[at])
                length++;
            length++;
            for (size_t i = length; i-- > 1; from = before[from])
                circle[i] = from;
            circle[0] = start;
            return length;
        }
        for (uint32_t to = 0; to < walk->count; to++) {
            if (to == start || seen[to] || !is_edge(walk, from, to))
                continue;
            seen[to] = true;
            before[to] = from;
            queue[tail++] = to;
        }
    }
    return 0;
}

static size_t shortest(const struct walk *walk, uint32_t *circle)
{
    uint32_t found[DARN_BLOCK_THREADS];
    size_t best = 0;

    for (uint32_t start = 0; start < walk->count; start++) {
        size_t length = way_back(walk, start, found);

        if (length && (!best || length < best)) {
            best = length;
            memcpy(circle, found, length * sizeof(*circle));
        }
    }
    return best;
}

size_t darn_snapshot_circle(const struct darn_snapshot *snapshot, uint32_t *circle)
{
    struct walk walk = {snapshot, darn_snapshot_threads(snapshot), false};
    size_t length = shortest(&walk, circle);

    if (length)
        return length;
    walk.with_waits = true;
    return shortest(&walk, circle);
}
