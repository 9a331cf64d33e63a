#include "runtime/watch/heap.h"

#include <assert.h>
#include <stdatomic.h>

#include "runtime/report/counters.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

#define SLOTS 16384
#define DEPTH 13

/* Two cache lines: of a shallow stack the first. A container that was not optimized is ten calls away
 * from `operator new`. A slot that is being overwritten while a report reads it shows a wrong
 * stack at worst; `address` is cleared first and set last to make that unlikely. */
struct slot {
    _Atomic uintptr_t address;
    uint64_t size;
    uint32_t thread;
    uint32_t depth;
    uintptr_t pcs[DEPTH];
};

static _Alignas(128) struct slot slots[SLOTS];

static struct slot *slot_of(uintptr_t address)
{
    /* Blocks that lie side by side have slots side by side: a small program touches few pages. */
    return &slots[(address >> 5 ^ address >> 19 ^ address >> 33) % SLOTS];
}

static_assert(sizeof(struct slot) == 128, "a slot is two cache lines");

void darn_heap_add(const void *block, size_t size, const void *frame)
{
    struct slot *slot = slot_of((uintptr_t)block);
    struct darn_thread *thread = darn_thread_peek();

    if (!block || !darn_state.ready || !thread)
        return;
    if (atomic_load_explicit(&slot->address, memory_order_relaxed))
        darn_count(DARN_COUNT_BLOCKS_FORGOTTEN);
    atomic_store_explicit(&slot->address, 0, memory_order_release);
    slot->size = size;
    slot->thread = thread->number;
    slot->depth = darn_stack_quick(slot->pcs, DEPTH, thread, frame);
    atomic_store_explicit(&slot->address, (uintptr_t)block, memory_order_release);
}

/* The slot was written by who allocated the block, and lies in the cache of its processor. */
void darn_heap_prepare(const void *block)
{
    __builtin_prefetch(slot_of((uintptr_t)block), 1);
}

void darn_heap_remove(const void *block)
{
    struct slot *slot = slot_of((uintptr_t)block);

    if (atomic_load_explicit(&slot->address, memory_order_relaxed) == (uintptr_t)block)
        atomic_store_explicit(&slot->address, 0, memory_order_relaxed);
}

bool darn_heap_find(uintptr_t address, struct darn_heap_block *block)
{
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &slots[i];
        uintptr_t start = atomic_load_explicit(&slot->address, memory_order_acquire);

        if (!start || address < start || address - start >= slot->size)
            continue;
        block->address = start;
        block->size = slot->size;
        block->thread = slot->thread;
        block->stack.depth = slot->depth;
        for (uint32_t j = 0; j < slot->depth && j < DEPTH; j++)
            block->stack.pcs[j] = slot->pcs[j];
        return true;
    }
    return false;
}
