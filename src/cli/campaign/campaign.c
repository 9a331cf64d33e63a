/*
 * darn campaign: the words behind it.
 */
#include "cli/campaign/campaign_line.h"

#include <stdio.h>
#include <string.h>

#include "cli/page.h"

static const struct darn_command *const parts[] = {
    &darn_campaign_init_command, &darn_campaign_run_command,   &darn_campaign_status_command,
    &darn_campaign_work_command, &darn_campaign_merge_command, NULL,
};

void darn_campaign_database(const char *file, const char *given, char path[PATH_MAX])
{
    const char *dot = strrchr(file, '.');
    bool is_json = dot && strcmp(dot, ".json") == 0;
    bool is_database = dot && strcmp(dot, ".db") == 0;

    if (given || is_database)
        snprintf(path, PATH_MAX, "%s", given ? given : file);
    else
        snprintf(path, PATH_MAX, "%.*s.db", (int)(is_json ? (size_t)(dot - file) : strlen(file)),
                 file);
}

static int cmd_campaign(int argc, char **argv)
{
    if (argc < 2)
        return darn_refuse("campaign",
                           "nothing to do; usage: darn campaign init|run|status|work|merge ...");
    if (strcmp(argv[1], "--help") == 0) {
        darn_page_help(&darn_command_campaign, stdout);
        return darn_finish_output();
    }
    for (size_t i = 0; parts[i]; i++)
        if (strcmp(argv[1], strchr(parts[i]->name, ' ') + 1) == 0)
            return parts[i]->run(argc - 1, argv + 1);
    return darn_refuse("campaign", "'%s' is none of init, run, status, work and merge", argv[1]);
}

const struct darn_command darn_command_campaign = {
    .name = "campaign",
    .summary = "run a whole test suite again and again, and learn from each round",
    .usage = "campaign init [options] -o FILE\n"
             "campaign run [options] FILE\n"
             "campaign status [options] FILE\n"
             "campaign work [options] FILE -o DATABASE\n"
             "campaign merge [options] DATABASE SHARD...",
    .about = "  init      write down which tests there are, and what may vary\n"
             "  run       run them with other noise, parameters and modes in each round, for\n"
             "            as long as it may take; run again, it goes on\n"
             "  status    what has come of it\n"
             "  work      a shard of it, on another machine\n"
             "  merge     put shards together\n"
             "\n"
             "FILE describes the campaign, JSON that is made to be edited. What comes of it is\n"
             "in a database beside it.\n"
             "'darn campaign WORD --help' lists the options of each.\n",
    .parts = parts,
    .guarded = true,
    .exits = "0 it was done, and nothing new was found\n"
             "66 run: something new was found",
    .see = "darn-campaign-init(1), darn-campaign-run(1), darn-campaign-status(1), "
           "darn-campaign-work(1), darn-campaign-merge(1), darn-run(1), "
           "darn-hunt(1), darn-explore(1), darn-report(1)",
    .run = cmd_campaign,
};
