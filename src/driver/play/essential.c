/*
 * Why a run fails: the switch without which it ends well. A schedule that was shrunk has few, and
 * most of them are needed for the bug to show; the last of these is nearest to it.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/play/shrinking_private.h"

#define MOST_RUNS    200
#define MOST_THREADS 16

struct essay {
    struct darn_shrinking *shrinking;
    struct darn_switch *list; /* of the run that fails */
    size_t count;
    struct darn_switch *tried; /* room for as many */
    uint64_t runs;
};

static bool run(struct essay *essay, size_t count)
{
    struct darn_shrinking *shrinking = essay->shrinking;

    essay->runs++;
    shrinking->runs++;
    shrinking->schedule->max_steps = shrinking->whole;
    return essay->runs < MOST_RUNS &&
           darn_player_script(shrinking->player, shrinking->schedule, essay->tried, count);
}

/* The player's last run is one with another decision at `step`. Only if somebody else went on there
 * was it that decision that mattered. */
static bool ends_well(struct essay *essay, size_t step, uint32_t thread)
{
    struct darn_player *player = essay->shrinking->player;

    if (player->judged.kind != DARN_VERDICT_OK || step >= darn_shrinking_made(player) ||
        player->block->steps[step].thread == thread)
        return false;
    essay->shrinking->schedule->essential = step;
    essay->shrinking->schedule->instead = player->block->steps[step].thread;
    return true;
}

/* Leaves a preemption out. */
static bool try_without(struct essay *essay, size_t index, size_t step)
{
    size_t behind = essay->count - index - 1;

    memcpy(essay->tried, essay->list, index * sizeof(*essay->list));
    memcpy(essay->tried + index, essay->list + index + 1, behind * sizeof(*essay->list));
    return run(essay, essay->count - 1) && ends_well(essay, step, essay->list[index].to);
}

/* Where a thread cannot go on anyway, each of the others is tried in the place of the one that did.
 */
static bool try_others(struct essay *essay, size_t index, size_t step)
{
    uint32_t threads = essay->shrinking->player->block->result.threads_made;

    memcpy(essay->tried, essay->list, essay->count * sizeof(*essay->list));
    for (uint32_t to = 0; to < threads && to < MOST_THREADS; to++) {
        essay->tried[index].to = to;
        if (to != essay->list[index].to && run(essay, essay->count) &&
            ends_well(essay, step, essay->list[index].to))
            return true;
    }
    return false;
}

/* The preemptions stand first in the list, then the other switches, each in the order of the run.
 */
static void search(struct essay *essay, const size_t *step_of)
{
    size_t preemptions = (size_t)essay->shrinking->after.preemptions;
    size_t switches = (size_t)essay->shrinking->after.switches;

    for (size_t i = preemptions; i-- > 0;)
        if (try_without(essay, i, step_of[i]))
            return;
    for (size_t i = switches; i-- > preemptions;)
        if (try_others(essay, i, step_of[i]))
            return;
}

/* The script of all switches must make the same run again, or leaving one out says nothing. */
static void find(struct essay *essay)
{
    const struct darn_player *player = essay->shrinking->player;
    size_t *step_of = calloc(essay->count, sizeof(*step_of));

    for (size_t i = 0; step_of && i < essay->count; i++)
        step_of[i] =
            darn_switches_step(player->block->steps, darn_shrinking_made(player), &essay->list[i]);
    memcpy(essay->tried, essay->list, essay->count * sizeof(*essay->list));
    if (step_of && run(essay, essay->count) &&
        darn_player_shows(essay->shrinking->player, &essay->shrinking->symptom))
        search(essay, step_of);
    free(step_of);
}

void darn_shrinking_find_essential(struct darn_shrinking *shrinking)
{
    const struct darn_player *player = shrinking->player;
    struct essay essay = {.shrinking = shrinking};

    essay.list = darn_switches_of(player->block->steps, darn_shrinking_made(player), &essay.count);
    if (essay.list && essay.count >= shrinking->after.switches &&
        essay.count <= DARN_BLOCK_SWITCHES &&
        (essay.tried = calloc(essay.count, sizeof(*essay.tried))))
        find(&essay);
    free(essay.list);
    free(essay.tried);
}

bool darn_play_otherwise(struct darn_player *player, const struct darn_schedule *schedule)
{
    size_t count, at = 0, steps;
    struct darn_switch *list;
    bool ran = false;

    if (!darn_player_follow(player, schedule, 0))
        return false;
    steps = darn_shrinking_made(player);
    list = darn_switches_of(player->block->steps, steps, &count);
    while (list && at < count &&
           (list[at].wakes ||
            darn_switches_step(player->block->steps, steps, &list[at]) != schedule->essential))
        at++;
    if (list && at < count) {
        list[at].to = (uint32_t)schedule->instead;
        ran = darn_player_script(player, schedule, list, count);
    }
    free(list);
    return ran;
}
