/*
 * A schedule that fails: which finding it is, whether it does so again, and its report.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "driver/explore/exploration.h"
#include "driver/explore/explore_keep.h"
#include "report/report_format.h"

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
    for (uint32_t i = 0; i < result->thread_count && i < DARN_BLOCK_PLACES; i++)
        hash = hash_thread(hash, &result->threads[i]);
    return hash | 1;
}

static void append(struct darn_exploration *exploration, struct darn_finding *finding,
                   uint64_t schedule)
{
    struct darn_found *found =
        realloc(exploration->found, (exploration->found_count + 1) * sizeof(*found));

    if (!found) {
        fputs("darn: out of memory\n", stderr);
        exit(2);
    }
    exploration->found = found;
    found[exploration->found_count++] = (struct darn_found){finding, schedule};
}

/* Follows the schedule: what happens again is confirmed. */
static bool happens_again(const struct darn_explore_scene *scene, struct darn_player *player,
                          const struct darn_finding *finding, bool met)
{
    struct darn_symptom symptom = {.kind = scene->judged.kind, .met = met};

    if (!scene->schedule)
        return false;
    if (scene->judged.kind == DARN_VERDICT_HANG && !met)
        return darn_exploration_hangs(player, scene->schedule);
    snprintf(symptom.id, sizeof(symptom.id), "%s", finding->id);
    return darn_player_follow(player, scene->schedule, 0) && darn_player_shows(player, &symptom);
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

static void print_headline(const char *command, const struct darn_judged *judged, uint64_t schedule)
{
    if (!*judged->text) {
        fprintf(stderr, "darn %s: schedule %" PRIu64 ": two threads met\n", command, schedule);
        return;
    }
    if (schedule)
        fprintf(stderr, "darn %s: schedule %" PRIu64 " fails: ", command, schedule);
    else /* one that was followed */
        fprintf(stderr, "darn %s: it fails: ", command);
    for (const char *c = judged->text; *c; c++)
        fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, stderr);
    fputc('\n', stderr);
}

static void print(struct darn_exploration *exploration, const struct darn_explore_scene *scene,
                  const struct darn_finding *finding, uint64_t schedule, bool differs)
{
    darn_exploration_clear_progress(exploration);
    print_headline(exploration->command, &scene->judged, schedule);
    darn_format_find("text")->finding(stderr, finding, &exploration->style);
    if (scene->story.length)
        fprintf(stderr, "\n%s", scene->story.text);
    if (differs)
        fprintf(stderr,
                "darn %s: it did not happen again when the same schedule was followed: "
                "something outside of the threads differs from run to run\n",
                exploration->command);
    fputc('\n', stderr);
}

/* One finding of a run, which it takes over. False when it turned out to be nothing: a run that
 * ends when it is given more patience. */
static bool add(struct darn_exploration *exploration, struct darn_player *player,
                struct darn_explore_scene *scene, struct darn_finding *finding, bool met,
                uint64_t schedule)
{
    bool again;

    darn_explore_take(scene, exploration, player);
    again = happens_again(scene, player, finding, met);
    if (scene->judged.kind == DARN_VERDICT_HANG && !met && !again) {
        exploration->slow++;
        darn_finding_free(finding);
        return false;
    }
    complete(finding, &scene->judged, again);
    darn_explore_keep(scene, exploration, finding);
    append(exploration, finding, schedule);
    print(exploration, scene, finding, schedule,
          !again && player->how != DARN_SERVER_STOPPED && player->how != DARN_SERVER_LOST);
    return true;
}

static bool is_seen(struct darn_exploration *exploration, uintptr_t print_of)
{
    uintptr_t known = darn_map_get(&exploration->seen, print_of, 0);

    if (known)
        exploration->found[known - 1].finding->count++;
    return known;
}

static bool is_known(struct darn_exploration *exploration, struct darn_finding *finding,
                     uintptr_t print_of)
{
    for (size_t i = 0; i < exploration->found_count; i++) {
        if (strcmp(exploration->found[i].finding->id, finding->id) != 0)
            continue;
        exploration->found[i].finding->count++;
        darn_map_put(&exploration->seen, print_of, i + 1);
        return true;
    }
    return false;
}

/* How the run ended, or with `met` what threads met in it. */
static bool consider(struct darn_exploration *exploration, struct darn_player *player,
                     struct darn_explore_scene *scene, const struct darn_block_met *met,
                     uint64_t schedule)
{
    uintptr_t print_of = darn_exploration_fingerprint(player, met);
    struct darn_finding *finding;

    if (is_seen(exploration, print_of))
        return true;
    if (darn_map_get(&exploration->slow_ones, print_of, 0)) {
        exploration->slow++;
        return false;
    }
    finding = met ? darn_scene_met(&player->scene, met)
                  : darn_scene_failure(&player->scene, darn_verdict_word(player->judged.kind));
    if (!finding)
        return false;
    if (is_known(exploration, finding, print_of)) {
        darn_finding_free(finding);
        return true;
    }
    if (!add(exploration, player, scene, finding, met, schedule)) {
        darn_map_put(&exploration->slow_ones, print_of, 1);
        return false;
    }
    darn_map_put(&exploration->seen, print_of, exploration->found_count);
    return true;
}

bool darn_exploration_found(struct darn_exploration *exploration, struct darn_player *player,
                            uint64_t schedule)
{
    static struct darn_block_met mets[DARN_BLOCK_MET]; /* another run may come meanwhile */
    struct darn_explore_scene scene = {.taken = false};
    const struct darn_result *result = &player->block->result;
    uint32_t met_count = exploration->line->races ? result->met_count : 0;
    bool found = false;

    if (met_count > DARN_BLOCK_MET)
        met_count = DARN_BLOCK_MET;
    memcpy(mets, result->met, met_count * sizeof(*mets));
    if (darn_verdict_is_failure(player->judged.kind))
        found |= consider(exploration, player, &scene, NULL, schedule);
    for (uint32_t i = 0; i < met_count; i++)
        found |= consider(exploration, player, &scene, &mets[i], schedule);
    darn_explore_scene_free(&scene);
    return found;
}
