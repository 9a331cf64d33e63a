/*
 * A run that was cut off: what becomes of it when every thread gets its turn.
 *
 * A strategy may be unfair: it lets one thread go on and on that waits, in a way that nobody
 * recognises, for another one. And a machine may be busy. So the schedule is followed once more,
 * from its end on every thread gets its turn, and there is more time. What ends then was only long.
 * It hangs if the same state comes again (runtime/control/livelock.h); what is cut off once more
 * says nothing.
 */
#include "driver/explore/exploration.h"

#define STEPS_OF_A_TURN 10000
#define TURNS           20 /* of each thread */
#define MOST_VAIN       4  /* such runs that have shown nothing, until no others are made */

bool darn_exploration_follow(struct darn_player *player, const struct darn_schedule *schedule)
{
    uint32_t timeout = player->judge.timeout_ms;
    bool ran;

    darn_server_set_timeout(player->server, timeout * DARN_PATIENT);
    ran = darn_player_follow(player, schedule, 0);
    darn_server_set_timeout(player->server, timeout);
    return ran;
}

static bool follow_fairly(struct darn_player *player, struct darn_schedule *schedule)
{
    schedule->fair_from = schedule->step_count;
    schedule->run_flags |= DARN_RUN_PROVE;
    schedule->max_steps +=
        (uint64_t)TURNS * STEPS_OF_A_TURN * (player->block->result.threads_made + 1);
    return darn_exploration_follow(player, schedule);
}

/* Whether its like has not been here. */
static bool is_new(struct darn_exploration *exploration, const struct darn_player *player)
{
    uintptr_t fingerprint = darn_exploration_fingerprint(player, NULL);

    if (darn_map_get(&exploration->long_ones, fingerprint, 0))
        return false;
    darn_map_put(&exploration->long_ones, fingerprint, 1);
    return true;
}

void darn_exploration_cut(struct darn_exploration *exploration, struct darn_player *player)
{
    uint64_t *count =
        player->how == DARN_SERVER_TIMEOUT ? &exploration->cut_by_time : &exploration->cut_by_steps;
    uint64_t max_steps = player->block->request.max_steps;
    struct darn_schedule *schedule;

    if (max_steps > exploration->max_steps)
        exploration->max_steps = max_steps;
    ++*count;
    darn_exploration_note_wait(exploration, player);
    if (exploration->is_endless || exploration->vain >= MOST_VAIN || !is_new(exploration, player))
        return;
    schedule = darn_player_take(player);
    exploration->vain += !schedule || !follow_fairly(player, schedule) ||
                         !darn_verdict_is_failure(player->judged.kind);
    *count -= player->judged.kind == DARN_VERDICT_HANG;
    darn_schedule_free(schedule);
}
