#include "runtime/watch/heap.h"

#include <stdatomic.h>

#include "runtime/report/counters.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"

#define SLOTS 16384
#define DEPTH 13

/*
 * Two arrays: every free looks at the addresses, and these are so few that they stay in the cache;
 * the rest is written, and hardly ever read. A container that was not optimized is ten calls away
 * from `operator new`. A slot that is being overwritten while a report reads it shows a wrong stack
 * at worst; its address is cleared first and set last to make that unlikely.
 */
struct heap_origin {
    uint64_t size;
    uint32_t thread;
    uint32_t depth;
    uintptr_t pcs[DEPTH];
};

static _Alignas(64) _Atomic uintptr_t addresses[SLOTS];
static _Alignas(64) struct heap_origin origins[SLOTS];

static uint32_t slot_of(uintptr_t address)
{
    /* Blocks that lie side by side have slots side by side: a small program touches few pages. */
    return (uint32_t)(address >> 5 ^ address >> 19 ^ address >> 33) % SLOTS;
}

void darn_heap_add(const void *block, size_t size, const void *frame)
{
    uint32_t slot = slot_of((uintptr_t)block);
    struct heap_origin *origin = &origins[slot];
    struct darn_thread *thread = darn_thread_peek();

    if (!block || !darn_state.ready || !thread)
        return;
    if (atomic_load_explicit(&addresses[slot], memory_order_relaxed))
        darn_count(DARN_COUNT_BLOCKS_FORGOTTEN);
    atomic_store_explicit(&addresses[slot], 0, memory_order_release);
    origin->size = size;
    origin->thread = thread->number;
    origin->depth = darn_stack_quick(origin->pcs, DEPTH, thread, frame);
    atomic_store_explicit(&addresses[slot], (uintptr_t)block, memory_order_release);
}

/* The slot may lie in the cache of another processor. */
void darn_heap_prepare(const void *block)
{
    __builtin_prefetch((const void *)&addresses[slot_of((uintptr_t)block)], 1);
}

void darn_heap_remove(const void *block)
{
    uint32_t slot = slot_of((uintptr_t)block);

    if (atomic_load_explicit(&addresses[slot], memory_order_relaxed) == (uintptr_t)block)
        atomic_store_explicit(&addresses[slot], 0, memory_order_relaxed);
}

bool darn_heap_find(uintptr_t address, struct darn_heap_block *block)
{
    for (size_t i = 0; i < SLOTS; i++) {
        const struct heap_origin *origin = &origins[i];
        uintptr_t start = atomic_load_explicit(&addresses[i], memory_order_acquire);

        if (!start || address < start || address - start >= origin->size)
            continue;
        block->address = start;
        block->size = origin->size;
        block->thread = origin->thread;
        block->stack.depth = origin->depth;
        for (uint32_t j = 0; j < origin->depth && j < DEPTH; j++)
            block->stack.pcs[j] = origin->pcs[j];
        return true;
    }
    return false;
}
