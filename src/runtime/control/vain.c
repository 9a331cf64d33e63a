#include "runtime/control/vain.h"

#include "runtime/control/control.h"

/* A place may be come to once more than ever before, but not much later: the run goes on for as
 * long again as it took to the last time, and for so many steps. */
#define STEPS 1000

static bool aims_to_meet(const struct darn_plan *plan)
{
    return plan->kind == DARN_STRATEGY_RACE || plan->kind == DARN_STRATEGY_ORDER ||
           plan->kind == DARN_STRATEGY_TRIPLE || plan->kind == DARN_STRATEGY_QUAD;
}

/* Which of request.visits the place counts for, as bits. */
static uint32_t sides_of(const struct darn_plan *plan, uint64_t place)
{
    uint32_t sides = 0;

    for (uint32_t i = 0; i < plan->aim_count && i < DARN_AIMS; i++)
        if (plan->aims[i].place == place)
            sides |= plan->aims[i].kind == DARN_AIM_FIRST ? 1 : 2;
    return sides;
}

static bool are_past(const struct darn_request *request, const struct darn_result *result)
{
    return request->visits[0] && request->visits[1] && !result->met_count &&
           result->visits[0] >= request->visits[0] && result->visits[1] >= request->visits[1];
}

bool darn_vain_step(const struct darn_choice *choices, uint32_t count, uint32_t picked,
                    uint64_t steps)
{
    static uint64_t visited; /* the number of the last step to one of the places */
    const struct darn_request *request = &darn_control->request;
    struct darn_result *result = &darn_control->result;
    uint32_t sides;

    if (!aims_to_meet(&request->plan))
        return false;
    sides = sides_of(&request->plan, choices[picked].place);
    result->visits[0] += sides & 1;
    result->visits[1] += sides >> 1;
    if (sides)
        visited = steps;
    if (!are_past(request, result) || steps <= 2 * visited + STEPS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (sides_of(&request->plan, choices[i].place))
            return false;
    return true;
}
