#include "runtime/heal/heal_closed.h"

#include <stddef.h>

#include "runtime/heal/elision.h"
#include "runtime/heal/heal_private.h"
#include "runtime/state.h"

_Atomic uint32_t darn_closed_count;

/* A lock as something that can be held: by who has closed it, or for a moment by who wants it. */
static struct darn_hold *hold_of(struct darn_healer *healer, const volatile void *lock,
                                 uint8_t allow)
{
    struct darn_hold *hold = darn_hold_new(healer);

    if (!hold)
        return NULL;
    hold->stay.address = (uintptr_t)lock;
    hold->stay.size = 1;
    hold->ops = DARN_ALLOW_WRITE;
    hold->allow = allow;
    hold->state = DARN_HOLD_CLOSES;
    return hold;
}

bool darn_closed_is(struct darn_thread *thread, const volatile void *lock)
{
    struct darn_healer *healer = darn_healer_of(thread);
    struct darn_hold *hold;
    bool is_enabled;

    if (!healer || healer->busy)
        return false;
    healer->busy = __builtin_frame_address(0);
    hold = hold_of(healer, lock, DARN_ALLOW_ALL);
    is_enabled = !hold || darn_hold_is_enabled(hold);
    if (hold)
        darn_hold_drop(hold);
    healer->busy = NULL;
    return !is_enabled;
}

bool darn_closed_wait(struct darn_thread *thread, const volatile void *lock, uint64_t until,
                      const void *frame)
{
    struct darn_healer *healer = darn_healer_of(thread);
    struct darn_hold *hold;
    bool open = false;

    if (!healer || healer->busy)
        return false;
    healer->busy = __builtin_frame_address(0);
    hold = hold_of(healer, lock, DARN_ALLOW_ALL);
    if (hold) {
        hold->until = until;
        open = darn_hold_take(hold, frame);
        darn_hold_drop(hold);
    }
    healer->busy = NULL;
    return open;
}

static bool has_closed(const struct darn_hold *section, const volatile void *lock)
{
    const struct darn_hold *hold;

    DARN_EACH_HOLD(section->healer, hold)
    {
        if (hold->closed_by == section && hold->stay.address == (uintptr_t)lock)
            return true;
    }
    return false;
}

static void close_for(struct darn_hold *section, const volatile void *lock)
{
    struct darn_hold *hold = has_closed(section, lock) ? NULL : hold_of(section->healer, lock, 0);

    if (!hold)
        return;
    hold->cure = section->cure;
    atomic_fetch_add(&darn_closed_count, 1);
    hold->closed_by = section;
    darn_hold_force(hold);
}

void darn_closed_enter(struct darn_hold *section)
{
    for (int i = 0; i < darn_own_here.count; i++) {
        uintptr_t lock = darn_own_here.held[i];

        if (darn_own_is_shared(lock))
            close_for(section, (const volatile void *)(lock ^ DARN_OWN_SHARED));
    }
}

void darn_heal_show(struct darn_thread *thread)
{
    struct darn_healer *healer = thread->healer;

    for (uint32_t left = healer->left; left; left &= left - 1) {
        struct darn_hold *hold = &healer->holds[__builtin_ctz(left)];

        darn_hold_force(hold);
        if (hold->state == DARN_HOLD_INSIDE && !hold->soft)
            darn_closed_enter(hold);
    }
}

/* Others may have been told to wait until the thread gives its lock back: it is shown before. */
void darn_closed_show(struct darn_thread *thread)
{
    struct darn_healer *healer = thread->healer;

    if (!darn_own_here.left || healer->busy)
        return;
    healer->busy = __builtin_frame_address(0);
    darn_heal_show(thread);
    healer->busy = NULL;
}

void darn_closed_give(struct darn_thread *thread, const volatile void *lock)
{
    int index = darn_own_find(lock);
    struct darn_healer *healer = thread->healer;
    struct darn_hold *hold;

    if (thread->lingers)
        darn_heal_done(thread, NULL); /* what has ended was not torn apart */
    darn_closed_show(thread);
    if (index < 0 || healer->busy)
        return;
    healer->busy = __builtin_frame_address(0);
    DARN_EACH_HOLD(healer, hold)
    {
        if (!hold->stay.rule || hold->locks <= (uint32_t)index)
            continue;
        hold->locks--;
        darn_elision_forbid(hold->stay.rule);
        if (hold->state == DARN_HOLD_INSIDE && !hold->soft)
            close_for(hold, lock);
    }
    healer->busy = NULL;
}

void darn_closed_tear(struct darn_thread *thread)
{
    const struct darn_hold *hold;

    if (thread->lingers)
        darn_heal_done(thread, NULL);
    darn_closed_show(thread);
    DARN_OWN_INCREASE(given, 1);
    if (!thread->healer)
        return;
    DARN_EACH_HOLD(thread->healer, hold)
    {
        if (hold->stay.rule)
            darn_elision_forbid(hold->stay.rule);
    }
}

void darn_closed_open(struct darn_hold *section)
{
    struct darn_hold *hold;

    if (!atomic_load_explicit(&darn_closed_count, memory_order_relaxed))
        return;
    DARN_EACH_HOLD(section->healer, hold)
    {
        if (hold->closed_by != section)
            continue;
        darn_hold_drop(hold);
        atomic_fetch_sub(&darn_closed_count, 1);
    }
}

void darn_closed_after_fork(void)
{
    const struct darn_thread *self = darn_thread_peek();
    const struct darn_hold *hold;
    uint32_t count = 0;

    if (self && self->healer) {
        DARN_EACH_HOLD(self->healer, hold)
        {
            count += hold->closed_by != NULL;
        }
    }
    atomic_store(&darn_closed_count, count);
}
