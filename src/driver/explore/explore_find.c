/*
 * A schedule that fails: which finding it is, whether it does so again, and its report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "driver/explore/exploration.h"
#include "driver/explore/explore_keep.h"
#include "driver/explore/explored.h"
#include "report/cause.h"

static uint64_t hash_wide(uint64_t hash, uint64_t number)
{
    return darn_hash_number(darn_hash_number(hash, (uint32_t)number), (uint32_t)(number >> 32));
}

static uint64_t hash_thread(uint64_t hash, const struct darn_block_thread *thread)
{
    hash = darn_hash_number(hash, thread->thread << 8 | thread->op);
    hash = hash_wide(hash, thread->place);
    for (uint8_t i = 0; i < thread->depth && i < DARN_BLOCK_STACK; i++)
        hash = hash_wide(hash, thread->stack[i]);
    return hash;
}

uintptr_t darn_exploration_fingerprint(const struct darn_player *player,
                                       const struct darn_block_met *met)
{
    const struct darn_result *result = &player->block->result;
    uint64_t hash = darn_hash_number(DARN_HASH_START, player->judged.kind);

    if (met) {
        hash = darn_hash_number(hash, met->kind);
        hash = hash_thread(hash, &met->threads[0]);
        return hash_thread(hash, &met->threads[1]) | 1;
    }
    hash = darn_hash_number(hash, (uint32_t)result->status);
    hash = hash_wide(hash, result->signal_pc);
    hash = darn_hash_string(hash, player->judged.text);
    for (uint32_t i = 0; i < result->thread_count && i < DARN_BLOCK_THREADS; i++)
        hash = hash_thread(hash, &result->threads[i]);
    return hash | 1;
}

static void append(struct darn_exploration *exploration, struct darn_finding *finding,
                   uint64_t schedule)
{
    exploration->found = darn_grow(exploration->found, &exploration->found_room,
                                   exploration->found_count + 1, sizeof(*exploration->found));
    exploration->found[exploration->found_count++] = (struct darn_found){finding, schedule};
}

/* Follows the schedule: what happens again is confirmed. */
static bool happens_again(struct darn_exploration *exploration,
                          const struct darn_explore_snapshot *snapshot, struct darn_player *player,
                          const struct darn_finding *finding, bool met)
{
    struct darn_symptom symptom = {.kind = snapshot->judged.kind, .met = met};
    bool again;

    if (!snapshot->schedule)
        return false;
    exploration->replays++;
    snprintf(symptom.id, sizeof(symptom.id), "%s", finding->id);
    darn_player_alone_begin();
    again =
        darn_exploration_follow(player, snapshot->schedule) && darn_player_shows(player, &symptom);
    darn_player_alone_end();
    return again;
}

static void complete(struct darn_finding *finding, const struct darn_judged *judged, bool again)
{
    finding->certainty = again ? "confirmed" : "observed";
    finding->count = 1;
    if (!finding->engine)
        finding->engine = "explore";
    if (!finding->outcome_count && darn_verdict_is_failure(judged->kind)) {
        finding->outcomes = darn_pool_get(&finding->pool, 1, sizeof(*finding->outcomes));
        finding->outcomes[0] = darn_verdict_word(judged->kind);
        finding->outcome_count = 1;
    }
}

static void tell(const struct darn_exploration *exploration,
                 const struct darn_explore_snapshot *snapshot, const struct darn_finding *finding,
                 uint64_t schedule, bool differs)
{
    const struct darn_explored explored = {
        .finding = finding,
        .schedule = schedule,
        .ending = snapshot->judged.text,
        .story = snapshot->story.length ? snapshot->story.text : "",
        .is_variant = finding->variant_of && !exploration->options->all,
        .differs = differs,
    };

    if (exploration->listener && exploration->listener->explored)
        exploration->listener->explored(exploration->listener, &explored);
}

/* The id of the first one that has the same cause; NULL: it is the first itself. */
static const char *find_cause(const struct darn_exploration *exploration,
                              const struct darn_finding *finding)
{
    for (size_t i = 0; i < exploration->found_count; i++) {
        const struct darn_finding *other = exploration->found[i].finding;

        if (darn_cause_is_same(other, finding))
            return other->variant_of ? other->variant_of : other->id;
    }
    return NULL;
}

/* One finding of a run, which it takes over. */
static void add(struct darn_exploration *exploration, struct darn_player *player,
                struct darn_explore_snapshot *snapshot, struct darn_finding *finding, bool met,
                uint64_t schedule)
{
    bool again;

    darn_explore_take(snapshot, exploration, player);
    again = happens_again(exploration, snapshot, player, finding, met);
    complete(finding, &snapshot->judged, again);
    finding->variant_of = find_cause(exploration, finding);
    darn_explore_keep(snapshot, exploration, finding);
    append(exploration, finding, schedule);
    tell(exploration, snapshot, finding, schedule,
         !again && player->how != DARN_SERVER_STOPPED && player->how != DARN_SERVER_LOST);
}

