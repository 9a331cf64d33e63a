#include "runtime/order/atomics.h"

#include <stddef.h>

#include "runtime/order/cells.h"
#include "runtime/order/elsewhere.h"
#include "runtime/order/handmade.h"
#include "runtime/order/ordering.h"
#include "site/site.h"
#include "site/site_guard.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED volatile uint8_t darn_fenced;
extern volatile uint8_t darn_fenced_here __attribute__((alias("darn_fenced")));

_Atomic uint8_t darn_cells[DARN_CELLS];

void darn_atomics_outside(struct darn_thread *thread)
{
    struct darn_thread_order *order = thread && darn_ordering ? darn_order_of(thread) : NULL;

    darn_elsewhere_add(0, UINT64_MAX);
    if (!order)
        return;
    order->late.call = UINTPTR_MAX;
    order->late.is_any = true;
}

void darn_atomic_pass(struct darn_thread_order *order, unsigned kind, bool acquires, bool releases,
                      uint64_t object)
{
    if (kind != DARN_EVENT_READ && (releases || order->has_fenced))
        darn_clock_release(&order->clock, object);
    if (kind != DARN_EVENT_WRITE && acquires)
        darn_late_object(&order->late, object);
}

/* Which relaxed loads came before a fence is not remembered. */
void darn_atomic_fence(struct darn_thread_order *order, bool acquires, bool releases)
{
    if (releases)
        order->has_fenced = darn_fenced = true;
    if (acquires)
        darn_late_all(&order->late);
}

static void pass_site(struct darn_thread_order *order, uintptr_t address,
                      const struct darn_site *site)
{
    bool acquires = site->flags & DARN_SITE_ACQUIRES, releases = site->flags & DARN_SITE_RELEASES;
    unsigned kind = (unsigned)DARN_EVENT_READ + site->kind;
    uintptr_t first = darn_cell_of(address, site->size);

    if (site->kind == DARN_SITE_FENCE) {
        darn_atomic_fence(order, acquires, releases);
        return;
    }
    for (uintptr_t at = first; at < address + site->size; at += 8) {
        darn_atomic_pass(order, kind, acquires, releases, at);
        if (darn_cell_is_shared(at, site->size))
            darn_atomic_pass(order, kind, acquires, releases, at ^ 4);
    }
}

/* Of a loop that waits for the value to change. */
static bool is_waiting_load(const struct darn_site *site)
{
    return site->kind == DARN_SITE_READ && site->flags & DARN_SITE_SPIN;
}

static __attribute__((preserve_most, noinline)) void
order_slowly(uintptr_t address, const struct darn_site *site, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    struct darn_thread_order *order = thread && darn_ordering ? darn_order_of(thread) : NULL;
    uint32_t found = darn_handmade_found();
    bool waits;

    if (!order)
        return;
    /* A trace has the operation itself, and keeps it back until it has happened. */
    if (thread->has_clock) {
        darn_late_settle(&order->late, thread, frame);
        pass_site(order, address, site);
    }
    if (site->flags & DARN_SITE_ACQUIRES && darn_elsewhere_has(address))
        darn_late_all(&order->late);
    waits = thread->has_clock && is_waiting_load(site);
    if (!(site->flags & DARN_SITE_ACQUIRES) || (site->kind != DARN_SITE_UPDATE && !waits))
        return;
    if (waits ? darn_handmade_waits(site) : darn_handmade_takes(site))
        darn_late_all(&order->late);
    else if (waits && darn_handmade_is_relaxed(site))
        darn_late_relaxed(&order->late);
    else if (waits)
        darn_late_spin(&order->late, darn_cell_of(address, site->size), found);
}

/* Who updates a variable has told what it knows before; only what it gets has to wait. */
static inline bool updates_quickly(struct darn_thread_order *order, uintptr_t address,
                                   const struct darn_site *site)
{
    if (!darn_late_is_settled(&order->late, &order->clock) ||
        ((site->flags & DARN_SITE_RELEASES || order->has_fenced) &&
         !darn_clock_has_given(&order->clock, address)))
        return false;
    return !(site->flags & DARN_SITE_ACQUIRES) ||
           (darn_handmade_takes_not(site) && darn_late_waits(&order->late, address));
}

/* A load that acquires has only to wait; a store that releases may have nothing new to tell. */
static inline bool orders_quickly(uintptr_t address, const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_record;
    struct darn_thread_order *order;

    if ((uintptr_t)thread <= (uintptr_t)DARN_THREAD_ENDED || !thread->has_clock || site->size > 8 ||
        darn_elsewhere_has(address) || darn_cell_is_shared(address, site->size))
        return false;
    address = darn_cell_of(address, site->size);
    order = thread->order;
    if (site->kind == DARN_SITE_READ)
        return (!is_waiting_load(site) || order->late.is_all || order->late.spin == address) &&
               (darn_late_waits(&order->late, address) ||
                (darn_late_is_settled(&order->late, &order->clock) &&
                 darn_late_waits(&order->late, address)));
    if (site->kind == DARN_SITE_UPDATE)
        return updates_quickly(order, address, site);
    return site->kind == DARN_SITE_WRITE && darn_late_is_settled(&order->late, &order->clock) &&
           darn_clock_has_given(&order->clock, address);
}

static __attribute__((preserve_most, noinline)) void
order_with_news(uintptr_t address, const struct darn_site *site, const void *frame)
{
    if (!orders_quickly(address, site))
        order_slowly(address, site, frame);
}

/* The same while the thread knows all that anybody was ever told: nothing that waits tells it more.
 */
static inline __attribute__((always_inline)) bool orders_at_once(uintptr_t address,
                                                                 const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_record;
    struct darn_thread_order *order;
    struct darn_late *late;

    if ((uintptr_t)thread <= (uintptr_t)DARN_THREAD_ENDED || !thread->has_clock ||
        site->kind > DARN_SITE_UPDATE || site->size > 8 || is_waiting_load(site) ||
        !darn_cell_is_alone(address, site->size))
        return false;
    order = thread->order;
    late = &order->late;
    if (late->cancelled || late->is_more || !darn_clock_is_complete(&order->clock))
        return false;
    darn_late_drop(late);
    address = darn_cell_of(address, site->size);
    if (site->kind != DARN_SITE_READ &&
        (site->kind == DARN_SITE_WRITE || site->flags & DARN_SITE_RELEASES || order->has_fenced) &&
        !darn_clock_has_given(&order->clock, address))
        return false;
    if (site->kind == DARN_SITE_UPDATE && site->flags & DARN_SITE_ACQUIRES &&
        !darn_handmade_takes_not(site))
        return false;
    return site->kind == DARN_SITE_WRITE || !(site->flags & DARN_SITE_ACQUIRES) ||
           darn_late_waits(late, address);
}

/* Right before an atomic operation or a fence. The usual case makes no call, and so there are few
 * registers to be saved. */
EXPORTED __attribute__((preserve_most, used)) void darn_hook_order(uintptr_t address,
                                                                   const struct darn_site *site)
{
    if (!orders_at_once(address, site))
        order_with_news(address, site, __builtin_frame_address(0));
}

static __attribute__((preserve_most, noinline)) void note_store(const struct darn_site *site)
{
    darn_handmade_stores(site);
}

EXPORTED __attribute__((preserve_most, used)) void darn_hook_relaxed(uintptr_t address,
                                                                     const struct darn_site *site)
{
    if (darn_ordering && darn_handmade_arms) /* before, what is stored is there for all who come */
        note_store(site);
    darn_hook_order(address, site);
}
