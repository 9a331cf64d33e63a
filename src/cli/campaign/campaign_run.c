/*
 * darn campaign run: rounds.
 */
#include <unistd.h>

#include "cli/campaign/campaign_line.h"
#include "driver/campaign/campaign_run.h"
#include "driver/process/claim.h"

#define COMMAND "campaign run"

struct run_line {
    uint32_t seconds_ms;
    uint64_t minutes, hours, rounds, jobs, seed;
    const char *database;
};

#define AT(field) offsetof(struct run_line, field)

static const struct darn_option options[] = {
    {.name = "hours",
     .type = DARN_OPTION_WIDE,
     .offset = AT(hours),
     .max = 10000,
     .value = "N",
     .help = "be done after N hours"},
    {.name = "minutes",
     .type = DARN_OPTION_WIDE,
     .offset = AT(minutes),
     .max = 1000000,
     .value = "N",
     .help = "be done after N minutes"},
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(seconds_ms),
     .value = "S",
     .help = "be done after S seconds. Times add up; without one it\n"
             "goes on until it is interrupted"},
    {.name = "rounds",
     .type = DARN_OPTION_WIDE,
     .offset = AT(rounds),
     .max = UINT64_C(1) << 40,
     .value = "N",
     .help = "be done after N more rounds"},
    DARN_ROW_JOBS(AT(jobs)),
    {.name = "seed",
     .type = DARN_OPTION_WIDE,
     .offset = AT(seed),
     .min = 1,
     .max = UINT64_C(1) << 62,
     .value = "N",
     .help = "another seed, other rounds (default: that of the file)"},
    DARN_ROW_DATABASE(AT(database)),
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static struct darn_campaign_wanted wanted_of(const struct run_line *line)
{
    return (struct darn_campaign_wanted){
        .seconds = (double)line->seconds_ms / 1000 + (double)line->minutes * 60 +
                   (double)line->hours * 3600,
        .rounds = line->rounds,
        .jobs = line->jobs,
        .seed = line->seed,
    };
}

static void say_result(const struct darn_campaign_result *result, const char *file)
{
    printf("%llu round%s, %lld new in coverage, %lld new finding%s; darn campaign status %s\n",
           (unsigned long long)result->rounds, result->rounds == 1 ? "" : "s",
           (long long)result->coverage_new, (long long)result->findings_new,
           result->findings_new == 1 ? "" : "s", file);
}

static int run(const struct run_line *line, const char *file)
{
    struct darn_listener *speaker = darn_speaker(COMMAND);
    struct darn_campaign_wanted wanted = wanted_of(line);
    struct darn_campaign_result result;
    struct darn_campaign_store store;
    struct darn_campaign campaign;
    char database[PATH_MAX];
    int status;

    if (darn_campaign_read(&campaign, speaker, file))
        return DARN_EXIT_USAGE;
    darn_campaign_database(file, line->database, database);
    status = darn_claim_file(speaker, database);
    if (!status)
        status = darn_campaign_store_open(&store, speaker, database, DARN_CAMPAIGN_MAKE, NULL);
    if (status) {
        darn_campaign_free(&campaign);
        return DARN_EXIT_USAGE;
    }
    status = darn_campaign_run(&campaign, speaker, &store, &wanted, &result);
    say_result(&result, file);
    darn_campaign_store_close(&store);
    darn_campaign_free(&campaign);
    if (darn_finish_output())
        return 1;
    return status                ? 1
           : result.findings_new ? DARN_EXIT_FINDINGS
           : result.signal       ? 128 + result.signal
                                 : 0;
}

static int run_campaign(int argc, char **argv)
{
    static struct run_line wanted;
    struct darn_command_line line = {.command = &darn_campaign_run_command, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count)
        return darn_refuse(COMMAND, "no file; usage: darn campaign run [options] FILE");
    return run(&wanted, line.words[0]);
}

const struct darn_command darn_campaign_run_command = {
    .name = COMMAND,
    .summary = "run the tests of a campaign, other noise and parameters in each round",
    .usage = "campaign run [options] FILE",
    .about = "Each round chooses a test, a mode (a run with noise, a hunt, an exploration) and\n"
             "a setting, and keeps what came of it in the database. The choice learns from\n"
             "what was new. A campaign that was interrupted or killed goes on where it was,\n"
             "without the rounds that were under way. The exit status is 66 when something\n"
             "new was found.\n",
    .groups = groups,
    .operands = "FILE",
    .most = 1,
    .anywhere = true,
    .guarded = true,
    .exits = "0 nothing new was found\n"
             "66 something new was found",
    .see = "darn-campaign(1), darn-campaign-init(1), darn-campaign-status(1)",
    .run = run_campaign,
};
