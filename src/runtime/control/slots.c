#include "runtime/control/slots.h"

#include <string.h>

struct darn_slot darn_slots[DARN_SLOTS];
uint32_t darn_slot_end, darn_slots_alive;

bool darn_slot_is_used(const struct darn_slot *slot)
{
    return slot->state != DARN_STATE_NONE && slot->state != DARN_STATE_ENDED;
}

struct darn_slot *darn_slot_take(struct darn_thread *thread)
{
    for (uint32_t i = 0; i < DARN_SLOTS; i++) {
        struct darn_slot *slot = &darn_slots[i];

        if (darn_slot_is_used(slot))
            continue;
        memset(slot, 0, sizeof(*slot));
        slot->index = i;
        slot->thread = thread;
        slot->number = thread->number;
        slot->state = DARN_STATE_READY;
        thread->slot = slot;
        if (i >= darn_slot_end)
            darn_slot_end = i + 1;
        darn_slots_alive++;
        return slot;
    }
    return NULL;
}

struct darn_slot *darn_turn_slot_of(uint32_t number)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slot_is_used(&darn_slots[i]) && darn_slots[i].number == number)
            return &darn_slots[i];
    }
    return NULL;
}

void darn_turn_each(void (*visit)(struct darn_slot *slot, void *argument), void *argument)
{
    for (uint32_t i = 0; i < darn_slot_end; i++) {
        if (darn_slot_is_used(&darn_slots[i]))
            visit(&darn_slots[i], argument);
    }
}
