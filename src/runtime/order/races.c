/* Accesses of a run that conflict, and that nothing in it orders (ordering.h). */
#include <stdatomic.h>
#include <stddef.h>

#include "base/hash.h"
#include "runtime/order/handmade.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/order/races.h"
#include "runtime/order/remembered.h"
#include "runtime/order/repeats.h"
#include "runtime/order/stacks.h"
#include "runtime/order/thread_order.h"
#include "runtime/os/os.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/watch/beginning.h"

/* Pairs of places that were reported, by hash: a race that goes on is not looked into again and
 * again. */
#define PAIRS 4096
static _Atomic uint64_t pairs[PAIRS];

static bool is_reported(uint32_t one, uint32_t other)
{
    uint64_t pair = one < other ? (uint64_t)one << 32 | other : (uint64_t)other << 32 | one;

    return atomic_exchange_explicit(&pairs[darn_spread(pair) % PAIRS], pair,
                                    memory_order_relaxed) == pair;
}

static void fill_side(struct darn_side *side, const struct darn_memory_cell *cell)
{
    side->touch = (struct darn_touch){
        .address = cell->granule * 8 + (uint64_t)__builtin_ctz(cell->bytes),
        .size = (uint64_t)__builtin_popcount(cell->bytes),
        .op = cell->op,
        .assertion = darn_memory_assertion(cell->flags),
        .atomic = cell->flags & DARN_MEMORY_ATOMIC,
        .is_volatile = cell->flags & DARN_MEMORY_VOLATILE,
    };
    darn_where_fill(cell->where, side);
}

static bool is_memory(const struct darn_touch *touch)
{
    return touch->object == DARN_OBJECT_NONE || touch->object == DARN_OBJECT_STACK ||
           touch->object == DARN_OBJECT_STREAM;
}

/* What ended may be something else by now, which nobody has seen begin: a stack, a module. */
static bool is_in_use_again(const struct darn_touch *touch)
{
    return darn_stacks_has(touch->address) || darn_outside_is_module(touch->address);
}

void darn_race_report(struct darn_thread *thread, const struct darn_touch *touch, uint32_t where,
                      const struct darn_memory_cell *cell, const void *frame)
{
    struct darn_side first, second;
    struct darn_race race = {.first = &first, .second = &second, .is_predicted = true};
    uint64_t mask;

    if (darn_order_is_lost() || !darn_where_is_known(cell->where) || (where && is_reported(cell->where, where)) ||
        darn_where_thread(cell->where) == thread->number ||
        (touch->op < DARN_OP_FREE &&
         !darn_os_can_access(touch->address, touch->size, touch->op != DARN_OP_READ)))
        return;
    mask = darn_os_block_signals();
    fill_side(&first, cell);
    if (first.touch.op == DARN_OP_FREE && is_memory(&first.touch) && is_in_use_again(touch)) {
        darn_os_restore_signals(mask);
        return;
    }
    if (darn_state.options.report_spins || !darn_handmade_is_lock(&first.touch, touch)) {
        darn_side_fill(&second, thread, touch, frame);
        darn_finding_race(&race);
    }
    darn_os_restore_signals(mask);
}

/* Not, unless asked to, reads that may spin. */
static bool is_remembered(const struct darn_thread *thread, const struct darn_touch *touch)
{
    uint16_t passed_over = DARN_SITE_EXTRA | (darn_state.options.report_spins ? 0 : DARN_SITE_SPIN);

    return !thread->ignore && touch->size && touch->op != DARN_OP_FREE &&
           !(touch->site && touch->site->flags & passed_over);
}

/* What a thread has done so often at a site is remembered one time in so many, unless everything
 * is: what it does seldom comes first. */
#define OFTEN       1000
#define ONE_OF_MANY 16

bool darn_race_is_seldom(struct darn_thread_order *order, uintptr_t place)
{
    uint16_t *often = &order->often[darn_spread(place) % DARN_ORDER_OFTEN_SIZE];

    if (*often == OFTEN)
        return false;
    ++*often;
    return true;
}

bool darn_race_is_worth(struct darn_thread_order *order, struct darn_touch *touch, uintptr_t place)
{
    touch->is_often = !darn_race_is_seldom(order, place);
    return !touch->is_often || darn_beginning_sees_all() || ++order->passed % ONE_OF_MANY == 0;
}

void darn_order_access(struct darn_thread *thread, const struct darn_touch *touch,
                       const void *frame)
{
    struct darn_thread_order *order = darn_order_of(thread);
    struct darn_touch now = *touch;
    struct darn_memory_cell found;
    uint32_t where;

    if (!order || !darn_race_is_worth(order, &now, (uintptr_t)touch->site))
        return;
    darn_order_pass(thread, order, frame);
    if (order->clock.slot == DARN_CLOCK_SLOTS || !is_remembered(thread, touch))
        return;
    where = darn_where(thread, order->wheres, touch, frame);
    darn_stacks_touch(order->clock.slot, touch->address);
    if (!where)
        return;
    if (darn_memory_access(&order->clock, &now, where, &found)) {
        /* A handler that came in between has been told by others what our clock did not say. */
        if (!order->late.is_all)
            darn_race_report(thread, touch, where, &found, frame);
    } else if (touch->site && !(touch->site->flags & DARN_REPEATS_NOT) &&
               touch->size <= DARN_REPEATS_LONGEST)
        darn_repeats_note(order, touch->address, touch->site);
}

static bool is_listed(const struct darn_side *sides, uint32_t count, uint32_t thread)
{
    for (uint32_t i = 0; i < count; i++) {
        if (sides[i].thread == thread)
            return true;
    }
    return false;
}

uint32_t darn_order_last(uint32_t but, uintptr_t address, bool old, struct darn_side *sides,
                         uint32_t most)
{
    struct darn_memory_cell cells[DARN_MEMORY_CELLS];
    uint32_t known = darn_clocks_kept ? darn_memory_look(address, old, cells) : 0, count = 0;

    for (uint32_t i = 0; i < 2 * known && count < most; i++) {
        const struct darn_memory_cell *cell = &cells[i % known];
        uint32_t thread = darn_where_thread(cell->where);

        if ((cell->op == DARN_OP_READ) == (i >= known) && thread != but &&
            !is_listed(sides, count, thread) && darn_where_is_known(cell->where))
            fill_side(&sides[count++], cell);
    }
    return count;
}

void darn_order_forget(uintptr_t start, uint64_t size)
{
    if (darn_clocks_kept && size)
        darn_memory_forget(start, size);
}
