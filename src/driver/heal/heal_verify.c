/*
 * darn heal --verify: the healed program under many schedules. Those that have shown the bug come
 * first, then those of an exploration. None may fail, and a deadlock is a failure: healing must not
 * make new ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "driver/explore/exploration.h"
#include "driver/heal/healing.h"
#include "driver/play/kept.h"
#include "driver/process/launch.h"
#include "driver/section/section_meaning.h"
#include "search/switches.h"
#include "section/match.h"

struct verification {
    struct darn_heal *heal;
    struct darn_kept *kept; /* one for each directory of the findings */
    size_t kept_count;
    uint64_t replays, replays_failed;
    uint64_t known; /* of the replays: schedules that fail when nothing is healed */
    uint64_t missing;
};

/* ---- the schedules of the bug ---- */

/* What healing has changed: from there on the schedule cannot be followed. The part before it is,
 * and then every thread gets its turn. */
static bool follow_prefix(struct darn_player *player, const struct darn_schedule *schedule,
                          uint64_t count)
{
    struct darn_schedule part = *schedule;

    if (count < part.step_count)
        part.step_count = count;
    return darn_player_follow(player, &part, 0);
}

/* The same switches at the same steps of the threads: those that are not possible are left out. */
static bool follow_switches(struct darn_player *player, const struct darn_schedule *schedule)
{
    size_t placed = darn_schedule_give_steps(schedule, player->block), count = 0;
    struct darn_switch *switches = darn_switches_of(player->block->follow, placed, &count);
    bool ran = darn_player_script(player, schedule, switches, count);

    free(switches);
    return ran;
}

/* True when the last run has failed: it is told and kept. */
static bool fails(struct darn_exploration *exploration, struct darn_player *player)
{
    bool found;

    if (!darn_verdict_is_failure(player->judged.kind))
        return false;
    pthread_mutex_lock(&exploration->lock);
    found = exploration->look(exploration, player, 0);
    pthread_mutex_unlock(&exploration->lock);
    return found;
}

/* A race that made no difference has a schedule, too, which ends well. */
static bool fails_unhealed(const struct darn_kept *kept)
{
    const char *ending = kept->schedule->ending;

    return ending && darn_verdict_is_failure(darn_verdict_named(ending));
}

static void say_replay(struct darn_listener *listener, const struct darn_kept *kept,
                       const char *name, bool failed, bool changed)
{
    const char *ending = kept->schedule->ending;

    if (failed)
        darn_tell_note(listener, "the schedule of %s still fails", name);
    else
        darn_tell_note(listener, "the schedule of %s ends well%s%s%s", name,
                       changed ? ", healing has changed its course" : "",
                       fails_unhealed(kept) ? "; unhealed: " : ", as it did unhealed",
                       fails_unhealed(kept) ? ending : "");
}

/* Follows one schedule as far as that is possible. 0 or DARN_REFUSED. */
static int replay(struct darn_exploration *exploration, const struct darn_kept *kept,
                  const char *name)
{
    struct verification *verification = exploration->context;
    struct darn_listener *listener = exploration->listener;
    struct darn_player *player = &exploration->players[0];
    const struct darn_result *result = &player->block->result;
    bool ran = darn_player_follow(player, kept->schedule, 0), failed, changed = false;
    uint64_t diverged = result->diverged;

    if (!ran && player->how == DARN_SERVER_RAN) {
        darn_tell_warning(listener,
                          "the schedule of %s is not of this build of the program: it is not tried",
                          name);
        return 0;
    }
    if (kept->schedule->build && player->build != kept->schedule->build)
        darn_tell_warning(listener,
                          "%s has changed since the schedule of %s was made: it may not fit",
                          exploration->options->program[0], name);
    failed = ran && fails(exploration, player);
    if (ran && !failed && result->end == DARN_END_DIVERGED) {
        changed = true;
        ran = follow_prefix(player, kept->schedule, diverged);
        failed = ran && fails(exploration, player);
        if (ran && !failed) {
            ran = follow_switches(player, kept->schedule);
            failed = ran && fails(exploration, player);
        }
    }
    if (!ran && player->how == DARN_SERVER_LOST)
        return darn_tell_refusal(listener, "%s", darn_server_loss(player->server));
    if (!ran)
        return 0; /* interrupted */
    verification->replays++;
    verification->replays_failed += failed;
    verification->known += fails_unhealed(kept);
    say_replay(listener, kept, name, failed, changed);
    return 0;
}

/* The judgement of the hunt is that of all runs here. */
static void set_judges(struct darn_exploration *exploration, const struct darn_kept *kept)
{
    for (uint32_t i = 0; i < exploration->player_count; i++) {
        struct darn_judge *judge = &exploration->players[i].judge;

        /* What a run prints may differ from schedule to schedule, unless the bug is that it does.
         */
        judge->compare = kept->compare && kept->symptom.kind == DARN_VERDICT_OUTPUT;
        judge->hash = kept->hash;
    }
}

