/*
 * The second stage: each target gets its trials, spread over the jobs.
 */
#include <stdio.h>
#include <string.h>

#include "driver/hunt/hunt.h"
#include "driver/play/shrinking.h"

#define SHARE      0.7 /* of the time that is left */
#define MOST_HANGS 2   /* trials that may take too long before a target is given up */

#define LEAST 2 /* trials of a target, in either order, whatever its share of the time is */

/* What was met is worth nothing until it has been replayed, which takes about so many runs. */
#define CONFIRMING 30

static bool is_to_be_confirmed(const struct darn_hunt *hunt, const struct darn_target *target)
{
    return target->hits && !target->secured &&
           darn_hunt_left(hunt) < CONFIRMING * hunt->exploration.seconds;
}

static bool has_had_its_share(const struct darn_hunt *hunt, const struct darn_target *target)
{
    return target->begun >= LEAST && target->spent > hunt->share && darn_hunt_is_long(hunt);
}

static bool is_open(const struct darn_hunt *hunt, const struct darn_target *target)
{
    uint64_t trials = hunt->options.trials * (target->again ? 2 : 1);

    return !target->settled && target->begun < trials && target->hangs < MOST_HANGS &&
           !is_to_be_confirmed(hunt, target) && !has_had_its_share(hunt, target) &&
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

        if (target->kind == DARN_TARGET_RACE && (target->proved || target->secured) &&
            target->key_count && has_key(target, triple->triple[1]) &&
            (has_key(target, triple->triple[0]) || has_key(target, triple->triple[2])))
            return true;
    }
    return false;
}

/* No more trials are made for the target. The race may have been proved since they began. */
static void settle(struct darn_hunt *hunt, struct darn_player *player, struct darn_target *target)
{
    if (target->kind == DARN_TARGET_TRIPLE && is_a_race(hunt, target))
        target->settled = true;
    else
        darn_hunt_settle(hunt, player, target);
}

/* Each target has a few trials before any other one has more of them in vain: many predictions
 * cannot come true, and the time may not be enough for all. Where runs take long, it is enough for
 * now that one has come true; what it leads to is seen later. */
static bool is_put_off(const struct darn_hunt *hunt, const struct darn_target *target)
{
    return hunt->is_first_round && target->begun >= LEAST &&
           (!target->hits || (target->secured && darn_hunt_is_long(hunt)));
}

/* With the lock. NULL when all trials of this round have begun. */
static struct darn_target *next_of_round(struct darn_hunt *hunt, uint32_t *trial)
{
    for (; hunt->next < hunt->target_count; hunt->next++) {
        struct darn_target *target = &hunt->targets[hunt->next];

        if (target->kind == DARN_TARGET_TRIPLE && !target->begun && is_a_race(hunt, target))
            target->settled = true;
        if (is_open(hunt, target) && !is_put_off(hunt, target)) {
            *trial = target->begun++;
            return target;
        }
    }
    return NULL;
}

/* With the lock. NULL when all trials have begun. */
static struct darn_target *next_trial(struct darn_hunt *hunt, uint32_t *trial)
{
    struct darn_target *target = next_of_round(hunt, trial);

    if (target || !hunt->is_first_round)
        return target;
    hunt->is_first_round = false;
    hunt->next = 0;
    return next_of_round(hunt, trial);
}

static bool is_on(const struct darn_target_side *side, uint64_t place)
{
    for (uint32_t i = 0; i < side->count; i++)
        if (side->places[i] == place)
            return true;
    return false;
}

/* The race that was aimed at; NULL when it was not met. */
const struct darn_block_met *darn_hunt_met_race(const struct darn_target *target,
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

        for (uint32_t j = 0; j < result->thread_count && j < DARN_BLOCK_THREADS; j++)
            found |= result->threads[j].place == target->sides[0].places[i];
        if (!found)
            return false;
    }
    return true;
}

/* The first hit for each way to end is kept. */
static void keep_hit(struct darn_target *target, struct darn_player *player,
                     struct darn_finding *finding, const struct darn_block_met *met, uint32_t first)
{
    enum darn_verdict_kind kind = player->judged.kind;

