/*
 * TRIPLE, QUAD: the accesses of a thread count only if they are of one transaction, as the
 * prediction has it (engine/atomicity/transactions.h): of one execution of a function or annotated
 * block, or of one critical section; and the thread has neither started nor waited for others in
 * between.
 *
 * Where it cannot be known, because a function was left by longjmp, say, or is inlined into itself,
 * an execution is taken to be over: something may be missed by that, but nothing is met that is
 * none.
 */
#include "schedule/strategy_private.h"

static const struct {
    enum darn_aim_kind unit, section;
} aims[2] = {
    {DARN_AIM_UNIT, DARN_AIM_SECTION},
    {DARN_AIM_REMOTE_UNIT, DARN_AIM_REMOTE_SECTION},
};

/* What the thread was in the middle of, as the one or as the other, is over. */
static void drop(struct darn_strategy *strategy, const struct darn_choice *choice, bool remote)
{
    if (!remote)
        darn_between_leave(strategy, choice);
    else if (strategy->quad)
        darn_quad_drop_remote(strategy, choice->slot);
}

/* Where engines end a transaction. */
static bool is_boundary(const struct darn_choice *choice)
{
    switch (choice->op) {
    case DARN_STEP_START:
    case DARN_STEP_WAIT:
    case DARN_STEP_TAKE:
    case DARN_STEP_BARRIER:
    case DARN_STEP_ONCE:
    case DARN_STEP_CREATE:
    case DARN_STEP_JOIN:
    case DARN_STEP_EXIT:
    case DARN_STEP_FINISH:
        return true;
    default:
        return choice->received;
    }
}

void darn_unit_step(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    bool is_cut = is_boundary(choice);

    for (int i = 0; i < 2; i++) {
        bool has_section = darn_plan_has(strategy->plan, aims[i].section);

        /* Who holds no lock before a step has given back the last one: also that is a step. */
        if ((has_section && !choice->locks) ||
            (is_cut && (has_section || darn_plan_has(strategy->plan, aims[i].unit))))
            drop(strategy, choice, i);
    }
}

bool darn_unit_has(struct darn_strategy *strategy, const struct darn_choice *choice, bool remote)
{
    const struct darn_plan *plan = strategy->plan;

    if (darn_plan_has(plan, aims[remote].section) && !choice->locks)
        return false;
    return !darn_plan_has(plan, aims[remote].unit) ||
           darn_strategy_slot(strategy, choice)->units[remote].depth;
}

bool darn_strategy_wants_ends(const struct darn_strategy *strategy)
{
    return strategy->triple && (darn_plan_has(strategy->plan, DARN_AIM_UNIT) ||
                                darn_plan_has(strategy->plan, DARN_AIM_REMOTE_UNIT));
}

void darn_strategy_begin(struct darn_strategy *strategy, uint32_t slot, uint32_t thread,
                         const struct darn_strategy_scope *scope)
{
    const struct darn_choice self = {.slot = slot, .thread = thread};

    for (int i = 0; strategy->triple && i < 2; i++) {
        struct darn_strategy_unit *unit = &darn_strategy_slot(strategy, &self)->units[i];

        if (!darn_aims_at(strategy->plan, aims[i].unit, scope->place))
            continue;
        /* Recursion is deeper in the stack than what it is in. */
        if (unit->depth && scope->frame < unit->frame) {
            unit->depth++;
            continue;
        }
        *unit = (struct darn_strategy_unit){scope->frame, scope->name, 1};
        drop(strategy, &self, i);
    }
}

void darn_strategy_end(struct darn_strategy *strategy, uint32_t slot, uint32_t thread,
                       const struct darn_strategy_scope *scope)
{
    const struct darn_choice self = {.slot = slot, .thread = thread};

    for (int i = 0; strategy->triple && i < 2; i++) {
        struct darn_strategy_unit *unit = &darn_strategy_slot(strategy, &self)->units[i];

        if (!darn_aims_at(strategy->plan, aims[i].unit, scope->place) &&
            !(unit->depth && scope->name && scope->name == unit->name))
            continue;
        if (unit->depth && --unit->depth)
            continue;
        drop(strategy, &self, i);
    }
}
