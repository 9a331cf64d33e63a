/*
 * A schedule of what threads met is cut where they met. The run goes straight on from there: it is
 * the same run each time, and what it leads to is seen without a list of who went on.
 *
 * Which of the two goes first, or what is done next, may decide what that is. Then a few steps more
 * belong to the schedule.
 */
#include <stdlib.h>
#include <string.h>

#include "driver/play/shrinking_private.h"

#define MOST_TAIL 8

/* The run that is to be cut. */
struct original {
    struct darn_step *steps;
    size_t count;
    uint64_t met;
};

/* Whether somebody outside has a say in how the run goes on: then every step must be told. */
static bool is_disturbed(const struct darn_player *player, uint64_t from)
{
    const struct darn_result *result = &player->block->result;

    if (player->judge.with || result->stuck || result->processes || result->unrecorded)
        return true;
    for (size_t i = from; i < darn_shrinking_made(player); i++)
        if (player->block->steps[i].op == DARN_STEP_CALL ||
            player->block->steps[i].flags & DARN_STEP_FORCED)
            return true;
    return false;
}

/* Only the switches of the first steps, and straight on. */
static bool is_enough(struct darn_shrinking *shrinking, const struct original *original)
{
    size_t count, steps = original->met + shrinking->tail;
    struct darn_switch *list = darn_switches_of(
        original->steps, steps < original->count ? steps : original->count, &count);
    bool shown = count <= DARN_BLOCK_SWITCHES;

    shrinking->runs++;
    shown = shown && darn_player_script(shrinking->player, shrinking->schedule, list, count) &&
            darn_shrinking_look(shrinking, true);
    free(list);
    return shown;
}

static void find_tail(struct darn_shrinking *shrinking, const struct original *original)
{
    shrinking->cuts = true;
    for (uint64_t tail = 0; tail <= MOST_TAIL; tail = tail ? 2 * tail : 1) {
        shrinking->tail = tail;
        if (darn_clock() > shrinking->until)
            break;
        if (is_enough(shrinking, original)) {
            darn_shrinking_keep(shrinking);
            return;
        }
    }
    shrinking->cuts = false;
}

void darn_shrinking_cut(struct darn_shrinking *shrinking)
{
    struct darn_player *player = shrinking->player;
    struct original original = {.count = darn_shrinking_made(player)};

    if (!shrinking->symptom.met || shrinking->symptom.kind == DARN_VERDICT_HANG ||
        !darn_player_meets(player, shrinking->symptom.id, &original.met) ||
        original.met > original.count || is_disturbed(player, original.met))
        return;
    original.steps = malloc((original.count + 1) * sizeof(*original.steps));
    if (!original.steps)
        return;
    memcpy(original.steps, player->block->steps, original.count * sizeof(*original.steps));
    find_tail(shrinking, &original);
    free(original.steps);
}
