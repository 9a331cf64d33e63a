/*
 * The second stage: each target gets its trials, spread over the jobs.
 */
#include <stdio.h>
#include <string.h>

#include "driver/hunt/hunt.h"
#include "driver/play/shrinking.h"

#define SHARE      0.7 /* of the time that is left */
#define MOST_HANGS 2   /* trials that may take too long before a target is given up */

static bool is_open(const struct darn_hunt *hunt, const struct darn_target *target)
{
    return !target->settled && target->begun < hunt->line.trials && target->hangs < MOST_HANGS &&
           darn_hunt_can_try(target);
}

static bool has_key(const struct darn_target *target, uint64_t key)
{
    return target->keys[0] == key || (target->key_count > 1 && target->keys[1] == key);
}

/* Whether a race that was proved is between the same accesses: that says it already. */
static bool is_a_race(const struct darn_hunt *hunt, const struct darn_target *triple)
{
    for (size_t i = 0; i < hunt->target_count; i++) {
        const struct darn_target *target = &hunt->targets[i];

        if (target->kind == DARN_TARGET_RACE && target->proved && target->key_count &&
            has_key(target, triple->triple[1]) &&
            (has_key(target, triple->triple[0]) || has_key(target, triple->triple[2])))
            return true;
    }
    return false;
}

/* With the lock. NULL when all trials have begun. */
static struct darn_target *next_trial(struct darn_hunt *hunt, uint32_t *trial)
{
    while (hunt->next < hunt->target_count) {
        struct darn_target *target = &hunt->targets[hunt->next];

        if (target->kind == DARN_TARGET_TRIPLE && !target->begun && is_a_race(hunt, target))
            target->settled = true;
        if (is_open(hunt, target)) {
            *trial = target->begun++;
            return target;
        }
        hunt->next++;
    }
    return NULL;
}

static bool is_on(const struct darn_target_side *side, uint64_t place)
{
    for (uint32_t i = 0; i < side->count; i++)
        if (side->places[i] == place)
            return true;
    return false;
}

/* The race that was aimed at; NULL when it was not met. */
static const struct darn_block_met *find_met(const struct darn_target *target,
                                             const struct darn_result *result)
{
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];
        uint64_t one = met->threads[0].place, other = met->threads[1].place;

        if (met->kind == DARN_MET_RACE &&
            ((is_on(&target->sides[0], one) && is_on(&target->sides[1], other)) ||
             (is_on(&target->sides[0], other) && is_on(&target->sides[1], one))))
            return met;
    }
    return NULL;
}

/* The same for a triple. */
static const struct darn_block_met *find_triple(const struct darn_target *target,
                                                const struct darn_result *result)
{
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];

        if (met->kind == DARN_MET_TRIPLE && is_on(&target->sides[0], met->threads[2].place) &&
            is_on(&target->sides[1], met->threads[1].place) &&
            is_on(&target->sides[2], met->threads[0].place))
            return met;
    }
    return NULL;
}

/* The same for four accesses. */
static const struct darn_block_met *find_quad(const struct darn_target *target,
                                              const struct darn_result *result)
{
    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++) {
        const struct darn_block_met *met = &result->met[i];
        bool is_it = met->kind == DARN_MET_QUAD;

        for (int side = 0; side < 4; side++)
            is_it = is_it && is_on(&target->sides[side], met->threads[3 - side].place);
        if (is_it)
            return met;
    }
    return NULL;
}

/* Whether all threads of the cycle stand where the prediction says. */
static bool is_the_deadlock(const struct darn_target *target, const struct darn_result *result)
{
    for (uint32_t i = 0; i < target->sides[0].count; i++) {
        bool found = false;

        for (uint32_t j = 0; j < result->thread_count && j < DARN_BLOCK_PLACES; j++)
            found |= result->threads[j].place == target->sides[0].places[i];
        if (!found)
            return false;
    }
    return true;
}

/* The first hit for each way to end is kept. */
static void keep_hit(struct darn_target *target, struct darn_player *player,
                     struct darn_finding *finding, uint32_t first)
{
    enum darn_verdict_kind kind = player->judged.kind;

    target->hits++;
    target->ends[first][kind]++;
    if (!target->shown[kind] && finding && finding->id) {
        target->shown[kind] = darn_player_take(player);
        snprintf(target->ids[kind], sizeof(target->ids[kind]), "%s", finding->id);
    }
    if (target->shown[kind] && target->kind == DARN_TARGET_RACE)
        target->shown[kind]->run_flags |= DARN_RUN_RACES; /* a replay shall look for it */
    darn_finding_free(finding);
}

