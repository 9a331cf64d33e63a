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

#include "driver/explore/exploration.h"
#include "driver/heal/healing.h"
#include "driver/play/kept.h"
#include "driver/process/launch.h"
#include "report/sink.h"
#include "search/switches.h"
#include "section/match.h"
#include "section/resolve.h"

#define EXIT_FAILS 1

struct verification {
    struct darn_heal *heal;
    struct darn_kept *kept; /* one for each directory of the findings */
    size_t kept_count;
    uint64_t replays, replays_failed;
    double seconds;
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

static void say_replay(const struct darn_kept *kept, const char *name, bool failed, bool changed)
{
    const char *ending = kept->schedule->ending;

    if (failed)
        fprintf(stderr, "darn heal: the schedule of %s still fails\n", name);
    else
        fprintf(stderr, "darn heal: the schedule of %s ends well%s%s%s%s\n", name,
                changed ? ", healing has changed its course" : "",
                ending && strcmp(ending, "ok") != 0 ? "; unhealed: " : "",
                ending && strcmp(ending, "ok") != 0 ? ending : "", "");
}

/* Follows one schedule as far as that is possible. 0 or an exit status. */
static int replay(struct darn_exploration *exploration, const struct darn_kept *kept,
                  const char *name)
{
    struct verification *verification = exploration->context;
    struct darn_player *player = &exploration->players[0];
    const struct darn_result *result = &player->block->result;
    bool ran = darn_player_follow(player, kept->schedule, 0), failed, changed = false;
    uint64_t diverged = result->diverged;

    if (!ran && player->how == DARN_SERVER_RAN) {
        darn_warn("heal", "the schedule of %s is not of this build of the program: it is not tried",
                  name);
        return 0;
    }
    if (kept->schedule->build && player->build != kept->schedule->build)
        darn_warn("heal", "%s has changed since the schedule of %s was made: it may not fit",
                  exploration->line->program[0], name);
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
        return darn_refuse("heal", "%s", darn_server_loss(player->server));
    if (!ran)
        return 0; /* interrupted */
    verification->replays++;
    verification->replays_failed += failed;
    say_replay(kept, name, failed, changed);
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

static int summary(struct darn_exploration *exploration)
{
    struct verification *verification = exploration->context;
    struct darn_search_stats stats;

    darn_search_stats(exploration->search, &stats);
    exploration->exhausted = stats.exhausted;
    verification->seconds = exploration->ended - exploration->started;
    darn_exploration_clear_progress(exploration);
    darn_exploration_notes(exploration);
    return 0;
}

static void say_result(const struct darn_exploration *exploration,
                       const struct verification *verification)
{
    uint64_t failures = exploration->failures + verification->replays_failed;
    uint64_t runs = exploration->schedules + verification->replays;

    if (failures)
        fprintf(stderr, "darn heal: not verified: %" PRIu64 " of %" PRIu64 " schedules fail%s%s\n",
                failures, runs, exploration->line->directory ? "; kept in " : "",
                exploration->line->directory ? exploration->line->directory
                                             : "; -o DIR keeps them for darn replay");
    else
        fprintf(stderr,
                "darn heal: verified: %" PRIu64 " schedule%s, none fails and none deadlocks "
                "(%.1f s)%s\n",
                runs, runs == 1 ? "" : "s", verification->seconds,
                exploration->exhausted ? "; nothing is left to try" : "");
}

static void write_json(const struct darn_exploration *exploration,
                       const struct verification *verification)
{
    const struct darn_heal_line *line = &verification->heal->line;
    uint64_t failures = exploration->failures + verification->replays_failed;
    json_t *object =
        json_pack("{s:{s:b, s:I, s:I, s:I, s:I, s:s, s:I, s:b}}", "verify", "verified", !failures,
                  "schedules", (json_int_t)exploration->schedules, "failures",
                  (json_int_t)exploration->failures, "replays", (json_int_t)verification->replays,
                  "replays_failed", (json_int_t)verification->replays_failed, "with",
                  line->with ? line->with : "block", "seed", (json_int_t)line->seed, "exhausted",
                  (int)exploration->exhausted);
    char *text = object ? json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    char *whole = NULL;
    int result = text && asprintf(&whole, "%s\n", text) > 0
                     ? darn_sink_append(line->json, whole, strlen(whole))
                     : -ENOMEM;

    if (result)
        darn_lost("heal", "json: %s cannot be written: %s", line->json, strerror(-result));
    free(whole);
    free(text);
    json_decref(object);
}

/* What is not said is what the hunt had. 0 or an exit status. */
static int make_line(const struct verification *verification, struct darn_explore_line *line)
{
    static char name[] = "heal";
    static char *none[] = {name, NULL};
    const struct darn_heal_line *from = &verification->heal->line;
    const struct darn_kept *kept = verification->kept_count ? verification->kept : NULL;
    int status = darn_explore_read(line, 1, none);

    line->search.kind = DARN_SEARCH_PORTFOLIO;
    line->search.seed = from->seed;
    line->schedules = from->schedules;
    line->seconds_ms = from->seconds_ms;
    line->timeout_ms = from->timeout_ms;
    if (from->jobs)
        line->jobs = from->jobs;
    line->max_steps_given = from->max_steps;
    if (from->max_steps)
        line->max_steps = from->max_steps;
    line->keep_going = true;
    line->oracle = from->oracle || !kept ? from->oracle : kept->oracle;
    line->reset = from->reset || !kept ? from->reset : kept->reset;
    line->input = from->input ? from->input : kept && *kept->input ? kept->input : NULL;
    line->directory = from->directory;
    line->strip_path_prefix = from->strip_path_prefix;
    line->color = from->color;
    line->program = from->program;
    return status;
}

static int open_kept(struct verification *verification)
{
    const struct darn_words *directories = &verification->heal->findings.directories;
    int status = 0;

    verification->kept = calloc(directories->count + 1, sizeof(*verification->kept));
    if (!verification->kept)
        return darn_refuse("heal", "out of memory");
    for (size_t i = 0; i < directories->count && !status; i++) {
        status = darn_kept_open(&verification->kept[verification->kept_count], "heal",
                                directories->items[i]);
        verification->kept_count += !status;
    }
    return status;
}

/* An exit status. */
static int explore(struct verification *verification)
{
    static struct darn_exploration exploration = {
        .command = "heal",
        .look = darn_exploration_found,
        .before = before,
        .summary = summary,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    static struct darn_explore_line line;
    int status = make_line(verification, &line);

    if (status)
        return status;
    exploration.context = verification;
    status = darn_exploration_make(&exploration, &line);
    if (!exploration.schedules && !verification->replays)
        return status;
    say_result(&exploration, verification);
    if (verification->heal->line.json)
        write_json(&exploration, verification);
    if (exploration.failures + verification->replays_failed)
        return EXIT_FAILS;
    return status;
}

/* Whether the program has the section, here or where its lines have moved to. */
static bool is_there(const struct darn_heal *heal, const struct darn_section *section)
{
    struct darn_shape wanted = darn_shape_of_section(section);

    if (section->count && darn_section_elf_site(&heal->elf, darn_point_key(&section->points[0])))
        return true;
    for (size_t i = 0; i < heal->elf.sections.count; i++) {
        const struct darn_section *recorded = heal->elf.sections.list[i];
        struct darn_shape shape = darn_shape_of_section(recorded);

        if (darn_section_is_lines(section) ? darn_section_applies(section, recorded)
                                           : darn_shape_means(&wanted, &shape))
            return true;
    }
    return false;
}

/* Controlled runs leave no account: a repository of another program must not look verified. */
static void warn_of_missing(const struct darn_heal *heal)
{
    size_t missing = 0;

    for (size_t i = 0; i < heal->repository.count; i++)
        missing += !heal->repository.list[i]->why && !is_there(heal, heal->repository.list[i]);
    if (missing)
        darn_warn("heal", "%zu section%s of the repository cannot be healed: %s not in %s", missing,
                  missing == 1 ? "" : "s", missing == 1 ? "it is" : "they are",
                  heal->line.program[0]);
}

int darn_heal_verify(struct darn_heal *heal)
{
    static struct darn_options options;
    struct verification verification = {.heal = heal};
    int status = darn_heal_set_options(heal, &options);

    if (!status)
        status = darn_pass_options("heal", &options);
    if (!status) {
        warn_of_missing(heal);
        status = open_kept(&verification);
    }
    if (!status)
        status = explore(&verification);
    for (size_t i = 0; i < verification.kept_count; i++)
        darn_kept_close(&verification.kept[i]);
    free(verification.kept);
    return status;
}