static int before(struct darn_exploration *exploration)
{
    struct verification *verification = exploration->context;
    const char *const *names = (const char *const *)verification->heal->findings.directories.items;
    struct darn_player *player = &exploration->players[0];
    uint64_t max_steps = player->block->request.max_steps;
    int status = 0;

    for (size_t i = 0; i < verification->kept_count && !status; i++) {
        set_judges(exploration, &verification->kept[i]);
        if (!atomic_load(&exploration->interrupted))
            status = replay(exploration, &verification->kept[i], names[i]);
    }
    /* A replay has its own. */
    darn_server_arm(player->server, exploration->armed, exploration->armed_count);
    player->block->request.max_steps = max_steps;
    return status;
}

/* ---- the exploration ---- */

/* What is not said is what the hunt had. */
static struct darn_explore_options choose_options(const struct verification *verification)
{
    const struct darn_heal_options *from = &verification->heal->options;
    const struct darn_kept *kept = verification->kept_count ? verification->kept : NULL;

    return (struct darn_explore_options){
        .search = {.kind = DARN_SEARCH_PORTFOLIO, .seed = from->seed},
        .schedules = from->schedules,
        .seconds_ms = from->seconds_ms,
        .timeout_ms = from->timeout_ms,
        .timeout_given = true,
        .jobs = from->jobs,
        .max_steps = from->max_steps,
        .max_steps_given = from->max_steps_given,
        .keep_going = true,
        .usual_counts = true,
        .oracle = from->oracle || !kept ? from->oracle : kept->oracle,
        .reset = from->reset || !kept ? from->reset : kept->reset,
        .input = from->input            ? from->input
                 : kept && *kept->input ? kept->input
                                        : NULL,
        .directory = from->directory,
        .program = from->program,
    };
}

static int open_kept(struct verification *verification)
{
    const struct darn_words *directories = &verification->heal->findings.directories;
    int status = 0;

    verification->kept = darn_need_zeroed(directories->count + 1, sizeof(*verification->kept));
    for (size_t i = 0; i < directories->count && !status; i++) {
        status = darn_kept_open(&verification->kept[verification->kept_count],
                                verification->heal->listener, directories->items[i]);
        verification->kept_count += !status;
    }
    return status;
}

static uint64_t count_races(const struct darn_sections *repository)
{
    uint64_t races = 0;

    for (size_t i = 0; i < repository->count; i++)
        races += repository->list[i]->kind == DARN_SECTION_RACE;
    return races;
}

/* 0 or DARN_REFUSED. */
static int explore(struct verification *verification, struct darn_heal_verified *verified)
{
    static struct darn_exploration exploration;
    struct darn_explore_options options = choose_options(verification);
    int status;

    darn_exploration_init(&exploration, verification->heal->listener);
    exploration.before = before;
    exploration.context = verification;
    status = darn_explore(&exploration, &options);
    if (!status)
        darn_exploration_notes(&exploration);
    *verified = (struct darn_heal_verified){
        .schedules = exploration.schedules,
        .failures = exploration.failures,
        .replays = verification->replays,
        .replays_failed = verification->replays_failed,
        .known = verification->known,
        .seconds = exploration.ended - exploration.started,
        .exhausted = exploration.stats.exhausted,
        .findings = verification->heal->findings.count,
        .missing = verification->missing,
        .orders = exploration.stats.partial_orders,
        .points = exploration.armed_count,
        .races = count_races(&verification->heal->repository),
        .cut = exploration.cut_by_steps + exploration.cut_by_time,
        .signal = atomic_load(&exploration.interrupted),
    };
    if (!status)
        status = exploration.status;
    darn_exploration_free(&exploration);
    return status;
}

/* Controlled runs leave no account: a repository of another program must not look verified. */
static uint64_t warn_of_missing(const struct darn_heal *heal)
{
    struct darn_section_meaning meaning = {.elf = &heal->elf, .repository = &heal->repository};
    struct darn_section_answer *answers = darn_section_answers(&meaning);
    size_t missing = 0;

    for (size_t i = 0; i < heal->repository.count; i++)
        missing += !heal->repository.list[i]->why && answers[i].how == DARN_MATCH_NONE;
    free(answers);
    if (missing)
        darn_tell_warning(heal->listener,
                          "%zu section%s of the repository cannot be healed: %s not in %s", missing,
                          missing == 1 ? "" : "s", missing == 1 ? "it is" : "they are",
                          heal->options.program[0]);
    return missing;
}

int darn_heal_verify(struct darn_heal *heal, struct darn_heal_verified *verified)
{
    static struct darn_options options;
    struct verification verification = {.heal = heal};
    int status = darn_heal_set_options(heal, &options);

    if (!status)
        status = darn_pass_options(heal->listener, &options);
    if (!status) {
        verification.missing = warn_of_missing(heal);
        status = open_kept(&verification);
    }
    if (!status)
        status = explore(&verification, verified);
    for (size_t i = 0; i < verification.kept_count; i++)
        darn_kept_close(&verification.kept[i]);
    free(verification.kept);
    return status;
}
