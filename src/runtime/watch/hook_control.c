/* Controlled runs (turn.h): an access is a scheduling point. */
#include <stddef.h>

#include "runtime/control/decide.h"
#include "runtime/control/turn.h"
#include "runtime/coverage/covering.h"
#include "runtime/watch/annotate.h"
#include "runtime/watch/hook_modes.h"

/* Whether a signal may interrupt the thread for another one (busy.h). */
static void set_hooked(const struct darn_thread *thread, bool hooked)
{
    if (thread->slot)
        thread->slot->hooked = hooked;
}

static void control_access(struct darn_thread *thread, const struct darn_touch *touch,
                           const void *frame)
{
    set_hooked(thread, true);
    darn_hook_heal(thread, touch, frame);
    if (!darn_benign(touch) && !thread->ignore) {
        darn_turn_access(thread, touch, frame);
        darn_coverage_access(thread, touch); /* now it is the next one of all */
    }
    darn_hook_linger(thread);
    set_hooked(thread, false);
}

static void control_spin(struct darn_thread *thread, const struct darn_touch *touch,
                         const void *frame)
{
    set_hooked(thread, true);
    darn_hook_heal(thread, touch, frame);
    darn_hook_linger(thread);
    darn_turn_spin(thread, touch->address, touch->site, frame);
    set_hooked(thread, false);
}

const struct darn_mode_hooks darn_control_hooks = {.access = control_access,
                                                   .spin = control_spin,
                                                   .scope = darn_decide_scope,
                                                   .leave = darn_decide_leave};
