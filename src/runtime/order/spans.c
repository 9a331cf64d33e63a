#include "runtime/order/spans.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/report/counters.h"

/* Who remembers something else looks at all of them. */
#define SPANS 16

/* Where they are stands together, since most are somewhere else. A span whose end is 0 is none. */
static _Atomic uint64_t starts[SPANS], ends[SPANS];

/* The version is odd while somebody writes; a handler that comes in between finds it so. */
static struct {
    _Atomic uint32_t version, where, time, slot;
    _Atomic uint8_t op;
} spans[SPANS];

static _Atomic uint32_t used, next;

static bool overlaps(uint32_t i, uint64_t start, uint64_t end)
{
    return atomic_load_explicit(&starts[i], memory_order_relaxed) < end &&
           atomic_load_explicit(&ends[i], memory_order_relaxed) > start;
}

/* Whether it says no more than the new one of the same thread. */
static bool is_covered(uint32_t i, const struct darn_span *by)
{
    return atomic_load_explicit(&spans[i].slot, memory_order_relaxed) == by->slot &&
           atomic_load_explicit(&spans[i].op, memory_order_relaxed) == by->touch.op &&
           atomic_load_explicit(&starts[i], memory_order_relaxed) >= by->touch.address &&
           atomic_load_explicit(&ends[i], memory_order_relaxed) <=
               by->touch.address + by->touch.size;
}

/* One that is over, one that is covered, or the oldest. */
static uint32_t choose(const struct darn_span *by)
{
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

    for (uint32_t i = 0; i < count; i++) {
        if (!atomic_load_explicit(&ends[i], memory_order_relaxed) || is_covered(i, by))
            return i;
    }
    if (count < SPANS) {
        atomic_compare_exchange_strong(&used, &count, count + 1);
        return count < SPANS ? count : SPANS - 1;
    }
    darn_count(DARN_COUNT_FORGOTTEN);
    return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % SPANS;
}

void darn_spans_add(const struct darn_span *span)
{
    uint32_t i = choose(span);
    uint32_t version = atomic_load_explicit(&spans[i].version, memory_order_relaxed);

    if (version % 2 || !atomic_compare_exchange_strong(&spans[i].version, &version, version + 1)) {
        darn_count(DARN_COUNT_NOT_REMEMBERED);
        return;
    }
    atomic_store_explicit(&ends[i], 0, memory_order_relaxed);
    atomic_store_explicit(&spans[i].where, span->where, memory_order_relaxed);
    atomic_store_explicit(&spans[i].time, span->time, memory_order_relaxed);
    atomic_store_explicit(&spans[i].slot, span->slot, memory_order_relaxed);
    atomic_store_explicit(&spans[i].op, span->touch.op, memory_order_relaxed);
    atomic_store_explicit(&starts[i], span->touch.address, memory_order_relaxed);
    atomic_store_explicit(&ends[i], span->touch.address + span->touch.size, memory_order_relaxed);
    atomic_store_explicit(&spans[i].version, version + 2, memory_order_release);
}

/* Whether it was whole, and is still there. */
static bool copy(uint32_t i, struct darn_span *span)
{
    uint32_t version = atomic_load_explicit(&spans[i].version, memory_order_acquire);
    uint64_t start = atomic_load_explicit(&starts[i], memory_order_relaxed);
    uint64_t end = atomic_load_explicit(&ends[i], memory_order_relaxed);

    *span = (struct darn_span){
        .touch = {.address = start,
                  .size = end - start,
                  .op = atomic_load_explicit(&spans[i].op, memory_order_relaxed)},
        .slot = atomic_load_explicit(&spans[i].slot, memory_order_relaxed),
        .time = atomic_load_explicit(&spans[i].time, memory_order_relaxed),
        .where = atomic_load_explicit(&spans[i].where, memory_order_relaxed)};
    atomic_thread_fence(memory_order_acquire);
    return end > start && version % 2 == 0 &&
           atomic_load_explicit(&spans[i].version, memory_order_relaxed) == version;
}

bool darn_spans_find(const struct darn_thread_clock *clock, const struct darn_touch *touch,
                     struct darn_span *found)
{
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

    for (uint32_t i = 0; i < count; i++) {
        if (overlaps(i, touch->address, touch->address + touch->size) && copy(i, found) &&
            found->slot != clock->slot && !darn_clock_knows(clock, found->slot, found->time) &&
            darn_touch_conflict(&found->touch, touch))
            return true;
    }
    return false;
}

bool darn_spans_touch(uintptr_t start, uint64_t size)
{
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

    for (uint32_t i = 0; i < count; i++) {
        if (overlaps(i, start, start + size))
            return true;
    }
    return false;
}

void darn_spans_forget(uintptr_t start, uint64_t size)
{
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

    for (uint32_t i = 0; i < count; i++) {
        if (overlaps(i, start, start + size))
            atomic_store_explicit(&ends[i], 0, memory_order_relaxed);
    }
}
