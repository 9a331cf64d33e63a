/* The policy of what counts as a race, apart from how races are caught (watch.c). */
#include "runtime/watch/touch.h"

#include "runtime/state.h"

static bool writes(const struct darn_touch *touch)
{
    return touch->op != DARN_OP_READ && touch->op != DARN_OP_USE;
}

static bool is_use_of_memory(const struct darn_touch *a, const struct darn_touch *b)
{
    return a->op == DARN_OP_USE && b->op != DARN_OP_FREE;
}

static bool touches_byte(const struct darn_touch *touch, uintptr_t address)
{
    uintptr_t byte = address - touch->address;

    return !touch->gaps || byte >= 64 || (touch->gaps >> byte & 1);
}

bool darn_touch_overlap(const struct darn_touch *a, const struct darn_touch *b)
{
    uintptr_t start = a->address > b->address ? a->address : b->address;
    uintptr_t a_end = a->address + a->size, b_end = b->address + b->size;
    uintptr_t end = a_end < b_end ? a_end : b_end;

    if (start >= end)
        return false;
    if (!a->gaps && !b->gaps)
        return true;
    for (uintptr_t byte = start; byte < end; byte++) {
        if (touches_byte(a, byte) && touches_byte(b, byte))
            return true;
    }
    return false;
}

/* Whether the assertion forbids what the other thread is about to do. */
static bool forbids(const struct darn_touch *asserted, const struct darn_touch *other)
{
    return !other->assertion && (asserted->assertion == DARN_ASSERT_ACCESS || writes(other));
}

bool darn_touch_conflict(const struct darn_touch *a, const struct darn_touch *b)
{
    if (!darn_touch_overlap(a, b) || is_use_of_memory(a, b) || is_use_of_memory(b, a))
        return false;
    if (a->assertion || b->assertion)
        return (a->assertion && forbids(a, b)) || (b->assertion && forbids(b, a));
    if (!writes(a) && !writes(b))
        return false;
    if (a->atomic && b->atomic)
        return false;
    return darn_state.options.report_volatile || (!a->is_volatile && !b->is_volatile);
}
