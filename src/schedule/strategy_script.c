/*
 * SCRIPT: straight on, but for the given switches.
 *
 * A step is known by its thread and its number among the steps of that thread, not by its number in
 * the run: taking one switch away leaves the meaning of the others as it was, which is what a
 * search and a shrinking of schedules need. Every run can be written down so: after each step of a
 * run at most one decision is due, and it belongs to the next step of the thread that made the last
 * one, whether it could have gone on or not.
 *
 * Most steps have no switch, and a script may have many: an index by hash says so at once.
 */
#include "schedule/strategy_private.h"

static uint32_t bucket_of(uint32_t thread, uint32_t own)
{
    return (uint32_t)(darn_mix(((uint64_t)thread << 32) | own) % DARN_SCRIPT_BUCKETS);
}

void darn_script_start(struct darn_strategy *strategy)
{
    uint32_t count = strategy->plan->switch_count;

    /* From the end, so that of two switches for the same step the first one is found first. */
    for (uint32_t i = count < DARN_SCRIPT_SWITCHES ? count : DARN_SCRIPT_SWITCHES; i-- > 0;) {
        uint32_t bucket = bucket_of(strategy->switches[i].thread, strategy->switches[i].own);

        strategy->next_switch[i] = strategy->first_switch[bucket];
        strategy->first_switch[bucket] = i + 1;
    }
}

/* Where the script says to go at this step; the count when it names nobody who is enabled. */
static uint32_t told(const struct darn_strategy *strategy, const struct darn_situation *situation,
                     uint32_t thread, uint32_t own)
{
    uint32_t next = strategy->first_switch[bucket_of(thread, own)];

    for (; next; next = strategy->next_switch[next - 1]) {
        const struct darn_switch *at = &strategy->switches[next - 1];
        uint32_t found;

        if (at->thread != thread || at->own != own || (at->wakes != 0) != situation->waking)
            continue;
        found = darn_strategy_find(situation, at->to);
        if (found < situation->count)
            return found;
    }
    return situation->count;
}

static uint32_t pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                     struct darn_met *met)
{
    uint32_t found = situation->count;

    if (situation->current < situation->count && !situation->waking) {
        const struct darn_choice *current = &situation->choices[situation->current];

        found = told(strategy, situation, current->thread, current->own);
    } else if (strategy->last) {
        /* The situation does not show the thread that ran last: it is blocked, has ended, or is
         * amid the signal, which is its last step. */
        found =
            told(strategy, situation, strategy->last - 1, strategy->last_own + !situation->waking);
    }
    if (found == situation->count)
        return darn_pick_straight(strategy, situation, met);
    darn_straight_made(strategy, situation, found);
    return found;
}

uint32_t darn_pick_script(struct darn_strategy *strategy, const struct darn_situation *situation,
                          struct darn_met *met)
{
    uint32_t picked = pick(strategy, situation, met);

    if (!situation->waking) {
        strategy->last = situation->choices[picked].thread + 1;
        strategy->last_own = situation->choices[picked].own;
    }
    return picked;
}
