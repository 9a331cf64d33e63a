/*
 * Gates of orders: who may still use what another thread is about to end, from where it has taken
 * the lock of that, or from its start, to its end.
 */
#include "runtime/heal/gates.h"
#include "runtime/heal/gates_private.h"

static bool is_user(const struct darn_gate *gate, const struct darn_asking *asking)
{
    for (uint32_t i = 0; i < gate->occupant_count; i++)
        if (gate->occupants[i].thread == asking->thread && gate->occupants[i].lock == asking->lock)
            return true;
    return false;
}

static void add(struct darn_gate *gate, const struct darn_asking *asking, uint32_t positions)
{
    if (gate->occupant_count == DARN_GATE_OCCUPANTS) {
        gate->unseen++;
        return;
    }
    gate->occupants[gate->occupant_count++] = (struct darn_occupant){
        .thread = asking->thread, .lock = asking->lock, .positions = positions};
    asking->thread->gates += gate->until != DARN_UNTIL_GONE;
}

/* Who comes to the first position again begins again. */
static void go_through(struct darn_gate *gate, const struct darn_asking *asking, uint32_t positions)
{
    for (uint32_t i = 0; i < gate->occupant_count; i++) {
        struct darn_occupant *own = &gate->occupants[i];

        if (own->thread != asking->thread || own->lock != asking->lock || !(own->positions & 1))
            continue;
        own->is_through = !(positions & 1) && positions & 2;
        own->in_vain &= !(positions & 1);
        return;
    }
    if (positions & 5)
        add(gate, asking, positions & 1 ? 1 : 4);
}

void darn_gate_occupy_order(struct darn_gate *gate, const struct darn_asking *asking,
                            uint32_t positions)
{
    bool stays = gate->until == DARN_UNTIL_GONE;

    if (gate->until == DARN_UNTIL_THROUGH) {
        go_through(gate, asking, positions);
    } else if (positions & 1 && !(stays && is_user(gate, asking))) {
        gate->done |= stays;
        add(gate, asking, 1);
    }
}

void darn_gate_give_up(struct darn_gate *gate)
{
    for (uint32_t i = 0; i < gate->occupant_count; i++)
        gate->occupants[i].in_vain = true;
}

bool darn_gate_is_used(const struct darn_asking *asking)
{
    for (uint64_t left = asking->gates; left; left &= left - 1) {
        struct darn_gate *gate = &darn_gates[__builtin_ctzll(left)];

        if (!(asking->positions[__builtin_ctzll(left)] & 2))
            continue;
        for (uint32_t i = 0; i < gate->occupant_count; i++) {
            if (!darn_gate_may_use(&gate->occupants[i], asking->thread, asking->lock))
                continue;
            gate->used++;
            return true;
        }
    }
    return false;
}

/* ---- what ends ---- */

bool darn_gate_ends(struct darn_thread *thread, const volatile void *object, const void *frame)
{
    struct darn_asking asking = {.thread = thread, .lock = (uintptr_t)object};
    bool is_used = false;

    if (thread->in_gate)
        return false;
    thread->in_gate = true;
    if (darn_gates_find_at(&asking, frame)) {
        darn_gates_pass(&asking, frame);
        darn_gates_take(thread);
        is_used = darn_gate_is_used(&asking);
        darn_gates_give();
    }
    thread->in_gate = false;
    return is_used;
}

/* ---- accesses ---- */

bool darn_gate_is_done(const struct darn_gate *gate)
{
    return __atomic_load_n(&gate->done, __ATOMIC_ACQUIRE);
}

/* How many of the gates this is. */
static uint32_t number_of(const struct darn_gate *gate)
{
    return (uint32_t)(gate - darn_gates);
}

void darn_gate_reach(struct darn_gate *gate, struct darn_thread *thread)
{
    uint64_t bit = UINT64_C(1) << number_of(gate);
    struct darn_asking asking = {.thread = thread};

    if (thread->in_gate || thread->orders & bit)
        return;
    thread->in_gate = true;
    thread->orders |= bit;
    darn_gates_take(thread);
    gate->passed++;
    if (gate->until == DARN_UNTIL_GONE)
        darn_gate_occupy_order(gate, &asking, 1);
    __atomic_store_n(&gate->done, true, __ATOMIC_RELEASE);
    darn_gate_open(gate);
    darn_gates_give();
    thread->in_gate = false;
}

void darn_gate_come(struct darn_gate *gate, struct darn_thread *thread, const void *frame)
{
    struct darn_asking asking = {.thread = thread, .gates = UINT64_C(1) << number_of(gate)};

    if (thread->in_gate || gate->dropped)
        return;
    asking.positions[number_of(gate)] = 2;
    thread->in_gate = true;
    darn_gates_pass(&asking, frame);
    thread->in_gate = false;
}

/* ---- threads ---- */

/* In the name of the creator: the new one is not known yet. */
void darn_gate_born(struct darn_thread *creator, struct darn_thread *thread)
{
    struct darn_asking asking = {.thread = thread};

    if (creator->in_gate)
        return;
    creator->in_gate = true;
    if (darn_gates_find(&asking, &thread->created)) {
        darn_gates_take(creator);
        for (uint64_t left = asking.gates; left; left &= left - 1) {
            uint32_t number = (uint32_t)__builtin_ctzll(left);

            if (darn_gates[number].by_start)
                darn_gate_occupy_order(&darn_gates[number], &asking, asking.positions[number]);
        }
        darn_gates_give();
    }
    creator->in_gate = false;
}

void darn_gate_unborn(struct darn_thread *creator, struct darn_thread *thread)
{
    if (!darn_gates_on || creator->in_gate)
        return;
    creator->in_gate = true;
    darn_gates_take(creator);
    darn_gates_vacate(thread, 0);
    darn_gates_give();
    creator->in_gate = false;
}