    target->hits++;
    target->ends[first][kind]++;
    if (!target->shown[kind] && finding && finding->id) {
        target->shown[kind] = darn_hunt_take_met(player, met);
        snprintf(target->ids[kind], sizeof(target->ids[kind]), "%s", finding->id);
    }
    if (target->shown[kind] && target->kind == DARN_TARGET_RACE)
        target->shown[kind]->run_flags |= DARN_RUN_RACES; /* a replay shall look for it */
    darn_finding_free(finding);
}

static bool note_met(const struct darn_hunt *hunt, struct darn_target *target,
                     struct darn_player *player, uint32_t trial)
{
    const struct darn_result *result = &player->block->result;
    const struct darn_block_met *met =
        target->kind == DARN_TARGET_RACE     ? darn_hunt_met_race(target, result)
        : target->kind == DARN_TARGET_TRIPLE ? find_triple(target, result)
                                             : find_quad(target, result);

    if (!met)
        return false;
    keep_hit(target, player,
             target->shown[player->judged.kind] ? NULL : darn_snapshot_met(&player->snapshot, met),
             met, target->kind == DARN_TARGET_RACE && met->first != 0);
    if (target->kind == DARN_TARGET_RACE)
        darn_hunt_note_end(target, trial, player);
    if (darn_hunt_is_long(hunt))
        darn_hunt_keep_short(target, player, met);
    return true;
}

static bool note_deadlock(struct darn_target *target, struct darn_player *player)
{
    if (player->judged.kind != DARN_VERDICT_DEADLOCK ||
        (target->kind == DARN_TARGET_DEADLOCK && !is_the_deadlock(target, &player->block->result)))
        return false;
    keep_hit(
        target, player,
        target->shown[DARN_VERDICT_DEADLOCK]
            ? NULL
            : darn_snapshot_failure(&player->snapshot, darn_verdict_word(DARN_VERDICT_DEADLOCK)),
        NULL, 0);
    return true;
}

/* A run that ends well says something, too: that the other order is fine. */
static bool note_order(struct darn_target *target, struct darn_player *player)
{
    const struct darn_block_met *met = darn_hunt_met_order(target, &player->block->result);
    enum darn_verdict_kind kind = player->judged.kind;
    struct darn_finding *failure = NULL;
    uint32_t first;

    if (!met)
        return false;
    first = darn_hunt_order_of(target, met);
    for (int i = 0; i < 2 && !target->hits; i++)
        target->threads[i ^ (int)first] = met->threads[i ^ (int)met->first].thread;
    if (first && darn_verdict_is_failure(kind) && !target->shown[kind])
        failure = darn_snapshot_failure(&player->snapshot, darn_verdict_word(kind));
    keep_hit(target, player, failure, met, first);
    return true;
}

/* A trial has come to its end without what it aims at. */
static void note_whole(struct darn_target *target, const struct darn_result *result)
{
    target->whole++;
    for (int i = 0; i < 2; i++)
        if (target->visits[i] < result->visits[i])
            target->visits[i] = result->visits[i];
}

/* With the lock: one trial is over. */
static void note(struct darn_hunt *hunt, struct darn_target *target, struct darn_player *player,
                 uint32_t trial)
{
    bool hit;

    hunt->runs++;
    hunt->fine |= player->judged.kind == DARN_VERDICT_OK;
    target->trials++;
    target->hangs += player->how == DARN_SERVER_TIMEOUT;
    hit = darn_target_is_met(target)          ? note_met(hunt, target, player, trial)
          : target->kind == DARN_TARGET_ORDER ? note_order(target, player)
                                              : note_deadlock(target, player);
    if (!hit && player->block->result.end == DARN_END_EXIT)
        note_whole(target, &player->block->result);
    if (!hit && player->judged.kind == DARN_VERDICT_CUT)
        darn_exploration_cut(&hunt->exploration, player);
    target->missed[player->judged.kind] += !hit;
    if (hit)
        (void)darn_hunt_look_at_end(hunt, player); /* which need not be the target's doing */
    else
        (void)darn_hunt_look(hunt, player);
    if (hit && !target->secured && target->shown[DARN_VERDICT_CUT])
        darn_hunt_secure(hunt, player, target);
    if (target->trials == target->begun && !is_open(hunt, target))
        settle(hunt, player, target);
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
        double start = darn_clock();

        pthread_mutex_unlock(&exploration->lock);
        darn_hunt_request(hunt, target, job->player, trial);
        ran = darn_player_run(job->player);
        pthread_mutex_lock(&exploration->lock);
        target->spent += darn_clock() - start;
        hunt->tried_seconds += darn_clock() - start;
        hunt->tried_used += job->player->block->result.used / 1e6;
        hunt->tried++;
        if (ran)
            note(hunt, target, job->player, trial);
    }
    pthread_mutex_unlock(&exploration->lock);
    darn_hunt_job_ends(hunt);
    return NULL;
}

