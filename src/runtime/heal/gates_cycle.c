/*
 * Whether a wait at a gate is in vain: all who could open it wait, directly or through others, for
 * the thread that stands there (waitfor.h).
 */
#include <stddef.h>

#include "runtime/control/turn.h"
#include "runtime/heal/gates_private.h"
#include "runtime/thread/waitfor.h"

/* Who waits for a condition may be woken by anybody, and who waits for a while goes on. */
#define COUNTS                                                                                     \
    (DARN_WAITFOR_LOCKS | DARN_WAITFOR(DARN_WAIT_JOIN) | DARN_WAITFOR(DARN_WAIT_HEAL) |            \
     DARN_WAITFOR(DARN_WAIT_GATE))

/* It is enough that one of them leaves: all have to wait. Only where all have to be gone one is
 * enough. */
static bool leads_by_occupants(struct darn_waitfor *graph, const struct darn_thread *from,
                               const struct darn_gate *gate)
{
    uint32_t others = 0;

    for (uint32_t i = 0; gate && i < gate->occupant_count; i++) {
        const struct darn_occupant *occupant = &gate->occupants[i];

        if (occupant->thread == from || occupant->in_vain)
            continue;
        others++;
        if (gate->until == DARN_UNTIL_GONE) {
            if (darn_waitfor_keeps(graph, occupant->thread))
                return true;
            continue;
        }
        if (occupant->away || !darn_waitfor_keeps(graph, occupant->thread))
            return false;
    }
    return others && gate->until != DARN_UNTIL_GONE;
}

/* In a controlled run a thread may be on its way to several gates. */
static bool leads_by_gate(struct darn_waitfor *graph, const struct darn_thread *from,
                          uintptr_t target)
{
    bool is_step = darn_turns && from->slot && from != graph->goal;

    return leads_by_occupants(graph, from,
                              is_step ? darn_gate_of(from) : (const struct darn_gate *)target);
}

bool darn_gate_is_vain(const struct darn_gate *gate, struct darn_thread *thread)
{
    struct darn_waiter waiters[DARN_WAITFOR_FEW];
    struct darn_waitfor graph = {.waiters = waiters,
                                 .most = DARN_WAITFOR_FEW,
                                 .kinds = COUNTS,
                                 .guesses = true,
                                 .by_gate = leads_by_gate};
    struct darn_wait wait = {.kind = DARN_WAIT_GATE, .target = (uintptr_t)gate};

    darn_waitfor_look(&graph);
    return darn_waitfor_is_cycle(&graph, thread, &wait);
}
