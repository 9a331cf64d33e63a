/*
 * Accesses that a thread makes once more to the same bytes while its time stands still.
 *
 * The first one is remembered: whoever conflicts with the second, and does not know it, does not
 * know the first one either. So while everything is seen, most accesses end here, before anything
 * else is looked at. The bytes of the filter say whether that is all that is wanted
 * (watch/attention.c).
 */
#ifndef DARN_RUNTIME_REPEATS_H
#define DARN_RUNTIME_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/remembered.h"
#include "runtime/order/thread_order.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/spending.h"
#include "site/site.h"
#include "site/site_guard.h"

/* In the filter: accesses call only to be remembered. Every other value but 0 wants more. */
#define DARN_FILTER_REMEMBERED 2

/* Of a site that is one of these, every access is looked at. */
#define DARN_REPEATS_NOT                                                                           \
    (DARN_SITE_ATOMIC | DARN_SITE_VOLATILE | DARN_SITE_RANGE | DARN_SITE_GAPS |                    \
     DARN_SITE_ASSERT_WRITER | DARN_SITE_ASSERT_ACCESS | DARN_SITE_SPIN | DARN_SITE_EXTRA |        \
     DARN_SITE_AFTER)

/* A line of the table: what of the address its index does not say, the time, whether the bytes were
 * written, and which of the eight. */
#define DARN_REPEATS_LONGEST 64 /* bytes */
#define DARN_REPEATS_WRITTEN UINT64_C(0x100)
#define DARN_REPEATS_BYTES   UINT64_C(0xff)

static inline uint64_t darn_repeats_line(uint64_t granule, uint32_t time)
{
    return granule / DARN_ORDER_REPEATS << 32 | (uint64_t)(time & 0x7fffff) << 9;
}

/* Which of the eight bytes of a granule lie in an access. */
static inline uint64_t darn_repeats_bytes(uintptr_t address, uint64_t size, uint64_t granule)
{
    uint64_t start = granule * 8, first = address > start ? address - start : 0;
    uint64_t end = address + size < start + 8 ? address + size - start : 8;

    return (UINT64_C(0xff) << first & UINT64_C(0xff)) & ~(UINT64_C(0xff) << end);
}

static inline uint32_t darn_repeats_time(const struct darn_thread_order *order)
{
    return __atomic_load_n((const uint32_t *)&order->clock.times[order->clock.slot],
                           __ATOMIC_RELAXED);
}

static inline bool darn_repeats_is_known(const struct darn_thread_order *order, uintptr_t address,
                                         const struct darn_site *site)
{
    uint64_t last = (address + site->size - 1) / 8;
    uint32_t time = darn_repeats_time(order);

    for (uint64_t granule = address / 8; granule <= last; granule++) {
        uint64_t line = order->repeats[granule % DARN_ORDER_REPEATS];

        if ((line ^ darn_repeats_line(granule, time)) >> 9 ||
            darn_repeats_bytes(address, site->size, granule) & ~line ||
            (site->kind != DARN_SITE_READ && !(line & DARN_REPEATS_WRITTEN)))
            return false;
    }
    return true;
}

/* Whether nobody wants more of the access than that it is remembered, and its time has come. */
static inline bool darn_repeats_may(const struct darn_thread *thread, uintptr_t address,
                                    const struct darn_site *site, const volatile uint8_t *filter)
{
    return filter[darn_filter_index(address)] == DARN_FILTER_REMEMBERED &&
           !(site->flags & DARN_REPEATS_NOT) && (uintptr_t)thread > (uintptr_t)DARN_THREAD_ENDED &&
           thread->has_clock && !thread->spinning && !thread->met_spin &&
           !thread->order->clock.is_given;
}

static inline void darn_repeats_count(struct darn_thread *thread)
{
    __atomic_store_n((uint64_t *)&thread->seen,
                     __atomic_load_n((const uint64_t *)&thread->seen, __ATOMIC_RELAXED) + 1,
                     __ATOMIC_RELAXED);
}

/* Whether nothing would come of looking at the access. */
static inline bool darn_repeats(uintptr_t address, const struct darn_site *site,
                                const volatile uint8_t *filter)
{
    struct darn_thread *thread = darn_thread_record;

    if (!darn_repeats_may(thread, address, site, filter) ||
        !darn_repeats_is_known(thread->order, address, site))
        return false;
    darn_repeats_count(thread);
    return true;
}

/* An access was remembered. */
static inline void darn_repeats_note(struct darn_thread_order *order, uintptr_t address,
                                     const struct darn_site *site)
{
    uint64_t last = (address + site->size - 1) / 8;
    uint64_t written = site->kind == DARN_SITE_READ ? 0 : DARN_REPEATS_WRITTEN;

    for (uint64_t granule = address / 8; granule <= last; granule++) {
        uint64_t *line = &order->repeats[granule % DARN_ORDER_REPEATS];
        uint64_t fresh = darn_repeats_line(granule, darn_repeats_time(order)) | written;

        *line = (*line & ~DARN_REPEATS_BYTES) == fresh ? *line : fresh;
        *line |= darn_repeats_bytes(address, site->size, granule);
    }
}

/* The same, with a look at what is remembered: it is, but was not noted here. */
static inline bool darn_repeats_after_all(uintptr_t address, const struct darn_site *site,
                                          const volatile uint8_t *filter)
{
    struct darn_thread *thread = darn_thread_record;
    uint64_t start = 0;
    bool has;

    if (!darn_repeats_may(thread, address, site, filter) || site->size > DARN_REPEATS_LONGEST ||
        thread->order->clock.slot == DARN_CLOCK_SLOTS)
        return false;
    if (++thread->order->asked % DARN_SPENDING_SAMPLE == 0)
        start = darn_spending_start();
    has = darn_memory_has(&thread->order->clock, address, site->size, darn_site_writes(site));
    if (start)
        darn_spending_sampled(thread->number, start);
    if (!has)
        return false;
    darn_repeats_note(thread->order, address, site);
    darn_repeats_count(thread);
    return true;
}

#endif
