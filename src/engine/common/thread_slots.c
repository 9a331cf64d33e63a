#include "engine/common/thread_slots.h"

#include "base/grow.h"

struct owner {
    uint32_t first; /* time */
    uint32_t thread;
};

struct darn_clock_slot {
    uint32_t next; /* time of the next owner, after the present one has left */
    uint32_t need; /* time up to which the creator of the next owner has to know this slot */
    size_t count, capacity;
    struct owner *owners;
};

void darn_slots_free(struct darn_slots *slots)
{
    for (size_t i = 0; i < slots->count; i++)
        free(slots->slots[i].owners);
    free(slots->slots);
    free(slots->dead);
    *slots = (struct darn_slots){0};
}

static void remove_dead(struct darn_slots *slots, size_t index)
{
    slots->dead_count--;
    memmove(slots->dead + index, slots->dead + index + 1,
            (slots->dead_count - index) * sizeof(*slots->dead));
}

static uint32_t choose(struct darn_slots *slots, const struct darn_stamp *creator)
{
    uint32_t slot;

    for (size_t i = 0; i < slots->dead_count; i++) {
        slot = slots->dead[i];
        if (!slots->slots[slot].need ||
            (creator &&
             darn_stamp_knows(creator, darn_epoch_make(slot, slots->slots[slot].need)))) {
            remove_dead(slots, i);
            return slot;
        }
    }
    if (slots->dead_count >= DARN_SLOTS_DEAD) {
        slot = slots->dead[0];
        remove_dead(slots, 0);
        slots->forced++;
        return slot;
    }
    slots->slots =
        darn_grow(slots->slots, &slots->capacity, slots->count + 1, sizeof(*slots->slots));
    slots->slots[slots->count].next = 1;
    return (uint32_t)slots->count++;
}

struct darn_stamp darn_slots_take(struct darn_slots *slots, uint32_t thread,
                                  const struct darn_stamp *creator)
{
    uint32_t index = choose(slots, creator);
    struct darn_clock_slot *slot = &slots->slots[index];
    size_t before = slot->capacity;

    slot->owners = darn_grow(slot->owners, &slot->capacity, slot->count + 1, sizeof(struct owner));
    slots->owner_count += slot->capacity - before;
    slot->owners[slot->count++] = (struct owner){slot->next, thread};
    return (struct darn_stamp){NULL, index, slot->next};
}

void darn_slots_leave(struct darn_slots *slots, const struct darn_stamp *now, bool used)
{
    struct darn_clock_slot *slot = &slots->slots[now->slot];

    /* Each time but the present one was handed on at its end. */
    if (used)
        slot->need = now->time;
    else if (now->time > slot->next)
        slot->need = now->time - 1;
    /* The line of time of this slot has come to its end. */
    if (now->time == UINT32_MAX)
        return;
    slot->next = now->time + 1;
    slots->dead =
        darn_grow(slots->dead, &slots->dead_capacity, slots->dead_count + 1, sizeof(*slots->dead));
    slots->dead[slots->dead_count++] = now->slot;
}

uint32_t darn_slots_thread(const struct darn_slots *slots, darn_epoch epoch)
{
    const struct darn_clock_slot *slot = &slots->slots[darn_epoch_slot(epoch)];
    size_t low = 0, high = slot->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (slot->owners[middle].first <= darn_epoch_time(epoch))
            low = middle;
        else
            high = middle;
    }
    return slot->owners[low].thread;
}

size_t darn_slots_memory(const struct darn_slots *slots)
{
    return slots->capacity * sizeof(*slots->slots) + slots->dead_capacity * sizeof(*slots->dead) +
           slots->owner_count * sizeof(struct owner);
}
