/*
 * Whether a run that did not end really hangs.
 *
 * A strategy may be unfair: it lets one thread go on and on that waits, in a way that nobody
 * recognises, for another one. And a machine may be busy. So the schedule is followed once more,
 * from its end on every thread gets its turn (FOLLOW goes straight on, with patience), and there is
 * more time. Only what does not end then, either, hangs.
 */
#include "driver/explore/exploration.h"

#define STEPS_OF_A_TURN 10000 /* as many as straight on gives a thread that others wait for */
#define TURNS           20    /* of each thread */
#define TIME_FACTOR     3

bool darn_exploration_hangs(struct darn_player *player, const struct darn_schedule *schedule)
{
    struct darn_schedule longer = *schedule;
    uint32_t timeout = player->judge.timeout_ms;
    bool ran;

    longer.max_steps +=
        (uint64_t)TURNS * STEPS_OF_A_TURN * (player->block->result.threads_made + 1);
    darn_server_set_timeout(player->server, timeout * TIME_FACTOR);
    ran = darn_player_follow(player, &longer, 0);
    darn_server_set_timeout(player->server, timeout);
    return ran && player->judged.kind == DARN_VERDICT_HANG;
}
