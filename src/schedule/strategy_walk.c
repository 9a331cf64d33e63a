/*
 * The two plain walks. Others are made of them: SCRIPT and the rest of FOLLOW go straight, and
 * whoever has nothing better to do walks at random.
 */
#include "schedule/strategy_private.h"

/* A thread that has gone on for so long while others could is taken for one that waits for them in
 * a loop without a yield (`while (!done) { lock; unlock; }`): it has to give way once. */
#define DARN_STRAIGHT_PATIENCE 10000

/* The next one in turn after the slot: a fixed order would let two threads that yield to each other
 * starve a third one. */
static uint32_t next_in_turn(const struct darn_situation *situation, uint32_t slot)
{
    uint32_t first = situation->count;

    for (uint32_t i = 0; i < situation->count; i++) {
        if (situation->choices[i].yielded || situation->choices[i].slot == slot)
            continue;
        if (situation->choices[i].slot > slot)
            return i;
        if (first == situation->count)
            first = i;
    }
    return first;
}

static uint32_t first_that_did_not_yield(const struct darn_situation *situation)
{
    for (uint32_t i = 0; i < situation->count; i++)
        if (!situation->choices[i].yielded)
            return i;
    return 0;
}

static bool gives_way(const struct darn_choice *choice)
{
    return choice->yielded || choice->op == DARN_STEP_SLEEP;
}

/* A step that stands for many accesses takes as much of a thread's patience: else a loop would get
 * ever more rounds, each time twice as many, before those who sleep get their turn. */
static uint32_t weight_of(const struct darn_situation *situation)
{
    return UINT32_C(1) << (situation->thinned < 16 ? situation->thinned : 16);
}

void darn_straight_made(struct darn_strategy *strategy, const struct darn_situation *situation,
                        uint32_t picked)
{
    bool goes_on = picked == situation->current && !situation->waking &&
                   !gives_way(&situation->choices[picked]);

    strategy->straight = goes_on ? strategy->straight + weight_of(situation) : 0;
}

bool darn_straight_is_tired(const struct darn_strategy *strategy)
{
    uint32_t patience = strategy->plan->patience;

    return strategy->straight + 1 >= (patience ? patience : DARN_STRAIGHT_PATIENCE);
}

uint32_t darn_pick_straight(struct darn_strategy *strategy, const struct darn_situation *situation,
                            struct darn_met *met)
{
    uint32_t current = situation->current, next;
    uint32_t patience = strategy->plan->patience;

    (void)met;
    if (current >= situation->count || situation->waking) {
        strategy->straight = 0;
        return first_that_did_not_yield(situation);
    }
    if (!gives_way(&situation->choices[current]) &&
        (strategy->straight += weight_of(situation)) <
            (patience ? patience : DARN_STRAIGHT_PATIENCE))
        return current;
    strategy->straight = 0;
    next = next_in_turn(situation, situation->choices[current].slot);
    return next < situation->count ? next : current;
}

uint32_t darn_pick_random(struct darn_strategy *strategy, const struct darn_situation *situation,
                          struct darn_met *met)
{
    uint32_t awake = 0, left;

    (void)met;
    for (uint32_t i = 0; i < situation->count; i++)
        awake += !situation->choices[i].yielded;
    if (awake == 0 || awake == situation->count)
        return (uint32_t)darn_random_below(&strategy->random, situation->count);
    left = (uint32_t)darn_random_below(&strategy->random, awake);
    for (uint32_t i = 0;; i++)
        if (!situation->choices[i].yielded && left-- == 0)
            return i;
}
