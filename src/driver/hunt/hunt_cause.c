/*
 * Whether a failure comes from a race that was proved: then it is what the race leads to, and no
 * finding of its own.
 *
 * It does when a run that meets the race fails in just this way, each time that it is replayed, and
 * does not with the other order of the two accesses: a cause is what makes the failure go away. For
 * one that an exploration has shown that is tried if it is at one of the two places of the race.
 * Where that is not so both are told: two bugs that are listed as one would hide one of them.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "driver/hunt/hunt.h"

#define TRIALS 20 /* about half of them have the order that fails */

static bool is_same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Whether the run has failed where a side of the race is. */
static bool is_at(const struct darn_finding *failure, const struct darn_finding *race)
{
    const struct darn_finding_access *failed = &failure->accesses[0];

    for (size_t i = 0; failure->access_count && !failed->last_seen && i < race->access_count; i++) {
        const struct darn_finding_access *side = &race->accesses[i];

        if (failed->line && side->line == failed->line && is_same_text(side->file, failed->file) &&
            is_same_text(side->function, failed->function))
            return true;
    }
    return false;
}

static bool has_outcome(const json_t *entry, const char *word)
{
    const json_t *outcome;
    size_t i;

    json_array_foreach(json_object_get(entry, "outcomes"), i, outcome)
    {
        if (is_same_text(json_string_value(outcome), word))
            return true;
    }
    return false;
}

/* The worst first. */
static void set_outcomes(struct darn_finding *race, const json_t *entry,
                         enum darn_verdict_kind more)
{
    const char **outcomes = darn_pool_get(&race->pool, DARN_VERDICTS, sizeof(*outcomes));

    race->outcome_count = 0;
    for (int kind = DARN_VERDICT_OK + 1; kind < DARN_VERDICTS; kind++) {
        const char *word = darn_verdict_word((enum darn_verdict_kind)kind);

        if (kind == (int)more || has_outcome(entry, word))
            outcomes[race->outcome_count++] = word;
    }
    race->outcomes = outcomes;
}

/* Whether a hit has ended badly. */
static bool has_failed(const struct darn_target *target)
{
    for (int kind = DARN_VERDICT_OK + 1; kind < DARN_VERDICTS; kind++)
        if (target->ends[0][kind] || target->ends[1][kind])
            return true;
    return false;
}

bool darn_hunt_is_undecided(const struct darn_hunt *hunt, const struct darn_target *target)
{
    return hunt->uncompared || target->cut_off || (has_failed(target) && !darn_hunt_left(hunt));
}

static const char *proof_of(const struct darn_hunt *hunt, const struct darn_target *target)
{
    for (int kind = 0; kind < DARN_VERDICTS; kind++) {
        const json_t *entry =
            *target->ids[kind] ? darn_index_find(&hunt->index, target->ids[kind]) : NULL;

        if (entry && darn_index_is_proof(entry))
            return target->ids[kind];
    }
    return NULL;
}

const struct darn_target *darn_hunt_target_of(const struct darn_hunt *hunt, const char *id)
{
    for (size_t i = 0; i < hunt->target_count; i++) {
        const char *proof = proof_of(hunt, &hunt->targets[i]);

        if (proof && strcmp(proof, id) == 0)
            return &hunt->targets[i];
    }
    return NULL;
}

/* The schedule shows both, the race and the failure, as often as it is replayed: that is the proof
 * of the race from now on. */
static bool keep_if_it_replays(struct darn_hunt *hunt, struct darn_player *player, const char *id,
                               const struct darn_failed *failed,
                               const struct darn_schedule *schedule)
{
    struct darn_symptom symptom = {.kind = failed->symptom.kind, .met = true};
    const struct darn_target *target = darn_hunt_target_of(hunt, id);
    struct darn_finding *race;

    snprintf(symptom.id, sizeof(symptom.id), "%s", id);
    if (!darn_hunt_replays(hunt, player, schedule, &symptom))
        return false;
    race = darn_player_finding(player, symptom.id, true);
    if (!race)
        return false;
    race->certainty = "confirmed";
    race->trials = target && target->hits ? target->trials : 0;
    race->hits = target ? target->hits : 0;
    race->count = race->hits ? race->hits : 1;
    set_outcomes(race, darn_index_find(&hunt->index, symptom.id), failed->symptom.kind);
    darn_hunt_keep(hunt, player, race, schedule, target);
    return true;
}

/* ---- by the other order ---- */

uint64_t darn_hunt_end_of(const struct darn_player *player)
{
    const struct darn_result *result = &player->block->result;
    uint64_t hash = darn_hash_number(DARN_HASH_START, player->judged.kind);

    hash = darn_hash_number(hash, (uint32_t)result->status);
    hash = darn_hash_number(hash, (uint32_t)result->signal_pc);
    if (player->judged.kind == DARN_VERDICT_ASSERTION || player->judged.kind == DARN_VERDICT_ABORT)
        hash = darn_hash_string(hash, player->judged.text);
    return hash | 1;
}

void darn_hunt_note_end(struct darn_target *target, uint32_t trial,
                        const struct darn_player *player)
{
    if (trial >= DARN_TARGET_PAIRED)
        return;
    target->ended[trial] = darn_hunt_end_of(player);
    target->ended_as[trial] = (uint8_t)player->judged.kind;
}

/* The trial again, whose run meets the race for certain if one has before. False when no run can be
 * made, or when it does not meet it. */
