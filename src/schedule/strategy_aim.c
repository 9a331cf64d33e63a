/*
 * AIM: POS among the threads that the aims do not hold back.
 *
 * READS works from both ends: the read waits until the last change is the one that it shall see,
 * and once that change is made others must not change the object before the read is made. Before
 * the read stands there its object is not known; but each choice says who changed its own object
 * last. Of the initial state there is no such trace: it is guarded from when the read stands there.
 * An aim of this kind is reached when it has come true once.
 */
#include "schedule/strategy_private.h"

#define SATISFIED 8 /* reads that would see what they shall; more are not guarded */

struct holds {
    uint64_t bits[DARN_SLOTS / 64];  /* by index: held by an aim */
    uint64_t hard[DARN_SLOTS / 64];  /* by index: held by one of the HOLD kinds */
    uint64_t reads[DARN_SLOTS / 64]; /* by index: would see what it shall */
    uint32_t satisfied[SATISFIED];
    uint32_t satisfied_count, count;
};

static bool is_hold(const struct darn_aim *aim)
{
    return aim->kind == DARN_AIM_HOLD || aim->kind == DARN_AIM_HOLD_LOCKED ||
           aim->kind == DARN_AIM_HOLD_ONE;
}

/* Whether the choice would change what a read has yet to see. */
static bool would_spoil(const struct darn_aim *aim, const struct darn_choice *choice)
{
    return aim->kind == DARN_AIM_READS && aim->other && choice->writer == aim->other &&
           choice->place != aim->other && choice->object && darn_step_changes(choice->op);
}

/* Whether the aim, which is at the place of the choice, holds it back. */
static bool holds_back(const struct darn_strategy *strategy, const struct darn_aim *aim,
                       const struct darn_choice *choice)
{
    if (is_hold(aim) && strategy->plan->depth && strategy->released >= strategy->plan->depth)
        return false;
    switch (aim->kind) {
    case DARN_AIM_HOLD:
        return true;
    case DARN_AIM_HOLD_LOCKED:
        return choice->locks > 0;
    case DARN_AIM_HOLD_ONE:
        return choice->thread == aim->other;
    case DARN_AIM_READS:
        return choice->writer != aim->other;
    case DARN_AIM_READS_NOT:
        return choice->writer == aim->other;
    default:
        return false;
    }
}

static void hold(struct holds *holds, uint32_t i)
{
    holds->count += !darn_bit(holds->bits, i);
    darn_bit_set(holds->bits, i);
}

static void ask_aims(const struct darn_strategy *strategy, const struct darn_choice *choice,
                     uint32_t i, struct holds *holds)
{
    const struct darn_plan *plan = strategy->plan;
    uint32_t count = plan->aim_count < DARN_AIMS ? plan->aim_count : DARN_AIMS;

    for (uint32_t j = 0; j < count; j++) {
        const struct darn_aim *aim = &plan->aims[j];

        if (strategy->reached >> j & 1)
            continue;
        if (aim->place != choice->place) {
            if (would_spoil(aim, choice))
                hold(holds, i);
            continue;
        }
        if (holds_back(strategy, aim, choice)) {
            hold(holds, i);
            if (is_hold(aim))
                darn_bit_set(holds->hard, i);
        } else if (aim->kind == DARN_AIM_READS && holds->satisfied_count < SATISFIED) {
            holds->satisfied[holds->satisfied_count++] = i;
            darn_bit_set(holds->reads, i);
        }
    }
}

static void guard_satisfied(const struct darn_situation *situation, struct holds *holds)
{
    for (uint32_t j = 0; j < holds->satisfied_count; j++) {
        const struct darn_choice *read = &situation->choices[holds->satisfied[j]];

        if (darn_bit(holds->bits, holds->satisfied[j]))
            continue; /* another aim holds it: waiting for it would be in vain */
        for (uint32_t i = 0; i < situation->count; i++)
            if (!darn_bit(holds->reads, i) && darn_step_changes(situation->choices[i].op) &&
                darn_choices_conflict(&situation->choices[i], read))
                hold(holds, i);
    }
}

/* Who goes on although it is held; the count when nobody has to. */
static uint32_t release(struct darn_strategy *strategy, const struct darn_situation *situation,
                        const struct holds *holds)
{
    uint32_t picked = situation->count;

    for (uint32_t i = 0; i < situation->count && picked == situation->count; i++)
        if (darn_bit(holds->bits, i) && darn_hold_expired(strategy, &situation->choices[i]))
            picked = i;
    if (picked == situation->count && darn_hold_must_release(strategy, situation, holds->bits))
        picked = darn_hold_random(strategy, situation, holds->bits, true);
    if (picked < situation->count)
        strategy->released += darn_bit(holds->hard, picked);
    return picked;
}

/* The read sees what it shall: that was it. */
static void note_read(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    const struct darn_plan *plan = strategy->plan;
    uint32_t count = plan->aim_count < DARN_AIMS ? plan->aim_count : DARN_AIMS;

    for (uint32_t j = 0; j < count; j++)
        if (plan->aims[j].kind == DARN_AIM_READS && plan->aims[j].place == choice->place &&
            plan->aims[j].other == choice->writer)
            strategy->reached |= UINT32_C(1) << j;
}

uint32_t darn_pick_aim(struct darn_strategy *strategy, const struct darn_situation *situation,
                       struct darn_met *met)
{
    struct holds holds = {.count = 0};
    uint32_t picked = situation->count;

    if (situation->waking)
        return darn_pick_random(strategy, situation, met);
    strategy->picks++;
    for (uint32_t i = 0; i < situation->count; i++)
        ask_aims(strategy, &situation->choices[i], i, &holds);
    guard_satisfied(situation, &holds);
    if (holds.count)
        picked = release(strategy, situation, &holds);
    if (picked == situation->count)
        picked = darn_pos_highest(strategy, situation, holds.bits);
    note_read(strategy, &situation->choices[picked]);
    darn_hold_made(strategy, &situation->choices[picked]);
    darn_pos_made(strategy, situation, picked);
    return picked;
}