static bool is_seen(struct darn_exploration *exploration, uintptr_t fingerprint)
{
    uintptr_t known = darn_map_get(&exploration->seen, fingerprint, 0);

    if (known)
        exploration->found[known - 1].finding->count++;
    return known;
}

static bool is_known(struct darn_exploration *exploration, struct darn_finding *finding,
                     uintptr_t fingerprint)
{
    for (size_t i = 0; i < exploration->found_count; i++) {
        if (strcmp(exploration->found[i].finding->id, finding->id) != 0)
            continue;
        exploration->found[i].finding->count++;
        darn_map_put(&exploration->seen, fingerprint, i + 1);
        return true;
    }
    return false;
}

/* How the run ended, or with `met` what threads met in it. */
static bool consider(struct darn_exploration *exploration, struct darn_player *player,
                     struct darn_explore_snapshot *snapshot, const struct darn_block_met *met,
                     uint64_t schedule)
{
    uintptr_t fingerprint = darn_exploration_fingerprint(player, met);
    struct darn_finding *finding;

    if (is_seen(exploration, fingerprint))
        return true;
    finding =
        met ? darn_snapshot_met(&player->snapshot, met)
            : darn_snapshot_failure(&player->snapshot, darn_verdict_word(player->judged.kind));
    if (!finding)
        return false;
    if (is_known(exploration, finding, fingerprint)) {
        darn_finding_free(finding);
        return true;
    }
    add(exploration, player, snapshot, finding, met, schedule);
    darn_map_put(&exploration->seen, fingerprint, exploration->found_count);
    return true;
}

static bool has_straight_id(const struct darn_exploration *exploration, struct darn_player *player)
{
    struct darn_finding *failure = darn_player_finding(player, exploration->straight_id, false);
    bool same = *exploration->straight_id && failure && darn_finding_is(failure, "failure");

    darn_finding_free(failure);
    return same;
}

/* The program may fail so whatever its schedule is: as long as no run has ended well that is no
 * finding. A deadlock is one all the same, and so is what the user's own oracle says. */
static bool is_usual(struct darn_exploration *exploration, struct darn_player *player)
{
    enum darn_verdict_kind kind = player->judged.kind;
    uintptr_t fingerprint = darn_exploration_fingerprint(player, NULL);

    if (exploration->fine || exploration->options->usual_counts ||
        kind != exploration->straight.kind || kind == DARN_VERDICT_ORACLE)
        return false;
    if (kind == DARN_VERDICT_EXIT)
        return player->block->result.status == exploration->straight_status;
    if (!darn_map_get(&exploration->usual_ones, fingerprint, 0)) {
        if (!has_straight_id(exploration, player))
            return false;
        darn_map_put(&exploration->usual_ones, fingerprint, 1);
    }
    return true;
}

/* The first such schedule is looked at again when a run has ended well. */
static void put_off(struct darn_exploration *exploration, struct darn_player *player,
                    uint64_t schedule)
{
    if (exploration->usual++)
        return;
    exploration->put_off = darn_player_take(player);
    exploration->put_off_at = schedule;
}

bool darn_exploration_found(struct darn_exploration *exploration, struct darn_player *player,
                            uint64_t schedule)
{
    static struct darn_block_met mets[DARN_BLOCK_MET]; /* another run may come meanwhile */
    struct darn_explore_snapshot snapshot = {.taken = false};
    const struct darn_result *result = &player->block->result;
    uint32_t met_count = exploration->options->races ? result->met_count : 0;
    bool found = false;

    if (met_count > DARN_BLOCK_MET)
        met_count = DARN_BLOCK_MET;
    memcpy(mets, result->met, met_count * sizeof(*mets));
    if (darn_verdict_is_failure(player->judged.kind) && is_usual(exploration, player))
        put_off(exploration, player, schedule);
    else if (darn_verdict_is_failure(player->judged.kind))
        found |= consider(exploration, player, &snapshot, NULL, schedule);
    for (uint32_t i = 0; i < met_count; i++)
        found |= consider(exploration, player, &snapshot, &mets[i], schedule);
    darn_explore_snapshot_free(&snapshot);
    return found;
}

/* Takes over the schedule of a run that failed. */
static bool look_again(struct darn_exploration *exploration, struct darn_player *player,
                       struct darn_schedule *schedule, uint64_t number)
{
    bool found;

    exploration->replays++;
    found = darn_exploration_follow(player, schedule) &&
            darn_verdict_is_failure(player->judged.kind) &&
            darn_exploration_found(exploration, player, number);
    darn_schedule_free(schedule);
    return found;
}

bool darn_exploration_found_late(struct darn_exploration *exploration, struct darn_player *player)
{
    struct darn_schedule *schedule = exploration->put_off;

    if (!schedule || !exploration->fine)
        return false;
    exploration->put_off = NULL;
    return look_again(exploration, player, schedule, exploration->put_off_at);
}

bool darn_exploration_found_first(struct darn_exploration *exploration, struct darn_player *player)
{
    struct darn_schedule *schedule = exploration->first_fails;

    exploration->first_fails = NULL;
    return schedule && look_again(exploration, player, schedule, 1);
}
