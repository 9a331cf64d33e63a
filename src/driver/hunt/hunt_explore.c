/*
 * The third stage: schedules that no prediction asks for, with the search of darn explore, for
 * failures that nobody has predicted.
 */
#include <stdio.h>
#include <string.h>

#include "driver/hunt/hunt.h"
#include "driver/play/shrinking.h"

#define RESERVE 0.1 /* of the time for work, for what threads have met meanwhile */

/* With the lock. */
static void stop_when_barren(struct darn_hunt *hunt)
{
    struct darn_exploration *exploration = &hunt->exploration;
    uint64_t schedules = exploration->schedules;
    struct darn_search_stats stats;
    uint64_t harvest;

    darn_search_stats(exploration->search, &stats);
    harvest = stats.reads + exploration->armed_count + hunt->target_count +
              darn_index_proofs(&hunt->index) + hunt->failed_count;
    if (harvest != hunt->harvest) {
        hunt->harvest = harvest;
        hunt->harvested = darn_clock();
        hunt->up_to = schedules;
    } else if (darn_hunt_is_barren(hunt->started, hunt->harvested, darn_clock(),
                                   schedules - hunt->up_to)) {
        atomic_store(&exploration->enough, true);
        pthread_cond_broadcast(&exploration->changed);
    }
}

static void progress(struct darn_hunt *hunt, char *to, size_t size)
{
    stop_when_barren(hunt);
    snprintf(to, size, "explore: %llu schedules, %zu found so far",
             (unsigned long long)hunt->exploration.schedules, darn_index_proofs(&hunt->index));
}

static bool look(struct darn_exploration *exploration, struct darn_player *player,
                 uint64_t schedule)
{
    struct darn_hunt *hunt = darn_hunt_of(exploration);
    bool found;

    (void)schedule;
    hunt->failures += darn_verdict_is_failure(player->judged.kind);
    found = darn_hunt_look(hunt, player);
    if (!found)
        return false;
    darn_hunt_try_met(hunt, player);
    /* Other runs may have had their own. */
    darn_server_arm(player->server, exploration->armed, exploration->armed_count);
    player->block->request.max_steps = hunt->max_steps;
    return true;
}

/* What the runs of other stages have changed. */
static void set_up(struct darn_hunt *hunt)
{
    for (uint32_t i = 0; i < hunt->exploration.player_count; i++) {
        struct darn_player *player = &hunt->exploration.players[i];

        darn_server_arm(player->server, hunt->exploration.armed, hunt->exploration.armed_count);
        player->block->request.max_steps = hunt->max_steps;
    }
}

/* Output that differs is nothing to look for here: each schedule may have its own. */
static void set_compare(struct darn_hunt *hunt, bool compare)
{
    for (uint32_t i = 0; i < hunt->exploration.player_count; i++)
        hunt->exploration.players[i].judge.compare = compare;
}

static size_t count_races(const struct darn_hunt *hunt)
{
    size_t i, count = 0;
    const json_t *entry;

    json_array_foreach(hunt->index.entries, i, entry)
    {
        const char *kind = darn_index_kind(entry);

        count += darn_index_is_proof(entry) && kind && strcmp(kind, "data-race") == 0;
    }
    return count;
}

/* Which sites share memory is of no use to trials, and to learn it may take long. */
static int learn(struct darn_hunt *hunt, double until)
{
    int status = 0;

    darn_hunt_set_until(hunt, until);
    if (hunt->exploration.learns_late)
        status = darn_exploration_learn_late(&hunt->exploration);
    darn_hunt_set_until(hunt, hunt->until);
    hunt->max_steps = hunt->exploration.players[0].block->request.max_steps;
    return status;
}

int darn_hunt_explore(struct darn_hunt *hunt)
{
    struct darn_exploration *exploration = &hunt->exploration;
    double start = darn_clock();
    double work = darn_hunt_work_ends(hunt->started, hunt->until, !hunt->options.no_shrink);
    double end = work - (work - hunt->started) * RESERVE;
    bool compare = exploration->players[0].judge.compare;
    size_t found = darn_index_proofs(&hunt->index) + hunt->failed_count;
    size_t races = count_races(hunt);
    int status;

    if (hunt->options.no_explore || start >= end || darn_hunt_is_interrupted(hunt))
        return 0;
    status = learn(hunt, end);
    if (status)
        return status;
    hunt->explore.search = (struct darn_search_options){
        .kind = DARN_SEARCH_PORTFOLIO,
        .seed = hunt->options.seed + hunt->explored,
    };
    exploration->search = darn_search_new(&hunt->explore.search);
    if (!exploration->search)
        return darn_tell_refusal(hunt->listener, "out of memory");
    exploration->look = look;
    exploration->schedules = exploration->begun = 0;
    hunt->harvested = start;
    hunt->exploring = true;
    set_up(hunt);
    set_compare(hunt, false);
    status = darn_hunt_jobs(hunt, darn_exploration_job, end, progress);
    set_compare(hunt, compare);
    hunt->exploring = false;
    hunt->runs += exploration->schedules;
    darn_search_free(exploration->search);
    exploration->search = NULL;
    if (status || exploration->status)
        return status ? status : exploration->status;
    hunt->explored += exploration->schedules;
    hunt->fine |= exploration->schedules > hunt->failures;
    races = count_races(hunt) - races;
    darn_tell_note(hunt->listener,
                   "explore: %llu schedules; new failures: %zu, new races: %zu (%.1f s)",
                   (unsigned long long)exploration->schedules,
                   darn_index_proofs(&hunt->index) + hunt->failed_count - found - races, races,
                   darn_clock() - start);
    return 0;
}
