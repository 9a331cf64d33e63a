#include "schedule/strategy_private.h"

static darn_strategy_picker *const pickers[DARN_STRATEGIES] = {
    [DARN_STRATEGY_STRAIGHT] = darn_pick_straight, [DARN_STRATEGY_RANDOM] = darn_pick_random,
    [DARN_STRATEGY_PCT] = darn_pick_pct,           [DARN_STRATEGY_POS] = darn_pick_pos,
    [DARN_STRATEGY_SURW] = darn_pick_surw,         [DARN_STRATEGY_FOLLOW] = darn_pick_follow,
    [DARN_STRATEGY_SCRIPT] = darn_pick_script,     [DARN_STRATEGY_AIM] = darn_pick_aim,
    [DARN_STRATEGY_RACE] = darn_pick_race,         [DARN_STRATEGY_ORDER] = darn_pick_race,
    [DARN_STRATEGY_TRIPLE] = darn_pick_triple,     [DARN_STRATEGY_QUAD] = darn_pick_quad,
    [DARN_STRATEGY_DELAY] = darn_pick_delay,
};

void darn_strategy_start(struct darn_strategy *strategy, const struct darn_plan *plan,
                         const struct darn_step *steps, const struct darn_switch *switches)
{
    strategy->plan = plan;
    strategy->steps = steps;
    strategy->switches = switches;
    /* Seeds are small numbers that follow each other: the walks shall have nothing in common. */
    strategy->random = darn_mix(plan->seed + DARN_HASH_GOLDEN);
    strategy->quad = darn_plan_has(plan, DARN_AIM_FOURTH);
    strategy->triple = strategy->quad || darn_plan_has(plan, DARN_AIM_THIRD);
    if (plan->kind == DARN_STRATEGY_PCT)
        darn_pct_start(strategy);
    else if (plan->kind == DARN_STRATEGY_SURW)
        darn_surw_start(strategy);
    else if (plan->kind == DARN_STRATEGY_SCRIPT)
        darn_script_start(strategy);
}

uint32_t darn_strategy_pick(struct darn_strategy *strategy, const struct darn_situation *situation,
                            struct darn_met *met)
{
    uint32_t kind = strategy->plan->kind, picked;

    *met = (struct darn_met){.kind = DARN_MET_NOTHING};
    if (kind >= DARN_STRATEGIES)
        kind = DARN_STRATEGY_STRAIGHT;
    picked = pickers[kind](strategy, situation, met);
    if (strategy->triple && !situation->waking && picked < situation->count)
        (strategy->quad ? darn_quad_observe : darn_triple_observe)(strategy, situation, picked,
                                                                   met);
    return picked;
}

bool darn_strategy_ends_late(const struct darn_strategy *strategy)
{
    uint32_t kind = strategy->plan->kind;

    if (kind == DARN_STRATEGY_ORDER)
        return false; /* what comes too late may be just what is done at the end */
    return kind == DARN_STRATEGY_STRAIGHT || kind == DARN_STRATEGY_DELAY ||
           kind == DARN_STRATEGY_SCRIPT || kind == DARN_STRATEGY_FOLLOW ||
           darn_mix(strategy->plan->seed ^ DARN_STEP_FINISH) & 1;
}

static bool touches_memory(const struct darn_choice *choice)
{
    /* A file descriptor is none, and what its steps are about is the world. */
    return darn_step_is_access(choice->op) ||
           (darn_step_ends(choice->op) && (!choice->used || choice->used == choice->object));
}

/* Whether the one ends what the other uses. Two ends are none: in between the object may begin
 * again. */
static bool is_end_of(const struct darn_choice *end, const struct darn_choice *use)
{
    return darn_step_ends(end->op) && use->used && !darn_step_ends(use->op) &&
           darn_strategy_overlap(end->used ? end->used : end->object, end->size, use->used, 1);
}

bool darn_choices_conflict(const struct darn_choice *a, const struct darn_choice *b)
{
    return a->object && b->object && (darn_step_changes(a->op) || darn_step_changes(b->op)) &&
           darn_strategy_overlap(a->object, a->size, b->object, b->size);
}

bool darn_choices_race(const struct darn_choice *a, const struct darn_choice *b)
{
    if (a->thread == b->thread)
        return false;
    if (is_end_of(a, b) || is_end_of(b, a))
        return true;
    return touches_memory(a) && touches_memory(b) && !(a->atomic && b->atomic) &&
           !(a->is_assertion && b->is_assertion) &&
           !(a->op == DARN_STEP_DESTROY && b->op == DARN_STEP_DESTROY) &&
           darn_choices_conflict(a, b);
}
