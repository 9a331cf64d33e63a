/*
 * What the guards call, with attention raised and the filter saying "perhaps": the way from an
 * access to the watch table. The registers of the caller are kept (preserve_most), errno is not
 * touched.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/control/control.h"
#include "runtime/control/decide.h"
#include "runtime/control/turn.h"
#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/record/heat.h"
#include "runtime/record/record_profile.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/report/counters.h"
#include "runtime/section/sections.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/watch/annotate.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/noise_inject.h"
#include "runtime/watch/sampler.h"
#include "runtime/watch/sites.h"
#include "runtime/watch/watch.h"
#include "site/armed.h"
#include "site/site_guard.h"
#include "site/site.h"

/* A string is read up to here: no lock is held, it may be changing. */
#define MAX_STRING 4096

extern volatile uint8_t darn_attention;
extern volatile uint8_t darn_filter[DARN_FILTER_SIZE];

#define HOOK __attribute__((preserve_most, visibility("default"), used))

static enum darn_assertion assertion_of(const struct darn_site *site)
{
    if (site->flags & DARN_SITE_ASSERT_WRITER)
        return DARN_ASSERT_WRITER;
    return site->flags & DARN_SITE_ASSERT_ACCESS ? DARN_ASSERT_ACCESS : DARN_ASSERT_NONE;
}

static struct darn_touch touch_of(uintptr_t address, uint64_t size, const struct darn_site *site)
{
    return (struct darn_touch){
        .address = address,
        .size = size,
        .site = site,
        .gaps = site->flags & DARN_SITE_GAPS ? site->gaps : 0,
        .op = site->kind, /* the first three have the same numbers */
        .assertion = assertion_of(site),
        .atomic = site->flags & DARN_SITE_ATOMIC,
        .is_volatile = site->flags & DARN_SITE_VOLATILE,
    };
}

static_assert((int)DARN_OP_READ == (int)DARN_SITE_READ &&
                  (int)DARN_OP_WRITE == (int)DARN_SITE_WRITE &&
                  (int)DARN_OP_UPDATE == (int)DARN_SITE_UPDATE,
              "touch_of copies the kind");

static void learn(struct darn_thread *thread, const struct darn_touch *touch)
{
    bool writes = touch->op != DARN_OP_READ;

    if (!touch->site)
        return;
    /* Tian 3.2: an atomic operation may be the other half of what a plain store ends. */
    if (touch->atomic && touch->op != DARN_OP_WRITE)
        darn_spins_suspect(thread, touch->address, touch->site);
    if (writes) {
        darn_spins_hold_suspect(thread, touch);
        darn_spins_store(thread, touch);
    }
    darn_share_access(thread, touch->address, touch->size, touch->site, writes);
}

/* Delays without a window: nobody watches. */
static void make_noise(struct darn_thread *thread, const struct darn_touch *touch)
{
    uint64_t noise =
        darn_state.options.noise_count && touch->site ? darn_noise_at_site(thread, touch->site) : 0;

    if (noise)
        darn_os_sleep(noise);
}

/* What a profile says of a site that is to be recorded. */
#define RECORDED                                                                                   \
    (DARN_ARMED_RECORD | DARN_ARMED_SYNC_READ | DARN_ARMED_SYNC_WRITE | DARN_ARMED_SUSPECT)

/* A site that the profile does not name comes by when it touches one of the chosen lines. */
static bool is_recorded(const struct darn_site *site)
{
    return darn_armed(site) & RECORDED || site->flags & DARN_SITE_SPIN ||
           darn_site_is_marked(darn_site_number(site));
}

static void record(struct darn_thread *thread, const struct darn_touch *touch, bool sync,
                   const void *frame)
{
    const struct darn_site *site = touch->site;

    if (sync || is_recorded(site))
        darn_record_access(thread, touch->address, touch->size, site, sync, frame);
    if (site->flags & DARN_SITE_POINTER && darn_site_writes(site))
        darn_record_pointer(thread, touch->address, touch->value, frame);
}

/* Recording and learning: an access is noted, and nobody waits for others to come. */
static void note(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    bool sync = false;

    if (thread->ignore || touch->assertion)
        return;
    make_noise(thread, touch);
    if (touch->site && !darn_heat_count(thread, touch->site, touch->address))
        return;
    if (darn_state.mode == DARN_MODE_LEARN) {
        learn(thread, touch);
        return;
    }
    if (touch->op != DARN_OP_READ)
        sync = darn_spins_store(thread, touch);
    if (darn_recording && touch->site)
        record(thread, touch, sync, frame);
}

/* Another access of the same thread stands for this one, except in sections and under control. */
static bool is_extra(const struct darn_touch *touch)
{
    return touch->site && touch->site->flags & DARN_SITE_EXTRA;
}

