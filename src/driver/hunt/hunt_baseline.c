/*
 * What the program does when nobody interferes: how it ends, and what it prints. Later runs are
 * compared with that.
 */
#include <string.h>

#include "base/hash.h"
#include "driver/hunt/hunt.h"

/* The same schedule a few times shows what differs from run to run; others, without a single
 * access being interrupted, show what depends on the schedule anyway. */
#define STRAIGHT_RUNS 3
#define RANDOM_RUNS   8

#define SHARE 0.1 /* of the whole time, for all of them */

/* False when no run could be made. */
static bool run(struct darn_hunt *hunt, struct darn_player *player, enum darn_strategy_kind kind,
                uint64_t seed)
{
    struct darn_request *request = &player->block->request;

    request->flags = 0;
    request->time = 0;
    request->max_steps = hunt->max_steps;
    memset(&request->plan, 0, sizeof(request->plan));
    request->plan.kind = kind;
    request->plan.seed = seed;
    hunt->runs++;
    return darn_player_run(player);
}

static void compare_from_now_on(struct darn_hunt *hunt, uint64_t hash)
{
    for (uint32_t i = 0; i < hunt->exploration.player_count; i++) {
        hunt->exploration.players[i].judge.compare = true;
        hunt->exploration.players[i].judge.hash = hash;
    }
}

static void say_if_it_fails(struct darn_hunt *hunt)
{
    for (int kind = 0; kind < DARN_VERDICTS; kind++)
        if (hunt->straight[kind] && darn_verdict_is_failure(kind))
            darn_tell_note(hunt->listener, "note: it fails when no thread is interrupted, too (%s)",
                           darn_verdict_word(kind));
}

/* The same status is the same end, wherever it comes from. */
static uintptr_t usual_key(const struct darn_player *player, const struct darn_finding *failure)
{
    const char *name = player->judged.kind == DARN_VERDICT_EXIT ? player->judged.text : failure->id;

    return darn_hash_string(DARN_HASH_START, name) | 1;
}

static void note_usual(struct darn_hunt *hunt, struct darn_player *player)
{
    struct darn_finding *failure = darn_player_finding(player, "", false);

    if (failure && failure->id)
        darn_map_put(&hunt->usual, usual_key(player, failure), 1);
    darn_map_put(&hunt->usual, darn_hunt_end_of(player), 1);
    darn_finding_free(failure);
}

bool darn_hunt_fails_so(const struct darn_hunt *hunt, const struct darn_player *player,
                        const struct darn_finding *failure)
{
    /* A deadlock is a finding all the same, and so is what the user's own oracle says. */
    return darn_finding_is(failure, "failure") && player->judged.kind != DARN_VERDICT_ORACLE &&
           darn_map_get(&hunt->usual, usual_key(player, failure), 0);
}

void darn_hunt_baseline(struct darn_hunt *hunt)
{
    struct darn_player *player = &hunt->exploration.players[0];
    double until = darn_clock() + (hunt->until - hunt->started) * SHARE;
    bool is_stable = true, any = false;
    uint64_t hash = 0;

    hunt->max_steps = player->block->request.max_steps;
    darn_server_arm(player->server, NULL, 0);
    if (hunt->exploration.is_endless)
        return; /* none comes to its end */
    for (int i = 0; i < STRAIGHT_RUNS + RANDOM_RUNS; i++) {
        bool straight = i < STRAIGHT_RUNS;

        if (i && darn_clock() > until) {
            hunt->uncompared = true; /* too few to know */
            break;
        }
        if (!run(hunt, player, straight ? DARN_STRATEGY_STRAIGHT : DARN_STRATEGY_RANDOM,
                 (uint64_t)i))
            return;
        hunt->straight[player->judged.kind] |= straight;
        if (player->judged.kind != DARN_VERDICT_OK) {
            if (straight && darn_verdict_is_failure(player->judged.kind))
                note_usual(hunt, player);
            (void)darn_hunt_look(hunt, player);
            continue;
        }
        hunt->fine = true;
        is_stable &= !any || darn_server_output_hash(player->server) == hash;
        hash = darn_server_output_hash(player->server);
        any = true;
    }
    if (any && is_stable && !hunt->uncompared && !hunt->options.oracle)
        compare_from_now_on(hunt, hash);
    say_if_it_fails(hunt);
}