void darn_hunt_try_met(struct darn_hunt *hunt, struct darn_player *player)
{
    bool ran = true;

    for (size_t i = 0; i < hunt->target_count && ran; i++) {
        struct darn_target *target = &hunt->targets[i];

        while (ran && is_open(hunt, target)) {
            uint32_t trial = target->begun++;

            darn_hunt_request(hunt, target, player, trial);
            ran = darn_player_run(player);
            if (ran)
                note(hunt, target, player, trial);
        }
        if (ran && !target->settled)
            settle(hunt, player, target);
    }
}

void darn_hunt_reopen(struct darn_hunt *hunt)
{
    for (size_t i = 0; i < hunt->target_count && !hunt->options.no_explore; i++) {
        struct darn_target *target = &hunt->targets[i];

        if (target->settled && !target->proved && !target->is_ours && darn_hunt_can_try(target)) {
            target->again = true;
            target->settled = false;
        }
    }
}

static size_t count_proved(const struct darn_hunt *hunt)
{
    size_t count = 0;

    for (size_t i = 0; i < hunt->target_count; i++)
        count += hunt->targets[i].proved;
    return count;
}

/* Of those orders that make no difference nobody wants to know. */
static size_t count_wanted(const struct darn_hunt *hunt)
{
    size_t count = 0;

    for (size_t i = 0; i < hunt->target_count; i++)
        count += hunt->targets[i].kind != DARN_TARGET_ORDER || hunt->targets[i].proved;
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
            settle(hunt, &hunt->exploration.players[0], &hunt->targets[i]);
}

/* Gives each target its share of the time. How many there are to be tried. */
static size_t deal_out(struct darn_hunt *hunt, double seconds)
{
    size_t count = 0;

    for (size_t i = 0; i < hunt->target_count; i++) {
        hunt->targets[i].spent = 0;
        count += is_open(hunt, &hunt->targets[i]);
    }
    hunt->share = count ? seconds * hunt->exploration.player_count / (double)count : 0;
    return count;
}

int darn_hunt_prove(struct darn_hunt *hunt)
{
    double start = darn_clock();
    double left = darn_hunt_work_ends(hunt->started, hunt->until, !hunt->options.no_shrink) - start;
    double seconds = (left > 0 ? left : 0) * SHARE;
    uint64_t runs = hunt->runs;
    int status = 0;
    bool any;

    darn_hunt_aim(hunt);
    darn_hunt_scout(hunt, seconds);
    hunt->next = 0;
    hunt->is_first_round = true;
    any = deal_out(hunt, seconds);
    if (any)
        status = darn_hunt_jobs(hunt, job, start + seconds, progress);
    settle_rest(hunt); /* no job is left: there is nobody to lock out */
    darn_hunt_look_back(hunt, &hunt->exploration.players[0]);
    (void)darn_hunt_save(hunt);
    if (!status && any)
        darn_tell_note(hunt->listener, "prove: %zu of %zu confirmed, %llu runs (%.1f s)",
                       count_proved(hunt), count_wanted(hunt),
                       (unsigned long long)(hunt->runs - runs), darn_clock() - start);
    return status;
}
