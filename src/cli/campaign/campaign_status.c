/*
 * darn campaign status: what has come of a campaign.
 */
#include "driver/campaign/campaign_status.h"

#include <stdlib.h>
#include <string.h>

#include "cli/campaign/campaign_line.h"

#define COMMAND "campaign status"

struct status_line {
    const char *database;
    const char *json_file; /* NULL: none */
};

static const struct darn_option options[] = {
    {.name = "json",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct status_line, json_file),
     .value = "FILE",
     .help = "append the findings to FILE as JSON Lines, for darn\n"
             "report"},
    DARN_ROW_DATABASE(offsetof(struct status_line, database)),
    DARN_ROW_HELP,
    {.name = NULL},
};

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static void print_head(const struct darn_campaign_status *status)
{
    char outlook[128];

    printf("rounds    %lld in %lld shard%s, %.1f s of tests\n", (long long)status->rounds,
           (long long)status->shards, status->shards == 1 ? "" : "s", status->seconds);
    printf("findings  %lld, %lld of them confirmed\n", (long long)status->findings,
           (long long)status->confirmed);
    printf("coverage  %lld", (long long)status->coverage);
    if (status->once) {
        darn_campaign_outlook(status, "round", outlook, sizeof(outlook));
        printf("; %lld seen in one round only: %s", (long long)status->once, outlook);
    } else if (status->coverage) {
        printf("; each was seen more than once: more of the same shows nothing new");
    }
    putchar('\n');
}

static void print_tests(const struct darn_campaign_status *status)
{
    puts("\n  rounds  failed  hung  coverage  findings  seconds  test");
    for (size_t i = 0; i < status->test_count; i++) {
        const struct darn_campaign_test_status *test = &status->tests[i];
        const char *remark = darn_campaign_remark(test);

        printf("%8lld%8lld%6lld%10lld%10lld%9.1f  %s%s%s\n", (long long)test->rounds,
               (long long)test->failed, (long long)test->hung, (long long)test->coverage,
               (long long)test->findings, test->seconds, test->name, *remark ? "  " : "", remark);
    }
}

static void print_helps(const struct darn_campaign_status *status)
{
    const struct darn_campaign_help *last = NULL;

    if (status->help_count)
        puts("\nwhat helped: new coverage, and 20 for each new finding, in a second of rounds,\n"
             "the first round of each test in each mode aside");
    for (size_t i = 0; i < status->help_count; i++) {
        const struct darn_campaign_help *help = &status->helps[i];

        if (!last || strcmp(last->mode, help->mode) != 0 || strcmp(last->name, help->name) != 0)
            printf("%s  %s %s:", last ? "\n" : "", help->mode, help->name);
        printf(" %s %.1f", help->value, help->gain);
        last = help;
    }
    if (last)
        putchar('\n');
}

static void print_finding(void *context, const struct darn_campaign_known *known)
{
    (void)context;
    printf("  %s  %-9s  %6lld  %s: %s\n", known->id, known->certainty, (long long)known->count,
           known->test, known->title);
}

static void add_line(void *out, const struct darn_campaign_known *known)
{
    fprintf(out, "%s\n", known->json);
}

/* 0 or an exit status. */
static int append_json(struct darn_campaign_store *store, const char *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int status;

    darn_campaign_store_findings(store, add_line, out);
    fclose(out);
    status = darn_append_json(COMMAND, file, text, length);
    free(text);
    return status;
}

static int status_of(const char *file, const struct status_line *line)
{
    struct darn_listener *speaker = darn_speaker(COMMAND);
    struct darn_campaign_status status;
    struct darn_campaign_store store;
    char database[PATH_MAX];
    int result;

    darn_campaign_database(file, line->database, database);
    if (darn_campaign_store_open(&store, speaker, database, DARN_CAMPAIGN_LOOK, NULL))
        return DARN_EXIT_USAGE;
    result = darn_campaign_status(&store, &status);
    if (!result) {
        print_head(&status);
        print_tests(&status);
        print_helps(&status);
        if (status.findings)
            puts("\nfindings, the oldest first: id, certainty, rounds, test");
        result = darn_campaign_store_findings(&store, print_finding, NULL);
        darn_campaign_status_free(&status);
    }
    if (!result && line->json_file)
        result = append_json(&store, line->json_file);
    darn_campaign_store_close(&store);
    return result ? 1 : darn_finish_output();
}

static int status_campaign(int argc, char **argv)
{
    struct status_line wanted = {0};
    struct darn_command_line line = {.command = &darn_campaign_status_command, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (!line.count)
        return darn_refuse(COMMAND, "no file; usage: darn campaign status [options] FILE");
    return status_of(line.words[0], &wanted);
}

const struct darn_command darn_campaign_status_command = {
    .name = COMMAND,
    .summary = "say what a campaign has found, covered and learned",
    .usage = "campaign status [options] FILE",
    .about = "Prints rounds, findings and coverage, a line for each test, and which settings\n"
             "have helped. FILE is the campaign or its database, which may be in use.\n",
    .groups = groups,
    .operands = "FILE",
    .most = 1,
    .anywhere = true,
    .exits = "0 it was printed",
    .see = "darn-campaign(1), darn-campaign-run(1)",
    .run = status_campaign,
};
