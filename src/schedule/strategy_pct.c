/*
 * PCT: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic
 * guarantees of finding bugs" (ASPLOS 2010).
 *
 * Each thread has a random priority, and the highest one that can goes on. At depth - 1 steps,
 * drawn before the run, the thread that was about to go on falls: to the value of that change,
 * below all initial priorities. The values and the steps are drawn independently of each other, so
 * threads that have fallen are in any order among themselves, as the proof needs it. In a run of k
 * steps and n threads a bug of depth d is found with a probability of at least 1 / (n * k^(d-1)).
 *
 * Two things are ours, because programs wait in loops: whoever yields falls below everybody, and a
 * run that has become much longer than expected goes on as a random walk.
 */
#include "schedule/strategy_private.h"

#define INITIAL (UINT64_C(1) << 63) /* initial priorities from here on */
#define CHANGED (UINT64_C(1) << 62) /* those of the changes */
#define YIELDED (UINT64_C(1) << 61) /* those of threads that yielded: downwards from here */

void darn_pct_start(struct darn_strategy *strategy)
{
    const struct darn_plan *plan = strategy->plan;
    uint32_t count = plan->depth ? plan->depth - 1 : 0;

    if (count > DARN_PCT_CHANGES)
        count = DARN_PCT_CHANGES;
    strategy->change_count = count;
    strategy->low = YIELDED;
    for (uint32_t i = 0; i < count; i++)
        strategy->changes[i] =
            darn_random_below(&strategy->random, plan->length ? plan->length : 1);
}

static uint64_t priority_of(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);

    if (!slot->priority)
        slot->priority = INITIAL | darn_random(&strategy->random);
    return slot->priority;
}

static uint32_t highest(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    uint32_t best = 0;
    uint64_t best_priority = 0;

    for (uint32_t i = 0; i < situation->count; i++) {
        uint64_t priority = priority_of(strategy, &situation->choices[i]);

        if (situation->choices[i].yielded && situation->count > 1)
            priority = strategy->slots[situation->choices[i].slot].priority = --strategy->low;
        if (priority > best_priority) {
            best_priority = priority;
            best = i;
        }
    }
    return best;
}

uint32_t darn_pick_pct(struct darn_strategy *strategy, const struct darn_situation *situation,
                       struct darn_met *met)
{
    uint32_t picked;

    if (situation->waking || situation->step > 20 * strategy->plan->length + 1000)
        return darn_pick_random(strategy, situation, met);
    picked = highest(strategy, situation);
    for (uint32_t i = 0; i < strategy->change_count; i++) {
        if (strategy->changes[i] > situation->step)
            continue;
        strategy->changes[i] = UINT64_MAX;
        strategy->slots[situation->choices[picked].slot].priority = CHANGED + i;
        picked = highest(strategy, situation);
    }
    return picked;
}
