/*
 * Sections by annotation: a block over a variable, and functions (darn.h).
 *
 * Within them the thread's accesses to one variable, wherever they are made, belong together: each
 * two that follow each other are a section, with what table 1 of AtomRace allows between them.
 * Traces have their beginnings and ends (of blocks, the plugin tells them: darn_hook_block_begin).
 */
#include <stddef.h>

#include "runtime/os/os.h"
#include "runtime/report/counters.h"
#include "runtime/section/inside.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

#define HOOK     __attribute__((preserve_most, visibility("default"), used))
#define EXPORTED __attribute__((visibility("default"), used))

/* What a function touches is followed for so many variables. */
#define VARIABLES 16

static _Atomic uint32_t functions; /* threads that are watched in an annotated function */
static _Atomic uint32_t begun;     /* how often somebody was watched in an annotation */

/* Protects the count of those who need the accesses that others stand for, and their armed bytes.
 * Taken with signals blocked; nothing nests inside. */
static struct darn_spin extra_lock;
static uint32_t extra_users;

/* The program has annotations, and comes by them. */
static bool annotated;

bool darn_sections_exist(void)
{
    return annotated || darn_rules_begin();
}

bool darn_sections_want_all(void)
{
    return atomic_load_explicit(&functions, memory_order_relaxed) != 0;
}

/* The thread's accesses are to be seen, all of them. */
static void see_extra(bool on)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&extra_lock);
    if (on ? extra_users++ == 0 : --extra_users == 0) {
        for (uint32_t i = 0; i < darn_sites_count(); i++) {
            const struct darn_site *site = darn_site_at(i);

            if (!site || !(site->flags & DARN_SITE_EXTRA))
                continue;
            if (on)
                darn_armed_add(site, DARN_ARMED_SCOPE);
            else
                darn_armed_remove(site, DARN_ARMED_SCOPE);
        }
    }
    darn_spin_unlock(&extra_lock);
    darn_os_restore_signals(mask);
}

static bool is_watching(void)
{
    if (!darn_state.ready || darn_state.mode != DARN_MODE_WATCH)
        return false;
    darn_sections = annotated = true; /* the sampler shall think of them */
    return true;
}

static bool is_on_own_stack(const struct darn_thread *thread, uintptr_t address)
{
    return address >= thread->stack_start && address < thread->stack_end;
}

static bool may_follow(const struct darn_thread *thread, const struct darn_touch *touch)
{
    return touch->site && !touch->assertion && touch->size <= DARN_STAY_LONGEST &&
           !is_on_own_stack(thread, touch->address);
}

void darn_scopes_follow(struct darn_thread *thread, const struct darn_touch *touch,
                        const void *frame)
{
    struct darn_inside *inside;
    uint32_t followed = 0;

    if (!may_follow(thread, touch))
        return;
    DARN_EACH_INSIDE(thread, inside)
    {
        if (inside->stay.rule || inside->stay.is_block)
            continue;
        if (darn_stay_meets(&inside->stay, touch) || ++followed == VARIABLES)
            return;
    }
    inside = darn_inside_take(thread);
    if (!inside)
        return;
    inside->function = thread->scope;
    inside->noise = thread->scope_noise;
    darn_inside_enter(inside, touch, NULL, frame);
}

static bool is_wanted(struct darn_thread *thread, uint64_t *noise)
{
    if (!darn_inside_is_wanted(thread, atomic_load_explicit(&begun, memory_order_relaxed), noise))
        return false;
    atomic_fetch_add_explicit(&begun, 1, memory_order_relaxed);
    return true;
}

EXPORTED void darn_atomic_begin(const volatile void *address, size_t size, const char *variable,
                                const char *function)
{
    struct darn_thread *thread = is_watching() ? darn_thread_self() : NULL;
    struct darn_inside *inside;
    uint64_t noise;

    (void)variable;
    if (!thread || !is_wanted(thread, &noise))
        return;
    inside = darn_inside_take(thread);
    if (!inside)
        return;
    inside->function = function;
    inside->noise = noise;
    inside->stay =
        (struct darn_stay){.address = (uintptr_t)address, .size = size, .is_block = true};
    see_extra(true);
    darn_inside_show(inside);
}

EXPORTED void darn_atomic_end(const volatile void *address)
{
    struct darn_thread *thread = darn_thread_peek();
    struct darn_inside *inside;

    if (!thread || !thread->inside)
        return;
    DARN_EACH_INSIDE(thread, inside)
    {
        if (inside->stay.is_block && inside->stay.address == (uintptr_t)address) {
            darn_inside_drop(inside);
            return;
        }
    }
}

static void drop_followed(struct darn_thread *thread)
{
    struct darn_inside *inside;

    DARN_EACH_INSIDE(thread, inside)
    {
        if (!inside->stay.rule && !inside->stay.is_block)
            darn_inside_drop(inside);
    }
}

static void leave_function(struct darn_thread *thread)
{
    thread->scope = NULL;
    drop_followed(thread);
    atomic_fetch_sub(&functions, 1);
    see_extra(false);
    darn_attention_refresh();
}

HOOK void darn_hook_atomic_begin(const struct darn_site *site)
{
    struct darn_thread *thread = is_watching() ? darn_thread_self() : NULL;

    darn_hook_mark(DARN_EVENT_BEGIN, NULL, site, __builtin_frame_address(0));
    if (!thread || thread->scope_depth++ || !is_wanted(thread, &thread->scope_noise))
        return;
    thread->scope = darn_site_function(site);
    atomic_fetch_add(&functions, 1);
    see_extra(true);
    darn_attention_refresh();
}

HOOK void darn_hook_atomic_end(const struct darn_site *site)
{
    struct darn_thread *thread = darn_thread_peek();

    darn_hook_mark(DARN_EVENT_END, NULL, site, __builtin_frame_address(0));
    if (!thread || !thread->scope_depth || --thread->scope_depth)
        return;
    if (thread->scope)
        leave_function(thread);
}

/* The thread jumps, throws, or ends: functions that it leaves do not say so. */
void darn_scopes_abandon(struct darn_thread *thread)
{
    thread->scope_depth = 0;
    if (thread->scope)
        leave_function(thread);
}

void darn_scopes_dropped(const struct darn_inside *inside)
{
    if (inside->stay.is_block)
        see_extra(false);
}

void darn_scopes_after_fork(void)
{
    struct darn_thread *thread = darn_thread_peek();

    functions = extra_users = 0;
    extra_lock.taken = 0;
    if (thread)
        thread->scope = NULL;
}
