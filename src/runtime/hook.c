/*
 * What the guards call, with attention raised and the filter saying "perhaps": the way from an
 * access to the watch table. The registers of the caller are kept (preserve_most), errno is not
 * touched.
 */
#include <stddef.h>
#include <string.h>

#include "runtime/annotate.h"
#include "runtime/attention.h"
#include "runtime/counters.h"
#include "runtime/hook.h"
#include "runtime/noise.h"
#include "runtime/sampler.h"
#include "runtime/state.h"
#include "runtime/watch.h"
#include "site/guard.h"
#include "site/site.h"

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

void darn_hook_touch(const struct darn_touch *touch, const void *frame)
{
    struct darn_thread *thread = darn_thread_self();
    uint64_t noise;

    if (!thread || darn_benign(touch))
        return;
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
    darn_watch_pass(thread, touch);
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
    (void)site;
}
