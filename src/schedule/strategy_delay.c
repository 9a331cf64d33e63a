/*
 * DELAY: what needs no knowledge of the program, and shows most bugs that one delay or two show.
 * The opposite of STRAIGHT: whoever can be interrupted is, once at each place. A thread that has
 * touched memory waits before it touches more of it without a lock, and before it takes a lock:
 * what it knows may be out of date by then. Who has made a thread lets that one begin. When all are
 * waiting the last one goes on, so that the others have waited for as long as can be.
 *
 * A thread waits once at each place: else those in loops would take turns without an end. And
 * others may go around in a loop until the one that waits has done something: it goes on after a
 * while, and waits no more.
 */
#include "schedule/strategy_private.h"

static bool takes_lock(const struct darn_choice *choice)
{
    return choice->op == DARN_STEP_LOCK || choice->op == DARN_STEP_READLOCK ||
           choice->op == DARN_STEP_WRITELOCK;
}

static bool touches(const struct darn_choice *choice)
{
    return darn_step_is_access(choice->op) || choice->op == DARN_STEP_FREE;
}

/* Whether the thread has not yet waited here. Two places in one cell: it may wait once more. */
static bool is_new(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    uint64_t key = darn_mix_two(choice->place, choice->thread + 1);
    uint64_t *cell = &strategy->delayed[key % DARN_DELAY_PLACES];
    bool is_new = *cell != key;

    *cell = key;
    return is_new;
}

/* Whether the thread waits before this step; from its first look at it on. */
static bool waits(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);
    bool may = false;

    if (slot->held_own == choice->own + 1)
        return true;
    if (touches(choice))
        may = slot->made && !choice->locks;
    else if (takes_lock(choice))
        may = slot->made || choice->locks;
    if (!may || slot->going || !is_new(strategy, choice))
        return false;
    slot->held_own = choice->own + 1;
    slot->since = strategy->picks;
    return true;
}

static bool gives_way(const struct darn_strategy *strategy, const struct darn_situation *situation,
                      uint32_t i)
{
    return situation->choices[i].yielded ||
           (i == situation->current && (strategy->created || darn_straight_is_tired(strategy) ||
                                        situation->choices[i].op == DARN_STEP_SLEEP));
}

/* The one that has waited least; the count when nobody waits. */
static uint32_t last_to_wait(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    uint32_t last = situation->count;

    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_strategy_slot *slot = &strategy->slots[situation->choices[i].slot];

        if (slot->held_own == situation->choices[i].own + 1 &&
            (last == situation->count ||
             slot->since > strategy->slots[situation->choices[last].slot].since))
            last = i;
    }
    return last;
}

/* Whether those who do not wait do nothing but wait for one that does. */
static bool goes_around(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    uint64_t held[DARN_SLOTS / 64] = {0};
    bool expired = false;

    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];

        if (darn_strategy_slot(strategy, choice)->held_own != choice->own + 1)
            continue;
        darn_bit_set(held, i);
        expired |= darn_hold_expired(strategy, choice);
    }
    return darn_hold_must_release(strategy, situation, held) || expired;
}

/* The next one in turn that neither waits nor gives way, the one that runs first. */
static uint32_t next_to_go(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    uint32_t count = situation->count, from = situation->current < count ? situation->current : 0;

    for (uint32_t n = 0; n < count; n++) {
        uint32_t i = (from + n) % count;

        if (!gives_way(strategy, situation, i) && !waits(strategy, &situation->choices[i]))
            return i;
    }
    return count;
}

static void note_step(struct darn_strategy *strategy, const struct darn_situation *situation,
                      uint32_t picked)
{
    const struct darn_choice *choice = &situation->choices[picked];
    struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);

    slot->made |= touches(choice);
    slot->held_own = 0;
    darn_hold_made(strategy, choice);
    strategy->created = choice->op == DARN_STEP_CREATE;
    darn_straight_made(strategy, situation, picked);
}

uint32_t darn_pick_delay(struct darn_strategy *strategy, const struct darn_situation *situation,
                         struct darn_met *met)
{
    uint32_t picked;

    if (situation->waking)
        return darn_pick_straight(strategy, situation, met);
    strategy->picks++;
    picked = next_to_go(strategy, situation);
    if (picked == situation->count) {
        picked = last_to_wait(strategy, situation);
    } else if (goes_around(strategy, situation)) {
        picked = last_to_wait(strategy, situation);
        strategy->slots[situation->choices[picked].slot].going = 1;
    }
    if (picked == situation->count) {
        strategy->created = false;
        return darn_pick_straight(strategy, situation, met);
    }
    note_step(strategy, situation, picked);
    return picked;
}