static bool note_met(struct darn_hunt *hunt, struct darn_target *target, struct darn_player *player)
{
    const struct darn_result *result = &player->block->result;
    const struct darn_block_met *met = target->kind == DARN_TARGET_RACE ? find_met(target, result)
                                       : target->kind == DARN_TARGET_TRIPLE
                                           ? find_triple(target, result)
                                           : find_quad(target, result);

    if (!met)
        return false;
    keep_hit(target, player,
             target->shown[player->judged.kind] ? NULL : darn_scene_met(&player->scene, met),
             target->kind == DARN_TARGET_RACE && met->first != 0);
    darn_hunt_explain(hunt, player);
    return true;
}

static bool note_deadlock(struct darn_target *target, struct darn_player *player)
{
    if (player->judged.kind != DARN_VERDICT_DEADLOCK ||
        (target->kind == DARN_TARGET_DEADLOCK && !is_the_deadlock(target, &player->block->result)))
        return false;
    keep_hit(target, player,
             target->shown[DARN_VERDICT_DEADLOCK]
                 ? NULL
                 : darn_scene_failure(&player->scene, darn_verdict_word(DARN_VERDICT_DEADLOCK)),
             0);
    return true;
}

/* With the lock: one trial is over. */
static void note(struct darn_hunt *hunt, struct darn_target *target, struct darn_player *player)
{
    bool hit;

    hunt->runs++;
    hunt->fine |= player->judged.kind == DARN_VERDICT_OK;
    target->trials++;
    target->hangs += player->how == DARN_SERVER_TIMEOUT;
    hit =
        darn_target_is_met(target) ? note_met(hunt, target, player) : note_deadlock(target, player);
    if (!hit)
        (void)darn_hunt_look(hunt, player);
    if (target->trials == target->begun && !is_open(hunt, target))
        darn_hunt_settle(hunt, player, target);
}

static void *job(void *argument)
{
    struct darn_exploration_job *job = argument;
    struct darn_exploration *exploration = job->exploration;
    struct darn_hunt *hunt = darn_hunt_of(exploration);
    struct darn_target *target;
    bool ran = true;
    uint32_t trial;

    pthread_mutex_lock(&exploration->lock);
    while (ran && !atomic_load(&exploration->enough) && (target = next_trial(hunt, &trial))) {
        pthread_mutex_unlock(&exploration->lock);
        darn_hunt_request(hunt, target, job->player, trial);
        ran = darn_player_run(job->player);
        pthread_mutex_lock(&exploration->lock);
        if (ran)
            note(hunt, target, job->player);
    }
    pthread_mutex_unlock(&exploration->lock);
    darn_hunt_job_ends(hunt);
    return NULL;
}

static size_t count_proved(const struct darn_hunt *hunt)
{
    size_t count = 0;

    for (size_t i = 0; i < hunt->target_count; i++)
        count += hunt->targets[i].proved;
    return count;
}

static void progress(struct darn_hunt *hunt, char *to, size_t size)
{
    snprintf(to, size, "prove: %zu of %zu, %zu confirmed", hunt->next, hunt->target_count,
             count_proved(hunt));
}

/* What is left when the stage was ended before all trials were made. */
static void settle_rest(struct darn_hunt *hunt)
{
    for (size_t i = 0; i < hunt->target_count; i++)
        if (!hunt->targets[i].settled)
            darn_hunt_settle(hunt, &hunt->exploration.players[0], &hunt->targets[i]);
}

int darn_hunt_prove(struct darn_hunt *hunt)
{
    double start = darn_clock();
    double left = darn_hunt_work_ends(hunt->started, hunt->until, !hunt->line.no_shrink) - start;
    uint64_t runs = hunt->runs;
    bool any = false;
    int status;

    darn_hunt_aim(hunt);
    hunt->next = 0;
    for (size_t i = 0; i < hunt->target_count; i++)
        any |= is_open(hunt, &hunt->targets[i]);
    status = any ? darn_hunt_jobs(hunt, job, start + (left > 0 ? left : 0) * SHARE, progress) : 0;
    settle_rest(hunt); /* no job is left: there is nobody to lock out */
    darn_hunt_look_back(hunt, &hunt->exploration.players[0]);
    (void)darn_hunt_save(hunt);
    if (!status && any)
        darn_hunt_say(hunt, "prove: %zu of %zu confirmed, %llu runs (%.1f s)", count_proved(hunt),
                      hunt->target_count, (unsigned long long)(hunt->runs - runs),
                      darn_clock() - start);
    return status;
}
