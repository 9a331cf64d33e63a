/*
 * darn replay: makes a run again by the schedule that it left.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/text/color.h"
#include "driver/play/adapt.h"
#include "driver/play/divergence.h"
#include "driver/play/kept.h"
#include "cli/line.h"
#include "driver/play/replay_gdb.h"
#include "driver/play/shrinking.h"
#include "cli/say.h"
#include "report/report_format.h"
#include "report/story/story_read.h"

#define EXIT_DIFFERENT 1

struct replay {
    bool gdb, has_at, otherwise;
    const char *in;
    uint64_t at, times;
    uint32_t timeout_ms;
};

static const struct darn_option options[] = {
    {.name = "gdb",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct replay, gdb),
     .help = "start gdb with the program held where it happens: where\n"
             "the threads race, or where the run fails"},
    {.name = "at",
     .type = DARN_OPTION_WIDE,
     .offset = offsetof(struct replay, at),
     .given = offsetof(struct replay, has_at),
     .max = DARN_BLOCK_STEPS,
     .value = "STEP",
     .help = "hold the program at this decision, for gdb"},
    {.name = "otherwise",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct replay, otherwise),
     .help = "leave out the switch without which a failure does not\n"
             "happen, as its story says: the run ends well"},
    {.name = "in",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct replay, in),
     .value = "PROGRAM",
     .help = "in another build of the program, whose code has\n"
             "changed: threads change at the same places"},
    {.name = "times",
     .type = DARN_OPTION_WIDE,
     .offset = offsetof(struct replay, times),
     .initial = "1",
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "replay N times, and say how often it happened again"},
    {.name = "timeout",
     .type = DARN_OPTION_SECONDS,
     .offset = offsetof(struct replay, timeout_ms),
     .initial = "60",
     .value = "SECONDS",
     .help = "end a run that takes longer"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* A finding of the run, as reports show it. */
static void print_finding(struct darn_player *player, const struct darn_kept *kept)
{
    struct darn_finding *finding = darn_player_finding(player, kept->symptom.id, kept->symptom.met);
    struct darn_style style = {.color = darn_wants_color(DARN_COLOR_AUTO, STDERR_FILENO)};

    if (finding) {
        finding->schedule = kept->path;
        darn_format_find("text")->finding(stderr, finding, &style);
    }
    darn_finding_free(finding);
}

