/*
 * The lead of a RACE: which synchronization happens, and in what order, before two threads stand at
 * the two places (engine/race/lead.h). Its thread goes on until it makes the step that comes next;
 * the last two steps, without an op, are the places themselves.
 *
 * Where the thread cannot go on, or does nothing but wait, others may, as long as they do not
 * synchronize: what it waits for may be a value. When the program does something else than in the
 * run that was recorded, the lead is over, and the rest is RACE.
 */
#include "schedule/block.h"
#include "schedule/strategy_private.h"

/* A lock is taken back after a wait by a step of its own. */
static uint8_t op_of(const struct darn_choice *choice)
{
    return choice->op == DARN_STEP_RELOCK ? DARN_STEP_LOCK : choice->op;
}

/* Whether a lead names steps of this kind. A TRYLOCK that fails is in no trace. */
static bool is_named(const struct darn_choice *choice)
{
    switch (op_of(choice)) {
    case DARN_STEP_LOCK:
    case DARN_STEP_UNLOCK:
    case DARN_STEP_READLOCK:
    case DARN_STEP_WRITELOCK:
    case DARN_STEP_RWUNLOCK:
    case DARN_STEP_WAIT:
    case DARN_STEP_SIGNAL:
    case DARN_STEP_BROADCAST:
    case DARN_STEP_TAKE:
    case DARN_STEP_POST:
    case DARN_STEP_BARRIER:
    case DARN_STEP_CREATE:
    case DARN_STEP_JOIN:
        return true;
    default:
        return false;
    }
}

static bool is_at(const struct darn_strategy *strategy, const struct darn_choice *choice, int side)
{
    return darn_aims_at(strategy->plan, side ? DARN_AIM_SECOND : DARN_AIM_FIRST, choice->place);
}

/* Somebody else; the count when there is nobody. */
static uint32_t find_other(const struct darn_strategy *strategy,
                           const struct darn_situation *situation, uint32_t thread,
                           const uint64_t *postponed)
{
    uint32_t found = situation->count;

    for (uint32_t i = 0; i < situation->count; i++) {
        const struct darn_choice *choice = &situation->choices[i];

        if (choice->thread == thread || darn_bit(postponed, i) || is_named(choice) ||
            is_at(strategy, choice, 0) || is_at(strategy, choice, 1))
            continue;
        if (!choice->yielded)
            return i;
        found = i;
    }
    return found;
}

static uint32_t give_up(struct darn_strategy *strategy, const struct darn_situation *situation)
{
    strategy->led = strategy->plan->lead_count;
    return situation->count;
}

static void next(struct darn_strategy *strategy)
{
    strategy->led++;
    strategy->visits = 0;
}

uint32_t darn_lead_pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                        uint64_t *postponed)
{
    while (strategy->led < strategy->plan->lead_count) {
        const struct darn_step *step = &strategy->steps[strategy->led];
        uint32_t found = darn_strategy_find(situation, step->thread), other;
        const struct darn_choice *choice = &situation->choices[found];
        bool can_go = found < situation->count;

        if (!can_go || choice->yielded) {
            other = find_other(strategy, situation, step->thread, postponed);
            if (other < situation->count)
                return other;
            if (!can_go)
                return give_up(strategy, situation);
        }
        if (is_named(choice)) {
            if (op_of(choice) != step->op)
                return give_up(strategy, situation);
            next(strategy);
            return found;
        }
        if (step->op != DARN_STEP_NONE || !is_at(strategy, choice, step->flags) ||
            ++strategy->visits < step->object)
            return found;
        next(strategy);
        if (strategy->led == strategy->plan->lead_count)
            return found;
        (void)darn_hold_expired(strategy, choice);
        darn_bit_set(postponed, found);
    }
    return situation->count;
}
