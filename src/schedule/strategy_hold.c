/*
 * What AIM, RACE, TRIPLE and QUAD have in common: they hold threads back, and no hold may last for
 * ever.
 *
 * All holds are soft. When nobody else can go on, one of those that are held goes on. Others may be
 * able to go on and still do nothing but wait for the one that is held, in a loop: if they yield
 * (sleep, try again) they get a few rounds, which is enough for a sleep that is only a sleep; if
 * they do not even yield, whoever has been held for very long goes on. A loop that gives up after
 * many sleeps gets that far only if the plan has the patience for it.
 */
#include "schedule/strategy_private.h"

#define IDLE_STEPS 64 /* for each thread that is not held */
#define HELD_PICKS 10000

bool darn_aims_at(const struct darn_plan *plan, enum darn_aim_kind kind, uint64_t place)
{
    uint32_t count = plan->aim_count < DARN_AIMS ? plan->aim_count : DARN_AIMS;

    for (uint32_t i = 0; i < count; i++)
        if (plan->aims[i].place == place && plan->aims[i].kind == (uint32_t)kind)
            return true;
    return false;
}

bool darn_plan_has(const struct darn_plan *plan, enum darn_aim_kind kind)
{
    for (uint32_t i = 0; i < plan->aim_count && i < DARN_AIMS; i++)
        if (plan->aims[i].kind == (uint32_t)kind)
            return true;
    return false;
}

uint32_t darn_hold_random(struct darn_strategy *strategy, const struct darn_situation *situation,
                          const uint64_t *bits, bool set)
{
    uint32_t all = 0, awake = 0, left;

    for (uint32_t i = 0; i < situation->count; i++) {
        if (darn_bit(bits, i) == set) {
            all++;
            awake += !situation->choices[i].yielded;
        }
    }
    if (all == 0)
        return situation->count;
    left = (uint32_t)darn_random_below(&strategy->random, awake ? awake : all);
    for (uint32_t i = 0;; i++)
        if (darn_bit(bits, i) == set && !(awake && situation->choices[i].yielded) && left-- == 0)
            return i;
}

bool darn_hold_expired(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);

    if (slot->held_own != choice->own + 1) {
        slot->held_own = choice->own + 1;
        slot->since = strategy->picks;
    }
    return strategy->picks - slot->since > HELD_PICKS + UINT64_C(2) * strategy->plan->patience;
}

bool darn_hold_must_release(struct darn_strategy *strategy, const struct darn_situation *situation,
                            const uint64_t *held)
{
    uint32_t others = situation->count;

    for (uint32_t i = 0; i < situation->count; i++)
        others -= darn_bit(held, i);
    if (others == situation->count)
        strategy->idle = 0;
    if (strategy->idle < IDLE_STEPS * others + strategy->plan->patience ||
        others == situation->count)
        return false;
    strategy->idle = 0;
    return true;
}

void darn_hold_made(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    strategy->idle +=
        choice->yielded || choice->op == DARN_STEP_YIELD || choice->op == DARN_STEP_SLEEP;
}
