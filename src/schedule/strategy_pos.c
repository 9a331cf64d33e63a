/*
 * POS: Yuan, Yang and Gu, "Partial order aware concurrency sampling" (CAV 2018).
 *
 * Each step that is about to be made has a random priority of its own, and the highest one is made.
 * Then those that conflict with it draw again: otherwise a step that has lost once would lose
 * against all others of the same object, too, and the orders of conflicting steps, which are all
 * that matters, would be far from equally likely.
 */
#include "schedule/strategy_private.h"

static uint64_t priority_of(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);

    if (slot->own != choice->own + 1) {
        slot->own = choice->own + 1;
        slot->priority = darn_random(&strategy->random);
    }
    return slot->priority;
}

uint32_t darn_pos_highest(struct darn_strategy *strategy, const struct darn_situation *situation,
                          const uint64_t *barred)
{
    uint32_t best = situation->count;
    uint64_t best_priority = 0;
    bool best_yielded = true;

    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];
        uint64_t priority = priority_of(strategy, choice);

        if (barred && darn_bit(barred, i))
            continue;
        if (best < situation->count &&
            (choice->yielded != best_yielded ? choice->yielded : priority <= best_priority))
            continue;
        best = i;
        best_priority = priority;
        best_yielded = choice->yielded;
    }
    return best;
}

void darn_pos_made(struct darn_strategy *strategy, const struct darn_situation *situation,
                   uint32_t made)
{
    const struct darn_choice *step = &situation->choices[made];

    if (!step->object)
        return;
    for (uint32_t i = 0; i < situation->count; i++)
        if (i != made && darn_choices_conflict(step, &situation->choices[i]))
            strategy->slots[situation->choices[i].slot].own = 0;
}

uint32_t darn_pick_pos(struct darn_strategy *strategy, const struct darn_situation *situation,
                       struct darn_met *met)
{
    uint32_t picked;

    if (situation->waking)
        return darn_pick_random(strategy, situation, met);
    picked = darn_pos_highest(strategy, situation, NULL);
    darn_pos_made(strategy, situation, picked);
    return picked;
}
