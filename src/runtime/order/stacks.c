#include "runtime/order/stacks.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/order/clocks.h"
#include "runtime/order/remembered.h"

static struct {
    _Atomic uintptr_t start, end;  /* 0: nobody has the slot */
    _Atomic uintptr_t deepest;     /* 0: nothing was touched */
    _Atomic uintptr_t left, above; /* what the last one to have the slot has left; 0: nothing */
} stacks[DARN_CLOCK_SLOTS];

/* All stacks lie between these; and so may much else. */
static _Atomic uintptr_t lowest = UINTPTR_MAX, highest;
static _Atomic uint32_t used;

/* That the stack of this slot has ended is no longer of interest. */
static void forget_left(uint32_t slot)
{
    uintptr_t left = atomic_exchange(&stacks[slot].left, 0);

    if (left)
        darn_memory_forget(left, atomic_load(&stacks[slot].above) - left);
}

void darn_stacks_begin(uint32_t slot, uintptr_t start, uintptr_t end)
{
    for (uint32_t i = 0; i < atomic_load(&used); i++) {
        uintptr_t left = atomic_load(&stacks[i].left);

        if (left && left < end && atomic_load(&stacks[i].above) > start)
            forget_left(i);
    }
    if (slot >= DARN_CLOCK_SLOTS)
        return;
    atomic_store(&stacks[slot].deepest, 0);
    atomic_store(&stacks[slot].end, end);
    atomic_store(&stacks[slot].start, start);
    if (start < atomic_load(&lowest))
        atomic_store(&lowest, start);
    if (end > atomic_load(&highest))
        atomic_store(&highest, end);
    if (slot >= atomic_load(&used))
        atomic_store(&used, slot + 1);
}

uintptr_t darn_stacks_end(uint32_t slot)
{
    uintptr_t deepest;

    if (slot >= DARN_CLOCK_SLOTS)
        return 0;
    deepest = atomic_load(&stacks[slot].deepest);
    atomic_store(&stacks[slot].start, 0);
    atomic_store(&stacks[slot].end, 0);
    return deepest;
}

void darn_stacks_leave(uint32_t slot, uintptr_t deepest, uintptr_t end)
{
    if (slot >= DARN_CLOCK_SLOTS)
        return;
    forget_left(slot);
    atomic_store(&stacks[slot].above, end);
    atomic_store(&stacks[slot].left, deepest);
}

/* Whether it is a stack's address. */
static bool touch(uint32_t slot, uintptr_t address)
{
    uintptr_t deepest = atomic_load_explicit(&stacks[slot].deepest, memory_order_relaxed);

    if (address < atomic_load_explicit(&stacks[slot].start, memory_order_relaxed) ||
        address >= atomic_load_explicit(&stacks[slot].end, memory_order_relaxed))
        return false;
    while ((!deepest || address < deepest) &&
           !atomic_compare_exchange_weak(&stacks[slot].deepest, &deepest, address))
        ;
    return true;
}

void darn_stacks_touch(uint32_t slot, uintptr_t address)
{
    if (address < atomic_load_explicit(&lowest, memory_order_relaxed) ||
        address >= atomic_load_explicit(&highest, memory_order_relaxed) || touch(slot, address))
        return;
    for (uint32_t i = 0; i < atomic_load_explicit(&used, memory_order_relaxed); i++) {
        if (touch(i, address))
            return;
    }
}

bool darn_stacks_has(uintptr_t address)
{
    for (uint32_t i = 0; i < atomic_load_explicit(&used, memory_order_relaxed); i++) {
        if (address >= atomic_load(&stacks[i].start) && address < atomic_load(&stacks[i].end))
            return true;
    }
    return false;
}
