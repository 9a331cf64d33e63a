/*
 * darn campaign init: which tests there are.
 */
#include "cli/campaign/campaign_line.h"

#include <string.h>
#include <unistd.h>

#include "driver/campaign/campaign_import.h"
#include "driver/process/output.h"

#define COMMAND "campaign init"

struct init_line {
    struct darn_words commands, parameters;
    const char *folder, *ctest, *meson, *automake, *only, *to;
    bool untried, force;
    uint32_t timeout_ms;
};

#define AT(field) offsetof(struct init_line, field)

static int add_command(void *to, const char *value, char *error, size_t size)
{
    (void)error, (void)size;
    darn_words_add(&((struct init_line *)to)->commands, value);
    return 0;
}

static int add_parameter(void *to, const char *value, char *error, size_t size)
{
    const char *equals = strchr(value, '=');

    if (!equals || equals == value || !equals[1]) {
        snprintf(error, size, "--param=%s: it should be NAME=LOW..HIGH or NAME=ONE|ANOTHER", value);
        return -1;
    }
    darn_words_add(&((struct init_line *)to)->parameters, value);
    return 0;
}

static const struct darn_option options[] = {
    {.name = "test",
     .type = DARN_OPTION_OWN,
     .set = add_command,
     .value = "COMMAND",
     .help = "a test: its words as for a shell, {NAME} for a\n"
             "parameter. May be repeated"},
    {.name = "param",
     .type = DARN_OPTION_OWN,
     .set = add_parameter,
     .value = "NAME=VALUES",
     .help = "what {NAME} may be: LOW..HIGH or ONE|ANOTHER. May be\n"
             "repeated",
     .needs = "test"},
    {.name = "folder",
     .type = DARN_OPTION_STRING,
     .offset = AT(folder),
     .value = "DIR",
     .help = "every program in DIR is a test"},
    {.name = "ctest",
     .type = DARN_OPTION_STRING,
     .offset = AT(ctest),
     .value = "DIR",
     .help = "the tests of CTest in the build directory DIR"},
    {.name = "meson",
     .type = DARN_OPTION_STRING,
     .offset = AT(meson),
     .value = "DIR",
     .help = "those of Meson in the build directory DIR"},
    {.name = "automake",
     .type = DARN_OPTION_STRING,
     .offset = AT(automake),
     .value = "DIR",
     .help = "the TESTS of Automake in DIR, where its Makefile is"},
    {.name = "only",
     .type = DARN_OPTION_STRING,
     .offset = AT(only),
     .value = "TEXT|...",
     .help = "only tests with TEXT, or another, in their name"},
    {.name = "timeout",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(timeout_ms),
     .value = "S",
     .help = "a test that takes longer hangs; default: what its list\n"
             "says, or 20 times what it takes, at least 10"},
    {.name = "no-try",
     .type = DARN_OPTION_FLAG,
     .offset = AT(untried),
     .help = "do not run each test once"},
    {.name = "force",
     .type = DARN_OPTION_FLAG,
     .offset = AT(force),
     .help = "replace a file that is there"},
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(to),
     .value = "FILE",
     .help = "write the campaign to FILE (default: night.json)"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static int init(const struct init_line *wanted)
{
    const char *to = wanted->to ? wanted->to : "night.json";
    struct darn_campaign_import import = {
        &wanted->commands, &wanted->parameters, wanted->folder,  wanted->ctest,     wanted->meson,
        wanted->automake,  wanted->only,        wanted->untried, wanted->timeout_ms};
    struct darn_listener *speaker = darn_speaker(COMMAND);
    size_t count, passed = 0;
    json_t *tests;
    int result;

    if (!wanted->force && access(to, F_OK) == 0)
        return darn_refuse(COMMAND, "%s is there already; --force replaces it", to);
    result = darn_refuse_output(COMMAND, "", to, darn_output_check(to));
    if (result)
        return result;
    tests = darn_campaign_import(speaker, &import);
    if (!tests)
        return DARN_EXIT_USAGE;
    if (!wanted->untried)
        passed = darn_campaign_try(speaker, tests);
    count = json_array_size(tests);
    result = darn_campaign_write(to, tests);
    json_decref(tests);
    if (result)
        return darn_refuse_output(COMMAND, "", to, result);
    if (wanted->untried)
        printf("%s: %zu test%s\n", to, count, count == 1 ? "" : "s");
    else
        printf("%s: %zu test%s, %zu of them pass\n", to, count, count == 1 ? "" : "s", passed);
    return darn_finish_output();
}

static int init_campaign(int argc, char **argv)
{
    static struct init_line wanted;
    struct darn_command_line line = {.command = &darn_campaign_init_command, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    if (line.count)
        return darn_refuse(COMMAND, "'%s': a command is named by --test", line.words[0]);
    status = init(&wanted);
    darn_words_free(&wanted.commands);
    darn_words_free(&wanted.parameters);
    return status;
}

const struct darn_command darn_campaign_init_command = {
    .name = COMMAND,
    .summary = "write down which tests a campaign has, and try each of them",
    .usage = "campaign init [options] [-o FILE]",
    .about = "Finds the tests, runs each of them once, says which pass and which were compiled\n"
             "by darn, and writes a file that describes the campaign: tests with command,\n"
             "directory, environment, timeout, oracle, reset and parameters, and what darn may\n"
             "vary. It is made to be edited: docs/campaign-format.md.\n",
    .groups = groups,
    .operands = "",
    .most = 1,
    .guarded = true,
    .exits = "0 the file was written",
    .see = "darn-campaign(1), darn-campaign-run(1)",
    .run = init_campaign,
};
