/*
 * What the guards call, with attention raised and the filter saying "perhaps". What becomes of an
 * access depends on the mode (hook_modes.h). The registers of the caller are kept (preserve_most),
 * errno is not touched.
 */
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

#include "runtime/control/control.h"
#include "runtime/control/turn.h"
#include "runtime/heal/heal.h"
#include "runtime/order/repeats.h"
#include "runtime/os/os.h"
#include "runtime/record/record.h"
#include "runtime/section/sections.h"
#include "runtime/state.h"
#include "runtime/watch/hook.h"
#include "runtime/watch/hook_modes.h"
#include "schedule/strategy.h"
#include "site/site.h"

extern volatile uint8_t darn_filter[DARN_FILTER_SIZE];

/* A string is read up to here: no lock is held, it may be changing. */
#define MAX_STRING 4096

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
        .gaps = darn_site_gaps(site),
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

static const struct darn_mode_hooks *const hooks[] = {
    [DARN_MODE_WATCH] = &darn_watch_hooks, [DARN_MODE_RECORD] = &darn_record_hooks,
    [DARN_MODE_LEARN] = &darn_learn_hooks, [DARN_MODE_CONTROL] = &darn_control_hooks,
    [DARN_MODE_HEAL] = &darn_heal_hooks,
};

void darn_hook_touch(const struct darn_touch *touch, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();

    if (thread)
        hooks[darn_state.mode]->access(thread, touch, frame);
}

/* What most accesses do not come to has the registers to save. */
#define SELDOM __attribute__((preserve_most, noinline))

SELDOM static void touch(uintptr_t address, const struct darn_site *site, const void *frame)
{
    struct darn_touch touch = touch_of(address, site->size, site);

    if (!darn_repeats_after_all(address, site, darn_filter))
        darn_hook_touch(&touch, frame);
}

SELDOM static void touch_value(uintptr_t address, uint64_t value, const struct darn_site *site,
                               const void *frame)
{
    struct darn_touch touch = touch_of(address, site->size, site);

    touch.has_value = site->flags & DARN_SITE_VALUE;
    touch.value = value;
    if (!darn_repeats_after_all(address, site, darn_filter))
        darn_hook_touch(&touch, frame);
}

HOOK void darn_hook_access(uintptr_t address, const struct darn_site *site)
{
    if (!darn_repeats(address, site, darn_filter))
        touch(address, site, __builtin_frame_address(0));
}

HOOK void darn_hook_write(uintptr_t address, uint64_t value, const struct darn_site *site)
{
    if (!darn_repeats(address, site, darn_filter))
        touch_value(address, value, site, __builtin_frame_address(0));
}

HOOK void darn_hook_range(uintptr_t address, uint64_t length, const struct darn_site *site)
{
    struct darn_touch touch = touch_of(address, length, site);

    if (length)
        darn_hook_touch(&touch, __builtin_frame_address(0));
}

/* What libc or the kernel allows at most. */
#define MOST_PARTS 1024

/* The program may have handed over anything: the kernel would say so, and so nobody crashes here.
 */
HOOK void darn_hook_parts(const struct iovec *parts, uint64_t count, uint64_t most,
                          const struct darn_site *site)
{
    struct iovec part;

    for (uint64_t i = 0; i < count && i < MOST_PARTS && most; i++) {
        struct darn_touch touch;

        if (darn_os_copy(&part, parts + i, sizeof(part)) != (long)sizeof(part))
            return;
        touch = touch_of((uintptr_t)part.iov_base, part.iov_len < most ? part.iov_len : most, site);
        most -= touch.size;
        if (touch.size)
            darn_hook_touch(&touch, __builtin_frame_address(0));
    }
}

HOOK void darn_hook_string(uintptr_t address, const char *measured, const struct darn_site *site)
{
    struct darn_touch touch;

    if (!measured) /* of a call that has returned, and failed; or the program is about to fault */
        return;
    touch = touch_of(address, strnlen(measured, MAX_STRING) + 1, site);
    darn_hook_touch(&touch, __builtin_frame_address(0));
}

/* Who compares without regard to case looks at least as far. */
HOOK void darn_hook_compared(const char *string, const char *other, uint64_t most,
                             const struct darn_site *site)
{
    uint64_t limit = most < MAX_STRING ? most : MAX_STRING, length = 0;
    struct darn_touch touch;

    if (!string || !other) /* the program is about to fault */
        return;
    while (length < limit && string[length] && string[length] == other[length])
        length++;
    touch = touch_of((uintptr_t)string, length < limit ? length + 1 : limit, site);
    if (touch.size)
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

    if (thread && !darn_state.finished)
        hooks[darn_state.mode]->spin(thread, &touch, __builtin_frame_address(0));
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
    if (slot && hooks[darn_state.mode]->scope)
        hooks[darn_state.mode]->scope(slot, kind == DARN_EVENT_BEGIN, &scope);
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
    if (thread->slot && hooks[darn_state.mode]->leave)
        hooks[darn_state.mode]->leave(thread->slot);
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

void darn_hook_arm(const struct darn_site *start, const struct darn_site *stop)
{
    if (darn_turns)
        darn_control_loaded(start, stop);
    if (hooks[darn_state.mode]->load)
        hooks[darn_state.mode]->load(start, stop);
}
