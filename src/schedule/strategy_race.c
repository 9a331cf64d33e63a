/*
 * RACE: RaceFuzzer, algorithms 1 and 2 (Sen, "Race directed random testing of concurrent programs",
 * PLDI 2008), one step for each call.
 *
 * The pair has two sides, and a race is one between them; in the paper the two statements are one
 * set. For a site that races with itself both sides have the same places: then the thread with the
 * lower number counts as the first side, so that either order can still be asked for.
 *
 * Where the paper takes a thread out of `postponed` because all are in it (line 27), the thread has
 * to make its step: in the next iteration it would be postponed again.
 *
 * ORDER does the same for two steps that do not race, and whose order is to be turned round all the
 * same: two threads that take one lock, or make atomic accesses. With a depth, nobody is held back
 * any more when they have met: what the order leads to is not to be missed for the end of the
 * process.
 */
#include "schedule/strategy_private.h"

enum side {
    NO_SIDE,
    FIRST_SIDE,
    SECOND_SIDE,
    BOTH_SIDES,
};

static enum side side_of(const struct darn_plan *plan, const struct darn_choice *choice)
{
    enum side side = NO_SIDE;

    if (darn_aims_at(plan, DARN_AIM_FIRST, choice->place))
        side |= FIRST_SIDE;
    if (darn_aims_at(plan, DARN_AIM_SECOND, choice->place))
        side |= SECOND_SIDE;
    return side;
}

static bool belong_together(const struct darn_plan *plan, const struct darn_choice *a,
                            const struct darn_choice *b)
{
    return plan->kind == DARN_STRATEGY_ORDER ? a->thread != b->thread && darn_choices_conflict(a, b)
                                             : darn_choices_race(a, b);
}

/* Algorithm 2, for one of the postponed threads. True, and who is on the first side. */
static bool are_racing(const struct darn_plan *plan, const struct darn_situation *situation,
                       uint32_t one, uint32_t other, struct darn_met *met)
{
    const struct darn_choice *a = &situation->choices[one], *b = &situation->choices[other];
    enum side side_a = side_of(plan, a), side_b = side_of(plan, b);
    bool forth = side_a & FIRST_SIDE && side_b & SECOND_SIDE;
    bool back = side_a & SECOND_SIDE && side_b & FIRST_SIDE;

    if (!(forth || back) || !belong_together(plan, a, b))
        return false;
    if (forth && back)
        forth = a->thread < b->thread;
    *met = (struct darn_met){.kind =
                                 plan->kind == DARN_STRATEGY_ORDER ? DARN_MET_ORDER : DARN_MET_RACE,
                             .a = forth ? one : other,
                             .b = forth ? other : one};
    return true;
}

static void postpone(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    darn_hold_expired(strategy, choice);
}

/* Finds out who is postponed. Returns who goes on at once, for having waited too long or for having
 * won a race together with others (lines 15 to 18); else the count. */
static uint32_t look_around(struct darn_strategy *strategy, const struct darn_situation *situation,
                            uint64_t *postponed)
{
    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];
        const struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);

        if (slot->going == choice->own + 1)
            return i;
        if (slot->held_own != choice->own + 1)
            continue;
        if (darn_hold_expired(strategy, choice))
            return i;
        darn_bit_set(postponed, i);
    }
    return situation->count;
}

/* Lines 10 to 19, for `picked` that races with some who are postponed; met has one of them. */
static uint32_t resolve(struct darn_strategy *strategy, const struct darn_situation *situation,
                        const uint64_t *postponed, uint32_t picked, struct darn_met *met)
{
    uint32_t other = met->a == picked ? met->b : met->a;
    struct darn_met ignored;
    bool picked_goes;

    if (strategy->plan->first)
        picked_goes = (strategy->plan->first == 1) == (met->a == picked);
    else
        picked_goes = darn_random(&strategy->random) >> 63;
    if (picked_goes)
        return picked;
    postpone(strategy, &situation->choices[picked]);
    strategy->rival = situation->choices[picked].thread + 1;
    for (uint32_t i = 0; i < situation->count; i++)
        if (darn_bit(postponed, i) && are_racing(strategy->plan, situation, picked, i, &ignored))
            strategy->slots[situation->choices[i].slot].going = situation->choices[i].own + 1;
    return other;
}

/* The next one of those who won together races with the same thread as they did. */
static uint32_t go_on(struct darn_strategy *strategy, const struct darn_situation *situation,
                      uint32_t going, struct darn_met *met)
{
    uint32_t rival = situation->count;

    if (strategy->rival)
        rival = darn_strategy_find(situation, strategy->rival - 1);
    if (rival < situation->count && rival != going)
        are_racing(strategy->plan, situation, going, rival, met);
    return going;
}

/* Algorithm 1, up to the next step. */
static uint32_t pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                     struct darn_met *met)
{
    uint64_t postponed[DARN_SLOTS / 64] = {0};
    uint32_t picked = look_around(strategy, situation, postponed);

    if (picked < situation->count)
        return go_on(strategy, situation, picked, met);
    picked = darn_lead_pick(strategy, situation, postponed);
    if (picked < situation->count && strategy->led < strategy->plan->lead_count)
        return picked;
    for (;; picked = situation->count) {
        if (picked == situation->count && darn_hold_must_release(strategy, situation, postponed))
            return darn_hold_random(strategy, situation, postponed, true);
        if (picked == situation->count)
            picked = darn_hold_random(strategy, situation, postponed, false);
        if (side_of(strategy->plan, &situation->choices[picked]) == NO_SIDE)
            return picked;
        for (uint32_t i = 0; i < situation->count; i++)
            if (darn_bit(postponed, i) && are_racing(strategy->plan, situation, picked, i, met))
                return resolve(strategy, situation, postponed, picked, met);
        postpone(strategy, &situation->choices[picked]);
        darn_bit_set(postponed, picked);
    }
}

/* ORDER, with a thread that comes last in all. */
static uint32_t pick_others(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    uint64_t last[DARN_SLOTS / 64] = {0};
    uint32_t at = darn_strategy_find(situation, (uint32_t)strategy->plan->length - 1);

    if (at < situation->count)
        darn_bit_set(last, at);
    return darn_hold_random(strategy, situation, last,
                            darn_hold_must_release(strategy, situation, last));
}

uint32_t darn_pick_race(struct darn_strategy *strategy, const struct darn_situation *situation,
                        struct darn_met *met)
{
    uint32_t picked;

    if (situation->waking || strategy->reached)
        return darn_pick_random(strategy, situation, met);
    strategy->picks++;
    if (strategy->plan->kind == DARN_STRATEGY_ORDER && strategy->plan->length)
        picked = pick_others(strategy, situation);
    else
        picked = pick(strategy, situation, met);
    strategy->reached = met->kind == DARN_MET_ORDER && strategy->plan->depth;
    darn_hold_made(strategy, &situation->choices[picked]);
    return picked;
}
