/*
 * Whether what a run has shown happens again: only that is confirmed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "driver/hunt/hunt.h"
#include "driver/process/listener.h"

/* A machine that is busy makes no difference to a schedule that is complete; whoever depends on
 * something else shows it soon. */
#define REPLAYS 10

/* What the finding is about is known to the user, and not wanted. */
static bool is_suppressed(const struct darn_hunt *hunt, const struct darn_finding *finding)
{
    return hunt->suppressions && darn_suppressions_match(hunt->suppressions, finding);
}

static uintptr_t key_of(const char *id)
{
    return darn_hash_string(DARN_HASH_START, id) | 1;
}

static bool is_proved(const struct darn_hunt *hunt, const char *id)
{
    const json_t *entry = darn_index_find(&hunt->index, id);

    return entry && darn_index_is_proof(entry);
}

bool darn_hunt_replays(struct darn_hunt *hunt, struct darn_player *player,
                       const struct darn_schedule *schedule, const struct darn_symptom *symptom)
{
    bool again = true;

    darn_player_alone_begin();
    for (int i = 0; again && i < REPLAYS; i++) {
        hunt->runs++;
        again = darn_exploration_follow(player, schedule) && darn_player_shows(player, symptom);
    }
    darn_player_alone_end();
    return again;
}

/* The ids of failures that come from what was aimed at: an exploration need not tell of them. */
static json_t *explained(struct darn_hunt *hunt)
{
    json_t *list = json_object_get(hunt->index.state, "explained");

    if (!json_is_array(list)) {
        list = json_array();
        json_object_set_new(hunt->index.state, "explained", list);
    }
    return list;
}

bool darn_hunt_is_explained(const struct darn_hunt *hunt, const char *id)
{
    return darn_map_get(&hunt->seen, key_of(id), 0) != 0;
}

void darn_hunt_recall(struct darn_hunt *hunt)
{
    json_t *list = explained(hunt), *id;
    size_t i;

    json_array_foreach(list, i, id)
    {
        if (json_is_string(id))
            darn_map_put(&hunt->seen, key_of(json_string_value(id)), 1);
    }
}

static void note_explained(struct darn_hunt *hunt, const char *id)
{
    if (darn_map_get(&hunt->seen, key_of(id), 0))
        return;
    darn_map_put(&hunt->seen, key_of(id), 1);
    json_array_append_new(explained(hunt), json_string(id));
}

static struct darn_symptom symptom_of(enum darn_verdict_kind kind, const char *id, bool met)
{
    struct darn_symptom symptom = {.kind = kind, .met = met};

    snprintf(symptom.id, sizeof(symptom.id), "%s", id);
    return symptom;
}

/* ---- targets ---- */

/* Whether hits that ended this way have to do with the target: those of a race if the other order
 * of the two ends otherwise. Of others what happens when nobody interferes counts only if other
 * hits have ended differently. */
static bool is_outcome(struct darn_hunt *hunt, struct darn_player *player,
                       struct darn_target *target, enum darn_verdict_kind kind)
{
    uint32_t hits = target->ends[0][kind] + target->ends[1][kind];

    if (target->kind == DARN_TARGET_ORDER)
        return darn_hunt_is_by_order(hunt, player, target, kind);
    if (target->kind == DARN_TARGET_RACE)
        return darn_hunt_is_cause(hunt, player, target, kind);
    return !hunt->straight[kind] || hits < target->hits;
}

/* The failure that the schedule ends with needs no other explanation. */
static void explain(struct darn_hunt *hunt, struct darn_player *player,
                    const struct darn_schedule *schedule)
{
    struct darn_finding *failure = NULL;

    hunt->runs++;
    if (darn_player_follow(player, schedule, 0))
        failure = darn_player_finding(player, "", false);
    if (failure && failure->id)
        note_explained(hunt, failure->id);
    darn_finding_free(failure);
}

static void add_outcome(struct darn_finding *finding, enum darn_verdict_kind kind)
{
    const char **outcomes =
        darn_pool_get(&finding->pool, finding->outcome_count + 1, sizeof(*outcomes));

    for (size_t i = 0; i < finding->outcome_count; i++) {
        if (strcmp(finding->outcomes[i], darn_verdict_word(kind)) == 0)
            return;
        outcomes[i] = finding->outcomes[i];
    }
    outcomes[finding->outcome_count++] = darn_verdict_word(kind);
    finding->outcomes = outcomes;
}

/* Of the hits in this order nobody knows what they lead to. */
static bool is_only_cut_off(const struct darn_target *target, int first)
{
    return target->ends[first][DARN_VERDICT_CUT] && !target->ends[first][DARN_VERDICT_OK];
}