static void watch(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    uint64_t noise;

    if (darn_sections)
        darn_sections_access(thread, touch, frame);
    if (is_extra(touch))
        return;
    if (touch->op != DARN_OP_READ)
        darn_spins_store(thread, touch);
    darn_watch_check(thread, touch, frame);
    if (thread->ignore || !touch->site)
        return;
    noise = darn_noise_at_site(thread, touch->site);
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

static bool is_healed(const struct darn_touch *touch)
{
    return touch->site && (darn_armed_is_healed(darn_armed(touch->site), darn_production != NULL) ||
                           darn_attention_is_marked(touch->address, touch->size));
}

static void look_at(struct darn_thread *thread, const struct darn_touch *touch, const void *frame)
{
    if (darn_healing && is_healed(touch))
        darn_heal_access(thread, touch, frame);
    if (darn_state.mode == DARN_MODE_HEAL || darn_benign(touch))
        return;
    if (darn_state.mode == DARN_MODE_CONTROL) {
        if (!thread->ignore)
            darn_turn_access(thread, touch, frame);
        return;
    }
    if (thread->spinning)
        darn_spins_leave(thread);
    if (darn_state.mode != DARN_MODE_WATCH) {
        note(thread, touch, frame);
        return;
    }
    watch(thread, touch, frame);
    if (darn_sections) /* last: the access follows at once */
        darn_sections_meet(thread, touch, frame);
}

void darn_hook_touch(const struct darn_touch *touch, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    if (!thread)
        return;
    look_at(thread, touch, frame);
    if (thread->lingers)
        darn_heal_linger(thread);
}

HOOK void darn_hook_access(uintptr_t address, const struct darn_site *site)
{
    struct darn_touch touch = touch_of(address, site->size, site);

    darn_hook_touch(&touch, __builtin_frame_address(0));
}

HOOK void darn_hook_write(uintptr_t address, uint64_t value, const struct darn_site *site)
{
    struct darn_touch touch = touch_of(address, site->size, site);

    touch.has_value = site->flags & DARN_SITE_VALUE;
    touch.value = value;
    darn_hook_touch(&touch, __builtin_frame_address(0));
}

HOOK void darn_hook_range(uintptr_t address, uint64_t length, const struct darn_site *site)
{
    struct darn_touch touch = touch_of(address, length, site);

    if (length)
        darn_hook_touch(&touch, __builtin_frame_address(0));
}

HOOK void darn_hook_string(uintptr_t address, const char *measured, const struct darn_site *site)
{
    struct darn_touch touch = touch_of(address, strnlen(measured, MAX_STRING) + 1, site);

    darn_hook_touch(&touch, __builtin_frame_address(0));
}

/* A fence touches nothing that a window could be on. */
HOOK void darn_hook_fence(const struct darn_site *site)
{
    struct darn_thread *thread = darn_recording ? darn_thread_self() : NULL;
    struct darn_event event = {.kind = DARN_EVENT_FENCE};

    if (!thread)
        return;
    if (site->flags & DARN_SITE_ACQUIRES)
        event.flags |= DARN_EVENT_ACQUIRES;
    if (site->flags & DARN_SITE_RELEASES)
        event.flags |= DARN_EVENT_RELEASES;
    darn_record_event(thread, &event, site, __builtin_frame_address(0));
}

/* Without a guard: a read that is part of a spin. */
HOOK void darn_hook_spin(uintptr_t address, const struct darn_site *site)
{
    struct darn_touch touch = touch_of(address, site->size, site);
    struct darn_thread *thread = darn_thread_self();
    bool first;

    if (!thread || darn_state.finished)
        return;
    if (darn_state.mode == DARN_MODE_HEAL) {
        darn_hook_touch(&touch, __builtin_frame_address(0));
        return;
    }
    if (darn_healing && is_healed(&touch)) {
        darn_heal_access(thread, &touch, __builtin_frame_address(0));
        darn_heal_linger(thread);
    }
    if (darn_state.mode == DARN_MODE_CONTROL) {
        darn_turn_spin(thread, address, site, __builtin_frame_address(0));
        return;
    }
    first = darn_spins_read(thread, address, site);
    if (darn_state.mode == DARN_MODE_WATCH) {
        if (darn_attention && (darn_filter[darn_filter_index(address)] | darn_armed(site))) {
            thread->spinning = false; /* it goes on spinning */
            darn_hook_touch(&touch, __builtin_frame_address(0));
            thread->spinning = true;
        }
        return;
    }
    if (darn_benign(&touch) || thread->ignore)
        return;
    if (darn_state.mode == DARN_MODE_RECORD) {
        note(thread, &touch, __builtin_frame_address(0));
        return;
    }
    if (first)
        note(thread, &touch, __builtin_frame_address(0));
}

/* The interceptor of the wait is called next. */
HOOK void darn_hook_wait(const void *cond, const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_self();

    (void)cond;
    if (thread)
        thread->wait_site = site;
}

void darn_hook_mark(enum darn_event_kind kind, const volatile void *variable,
                    const struct darn_site *site, const void *frame)
{
    struct darn_thread *thread = darn_recording ? darn_thread_self() : NULL;
    struct darn_event event = {.kind = (uint8_t)kind, .target = (uintptr_t)variable};

    if (thread && !thread->ignore)
        darn_record_event(thread, &event, site, frame);
}

/* Beginnings and ends of functions, and of blocks, which have a variable. */
static void pass_scope(enum darn_event_kind kind, const volatile void *variable,
                       const struct darn_site *site, const void *frame)
{
    const struct darn_slot *slot = darn_turn_mine(darn_thread_peek());
    const struct darn_strategy_scope scope = {(uintptr_t)site, (uintptr_t)variable,
                                              (uintptr_t)frame};

    darn_hook_mark(kind, variable, site, frame);
    if (slot && darn_state.mode == DARN_MODE_CONTROL)
        darn_decide_scope(slot, kind == DARN_EVENT_BEGIN, &scope);
}

HOOK void darn_hook_begin(const struct darn_site *site)
{
    pass_scope(DARN_EVENT_BEGIN, NULL, site, __builtin_frame_address(0));
}

HOOK void darn_hook_end(const struct darn_site *site)
{
    pass_scope(DARN_EVENT_END, NULL, site, __builtin_frame_address(0));
}

HOOK void darn_hook_block_begin(const volatile void *variable, const struct darn_site *site)
{
    pass_scope(DARN_EVENT_BEGIN, variable, site, __builtin_frame_address(0));
}

HOOK void darn_hook_block_end(const volatile void *variable, const struct darn_site *site)
{
    pass_scope(DARN_EVENT_END, variable, site, __builtin_frame_address(0));
}

/* Without a guard but the site's own: ways out of sections, and calls that lead into one. */
HOOK void darn_hook_leave(const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_peek();

    if (!thread)
        return;
    if (thread->healer)
        darn_heal_leave(thread, site, __builtin_frame_address(0));
    if (thread->slot && darn_state.mode == DARN_MODE_CONTROL)
        darn_decide_leave(thread->slot);
    else if (thread->inside)
        darn_sections_leave(thread, site, __builtin_frame_address(0));
}

HOOK void darn_hook_call(const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_self();

    if (thread && darn_healing)
        darn_heal_call(thread, site, __builtin_frame_address(0));
    if (thread && darn_sections)
        darn_sections_call(thread, site, __builtin_frame_address(0));
}

/* Behind an access, in programs that are built to be healed. */
HOOK void darn_hook_done(uintptr_t address, const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_peek();

    (void)address;
    (void)site;
    if (thread && thread->lingers)
        darn_heal_done(thread, __builtin_frame_address(0));
}

/* Whether functions shall say when they begin and end (darn cc --darn-functions). */
__attribute__((visibility("default"))) volatile uint8_t darn_functions;
extern volatile uint8_t darn_functions_here __attribute__((alias("darn_functions")));

/* Arms all sites that have one of the flags, or all. */
static void arm(const struct darn_site *start, const struct darn_site *stop, uint16_t flags)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (site->kind >= DARN_SITE_LEAVE || site->flags & DARN_SITE_EXTRA)
            continue; /* for sections only */
        if (site->flags & flags || !flags)
            darn_armed_add(site, DARN_ARMED_RECORD);
    }
}

