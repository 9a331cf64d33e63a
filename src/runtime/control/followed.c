#include "runtime/control/followed.h"

#include "runtime/control/control.h"
#include "runtime/control/enabled.h"
#include "runtime/control/vtime.h"

/* Whoever came from the outside in the run that was recorded gets this long, in real time. */
#define FOLLOWED_GETS UINT64_C(3000000000)

const struct darn_step *darn_followed_next(void)
{
    const struct darn_plan *plan = &darn_control->request.plan;
    uint64_t steps = darn_control->result.steps;

    return plan->kind == DARN_STRATEGY_FOLLOW && steps < plan->step_count
               ? &darn_control->follow[steps]
               : NULL;
}

/* NULL: there is none, or its thread is not there. */
static struct darn_slot *next_slot(void)
{
    const struct darn_step *step = darn_followed_next();

    return step ? darn_turn_slot_of(step->thread) : NULL;
}

static bool is_at_call(const struct darn_slot *slot)
{
    return slot->state == DARN_STATE_READY && slot->op == DARN_STEP_CALL;
}

bool darn_followed_is_late(const struct darn_slot *slot)
{
    const struct darn_step *step = darn_followed_next();

    return step && step->thread == slot->number && step->op == DARN_STEP_CALL &&
           step->flags & DARN_STEP_TIMED_OUT && is_at_call(slot) && slot->timed;
}

bool darn_followed_awaits(uint64_t waited)
{
    const struct darn_slot *slot = waited < FOLLOWED_GETS ? next_slot() : NULL;

    if (!slot || slot->state == DARN_STATE_OUTSIDE)
        return slot != NULL;
    return is_at_call(slot) && !darn_followed_is_late(slot) && !slot->interrupted &&
           !slot->cancelled && !darn_step_has_come(slot);
}

void darn_followed_jump(void)
{
    const struct darn_slot *slot = next_slot();

    if (slot && darn_followed_is_late(slot))
        darn_vtime_jump(slot->deadline);
}
