#include "search/park.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define VISITS  4096
#define THREADS 512 /* more are not parked */
#define SLEEPS  1024

/* The first time that a thread came to a place. */
struct visit {
    uint64_t place;
    uint32_t thread, own;
};

void darn_park_free(struct darn_park *park)
{
    darn_array_free(&park->visits);
    darn_array_free(&park->ends);
    darn_array_free(&park->sleeps);
    darn_map_free(&park->places);
    darn_map_free(&park->given);
}

void darn_park_forget(struct darn_park *park)
{
    park->visits.count = park->ends.count = park->sleeps.count = 0;
    darn_map_clear(&park->places);
    park->begin = 0;
}

/* Where the first thread cannot go on without the others, as a rule because it joins them. */
static uint32_t find_begin(const struct darn_trail *trail)
{
    for (uint32_t i = 0; i + 1 < trail->count; i++) {
        const struct darn_step *after = darn_trail_after(trail, i);

        if (trail->steps[i].thread == 0 && trail->steps[i + 1].thread != 0 &&
            !(after && darn_step_gives_way(after)))
            return trail->own[i] + 1;
    }
    return 0;
}

/* Whether the step is the thread's first at its place, and that is not known from a run before. */
static bool is_news(struct darn_park *park, struct darn_map *here, const struct darn_step *step)
{
    bool added;
    uintptr_t *run = darn_map_at(&park->places, step->place, &added);

    if (added)
        *run = park->runs;
    if (*run != park->runs)
        return false;
    darn_map_at(here, step->place ^ ((uint64_t)step->thread << 48), &added);
    return added;
}

/* What a plain run tells of the threads as a whole. */
static void learn_threads(struct darn_park *park, const struct darn_trail *trail)
{
    park->ends.count = park->sleeps.count = 0;
    park->begin = find_begin(trail);
    for (uint32_t i = 0; i < trail->count; i++) {
        const struct darn_step *step = &trail->steps[i];
        struct darn_switch *on;

        if (step->thread >= THREADS)
            continue;
        if (step->op == DARN_STEP_EXIT) {
            darn_array_reach(&park->ends, step->thread + 1, sizeof(uint32_t));
            ((uint32_t *)park->ends.at)[step->thread] = trail->own[i] + 1;
        }
        if (step->op != DARN_STEP_SLEEP || park->sleeps.count == SLEEPS)
            continue;
        on = darn_array_add(&park->sleeps, sizeof(*on));
        *on =
            (struct darn_switch){.thread = step->thread, .own = trail->own[i], .to = step->thread};
    }
}

void darn_park_learn(struct darn_park *park, const struct darn_trail *trail, bool plain)
{
    struct darn_map here = {0};

    park->runs++;
    if (plain)
        learn_threads(park, trail);
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
        *visit = (struct visit){step->place, step->thread, trail->own[i]};
    }
    darn_map_free(&here);
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

static bool begin(struct script *script, const struct darn_park *park)
{
    size_t most = 2 * THREADS + park->sleeps.count;

    *script = (struct script){.own = park->begin};
    script->at = malloc(most * sizeof(*script->at));
    return script->at != NULL;
}

static bool is_old(struct darn_park *park, const struct script *script)
{
    uint64_t hash = 0;
    bool added;

    for (uint32_t i = 0; i < script->count; i++) {
        const struct darn_switch *at = &script->at[i];

        hash = darn_mix_two(hash, ((uint64_t)at->thread << 32) | at->own);
        hash = darn_mix_two(hash, at->to);
    }
    darn_map_at(&park->given, hash, &added);
    return !added;
}

/* Gives the script to the task, or false if it is no good, or was given before. Where a thread is
 * parked right after it has slept the switch that parks it comes first and counts. */
static bool finish(struct script *script, struct darn_park *park, bool good, struct darn_task *task)
{
    if (!good || !script->count || is_old(park, script)) {
        free(script->at);
        return false;
    }
    if (park->sleeps.count)
        memcpy(script->at + script->count, park->sleeps.at,
               park->sleeps.count * sizeof(*script->at));
    script->count += (uint32_t)park->sleeps.count;
    task->switches = script->at;
    task->plan.kind = DARN_STRATEGY_SCRIPT;
    task->plan.switch_count = script->count;
    return true;
}

bool darn_park_give(struct darn_park *park, uint64_t place, struct darn_task *task)
{
    const struct visit *visits = park->visits.at;
    const uint32_t *ends = park->ends.at;
    bool parked[THREADS] = {false}, any = false;
    struct script script;

    if (!begin(&script, park))
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
    return finish(&script, park, any, task);
}

struct choice {
    uint32_t own; /* where the thread is parked; 0: nowhere */
    uint32_t weight;
    int score;
};

/* Parked before its first step a thread would have done nothing yet. */
static void choose_places(const struct darn_park *park, darn_park_score *score, const void *data,
                          uint64_t *random, struct choice *choices)
{
    const struct visit *visits = park->visits.at;

    for (size_t i = 0; i < park->visits.count; i++) {
        struct choice *choice = &choices[visits[i].thread];
        int worth = visits[i].own ? score(data, visits[i].place) : 0;
        bool better = worth > choice->score;

        if (worth <= 0)
            continue;
        choice->weight += (uint32_t)worth;
        if (random)
            better = darn_random_below(random, choice->weight) < (uint32_t)worth;
        if (better) {
            choice->own = visits[i].own;
            choice->score = worth;
        }
    }
}

/* The threads that are known to end, in some order. */
static uint32_t order_threads(const struct darn_park *park, uint64_t *random, uint32_t *order)
{
    const uint32_t *ends = park->ends.at;
    uint32_t count = 0;

    for (uint32_t i = 1; i < park->ends.count && i < THREADS; i++) {
        if (ends[i])
            order[count++] = i;
    }
    for (uint32_t i = count; random && i > 1; i--) {
        uint32_t other = darn_random_below(random, i), kept = order[i - 1];

        order[i - 1] = order[other];
        order[other] = kept;
    }
    return count;
}

bool darn_park_mix(struct darn_park *park, darn_park_score *score, const void *data,
                   uint64_t *random, struct darn_task *task)
{
    struct choice choices[THREADS] = {{0}};
    uint32_t order[THREADS], count = order_threads(park, random, order), parked = 0;
    const uint32_t *ends = park->ends.at;
    struct script script;

    if (!count || !begin(&script, park))
        return false;
    choose_places(park, score, data, random, choices);
    /* The first thread may have a place, too: before it waits for the others. */
    if (choices[0].own && choices[0].own < park->begin && (!random || darn_random_below(random, 2)))
        script.own = choices[0].own;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = choices[order[i]].own;

        if (random && darn_random_below(random, 4) == 0)
            own = 0;
        parked += own != 0;
        hand_over(&script, order[i], own ? own : ends[order[i]]);
    }
    hand_over(&script, order[0], 0);
    return finish(&script, park, parked > 0, task);
}
