/*
 * darn campaign run: rounds, here or on other machines; and darn campaign work: a shard of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/campaign/campaign_line.h"
#include "cli/campaign/campaign_news.h"
#include "driver/campaign/campaign_shards.h"
#include "driver/process/claim.h"

#define COMMAND "campaign run"

struct run_line {
    uint32_t seconds_ms;
    uint64_t minutes, hours, rounds, jobs, seed;
    bool transfer;
    const char *database, *on, *slurm_options, *transferred, *baseline, *sarif;
    const char *shard; /* of a worker */
};

#define AT(field) offsetof(struct run_line, field)

/* Of both. */
static const struct darn_option common[] = {
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
    {.name = NULL},
};

static const struct darn_option options[] = {
    {.name = "on",
     .type = DARN_OPTION_STRING,
     .offset = AT(on),
     .value = "WHERE",
     .help = "local (the default); parallel:HOSTS: on machines that\n"
             "GNU parallel reaches (: is this one), --jobs on each;\n"
             "slurm: an array of --jobs jobs"},
    {.name = "slurm-options",
     .type = DARN_OPTION_STRING,
     .offset = AT(slurm_options),
     .value = "WORDS",
     .help = "more options for sbatch: '-p debug'",
     .needs = "on"},
    {.name = "transfer",
     .type = DARN_OPTION_MAYBE,
     .offset = AT(transferred),
     .given = AT(transfer),
     .value = "PATHS",
     .help = "GNU parallel brings what is needed to hosts without a\n"
             "shared file system: darn, the file, the programs and\n"
             "directories of tests, and PATHS, with commas",
     .needs = "on"},
    {.name = "baseline",
     .type = DARN_OPTION_STRING,
     .offset = AT(baseline),
     .value = "FILE",
     .help = "what is found there, in the database of another\n"
             "campaign or in JSON Lines, is not new"},
    {.name = "sarif",
     .type = DARN_OPTION_STRING,
     .offset = AT(sarif),
     .value = "FILE",
     .help = "put what is new into FILE, too, as SARIF 2.1.0"},
    DARN_ROW_DATABASE(AT(database)),
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option work_options[] = {
    {.name = "shard",
     .type = DARN_OPTION_STRING,
     .offset = AT(shard),
     .value = "NAME",
     .help = "what the rounds of this database are called; no other\n"
             "may be called so (default: a name by chance)"},
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(database),
     .value = "FILE",
     .help = "the database"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {
    {.options = common}, {.options = options}, {.options = NULL}};
static const struct darn_option_group work_groups[] = {
    {.options = common}, {.options = work_options}, {.options = NULL}};

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

static void say_result(const struct darn_campaign_result *result, const char *file, int64_t news)
{
    printf("%llu round%s, %lld new in coverage, %lld new finding%s; darn campaign status %s\n",
           (unsigned long long)result->rounds, result->rounds == 1 ? "" : "s",
           (long long)result->coverage_new, (long long)news, news == 1 ? "" : "s", file);
}

static bool is_elsewhere(const struct run_line *line)
{
    return line->on && strcmp(line->on, "local") != 0;
}

/* The campaign, and its database, which is ours until we end. 0 or an exit status. */
static int open_both(const struct run_line *line, const char *file, struct darn_campaign *campaign,
                     struct darn_campaign_store *store)
{
    struct darn_listener *speaker = darn_speaker(COMMAND);
    char database[PATH_MAX];
    int status;

    if (darn_campaign_read(campaign, speaker, file))
        return DARN_EXIT_USAGE;
    darn_campaign_database(file, line->database, database);
    status = darn_claim_file(speaker, database);
    if (!status)
        status =
            darn_campaign_store_open(store, speaker, database, DARN_CAMPAIGN_MAKE, line->shard);
    if (status)
        darn_campaign_free(campaign);
    return status ? DARN_EXIT_USAGE : 0;
}

static int run_rounds(const struct run_line *line, struct darn_campaign *campaign,
                      struct darn_campaign_store *store, struct darn_campaign_result *result)
{
    struct darn_listener *speaker = darn_speaker(COMMAND);
    struct darn_campaign_wanted wanted = wanted_of(line);
    struct darn_campaign_shards shards = {.on = line->on,
                                          .slurm_options = line->slurm_options,
                                          .count = line->jobs,
                                          .transfer = line->transfer,
                                          .transferred = line->transferred};

    return is_elsewhere(line)
               ? darn_campaign_shards_run(campaign, speaker, store, &wanted, &shards, result)
               : darn_campaign_run(campaign, speaker, store, &wanted, result);
}

static int run(const struct run_line *line, const char *file)
{
    struct darn_campaign_result result;
    struct darn_campaign_store store;
    struct darn_campaign campaign;
    struct darn_campaign_news news;
    int64_t found = 0;
    int status = darn_begin_sarif(COMMAND, line->sarif, NULL);

    if (!status)
        status = open_both(line, file, &campaign, &store);
    if (status)
        return status;
    status = darn_campaign_news_begin(&news, &store, line->baseline);
    if (!status) {
        status = run_rounds(line, &campaign, &store, &result) != 0;
        found = darn_campaign_news_tell(&news, &store, line->sarif);
        say_result(&result, file, found);
    }
    darn_campaign_news_free(&news);
    darn_campaign_store_close(&store);
    darn_campaign_free(&campaign);
    if (darn_finish_output() || status)
        return status ? status : 1;
    return found ? DARN_EXIT_FINDINGS : result.signal ? 128 + result.signal : 0;
}

/* What is found is told by whoever merges the shard. */
static int work(const struct run_line *line, const char *file)
{
    struct darn_campaign_result result;
    struct darn_campaign_store store;
    struct darn_campaign campaign;
    int status = open_both(line, file, &campaign, &store);

    if (status)
        return status;
    status = run_rounds(line, &campaign, &store, &result) != 0;
    if (!status && !result.signal)
        status = darn_campaign_store_finish(&store) != 0;
    darn_campaign_store_close(&store);
    darn_campaign_free(&campaign);
    return status ? 1 : result.signal ? 128 + result.signal : 0;
}

static int work_campaign(int argc, char **argv)
{
    static struct run_line wanted;
    struct darn_command_line line = {.command = &darn_campaign_work_command, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count || !wanted.database)
        return darn_refuse("campaign work", "usage: darn campaign work [options] FILE -o DATABASE");
    return work(&wanted, line.words[0]);
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
    if (wanted.on && !darn_campaign_engine_is_known(wanted.on))
        return darn_refuse(COMMAND, "--on=%s: there are local, parallel:HOSTS and slurm",
                           wanted.on);
    if (wanted.transfer && strncmp(wanted.on, "parallel:", strlen("parallel:")) != 0)
        return darn_refuse(COMMAND, "--transfer: only GNU parallel brings files to other machines "
                                    "(--on=parallel:HOSTS)");
    return run(&wanted, line.words[0]);
}

const struct darn_command darn_campaign_work_command = {
    .name = "campaign work",
    .summary = "run a shard of a campaign, into a database of its own",
    .usage = "campaign work [options] FILE -o DATABASE",
    .about = "What darn campaign run --on= has run on other machines: rounds, into a database\n"
             "that darn campaign merge puts together with others. For batch systems that darn\n"
             "does not know.\n",
    .groups = work_groups,
    .operands = "FILE",
    .most = 1,
    .anywhere = true,
    .guarded = true,
    .exits = "0 the shard came to its end",
    .see = "darn-campaign(1), darn-campaign-run(1), darn-campaign-merge(1)",
    .run = work_campaign,
};

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
