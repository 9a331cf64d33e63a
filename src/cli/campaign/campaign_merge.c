/*
 * darn campaign merge: shards become one database.
 */
#include "cli/campaign/campaign_line.h"
#include "driver/campaign/campaign_store.h"
#include "driver/process/claim.h"

#define COMMAND "campaign merge"

static const struct darn_option options[] = {
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static int merge(char **files, int count)
{
    struct darn_listener *speaker = darn_speaker(COMMAND);
    struct darn_campaign_store store;
    double before;
    int result;

    if (darn_claim_file(speaker, files[0]) ||
        darn_campaign_store_open(&store, speaker, files[0], DARN_CAMPAIGN_MAKE, NULL))
        return DARN_EXIT_USAGE;
    before = darn_campaign_store_number(&store, "SELECT count(*) FROM rounds", NULL);
    result = 0;
    for (int i = 1; !result && i < count; i++)
        result = darn_campaign_store_merge(&store, files[i]);
    printf("%.0f more rounds\n",
           darn_campaign_store_number(&store, "SELECT count(*) FROM rounds", NULL) - before);
    darn_campaign_store_close(&store);
    return result ? DARN_EXIT_USAGE : darn_finish_output();
}

static int merge_campaigns(int argc, char **argv)
{
    struct darn_command_line line = {.command = &darn_campaign_merge_command};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (line.count < 2)
        return darn_refuse(COMMAND, "usage: darn campaign merge DATABASE SHARD...");
    return merge(line.words, line.count);
}

const struct darn_command darn_campaign_merge_command = {
    .name = COMMAND,
    .summary = "put the databases of shards, or of several campaigns, together",
    .usage = "campaign merge [options] DATABASE SHARD...",
    .about = "Puts all that the shards have into the database, which is made if it is not\n"
             "there. What it has already stays as it is: to merge a shard twice changes\n"
             "nothing.\n",
    .groups = groups,
    .operands = "FILE",
    .exits = "0 they were merged",
    .see = "darn-campaign(1), darn-campaign-work(1)",
    .run = merge_campaigns,
};
