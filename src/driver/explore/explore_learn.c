/*
 * The first run of an exploration learns which sites share memory, and is the first of the search,
 * too. It stops at every access, and afterwards the steps of those sites are left out that turned
 * out to share nothing. What is left is what the same run would have been, had it been known
 * before.
 */
#include <string.h>

#include "driver/explore/exploration.h"

/* From so many steps in a row on a run is not what it is with fewer of them: a thread loses its
 * turn (turn.c), and not every access is a step (turn_access.c). */
#define MOST_KEPT 4000

struct armed_places {
    const struct darn_control_block *block;
    struct darn_map unarmed; /* the places of sites that are no scheduling points */
};

static void list_unarmed(struct armed_places *places)
{
    const struct darn_control_block *block = places->block;

    for (uint32_t i = 0; i < block->site_count && i < DARN_BLOCK_SITES; i++)
        if (!(block->sites[i] & DARN_SITE_IS_ARMED) && block->site_places[i])
            darn_map_put(&places->unarmed, (uintptr_t)block->site_places[i], 1);
}

static bool is_left_out(const struct armed_places *places, uint64_t place)
{
    return darn_map_get(&places->unarmed, (uintptr_t)place, 0);
}

static void leave_out_steps(const struct armed_places *places, struct darn_control_block *block)
{
    struct darn_result *result = &block->result;
    uint64_t kept = 0;

    for (uint64_t i = 0; i < result->steps; i++) {
        const struct darn_step *step = &block->steps[i];

        if (!darn_step_is_access(step->op) || !is_left_out(places, step->place)) {
            block->steps[kept++] = *step;
            continue;
        }
        result->choices -= !(step->flags & DARN_STEP_ALONE);
        result->steps_of[step->slot]--;
    }
    result->steps = kept;
}

static void leave_out_reads(const struct armed_places *places, struct darn_control_block *block)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < block->result.read_count; i++) {
        struct darn_block_read read = block->reads[i];

        if (is_left_out(places, read.read) || is_left_out(places, read.write))
            continue;
        block->reads[kept++] = read;
    }
    block->result.read_count = kept;
}

/* Whether the run is one of the search but for the steps that are left out. What has failed is run
 * once more: a schedule that is kept names what was armed. */
static bool is_like_others(const struct darn_player *player)
{
    const struct darn_result *result = &player->block->result;

    return player->how == DARN_SERVER_RAN && player->judged.kind == DARN_VERDICT_OK &&
           result->end == DARN_END_EXIT && result->steps < MOST_KEPT && !result->pending &&
           !result->met_count && result->read_count < DARN_BLOCK_READS;
}

/* The portfolio begins with what shows most bugs at once. A systematic search begins where nobody
 * is interrupted, and races are met in any run. */
static enum darn_strategy_kind first_kind(const struct darn_explore_options *options)
{
    bool delays = options->search.kind == DARN_SEARCH_PORTFOLIO && !options->races;

    return delays ? DARN_STRATEGY_DELAY : DARN_STRATEGY_STRAIGHT;
}

/* How the run fails is a finding only if the program does not always do that: it is looked at when
 * that is known. */
static void keep_failure(struct darn_exploration *exploration, struct darn_player *player)
{
    player->block->result.pending = 0;
    exploration->first_fails = darn_player_take(player);
    exploration->learning--;
    exploration->schedules = exploration->begun = 1;
}

static bool fails_delayed(const struct darn_exploration *exploration)
{
    const struct darn_player *player = &exploration->players[0];

    return exploration->first_kind == DARN_STRATEGY_DELAY && player->how == DARN_SERVER_RAN &&
           darn_verdict_is_failure(player->judged.kind);
}

bool darn_exploration_learn(struct darn_exploration *exploration)
{
    struct darn_player *player = &exploration->players[0];
    struct darn_control_block *block = player->block;
    struct armed_places places = {.block = block};
    double start = darn_clock();
    bool fails;

    darn_server_arm(player->server, NULL, SIZE_MAX);
    block->request.flags = darn_exploration_flags(exploration, true);
    memset(&block->request.plan, 0, sizeof(block->request.plan));
    block->request.plan.kind = exploration->first_kind = first_kind(exploration->options);
    if (!darn_player_run(player))
        return false;
    exploration->learning++;
    exploration->looked_at = block->result.looked_at;
    darn_server_arm_shared(player->server);
    fails = fails_delayed(exploration);
    if (!fails && !is_like_others(player))
        return true;
    list_unarmed(&places);
    leave_out_steps(&places, block);
    leave_out_reads(&places, block);
    darn_map_free(&places.unarmed);
    if (fails) {
        keep_failure(exploration, player);
        return true;
    }
    block->result.new_shared = 0; /* they are armed already */
    exploration->seconds = darn_clock() - start;
    exploration->has_first = true;
    return true;
}
