/*
 * FOLLOW: exactly the steps of an earlier run, and straight on after the last one.
 *
 * A schedule that is cut after the last switch that matters makes the same run as the whole one:
 * going straight on begins with the state that a SCRIPT of these steps would have.
 */
#include "schedule/block.h"
#include "schedule/strategy_private.h"

/* Of a thread that is woken only the thread itself is compared: the step belongs to the signal. */
static bool is_the_step(const struct darn_step *step, const struct darn_choice *choice, bool waking)
{
    if (waking)
        return step->op == DARN_STEP_WAKE;
    return step->op == choice->op && step->place == choice->place;
}

uint32_t darn_pick_follow(struct darn_strategy *strategy, const struct darn_situation *situation,
                          struct darn_met *met)
{
    const struct darn_step *step;
    uint32_t found;

    if (situation->step >= strategy->plan->step_count)
        return darn_pick_straight(strategy, situation, met);
    step = &strategy->steps[situation->step];
    found = darn_strategy_find(situation, step->thread);
    if (found < situation->count &&
        is_the_step(step, &situation->choices[found], situation->waking)) {
        darn_straight_made(strategy, situation, found);
        return found;
    }
    met->kind = DARN_MET_DIVERGED;
    met->a = met->b = found;
    return found < situation->count ? found : darn_pick_straight(strategy, situation, met);
}