/* Of the others, those that store pointers: they may hand out what is shared. */
static void arm_pointers(const struct darn_site *start, const struct darn_site *stop)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (darn_site_writes(site) && site->flags & DARN_SITE_POINTER &&
            !(site->flags & DARN_SITE_EXTRA))
            darn_armed_add(site, DARN_ARMED_POINTER);
    }
}

/* Which sites are recorded is remembered apart from the armed byte: hot ones are disarmed. */
static void mark_armed(const struct darn_site *start, const struct darn_site *stop)
{
    for (const struct darn_site *site = start; site < stop; site++) {
        if (darn_state.mode == DARN_MODE_RECORD && darn_armed(site) & DARN_ARMED_RECORD)
            darn_site_mark(darn_site_number(site));
    }
}

void darn_hook_arm(const struct darn_site *start, const struct darn_site *stop)
{
    const struct darn_options *options = &darn_state.options;

    if (darn_turns)
        darn_control_loaded(start, stop);
    if (darn_state.mode == DARN_MODE_CONTROL || darn_state.mode == DARN_MODE_HEAL)
        return; /* nothing is recorded or learned, and nobody asks for the bits that say so */
    if (options->profile[0])
        darn_profile_module(start, stop);
    if (options->trace_what == DARN_TRACE_SYNC)
        return;
    if (darn_state.mode == DARN_MODE_LEARN ||
        (darn_state.mode == DARN_MODE_RECORD &&
         (options->trace_what == DARN_TRACE_ALL || !options->profile[0])))
        arm(start, stop, 0);
    else if (darn_state.mode == DARN_MODE_RECORD)
        arm(start, stop, DARN_SITE_ATOMIC); /* they synchronize, also with code that nobody sees */
    if (darn_state.mode == DARN_MODE_RECORD)
        arm_pointers(start, stop);
    mark_armed(start, stop);
}
