/* Uses and ends of objects by calls of controlled threads that do not wait. */
#include <stdio.h>

#include "base/hash.h"
#include "runtime/control/control.h"
#include "runtime/control/livelock.h"
#include "runtime/control/turn.h"
#include "runtime/control/turn_sync.h"

/* A stream is used as often as a variable: what counts for sites counts for the places of calls. */
#define PLACES 1024

static uint8_t uses_at[PLACES];

/* libc and other libraries close files and destroy locks while they hold locks of their own. */
static bool is_point(const void *frame)
{
    return !darn_fair && darn_turn_has_others() &&
           darn_control_has_compiled(((const uint64_t *)frame)[1]);
}

/* What is known of a file descriptor lies outside: as with any other call, others depend on it. */
static void stand(struct darn_slot *slot, enum darn_step_op op, uintptr_t address, uint64_t size,
                  enum darn_touch_object what, const void *frame)
{
    bool is_outside = what == DARN_OBJECT_DESCRIPTOR;

    darn_turn_step(slot, op, is_outside ? &darn_turn_world : (const void *)address, frame);
    slot->used = address;
    slot->what = (uint8_t)what;
    slot->size = (uint32_t)size;
    darn_turn_take(slot);
}

/* These live as long as the process, and much is printed. */
static bool is_standard(uintptr_t stream)
{
    return stream == (uintptr_t)stdin || stream == (uintptr_t)stdout || stream == (uintptr_t)stderr;
}

void darn_turn_use(struct darn_slot *slot, uintptr_t address, enum darn_touch_object what,
                   const void *frame)
{
    if (address && !is_standard(address) && is_point(frame) &&
        darn_turn_counts(&uses_at[darn_spread(((const uint64_t *)frame)[1]) % PLACES]))
        stand(slot, DARN_STEP_USE, address, 1, what, frame);
}

void darn_turn_end_object(struct darn_slot *slot, uintptr_t address, uint64_t size,
                          enum darn_touch_object what, const void *frame)
{
    enum darn_step_op op = what == DARN_OBJECT_DESCRIPTOR || what == DARN_OBJECT_STREAM
                               ? DARN_STEP_CLOSE
                               : DARN_STEP_DESTROY;

    if (address && is_point(frame))
        stand(slot, op, address, size, what, frame);
}
