/*
 * SURW: Zhao, Wolff, Mathur and Roychoudhury, "Selectively uniform concurrency testing" (ASPLOS
 * 2025).
 *
 * Some steps are of interest. The thread that makes the next one of them is drawn in advance, with
 * a probability in proportion to the steps that each thread still has; were the counts exact, all
 * interleavings of the steps of interest would be equally likely. All other steps go at random, and
 * whoever gets to a step of interest without having been drawn waits.
 *
 * What is of interest: the object that the plan names (DARN_AIM_OBJECT), and then the counts are
 * those of its steps. Otherwise, in one run out of four everything (the plain uniform walk); else
 * one object that several threads touch, a random one of those seen so far. Of all objects the one
 * with the lowest hash (with the seed) is taken: so the choice does not depend on the order in
 * which they come up, and is known as soon as a second thread gets to the object.
 *
 * Without a named object the counts are those of all steps of each slot in an earlier run, less
 * those already made: the steps of interest are taken to be spread evenly. Threads that have not
 * been seen yet count for T0, which stands for all that create threads. Without counts all threads
 * weigh the same.
 *
 * The one that was drawn may never get to a step of interest. If others do nothing but wait for
 * somebody else who would, the draw is repeated.
 */
#include "schedule/strategy_private.h"

#define FRUITLESS_PICKS 1000
#define LOWEST_ADDRESS  65536 /* objects below are no memory: numbers of threads */

static bool is_named(const struct darn_strategy *strategy)
{
    return strategy->plan->aim_count > 0 && strategy->plan->aims[0].kind == DARN_AIM_OBJECT;
}

void darn_surw_start(struct darn_strategy *strategy)
{
    for (uint32_t i = 0; i < DARN_SLOTS; i++)
        strategy->unseen += strategy->plan->expected[i];
    if (is_named(strategy)) {
        strategy->interest = strategy->plan->aims[0].place & ~UINT64_C(7);
        return;
    }
    strategy->all = darn_random_below(&strategy->random, 4) == 0;
    strategy->rank = UINT64_MAX;
}

/* Accesses of parts of a word are about the same object. */
static uint64_t object_of(const struct darn_choice *choice)
{
    return choice->object & ~UINT64_C(7);
}

static uint64_t hash_of(const struct darn_strategy *strategy, uint64_t object)
{
    return darn_mix(object ^ darn_mix(strategy->plan->seed + 1));
}

/* The choice stands before a step that was not seen yet. */
static void note_object(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    uint64_t object = object_of(choice), hash;
    uint32_t at;

    if (object < LOWEST_ADDRESS)
        return;
    hash = hash_of(strategy, object);
    at = (uint32_t)(hash % DARN_SURW_OBJECTS);
    /* Two objects in one cell: the one with the lower hash is of more interest. */
    if (!strategy->objects[at] ||
        (strategy->objects[at] != object && hash < hash_of(strategy, strategy->objects[at]))) {
        strategy->objects[at] = object;
        strategy->touched_by[at] = choice->thread + 1;
    }
    if (strategy->objects[at] == object && strategy->touched_by[at] != choice->thread + 1 &&
        hash < strategy->rank) {
        strategy->rank = hash;
        strategy->interest = object;
    }
}

static void look_around(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];
        struct darn_strategy_slot *slot = darn_strategy_slot(strategy, choice);
        uint32_t expected = strategy->plan->expected[choice->slot];

        if (slot->own == choice->own + 1)
            continue;
        if (slot->own == 0)
            strategy->unseen -= expected < strategy->unseen ? expected : strategy->unseen;
        slot->own = choice->own + 1;
        if (!strategy->all && !is_named(strategy))
            note_object(strategy, choice);
    }
}

static bool is_of_interest(const struct darn_strategy *strategy, const struct darn_choice *choice)
{
    return strategy->all || (strategy->interest && object_of(choice) == strategy->interest);
}

static uint64_t weight_of(const struct darn_strategy *strategy, const struct darn_choice *choice)
{
    uint64_t expected = strategy->plan->expected[choice->slot];
    uint64_t made = is_named(strategy) ? strategy->slots[choice->slot].made : choice->own;
    uint64_t weight = expected > made ? expected - made : 1;

    return choice->thread == 0 ? weight + strategy->unseen : weight;
}

/* Of those that did not yield, or of all if that is none, by weight. */
static uint32_t draw(struct darn_strategy *strategy, const struct darn_situation *situation,
                     bool all)
{
    uint64_t total = 0, left;

    for (uint32_t i = 0; i < situation->count; i++)
        if (all || !situation->choices[i].yielded)
            total += weight_of(strategy, &situation->choices[i]);
    left = darn_random_below(&strategy->random, total);
    for (uint32_t i = 0;; i++) {
        uint64_t weight = weight_of(strategy, &situation->choices[i]);

        if (!all && situation->choices[i].yielded)
            continue;
        if (left < weight)
            return i;
        left -= weight;
    }
}

/* A step of no interest, or that of the thread that was drawn; the count when there is none. */
static uint32_t pick_free(struct darn_strategy *strategy, const struct darn_situation *situation,
                          bool all)
{
    uint64_t free[DARN_SLOTS / 64] = {0};

    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];

        if ((all || !choice->yielded) &&
            (choice->thread + 1 == strategy->intended || !is_of_interest(strategy, choice)))
            darn_bit_set(free, i);
    }
    return darn_hold_random(strategy, situation, free, true);
}

/* Draws the thread that makes the next step of interest. After a fruitless draw it is one of those
 * that stand before such a step, however little they weigh. */
static void intend(struct darn_strategy *strategy, const struct darn_situation *situation, bool all)
{
    uint64_t stand[DARN_SLOTS / 64] = {0};
    uint32_t drawn = situation->count;

    if (strategy->intended) {
        for (uint32_t i = 0; i < situation->count; i++)
            if (is_of_interest(strategy, &situation->choices[i]))
                darn_bit_set(stand, i);
        drawn = darn_hold_random(strategy, situation, stand, true);
    }
    if (drawn == situation->count)
        drawn = draw(strategy, situation, all);
    strategy->intended = situation->choices[drawn].thread + 1;
    strategy->idle = 0;
}

static void note_step(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    if (is_of_interest(strategy, choice)) {
        strategy->slots[choice->slot].made++;
        strategy->intended = 0;
    } else if (choice->op == DARN_STEP_EXIT && choice->thread + 1 == strategy->intended) {
        strategy->intended = 0;
    }
}

uint32_t darn_pick_surw(struct darn_strategy *strategy, const struct darn_situation *situation,
                        struct darn_met *met)
{
    bool all = true;
    uint32_t picked;

    if (situation->waking)
        return darn_pick_random(strategy, situation, met);
    look_around(strategy, situation);
    for (uint32_t i = 0; i < situation->count && all; i++)
        all = situation->choices[i].yielded;
    if (!strategy->intended || ++strategy->idle > FRUITLESS_PICKS)
        intend(strategy, situation, all);
    picked = pick_free(strategy, situation, all);
    /* The one that was drawn cannot go on, or yields: another one takes its place. */
    if (picked == situation->count)
        picked = draw(strategy, situation, all);
    note_step(strategy, &situation->choices[picked]);
    return picked;
}
