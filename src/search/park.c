#include "search/park.h"

#include <stdlib.h>

#define VISITS  16384
#define THREADS 512 /* more are not parked */

/* The first time that a thread came to a place. */
struct visit {
    uint64_t place;
    uint32_t thread, own;
};

void darn_park_free(struct darn_park *park)
{
    darn_array_free(&park->visits);
    darn_array_free(&park->ends);
    darn_table_free(&park->places);
}

/* Where the first thread cannot go on without the others, as a rule because it joins them. */
static uint32_t find_begin(const struct darn_trail *trail)
{
    for (uint32_t i = 0; i + 1 < trail->count; i++) {
        if (trail->steps[i].thread == 0 && trail->steps[i + 1].thread != 0)
            return trail->own[i] + 1;
    }
    return 0;
}

/* Whether the step is the thread's first at its place, and that is not known from a run before. */
static bool is_news(struct darn_park *park, struct darn_table *here, const struct darn_step *step)
{
    bool added;
    uint32_t *run = darn_table_at(&park->places, step->place, &added);

    if (!run)
        return false;
    if (added)
        *run = park->runs;
    if (*run != park->runs)
        return false;
    return darn_table_at(here, step->place ^ ((uint64_t)step->thread << 48), &added) && added;
}

static void find_ends(struct darn_park *park, const struct darn_trail *trail)
{
    park->ends.count = 0;
    park->begin = find_begin(trail);
    for (uint32_t i = 0; i < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];

        if (step->op == DARN_STEP_EXIT && step->thread < THREADS &&
            darn_array_reach(&park->ends, step->thread + 1, sizeof(uint32_t)))
            ((uint32_t *)park->ends.at)[step->thread] = trail->own[i] + 1;
    }
}

void darn_park_learn(struct darn_park *park, const struct darn_trail *trail, bool plain)
{
    struct darn_table here = {0};

    park->runs++;
    if (plain)
        find_ends(park, trail);
    for (uint32_t i = 0; i < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];
        struct visit *visit;

        if (darn_trail_is_wake(trail, i) || step->thread >= THREADS)
            continue;
        /* Before there are others the first thread has nobody to give way to. */
        if (step->thread == 0 && (step->flags & DARN_STEP_ALONE))
            continue;
        if (park->visits.count >= VISITS || !is_news(park, &here, step))
            continue;
        visit = darn_array_add(&park->visits, sizeof(*visit));
        if (visit)
            *visit = (struct visit){step->place, step->thread, trail->own[i]};
    }
    darn_table_free(&here);
}

struct script {
    struct darn_switch *at;
    uint32_t count;
    uint32_t thread, own; /* who gives way next, and where */
};

static void hand_over(struct script *script, uint32_t to, uint32_t own)
{
    if (script->own)
        script->at[script->count++] =
            (struct darn_switch){.thread = script->thread, .own = script->own, .to = to};
    script->thread = to;
    script->own = own;
}

bool darn_park_give(const struct darn_park *park, uint64_t place, struct darn_task *task)
{
    const struct visit *visits = park->visits.at;
    const uint32_t *ends = park->ends.at;
    bool parked[THREADS] = {false};
    struct script script = {.own = park->begin};
    bool any = false;

    script.at = malloc(2 * THREADS * sizeof(*script.at));
    if (!script.at)
        return false;
    for (size_t i = 0; i < park->visits.count; i++) {
        if (visits[i].place != place)
            continue;
        parked[visits[i].thread] = any = true;
        if (visits[i].thread == 0)
            script.own = visits[i].own; /* it is parked itself, before it waits for others */
    }
    for (size_t i = 0; any && i < park->visits.count; i++) {
        if (visits[i].place == place && visits[i].thread != 0)
            hand_over(&script, visits[i].thread, visits[i].own);
    }
    for (uint32_t i = 1; i < park->ends.count && i < THREADS; i++) {
        if (!parked[i] && ends[i])
            hand_over(&script, i, ends[i]);
    }
    if (!any || !script.count) {
        free(script.at);
        return false;
    }
    task->switches = script.at;
    task->plan.kind = DARN_STRATEGY_SCRIPT;
    task->plan.switch_count = script.count;
    return true;
}