/* The steps that were just taken: those of the schedule. A schedule alone has none beside it. */
static void print_story(const struct darn_kept *kept)
{
    char path[PATH_MAX + 16], line[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/story.txt", kept->directory);
    file = fopen(path, "re");
    if (!file)
        return;
    fputc('\n', stderr);
    while (fgets(line, sizeof(line), file))
        fputs(line, stderr);
    fclose(file);
    fputc('\n', stderr);
}

/* In what way it was not the same. One line. */
static void say_difference(const struct darn_kept *kept, struct darn_player *player)
{
    const struct darn_result *result = &player->block->result;
    const char *word = darn_verdict_word(player->judged.kind);
    char text[1024], inputs[256];

    if (player->how == DARN_SERVER_LOST) {
        fprintf(stderr, "darn replay: the program cannot be run any more\n");
    } else if (darn_divergence_text(kept->schedule, &player->snapshot, text, sizeof(text))) {
        fprintf(stderr, "darn replay: %s\n", text);
    } else if (player->judged.kind != kept->symptom.kind) {
        fprintf(stderr,
                "darn replay: it ended another way, after %" PRIu64 " decisions: %s, not %s\n",
                result->steps, *player->judged.text ? player->judged.text : word,
                darn_verdict_word(kept->symptom.kind));
    } else {
        fprintf(stderr, "darn replay: it ended the same way (%s), but it is not the same finding\n",
                word);
    }
    darn_divergence_inputs(result, inputs, sizeof(inputs));
    if (*inputs)
        fprintf(stderr, "darn replay: the program reads what is not recorded: %s\n", inputs);
}

/* An exit status. */
static int play_once(const struct darn_kept *kept, struct darn_player *player)
{
    bool ran = darn_player_follow(player, kept->schedule, 0);

    (void)darn_finish_output(); /* the status says something else */
    if (ran && darn_player_shows(player, &kept->symptom)) {
        print_finding(player, kept);
        print_story(kept);
        fprintf(stderr, "darn replay: the same again, after %" PRIu64 " decisions%s%s\n",
                player->block->result.steps, *player->judged.text ? ": " : "", player->judged.text);
        return DARN_EXIT_FINDINGS;
    }
    if (player->how == DARN_SERVER_STOPPED)
        return EXIT_DIFFERENT;
    say_difference(kept, player);
    return EXIT_DIFFERENT;
}

/* An exit status: 0 when the run ends well. */
static int play_otherwise(const struct darn_kept *kept, struct darn_player *player)
{
    const struct darn_schedule *schedule = kept->schedule;

    if (!schedule->essential)
        return darn_refuse("replay",
                           "%s: no switch is known without which the run ends well; "
                           "darn shrink looks for one",
                           kept->path);
    if (!darn_play_otherwise(player, schedule)) {
        if (player->how != DARN_SERVER_STOPPED)
            say_difference(kept, player);
        return EXIT_DIFFERENT;
    }
    (void)darn_finish_output(); /* the status says something else */
    fprintf(stderr,
            "darn replay: with T%" PRIu64 " at step %" PRIu64 ", after %" PRIu64 " decisions: %s\n",
            schedule->instead, schedule->essential, player->block->result.steps,
            *player->judged.text ? player->judged.text : darn_verdict_word(player->judged.kind));
    return player->judged.kind == DARN_VERDICT_OK ? 0 : DARN_EXIT_FINDINGS;
}

/* An exit status: 0 when the run ends well. */
static int play_adapted(const struct darn_kept *kept, struct darn_player *player)
{
    json_t *story = darn_story_read(kept->directory), *finding = darn_kept_finding(kept);
    struct darn_adapting adapting = {.player = player, .schedule = kept->schedule, .story = story};
    int status = EXIT_DIFFERENT;

    if (kept->symptom.met) {
        adapting.kind = json_string_value(json_object_get(finding, "kind"));
        adapting.variable = json_string_value(json_object_get(finding, "variable"));
    }
    if (!story)
        status = darn_refuse("replay",
                             "%s: there is no story.json beside it, which says what the "
                             "threads do",
                             kept->path);
    else if (darn_adapt(&adapting)) {
        (void)darn_finish_output(); /* the status says something else */
        fprintf(stderr, "darn replay: %zu of %zu switches, after %" PRIu64 " decisions: %s\n",
                adapting.made, adapting.switches, player->block->result.steps,
                !adapting.fails        ? "it ends well"
                : *player->judged.text ? player->judged.text
                                       : "the threads meet as before");
        status = adapting.fails ? DARN_EXIT_FINDINGS : 0;
    } else if (player->how != DARN_SERVER_STOPPED) {
        say_difference(kept, player);
    }
    json_decref(story);
    json_decref(finding);
    return status;
}

static int play_often(const struct darn_kept *kept, struct darn_player *player, uint64_t times)
{
    uint64_t same = 0;

    for (uint64_t i = 0; i < times; i++) {
        bool ran = darn_player_follow(player, kept->schedule, 0);

        if (ran && darn_player_shows(player, &kept->symptom))
            same++;
        else if (same == i) /* the first time: others are likely to be like it */
            say_difference(kept, player);
        if (player->how == DARN_SERVER_LOST)
            break;
    }
    printf("%" PRIu64 " of %" PRIu64 "\n", same, times);
    (void)darn_finish_output(); /* the status says something else */
    return same == times ? DARN_EXIT_FINDINGS : EXIT_DIFFERENT;
}

/* Whether the program itself notices when it fails this way, so that it can be held there. */
static bool is_noticed(enum darn_verdict_kind kind)
{
    return kind == DARN_VERDICT_CRASH || kind == DARN_VERDICT_ABORT ||
           kind == DARN_VERDICT_ASSERTION || kind == DARN_VERDICT_DEADLOCK;
}

/* Where to hold the program: the moment at which the threads meet is known when they have met once.
 * Of a run that only ends badly, the last decision is the best that there is. */
static int debug(const struct replay *replay, const struct darn_kept *kept,
                 struct darn_player *player)
{
    uint64_t at = replay->has_at ? replay->at : UINT64_MAX;

    if (!replay->has_at && kept->symptom.met) {
        if (!darn_player_follow(player, kept->schedule, 0) ||
            !darn_player_shows(player, &kept->symptom)) {
            say_difference(kept, player);
            return EXIT_DIFFERENT;
        }
        at = player->block->result.met[0].step;
    } else if (!replay->has_at && !is_noticed(kept->symptom.kind) && kept->schedule->step_count) {
        at = kept->schedule->step_count - 1;
    }
    return darn_replay_gdb(darn_speaker("replay"), player, kept, at);
}

static int replay_kept(const struct replay *replay, struct darn_kept *kept)
{
    struct darn_server_options options = {
        .cpu = -1,
        .timeout_ms = replay->gdb ? 0 : replay->timeout_ms,
        .show = replay->times == 1 && !replay->in,
    };
    struct darn_player player;
    int status = replay->in ? darn_kept_take_program(kept, darn_speaker("replay"), replay->in) : 0;

    if (!status)
        status = darn_kept_start(kept, darn_speaker("replay"), &player, &options);
    if (status)
        return status;
    player.judge.timeout_ms = replay->timeout_ms;
    if (replay->gdb)
        status = debug(replay, kept, &player);
    else if (replay->otherwise)
        status = play_otherwise(kept, &player);
    else if (replay->in)
        status = play_adapted(kept, &player);
    else if (replay->times > 1)
        status = play_often(kept, &player, replay->times);
    else
        status = play_once(kept, &player);
    darn_player_stop(&player);
    return status;
}

static int cmd_replay(int argc, char **argv)
{
    static struct darn_kept kept;
    struct replay replay = {.gdb = false};
    struct darn_command_line line = {.command = &darn_command_replay, .to = &replay};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    replay.gdb |= replay.has_at;
    if (line.count != 1)
        return darn_refuse("replay", "one schedule is needed; usage: darn replay [options] "
                                     "DIRECTORY|SCHEDULE");
    if (replay.in && (replay.gdb || replay.otherwise || replay.times > 1))
        return darn_refuse("replay", "--in goes with none of --gdb, --at, --otherwise and --times");
    if (replay.gdb && (status = darn_replay_gdb_check(darn_speaker("replay"))))
        return status;
    status = darn_kept_open(&kept, darn_speaker("replay"), line.words[0]);
    if (status)
        return status;
    status = replay_kept(&replay, &kept);
    darn_kept_close(&kept);
    return status;
}

const struct darn_command darn_command_replay = {
    .name = "replay",
    .summary = "replay a schedule: the same bug happens again",
    .usage = "replay [options] DIRECTORY|SCHEDULE",
    .about = "Runs a program again as a schedule says, which darn hunt or darn explore has\n"
             "left: the same threads take the same steps, and the same bug happens. The exit\n"
             "status is 66 when it does, and 1 when the run goes another way: then the first\n"
             "decision that was not possible is named.\n",
    .groups = groups,
    .operands = "FILE",
    .guarded = true,
    .exits = "66 it happened again, each time\n"
             "0 --otherwise, --in: the run ended well\n"
             "1 the run went another way\n"
             "N --gdb: the status of gdb",
    .see = "darn-hunt(1), darn-explore(1), darn-shrink(1)",
    .run = cmd_replay,
};
