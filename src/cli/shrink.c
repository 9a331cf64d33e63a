/*
 * darn shrink: makes the schedule of a finding as short as it can be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver/process/claim.h"
#include "cli/command.h"
#include "driver/play/kept.h"
#include "cli/line.h"
#include "cli/say.h"
#include "cli/shrink.h"
#include "driver/play/shrinking.h"

#define DEFAULT_SECONDS 30000
#define DEFAULT_TIMEOUT 10000

enum { SECONDS, TIMEOUT, HELP };

const struct darn_cli_option darn_shrink_options[] = {
    [SECONDS] = {"--seconds", "S", "stop after S seconds with what was found so far (30)"},
    [TIMEOUT] = {"--timeout", "S", "end a run that takes longer than S seconds (10)"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

struct shrink {
    uint32_t seconds_ms, timeout_ms;
    bool help;
};

void darn_help_shrink(void)
{
    printf("usage: darn shrink [options] DIRECTORY\n"
           "\n"
           "Looks for the fewest context switches that still show the finding that darn\n"
           "hunt or darn explore has left in DIRECTORY: first as few preemptions as can be,\n"
           "then as few other switches. The schedule and the story there become the short\n"
           "ones; the schedule that was found stays as schedule.full.\n"
           "\n");
    darn_print_options(darn_shrink_options);
}

static int set_option(void *to, int option, const char *value)
{
    struct shrink *shrink = to;

    if (option == SECONDS)
        return darn_line_seconds("shrink", "--seconds", value, &shrink->seconds_ms);
    if (option == TIMEOUT)
        return darn_line_seconds("shrink", "--timeout", value, &shrink->timeout_ms);
    shrink->help = true;
    return 0;
}

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
        result = darn_kept_write_story(directory, player);
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
    struct darn_shrinking shrinking = {.player = &player, .symptom = kept->symptom};
    int status = darn_kept_start(kept, "shrink", &player, &options);

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

int darn_cmd_shrink(int argc, char **argv)
{
    static struct darn_kept kept;
    struct shrink shrink = {.seconds_ms = DEFAULT_SECONDS, .timeout_ms = DEFAULT_TIMEOUT};
    const char *name;
    int at, status =
                darn_line_read("shrink", darn_shrink_options, argc, argv, set_option, &shrink, &at);

    if (status)
        return status;
    if (shrink.help) {
        darn_help_shrink();
        return darn_finish_output();
    }
    if (at + 1 != argc)
        return darn_refuse("shrink",
                           "one directory is needed; usage: darn shrink [options] DIRECTORY");
    status = darn_kept_open(&kept, "shrink", argv[at]);
    if (status)
        return status;
    name = strrchr(kept.path, '/') + 1;
    if (strcmp(name, "schedule") != 0)
        status = darn_refuse("shrink", "%s is not the directory of a finding", argv[at]);
    else
        status = darn_claim_directory("shrink", kept.directory);
    if (!status)
        status = shrink_kept(&shrink, &kept);
    darn_kept_close(&kept);
    return status;
}
