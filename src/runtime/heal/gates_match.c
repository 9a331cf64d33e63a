/* Which stacks fit a gate, and when it is shut: pure, and tested alone. */
#include "runtime/heal/gates_private.h"

uint32_t darn_gate_fits(const struct darn_gate *gate, const uintptr_t *pcs, uint32_t depth)
{
    uint32_t fits = 0;

    for (uint32_t i = 0; i < gate->count; i++) {
        const struct darn_gate_position *position = &gate->positions[i];
        uint32_t same = 0;

        while (same < position->depth && same < depth && position->pcs[same] == pcs[same])
            same++;
        if (same == position->depth)
            fits |= 1u << i;
    }
    return fits;
}

/* Positions that are filled so far, with whom and with which lock. */
struct filling {
    const struct darn_gate *gate;
    const struct darn_thread *threads[DARN_DEADLOCK_THREADS];
    uintptr_t locks[DARN_DEADLOCK_THREADS];
    uint32_t used; /* of both lists */
    uint32_t steps;
};

static bool is_used(const struct filling *filling, const struct darn_occupant *occupant)
{
    for (uint32_t i = 0; i < filling->used; i++) {
        if (filling->threads[i] == occupant->thread || filling->locks[i] == occupant->lock)
            return true;
    }
    return false;
}

/* Fills the positions that are left, each with another thread and another lock. */
static bool fill(struct filling *filling, uint32_t left)
{
    uint32_t at = (uint32_t)__builtin_ctz(left | 1u << 31);

    if (!left)
        return true;
    for (uint32_t i = 0; i < filling->gate->occupant_count; i++) {
        const struct darn_occupant *occupant = &filling->gate->occupants[i];

        if (++filling->steps > DARN_GATE_STEPS)
            return false;
        if (occupant->away || !(occupant->positions >> at & 1) || is_used(filling, occupant))
            continue;
        filling->threads[filling->used] = occupant->thread;
        filling->locks[filling->used++] = occupant->lock;
        if (fill(filling, left & ~(1u << at)))
            return true;
        filling->used--;
    }
    return false;
}

/*
 * An order: whoever is to be the second one waits until the first has been there (DONE), or until
 * all that have been are gone (GONE): they may still use what the second one takes away. Who has
 * the lock of another object has nothing to do with this one. Threads are known from their start:
 * where none was started, nobody has to be there first.
 */
static bool is_early(const struct darn_gate *gate, const struct darn_thread *thread, uintptr_t lock,
                     uint32_t positions)
{
    if (!(positions & 2))
        return false;
    if (!gate->done && !gate->by_start)
        return true;
    for (uint32_t i = 0; gate->until == DARN_UNTIL_GONE && i < gate->occupant_count; i++)
        if (!gate->occupants[i].in_vain && darn_gate_may_use(&gate->occupants[i], thread, lock))
            return true;
    return false;
}

/*
 * THROUGH: between the first position and the end of the second nobody else comes in at the third,
 * or at the first. Who is inside goes where it likes.
 */
static bool is_kept_out(const struct darn_gate *gate, const struct darn_thread *thread,
                        uintptr_t lock, uint32_t positions)
{
    uint32_t against = (positions & 1 ? 5 : 0) | (positions & 4 ? 1 : 0);
    bool is_met = false;

    for (uint32_t i = 0; i < gate->occupant_count; i++) {
        const struct darn_occupant *occupant = &gate->occupants[i];

        if (occupant->lock != lock || occupant->in_vain)
            continue;
        if (occupant->thread == thread && occupant->positions & 1)
            return false;
        is_met |= occupant->thread != thread && !occupant->away && occupant->positions & against;
    }
    return is_met;
}

bool darn_gate_is_shut(const struct darn_gate *gate, const struct darn_thread *thread,
                       uintptr_t lock, uint32_t positions)
{
    struct filling filling = {
        .gate = gate, .threads = {thread}, .locks = {lock}, .used = 1, .steps = 0};
    uint32_t all = (uint32_t)((UINT64_C(1) << gate->count) - 1);

    if (gate->until == DARN_UNTIL_THROUGH)
        return !gate->dropped && is_kept_out(gate, thread, lock, positions);
    if (gate->until)
        return !gate->dropped && is_early(gate, thread, lock, positions);
    if (gate->dropped || gate->occupant_count + 1 < gate->count)
        return false;
    for (; positions; positions &= positions - 1) {
        if (fill(&filling, all & ~(positions & -positions)))
            return true;
    }
    return false;
}
