/* Who stands at the gates, and whether that is right. */
#include <stddef.h>

#include "runtime/heal/gates_private.h"

#define WAITERS 64

static struct darn_gate_waiter waiters[WAITERS];
volatile uint32_t darn_gate_waiters;

struct darn_gate_waiter *darn_gate_waiter_add(struct darn_thread *thread, struct darn_gate *gate,
                                              uintptr_t lock)
{
    for (uint32_t i = 0; i < WAITERS; i++) {
        if (waiters[i].thread)
            continue;
        waiters[i] = (struct darn_gate_waiter){.thread = thread, .gate = gate, .lock = lock};
        darn_gate_waiters++;
        return &waiters[i];
    }
    return NULL;
}

void darn_gate_waiter_pause(struct darn_gate_waiter *waiter, struct darn_gate *gate, bool is_hungry)
{
    if (!waiter)
        return;
    waiter->gate = gate;
    waiter->is_waiting = true;
    waiter->is_hungry = is_hungry;
    gate->waiting++;
    gate->hungry += is_hungry;
}

void darn_gate_waiter_resume(struct darn_gate_waiter *waiter, const struct darn_thread *thread)
{
    if (!waiter || waiter->thread != thread)
        return;
    waiter->gate->waiting -= waiter->is_waiting;
    waiter->gate->hungry -= waiter->is_hungry;
    waiter->is_waiting = waiter->is_hungry = false;
}

void darn_gate_waiter_drop(struct darn_gate_waiter *waiter, const struct darn_thread *thread)
{
    if (!waiter || waiter->thread != thread)
        return;
    darn_gate_waiter_resume(waiter, thread);
    waiter->thread = NULL;
    darn_gate_waiters--;
}

static bool occupies(const struct darn_gate *gate, const struct darn_thread *thread)
{
    for (uint32_t i = 0; i < gate->occupant_count; i++) {
        if (gate->occupants[i].thread == thread)
            return true;
    }
    return false;
}

void darn_gate_waiters_tell(const struct darn_thread *thread, uintptr_t lock)
{
    for (uint32_t i = 0; i < WAITERS; i++) {
        struct darn_gate_waiter *waiter = &waiters[i];

        if (waiter->thread && waiter->lock == lock && waiter->thread != thread &&
            occupies(waiter->gate, thread))
            waiter->right = true;
    }
}

void darn_gate_waiters_forget(const struct darn_thread *thread)
{
    for (uint32_t i = 0; i < WAITERS; i++) {
        if (waiters[i].thread && (!thread || waiters[i].thread == thread))
            darn_gate_waiter_drop(&waiters[i], waiters[i].thread);
    }
}

bool darn_gate_holds(const struct darn_gate *gate, uintptr_t lock)
{
    struct darn_thread_lock unused;

    for (uint32_t i = 0; i < gate->occupant_count; i++) {
        if (darn_lock_is_listed(gate->occupants[i].thread, lock, &unused))
            return true;
    }
    return false;
}
