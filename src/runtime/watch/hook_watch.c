/* Watching: from an access to the watch table, to noise, and to the sections. */
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/coverage/covering.h"
#include "runtime/order/ordering.h"
#include "runtime/record/record_profile.h"
#include "runtime/report/counters.h"
#include "runtime/section/sections.h"
#include "runtime/spin/spins.h"
#include "runtime/watch/annotate.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/hook_modes.h"
#include "runtime/watch/looks.h"
#include "runtime/watch/noise_inject.h"
#include "runtime/watch/sampler.h"
#include "runtime/watch/spending.h"
#include "runtime/watch/watch.h"
#include "site/site_guard.h"

extern volatile uint8_t darn_attention;
extern volatile uint8_t darn_filter[DARN_FILTER_SIZE];

/* Another access of the same thread stands for this one, except in sections and under control. */
static bool is_extra(const struct darn_touch *touch)
{
    return touch->site && touch->site->flags & DARN_SITE_EXTRA;
}

static void note_seen(struct darn_thread *thread, const struct darn_touch *touch)
{
    uint64_t seen = atomic_load_explicit(&thread->seen, memory_order_relaxed);

    thread->recent[seen % DARN_RECENT] = (struct darn_recent){touch->address, touch->size};
    atomic_store_explicit(&thread->seen, seen + 1, memory_order_relaxed);
}

/* It has seldom run: it is remembered whatever the budget says. */
static bool is_cold(const struct darn_touch *touch)
{
    return touch->site && darn_armed(touch->site) & DARN_ARMED_COLD;
}

static void watch(struct darn_thread *thread, const struct darn_touch *touch, const void *frame,
                  bool cold)
{
    uint64_t noise, start = darn_spending_start();

    if (darn_sections)
        darn_sections_access(thread, touch, frame);
    if (is_extra(touch))
        return;
    note_seen(thread, touch);
    darn_coverage_access(thread, touch);
    if (touch->op != DARN_OP_READ)
        darn_spins_store(thread, touch);
    darn_watch_check(thread, touch, frame);
    darn_attention_seen();
    if (darn_ordering && (darn_remembering || cold))
        darn_order_access(thread, touch, frame);
    if (thread->ignore || !touch->site)
        return;
    noise = darn_noise_at_site(thread, touch->site);
    if (darn_remembering || cold)
        darn_spending_end(thread->number, start);
    if (noise) {
        darn_count(DARN_COUNT_WINDOWS_OF_NOISE);
        darn_watch_stand(thread, touch, frame, noise, false);
        darn_watch_check(thread, touch, frame); /* others may have come to stand meanwhile */
    } else if (darn_attention_invited() && darn_sampler_prefers(thread, touch, frame)) {
        darn_watch_stand(thread, touch, frame, darn_sampler_window(), true);
    }
    if (thread->met_spin) {
        thread->met_spin = false;
        darn_spins_hold(thread, touch);
    }
    darn_watch_pass(thread, touch);
}

static void watch_access(struct darn_thread *thread, const struct darn_touch *touch,
                         const void *frame)
{
    bool cold = is_cold(touch);

    if (cold)
        darn_looks_count(touch->site, darn_remembering);
    darn_hook_heal(thread, touch, frame);
    if (!darn_benign(touch)) {
        if (thread->spinning)
            darn_spins_leave(thread);
        watch(thread, touch, frame, cold);
        if (darn_sections) /* last: the access follows at once */
            darn_sections_meet(thread, touch, frame);
    }
    darn_hook_linger(thread);
}

static void watch_spin(struct darn_thread *thread, const struct darn_touch *touch,
                       const void *frame)
{
    const struct darn_site *site = touch->site;

    darn_hook_heal(thread, touch, frame);
    darn_hook_linger(thread);
    darn_spins_read(thread, touch->address, site);
    if (darn_attention && (darn_filter[darn_filter_index(touch->address)] | darn_armed(site))) {
        thread->spinning = false; /* it goes on spinning */
        watch_access(thread, touch, frame);
        thread->spinning = true;
    }
    /* Last: it comes into force with what the thread does next. What acquires has a hook of its own
     * for that, behind this one. */
    if (!(site->flags & (DARN_SITE_ACQUIRES | DARN_SITE_LEADS)))
        darn_order_waits(thread, site);
}

static void watch_load(const struct darn_site *start, const struct darn_site *stop)
{
    if (darn_state.options.profile[0])
        darn_profile_module(start, stop);
}

const struct darn_mode_hooks darn_watch_hooks = {
    .access = watch_access, .spin = watch_spin, .load = watch_load};
