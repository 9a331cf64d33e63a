#include "runtime/order/elsewhere.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/order/ends.h"

volatile bool darn_elsewhere_any;

/*
 * Ranges, read and written without a lock: who finds one half written sees one that is too large or
 * none, and none only while the call that maps it is under way. One that does not fit makes the
 * last one larger: more order, never less.
 */
#define RANGES 64
struct range {
    _Atomic uintptr_t start, end; /* end 0: it is free; 1: it is being filled */
};
static struct range ranges[RANGES], later[RANGES];

static void widen(struct range *range, uintptr_t start, uintptr_t end)
{
    if (!atomic_load(&range->end) || start < atomic_load(&range->start))
        atomic_store(&range->start, start);
    if (end > atomic_load(&range->end))
        atomic_store(&range->end, end);
}

static void add(struct range *to, uintptr_t start, uintptr_t end)
{
    for (size_t i = 0; i < RANGES - 1; i++) {
        uintptr_t was = 0;

        if (atomic_compare_exchange_strong(&to[i].end, &was, 1)) {
            atomic_store(&to[i].start, start);
            atomic_store(&to[i].end, end);
            return;
        }
    }
    widen(&to[RANGES - 1], start, end);
}

void darn_elsewhere_add(uintptr_t start, uint64_t size)
{
    add(ranges, start, start + size);
    darn_elsewhere_any = true;
}

void darn_elsewhere_add_later(uintptr_t start, uint64_t size)
{
    if (darn_order_has_process())
        darn_elsewhere_add(start, size);
    else
        add(later, start, start + size);
}

void darn_elsewhere_process(void)
{
    for (size_t i = 0; i < RANGES; i++) {
        uintptr_t end = atomic_exchange(&later[i].end, 0);

        if (end > 1)
            darn_elsewhere_add(later[i].start, end - later[i].start);
    }
}

/* Of one that is unmapped in part, the rest stays; what many share stays, too. */
static void remove_from(struct range *from, uintptr_t start, uintptr_t end)
{
    for (size_t i = 0; i < RANGES - 1; i++) {
        uintptr_t last = atomic_load(&from[i].end);

        if (last > 1 && atomic_load(&from[i].start) >= start && last <= end)
            atomic_store(&from[i].end, 0);
    }
}

void darn_elsewhere_remove(uintptr_t start, uint64_t size)
{
    if (darn_elsewhere_any)
        remove_from(ranges, start, start + size);
    remove_from(later, start, start + size);
}

bool darn_elsewhere_has_slowly(uintptr_t address)
{
    for (size_t i = 0; i < RANGES; i++) {
        if (address < atomic_load_explicit(&ranges[i].end, memory_order_relaxed) &&
            address >= atomic_load_explicit(&ranges[i].start, memory_order_relaxed))
            return true;
    }
    return false;
}