static void complete(struct darn_finding *finding, const struct darn_target *target,
                     const bool *is_outcome)
{
    const struct darn_violated *section = &target->finding->section;

    finding->certainty = "confirmed";
    if (section->function && !finding->section.kind) {
        finding->section.kind = darn_pool_text(&finding->pool, section->kind);
        finding->section.function = darn_pool_text(&finding->pool, section->function);
    }
    finding->trials = target->hits ? target->trials : 0; /* else it was met while exploring */
    finding->hits = target->hits;
    if (target->kind == DARN_TARGET_ORDER)
        darn_hunt_count_order(finding, target);
    finding->count = finding->hits ? finding->hits : 1;
    /* The worst first, and only what replays. */
    for (int kind = DARN_VERDICT_OK + 1; kind < DARN_VERDICTS; kind++)
        if (is_outcome[kind])
            add_outcome(finding, kind);
    finding->is_suspicion = target->is_inferred && !finding->outcome_count;
    finding->is_cut_off =
        !finding->outcome_count && (is_only_cut_off(target, 0) || is_only_cut_off(target, 1));
}

void darn_hunt_secure(struct darn_hunt *hunt, struct darn_player *player,
                      struct darn_target *target)
{
    struct darn_symptom symptom = symptom_of(DARN_VERDICT_CUT, target->ids[DARN_VERDICT_CUT], true);

    target->secured = darn_hunt_replays(hunt, player, target->shown[DARN_VERDICT_CUT], &symptom);
}

/* The worst that replays: harmless runs come last. DARN_VERDICT_NONE when nothing does. */
static enum darn_verdict_kind choose(struct darn_hunt *hunt, struct darn_player *player,
                                     struct darn_target *target, bool *outcome)
{
    bool met = darn_target_is_met(target), again;
    enum darn_verdict_kind worst = DARN_VERDICT_NONE;

    for (int i = DARN_VERDICT_OK + 1; i <= DARN_VERDICTS + 1; i++) {
        enum darn_verdict_kind kind = i < DARN_VERDICTS    ? i
                                      : i == DARN_VERDICTS ? DARN_VERDICT_OK
                                                           : DARN_VERDICT_CUT;
        struct darn_symptom symptom = symptom_of(kind, target->ids[kind], met);

        if (!target->shown[kind] || (kind == DARN_VERDICT_OK && target->secured))
            continue;
        outcome[kind] = is_outcome(hunt, player, target, kind);
        again = (kind == DARN_VERDICT_CUT && target->secured) ||
                darn_hunt_replays(hunt, player, target->shown[kind], &symptom);
        target->cut_off |= !again && player->how == DARN_SERVER_STOPPED;
        outcome[kind] &= again;
        if (again && outcome[kind])
            explain(hunt, player, target->shown[kind]);
        /* One that has nothing to do with it shows it as well, if there is no other. */
        if (again && (worst == DARN_VERDICT_NONE || (outcome[kind] && !outcome[worst])))
            worst = kind;
    }
    return worst;
}

/* The run that the report is of, once more. What was confirmed is not lost for want of time: this
 * one run may take a little of what the hunt must keep to. */
#define LAST_RUN 0.05

static struct darn_finding *see_again(struct darn_hunt *hunt, struct darn_player *player,
                                      const struct darn_target *target, enum darn_verdict_kind kind)
{
    const char *id = target->ids[kind];
    struct darn_finding *finding = NULL;

    hunt->runs++;
    darn_server_set_until(player->server, hunt->until + (hunt->until - hunt->started) * LAST_RUN);
    if (darn_player_follow(player, target->shown[kind], 0))
        finding = darn_player_finding(player, id, darn_target_is_met(target));
    if (!finding)
        darn_tell_loss(
            hunt->listener, "the finding %s was confirmed, but its last run %s: it is lost", id,
            player->how == DARN_SERVER_STOPPED ? "was not over in time" : "went another way");
    return finding;
}

static void settle(struct darn_hunt *hunt, struct darn_player *player, struct darn_target *target)
{
    bool outcome[DARN_VERDICTS] = {false};
    enum darn_verdict_kind kind = DARN_VERDICT_NONE;
    struct darn_finding *finding;

    target->settled = true;
    if (!darn_hunt_is_idle_order(hunt, target))
        kind = choose(hunt, player, target, outcome);
    if (kind == DARN_VERDICT_NONE || (target->kind == DARN_TARGET_ORDER && !outcome[kind]))
        return;
    target->proved = true;
    if (is_proved(hunt, target->ids[kind]))
        return; /* another prediction has come to the same */
    finding = see_again(hunt, player, target, kind);
    if (!finding || is_suppressed(hunt, finding)) {
        darn_finding_free(finding);
        return;
    }
    if (target->kind == DARN_TARGET_ORDER)
        darn_hunt_tell_order(finding, target);
    complete(finding, target, outcome);
    target->proved = !finding->is_suspicion;
    finding->is_cut_off |= !finding->outcome_count && darn_hunt_is_undecided(hunt, target);
    darn_hunt_keep(hunt, player, finding, target->shown[kind], target);
}

