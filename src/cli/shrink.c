/*
 * darn shrink: makes the schedule of a finding as short as it can be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver/process/claim.h"
#include "driver/play/kept.h"
#include "cli/line.h"
#include "cli/say.h"
#include "driver/play/shrinking.h"

struct shrink {
    uint32_t seconds_ms, timeout_ms;
};

static const struct darn_option options[] = {
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = offsetof(struct shrink, seconds_ms),
     .initial = "30",
     .value = "S",
     .help = "stop after S seconds with what was found so far"},
    {.name = "timeout",
     .type = DARN_OPTION_SECONDS,
     .offset = offsetof(struct shrink, timeout_ms),
     .initial = "10",
     .value = "S",
     .help = "end a run that takes longer than S seconds"},
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* "12 context switches, 5 of them preemptions" */
static void say_count(struct darn_switch_count count, const char *what)
{
    printf("%" PRIu64 "%s", count.switches, what);
    if (count.preemptions == 1)
        printf(", 1 of them a preemption");
    else
        printf(", %" PRIu64 " of them preemptions", count.preemptions);
}

static void say_result(const struct darn_shrinking *shrinking)
{
    bool one = shrinking->before.switches == 1;

    say_count(shrinking->before, one ? " context switch" : " context switches");
    printf(" -> ");
    say_count(shrinking->after, "");
    printf(" (%" PRIu64 " runs%s)\n", shrinking->runs,
           shrinking->in_time ? "" : "; the time was over");
}

/* 0 or an exit status. */
static int write_back(const struct darn_kept *kept, struct darn_shrinking *shrinking)
{
    struct darn_player *player = shrinking->player;
    const char *directory = kept->directory;
    int result = darn_kept_keep_full(directory);

    if (!result)
        result = darn_kept_write_schedule(directory, "schedule", shrinking->schedule);
    if (!result)
        result = darn_kept_write_story(directory, player, shrinking->schedule,
                                       kept->symptom.met ? kept->symptom.id : NULL);
    if (!result)
        result = darn_kept_write_log(directory, player);
    if (result)
        return darn_refuse("shrink", "%s cannot be written: %s", directory, strerror(-result));
    return 0;
}

static int shrink_kept(const struct shrink *shrink, struct darn_kept *kept)
{
    struct darn_server_options options = {.cpu = -1, .timeout_ms = shrink->timeout_ms};
    struct darn_player player;
    struct darn_shrinking shrinking = {
        .player = &player, .symptom = kept->symptom, .listener = darn_speaker("shrink")};
    int status = darn_kept_start(kept, darn_speaker("shrink"), &player, &options);

    if (status)
        return status;
    shrinking.schedule = kept->schedule; /* owned by it from now on */
    shrinking.until = darn_clock() + shrink->seconds_ms / 1000.0;
    if (!darn_shrink(&shrinking)) {
        fprintf(stderr,
                "darn shrink: the schedule does not show it any more; darn replay says why\n");
        status = 1;
    } else {
        status = write_back(kept, &shrinking);
        if (!status)
            say_result(&shrinking);
    }
    kept->schedule = shrinking.schedule;
    darn_player_stop(&player);
    return status ? status : darn_finish_output();
}

static int cmd_shrink(int argc, char **argv)
{
    static struct darn_kept kept;
    struct shrink shrink = {.seconds_ms = 0};
    struct darn_command_line line = {.command = &darn_command_shrink, .to = &shrink};
    const char *name;
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (line.count != 1)
        return darn_refuse("shrink",
                           "one directory is needed; usage: darn shrink [options] DIRECTORY");
    status = darn_kept_open(&kept, darn_speaker("shrink"), line.words[0]);
    if (status)
        return status;
    name = strrchr(kept.path, '/') + 1;
    if (strcmp(name, "schedule") != 0)
        status = darn_refuse("shrink", "%s is not the directory of a finding", line.words[0]);
    else
        status = darn_claim_directory(darn_speaker("shrink"), kept.directory);
    if (!status)
        status = shrink_kept(&shrink, &kept);
    darn_kept_close(&kept);
    return status;
}

const struct darn_command darn_command_shrink = {
    .name = "shrink",
    .summary = "find the fewest context switches that still show a bug",
    .usage = "shrink [options] DIRECTORY",
    .about = "Looks for the fewest context switches that still show the finding that darn\n"
             "hunt or darn explore has left in DIRECTORY: first as few preemptions as can be,\n"
             "then as few other switches. The schedule and the story there become the short\n"
             "ones; the schedule that was found stays as schedule.full.\n",
    .groups = groups,
    .operands = "DIR",
    .guarded = true,
    .exits = "0 the schedule is as short as it gets, or the time is over\n"
             "1 the schedule does not show the finding any more",
    .see = "darn-hunt(1), darn-explore(1), darn-replay(1)",
    .run = cmd_shrink,
};
