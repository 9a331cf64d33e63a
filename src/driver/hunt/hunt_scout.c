/*
 * Where there is no time for all trials of the predicted races, runs that try many of them at once
 * say which come first: a thread that comes to any of their places is held back until another one comes to
 * one of them, about the same memory (RaceFuzzer with a larger set). What is met so can happen; what
 * is not may have been in the way of others, and has its turn later.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/hunt/hunt.h"

#define ROUNDS 2   /* of all of them: who is held first depends on luck */
#define SHARE  0.2 /* of the time for trials */

struct scout {
    uint64_t keys[DARN_AIMS]; /* of the sites to be armed, sorted */
    uint32_t key_count;
    size_t begin, end; /* the targets of the run, and others in between */
};

static bool is_wanted(const struct darn_target *target)
{
    return target->kind == DARN_TARGET_RACE && !target->is_ours && !target->settled &&
           !target->begun && darn_hunt_can_try(target);
}

static void add_key(struct scout *scout, uint64_t key)
{
    uint32_t i = scout->key_count;

    for (uint32_t j = 0; j < scout->key_count; j++)
        if (scout->keys[j] == key)
            return;
    for (; i > 0 && scout->keys[i - 1] > key; i--)
        scout->keys[i] = scout->keys[i - 1];
    scout->keys[i] = key;
    scout->key_count++;
}

static bool has_room(const struct darn_plan *plan, const struct darn_target *target)
{
    return plan->aim_count + target->sides[0].count + target->sides[1].count <= DARN_AIMS;
}

/* As many targets as there is room for. */
static void gather(const struct darn_hunt *hunt, struct scout *scout, struct darn_plan *plan)
{
    scout->key_count = 0;
    for (scout->end = scout->begin; scout->end < hunt->target_count; scout->end++) {
        const struct darn_target *target = &hunt->targets[scout->end];

        if (!is_wanted(target))
            continue;
        if (!has_room(plan, target))
            return; /* alone any of them has */
        darn_plan_add_aims(plan, &target->sides[0], DARN_AIM_FIRST);
        darn_plan_add_aims(plan, &target->sides[1], DARN_AIM_SECOND);
        for (uint32_t i = 0; i < target->key_count; i++)
            add_key(scout, target->keys[i]);
    }
}

static void request(const struct darn_hunt *hunt, struct scout *scout, struct darn_player *player,
                    uint64_t seed)
{
    struct darn_request *to = &player->block->request;

    to->flags = (hunt->options.early ? DARN_RUN_EARLY : 0) |
                (hunt->options.report_spins ? DARN_RUN_SPIN_RACES : 0);
    to->time = 0;
    to->max_steps = hunt->max_steps;
    to->after_met = 0;
    to->visits[0] = to->visits[1] = 0;
    memset(&to->plan, 0, sizeof(to->plan));
    to->plan.kind = DARN_STRATEGY_RACE;
    to->plan.seed = hunt->options.seed * 1000003 + seed;
    gather(hunt, scout, &to->plan);
    darn_server_arm(player->server, scout->keys, scout->key_count);
}

/* How many were met that no run before has met. */
static size_t note(struct darn_hunt *hunt, const struct scout *scout,
                   const struct darn_player *player)
{
    size_t count = 0;

    for (size_t i = scout->begin; i < scout->end; i++) {
        struct darn_target *target = &hunt->targets[i];

        if (!is_wanted(target) || target->is_scouted ||
            !darn_hunt_met_race(target, &player->block->result))
            continue;
        target->is_scouted = true;
        count++;
    }
    return count;
}

/* Those that were met come first; else the order stays. */
static void sort(struct darn_hunt *hunt)
{
    struct darn_target *sorted = darn_need_zeroed(hunt->target_count, sizeof(*sorted));
    size_t at = 0;

    for (int later = 0; later < 2; later++)
        for (size_t i = 0; i < hunt->target_count; i++)
            if (hunt->targets[i].is_scouted == !later)
                sorted[at++] = hunt->targets[i];
    memcpy(hunt->targets, sorted, at * sizeof(*sorted));
    free(sorted);
}

void darn_hunt_scout(struct darn_hunt *hunt, double seconds)
{
    struct darn_player *player = &hunt->exploration.players[0];
    double until = darn_clock() + seconds * SHARE, all;
    size_t count = 0, met = 0;
    uint64_t runs = 0;
    struct scout scout;
    bool ran = true;

    for (size_t i = 0; i < hunt->target_count; i++)
        count += is_wanted(&hunt->targets[i]);
    all = (double)count * (double)hunt->options.trials *
          (hunt->exploration.used ? hunt->exploration.used : hunt->exploration.seconds);
    if (count < 2 || all < seconds * hunt->exploration.player_count)
        return;
    for (int round = 0; round < ROUNDS && ran; round++)
        for (scout.begin = 0; scout.begin < hunt->target_count; scout.begin = scout.end) {
            request(hunt, &scout, player, runs);
            if (!player->block->request.plan.aim_count || darn_clock() > until || darn_hunt_is_interrupted(hunt))
                break;
            ran = darn_player_run(player);
            runs++;
            if (!ran)
                break;
            met += note(hunt, &scout, player);
            (void)darn_hunt_look_at_end(hunt, player);
        }
    if (!runs)
        return;
    hunt->runs += runs;
    sort(hunt);
    darn_tell_note(hunt->listener, "prove: %zu of %zu races met in %llu runs that try many at once",
                   met, count, (unsigned long long)runs);
}