/* To confirm comes before shrinking: it may take the time that is kept for that. */
void darn_hunt_settle(struct darn_hunt *hunt, struct darn_player *player,
                      struct darn_target *target)
{
    darn_server_set_until(player->server, target->secured ? hunt->stage_until : hunt->until);
    settle(hunt, player, target);
    darn_server_set_until(player->server, hunt->stage_until);
}

/* ---- by chance ---- */

static struct darn_target *find_target(const struct darn_hunt *hunt, const char *id)
{
    for (size_t i = 0; i < hunt->target_count; i++)
        if (hunt->targets[i].finding->id && strcmp(hunt->targets[i].finding->id, id) == 0)
            return &hunt->targets[i];
    return NULL;
}

static void add_side(struct darn_target *target, struct darn_player *player, int side,
                     const struct darn_block_thread *thread)
{
    target->sides[side].places[0] = thread->place;
    target->sides[side].count = 1;
    if (darn_step_is_access((enum darn_step_op)thread->op) || thread->op == DARN_STEP_SPIN)
        target->keys[target->key_count++] =
            darn_snapshot_site_key(&player->snapshot, thread->place);
}

/* A prediction has come true although its own trials did not show it. True when that is new. */
static bool meet_target(struct darn_hunt *hunt, struct darn_player *player,
                        struct darn_target *target)
{
    enum darn_verdict_kind kind = player->judged.kind;

    if (!hunt->exploring || target->proved || target->shown[kind])
        return false;
    target->shown[kind] = darn_player_take(player);
    snprintf(target->ids[kind], sizeof(target->ids[kind]), "%s", target->finding->id);
    target->settled = false;
    return true;
}

/* Two threads have met that no prediction names: they get trials of their own. */
static bool add_target(struct darn_hunt *hunt, struct darn_player *player,
                       const struct darn_block_met *met, struct darn_finding *finding)
{
    enum darn_verdict_kind kind = player->judged.kind;
    struct darn_target *target = &hunt->targets[hunt->target_count];

    if (hunt->target_count == hunt->target_room)
        return false;
    memset(target, 0, sizeof(*target));
    target->kind = DARN_TARGET_RACE;
    target->finding = finding;
    target->is_ours = true;
    for (int side = 0; side < 2; side++)
        add_side(target, player, side, &met->threads[side ^ darn_snapshot_first_side(met)]);
    if (target->key_count == 2 && target->keys[0] > target->keys[1]) {
        uint64_t key = target->keys[0];

        target->keys[0] = target->keys[1];
        target->keys[1] = key;
    }
    target->shown[kind] = darn_hunt_take_met(player, met);
    snprintf(target->ids[kind], sizeof(target->ids[kind]), "%s", finding->id);
    hunt->target_count++;
    return true;
}

static void shorten(struct darn_schedule *schedule, const struct darn_block_met *met)
{
    if (met->step >= schedule->step_count)
        return;
    schedule->step_count = met->step + 1;
    schedule->max_steps = met->step;
}

struct darn_schedule *darn_hunt_take_met(struct darn_player *player,
                                         const struct darn_block_met *met)
{
    struct darn_schedule *schedule = darn_player_take(player);

    if (schedule && met && player->judged.kind == DARN_VERDICT_CUT)
        shorten(schedule, met);
    return schedule;
}

void darn_hunt_keep_short(struct darn_target *target, struct darn_player *player,
                          const struct darn_block_met *met)
{
    struct darn_schedule *schedule;

    if (target->shown[DARN_VERDICT_CUT] || !*target->ids[player->judged.kind])
        return;
    schedule = darn_player_take(player);
    if (!schedule)
        return;
    shorten(schedule, met);
    free(schedule->ending);
    schedule->ending = strdup(darn_verdict_word(DARN_VERDICT_CUT));
    if (target->kind == DARN_TARGET_RACE)
        schedule->run_flags |= DARN_RUN_RACES;
    target->shown[DARN_VERDICT_CUT] = schedule;
    memcpy(target->ids[DARN_VERDICT_CUT], target->ids[player->judged.kind], DARN_PLAYER_ID);
}

static bool look_at_met(struct darn_hunt *hunt, struct darn_player *player,
                        const struct darn_block_met *met)
{
    uintptr_t print = darn_exploration_fingerprint(player, met);
    struct darn_finding *finding;
    struct darn_target *target;
    bool is_new = false;

    if (met->kind != DARN_MET_RACE || darn_map_get(&hunt->seen, print, 0))
        return false;
    darn_map_put(&hunt->seen, print, 1);
    finding = darn_snapshot_met(&player->snapshot, met);
    if (finding && finding->id && !is_proved(hunt, finding->id) && !is_suppressed(hunt, finding)) {
        target = find_target(hunt, finding->id);
        is_new =
            target ? meet_target(hunt, player, target) : add_target(hunt, player, met, finding);
        if (is_new && !target)
            return true; /* it is the target's from now on */
    }
    darn_finding_free(finding);
    return is_new;
}