static bool try_again(struct darn_hunt *hunt, struct darn_player *player,
                      const struct darn_target *target, uint32_t trial)
{
    struct darn_symptom race = {.met = true};

    darn_hunt_request(hunt, target, player, trial);
    hunt->runs++;
    if (!darn_player_run(player))
        return false;
    for (int kind = 0; kind < DARN_VERDICTS; kind++) {
        if (!*target->ids[kind])
            continue;
        race.kind = player->judged.kind;
        snprintf(race.id, sizeof(race.id), "%s", target->ids[kind]);
        return darn_player_shows(player, &race);
    }
    return false;
}

/* The schedule that is kept is one whose other order ends otherwise. */
static void show_trial(struct darn_hunt *hunt, struct darn_player *player,
                       struct darn_target *target, uint32_t trial)
{
    enum darn_verdict_kind kind = target->ended_as[trial];
    struct darn_schedule *schedule = NULL;

    if (try_again(hunt, player, target, trial) && player->judged.kind == kind)
        schedule = darn_player_take(player);
    if (!schedule)
        return;
    schedule->run_flags |= DARN_RUN_RACES;
    darn_schedule_free(target->shown[kind]);
    target->shown[kind] = schedule;
}

static bool always_ends_so(const struct darn_hunt *hunt, const struct darn_target *target,
                           enum darn_verdict_kind kind)
{
    uint32_t cut = target->ends[0][DARN_VERDICT_CUT] + target->ends[1][DARN_VERDICT_CUT];
    uint32_t ends = target->ends[0][kind] + target->ends[1][kind];

    return ends && ends + cut == target->hits && !target->missed[kind] && !hunt->straight[kind];
}

/* Whether runs may end so whatever their schedule is. */
static bool is_usual_end(const struct darn_hunt *hunt, uint64_t end)
{
    return !hunt->fine && darn_map_get(&hunt->usual, end, 0);
}

bool darn_hunt_is_cause(struct darn_hunt *hunt, struct darn_player *player,
                        struct darn_target *target, enum darn_verdict_kind kind)
{
    if (!darn_verdict_is_failure(kind))
        return false;
    for (uint32_t i = 0; i < DARN_TARGET_PAIRED; i++) {
        uint32_t other = i ^ 1;

        if (!target->ended[i] || target->ended_as[i] != kind ||
            is_usual_end(hunt, target->ended[i]))
            continue;
        if (!target->ended[other] && try_again(hunt, player, target, other))
            darn_hunt_note_end(target, other, player);
        if (target->ended[other] && target->ended[other] != target->ended[i]) {
            show_trial(hunt, player, target, i);
            return true;
        }
    }
    return always_ends_so(hunt, target, kind);
}

/* ---- by further trials ---- */

/* Whether the last run has met the race and failed in this way. */
static bool shows_both(struct darn_player *player, const char *id, const struct darn_failed *failed)
{
    struct darn_symptom race = {.kind = failed->symptom.kind, .met = true};

    snprintf(race.id, sizeof(race.id), "%s", id);
    return darn_player_shows(player, &failed->symptom) && darn_player_shows(player, &race);
}

/* Whether the same trial in the other order meets the race, and does not fail so. */
static bool goes_away(struct darn_hunt *hunt, struct darn_player *player,
                      const struct darn_target *target, uint32_t other, const char *id,
                      const struct darn_failed *failed)
{
    struct darn_symptom race = {.met = true};

    snprintf(race.id, sizeof(race.id), "%s", id);
    darn_hunt_request(hunt, target, player, other);
    hunt->runs++;
    if (!darn_player_run(player))
        return false;
    race.kind = player->judged.kind;
    return darn_player_shows(player, &race) && !darn_player_shows(player, &failed->symptom);
}

/* Aims at the race until it leads to the failure, and does not with the other order. */
static bool try_race(struct darn_hunt *hunt, struct darn_player *player,
                     const struct darn_target *target, const struct darn_failed *failed)
{
    const char *id = proof_of(hunt, target);
    bool kept = false;

    for (uint32_t i = 0; id && i < TRIALS && !kept && !darn_hunt_is_interrupted(hunt); i++) {
        struct darn_schedule *schedule;

        uint32_t trial = (target->begun | 1) + 1 + i;

        darn_hunt_request(hunt, target, player, trial);
        hunt->runs++;
        if (!darn_player_run(player))
            break;
        schedule = shows_both(player, id, failed) ? darn_player_take(player) : NULL;
        if (!schedule)
            continue;
        schedule->run_flags |= DARN_RUN_RACES; /* a replay shall look for it */
        kept = goes_away(hunt, player, target, trial ^ 1, id, failed) &&
               keep_if_it_replays(hunt, player, id, failed, schedule);
        darn_schedule_free(schedule);
    }
    return kept;
}

static bool blame_by_trials(struct darn_hunt *hunt, struct darn_player *player,
                            const struct darn_failed *failed, const struct darn_finding *failure)
{
    bool blamed = false, tried = false;

    for (size_t i = 0; i < hunt->target_count && !blamed; i++) {
        const struct darn_target *target = &hunt->targets[i];

        if (target->kind != DARN_TARGET_RACE || !target->proved || !darn_hunt_can_try(target) ||
            !is_at(failure, target->finding))
            continue;
        blamed = try_race(hunt, player, target, failed);
        tried = true;
    }
    if (tried && !blamed) /* the last run is the failure again */
        (void)darn_player_follow(player, failed->schedule, 0);
    else if (tried) /* and its sites are armed again for whoever comes next */
        darn_server_arm(player->server, failed->schedule->armed, failed->schedule->armed_count);
    return blamed;
}

bool darn_hunt_blame(struct darn_hunt *hunt, struct darn_player *player,
                     const struct darn_failed *failed, const struct darn_finding *failure)
{
    if (failed->symptom.kind == DARN_VERDICT_HANG)
        return false; /* takes long, and has no place */
    return blame_by_trials(hunt, player, failed, failure);
}