/* A prediction that has come true although its own trials did not show it. */
static void mark_proved(struct darn_hunt *hunt, const char *id)
{
    for (size_t i = 0; i < hunt->target_count; i++) {
        struct darn_target *target = &hunt->targets[i];

        if (target->finding->id && strcmp(target->finding->id, id) == 0)
            target->proved = target->settled = true;
    }
}

/* Whether nobody has told of the failure yet. */
static bool is_new(const struct darn_hunt *hunt, const struct darn_finding *finding)
{
    return finding && finding->id && !is_proved(hunt, finding->id) &&
           !is_suppressed(hunt, finding) && !darn_map_get(&hunt->seen, key_of(finding->id), 0);
}

/* Takes the schedule over. Whether the failure happens again. */
static bool confirm_failure(struct darn_hunt *hunt, struct darn_player *player,
                            const struct darn_failed *failed)
{
    struct darn_finding *finding = NULL;
    bool told, again;

    failed->schedule->run_flags |= DARN_RUN_RACES; /* one of them may be the cause */
    if (darn_hunt_replays(hunt, player, failed->schedule, &failed->symptom))
        finding = darn_player_finding(player, failed->symptom.id, false);
    else
        hunt->unsteady += player->how != DARN_SERVER_STOPPED;
    again = finding != NULL;
    told = finding && darn_hunt_blame(hunt, player, failed, finding);
    if (told) {
        note_explained(hunt, finding->id);
        darn_finding_free(finding);
    } else if (finding) {
        finding->certainty = "confirmed";
        finding->count = 1;
        add_outcome(finding, failed->symptom.kind);
        mark_proved(hunt, finding->id);
        darn_hunt_keep(hunt, player, finding, failed->schedule, NULL);
    }
    darn_schedule_free(failed->schedule);
    return again;
}

/* Whether the program may fail this way whatever the schedule is. */
static bool is_usual(const struct darn_hunt *hunt, const struct darn_failed *failed)
{
    return failed->is_usual && !hunt->fine;
}

/* Whether a target is left that may explain a failure when it is tried. */
static bool has_open_target(const struct darn_hunt *hunt)
{
    for (size_t i = 0; i < hunt->target_count; i++)
        if (!hunt->targets[i].settled)
            return true;
    return false;
}

bool darn_hunt_look_at_end(struct darn_hunt *hunt, struct darn_player *player)
{
    enum darn_verdict_kind kind = player->judged.kind;
    uintptr_t print = darn_exploration_fingerprint(player, NULL);
    struct darn_finding *finding;
    struct darn_failed failed;

    if (!darn_verdict_is_failure(kind) || darn_map_get(&hunt->seen, print, 0))
        return false;
    darn_map_put(&hunt->seen, print, 1);
    finding = darn_player_finding(player, "", false);
    if (is_new(hunt, finding)) {
        failed.symptom = symptom_of(kind, finding->id, false);
        failed.is_usual = darn_hunt_fails_so(hunt, player, finding);
        failed.schedule = darn_player_take(player);
    } else {
        failed.schedule = NULL;
    }
    darn_finding_free(finding);
    if (!failed.schedule)
        return false;
    if (!has_open_target(hunt) && !is_usual(hunt, &failed))
        return confirm_failure(hunt, player, &failed);
    if (hunt->failed_count < DARN_MOST_FAILED)
        hunt->failed[hunt->failed_count++] = failed;
    else
        darn_schedule_free(failed.schedule);
    return true;
}

void darn_hunt_look_back(struct darn_hunt *hunt, struct darn_player *player)
{
    size_t kept = 0;

    for (size_t i = 0; i < hunt->failed_count; i++) {
        const struct darn_failed *failed = &hunt->failed[i];

        if (is_proved(hunt, failed->symptom.id) ||
            darn_map_get(&hunt->seen, key_of(failed->symptom.id), 0))
            darn_schedule_free(failed->schedule);
        else if (is_usual(hunt, failed))
            hunt->failed[kept++] = *failed;
        else
            (void)confirm_failure(hunt, player, failed);
    }
    hunt->failed_count = kept;
}

bool darn_hunt_look(struct darn_hunt *hunt, struct darn_player *player)
{
    const struct darn_result *result = &player->block->result;
    bool any = false;

    for (uint32_t i = 0; i < result->met_count && i < DARN_BLOCK_MET; i++)
        any |= look_at_met(hunt, player, &result->met[i]);
    return darn_hunt_look_at_end(hunt, player) || any; /* makes other runs: it comes last */
}
