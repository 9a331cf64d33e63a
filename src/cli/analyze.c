/*
 * darn analyze: engines over traces.
 */
#include "cli/analyze.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "driver/analysis/analysis.h"
#include "cli/command.h"
#include "driver/analysis/lineup.h"

enum {
    ENGINE,
    JSON,
    NO_SYNC,
    NO_ATOMICS,
    NO_ESCAPE,
    NO_ORDER,
    TRANSACTIONS,
    NO_TRANSACTIONS,
    BLOCK_WORK,
    BLOCK_EVENTS,
    BLOCK_COUNT,
    EXPLAIN,
    PREFIX,
    SUPPRESSIONS,
    STRIP,
    COLOR,
    STATS,
    HELP
};

const struct darn_cli_option darn_analyze_options[] = {
    [ENGINE] = {"--engine", "LIST",
                "which engines, separated by commas (default:\n" DARN_LINEUP_DEFAULT ");\n"
                "all: every one; help: lists them"},
    [JSON] = {"--json", "FILE", "append the findings to FILE, too, as JSON Lines"},
    [NO_SYNC] = {"--no-sync", NULL,
                 "take no notice of hand-made synchronization that was\n"
                 "recognised when the trace was recorded"},
    [NO_ATOMICS] = {"--no-atomics", NULL, "atomic accesses are plain ones, and order nothing"},
    [NO_ESCAPE] = {"--no-escape", NULL,
                   "atomicity: accesses to memory that has not escaped yet\n"
                   "count, too"},
    [NO_ORDER] = {"--no-order", NULL,
                  "atomicity: the start and end of threads and barriers\n"
                  "put nothing in order"},
    [TRANSACTIONS] = {"--transactions", "NAMES",
                      "atomicity: these functions are expected to be atomic,\n"
                      "though static; separated by commas, * for any letters,\n"
                      "!NAME: this one is not, @FILE: what FILE names"},
    [NO_TRANSACTIONS] = {"--no-transactions", "NAMES", "and these are not"},
    [BLOCK_WORK] = {"--block-work", "N",
                    "the most comparisons that the engine blocks makes\n"
                    "at the end (default: 200000000)"},
    [BLOCK_EVENTS] = {"--block-events", "N",
                      "the most initial reads and final writes of one\n"
                      "transaction that it puts in pairs (default: 128)"},
    [BLOCK_COUNT] = {"--block-count", "N",
                     "the most distinct blocks that it keeps at one time\n"
                     "(default: 4000000)"},
    [EXPLAIN] = {"--explain", "FINDING",
                 "one finding at length, by its number in the list or by\n"
                 "its id: what the threads did, which lock is missing,\n"
                 "and what could have put the accesses in order"},
    [PREFIX] = {"--prefix", NULL,
                "of a damaged trace, analyze what comes before the\n"
                "damage, instead of refusing it"},
    [SUPPRESSIONS] = {"--suppressions", "FILE",
                      "do not report what FILE names, in TSan's format:\n"
                      "race:PATTERN, deadlock:PATTERN, notification:PATTERN,\n"
                      "atomicity:PATTERN"},
    [STRIP] = {"--strip-path-prefix", "PREFIX", "leave PREFIX out of the file names in reports"},
    [COLOR] = {"--color", "auto|always|never", "colour in reports; auto: on a terminal"},
    [STATS] = {"--stats", NULL, "print what each engine found and what it cost"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

void darn_help_analyze(void)
{
    printf("usage: darn analyze [options] TRACE...\n"
           "\n"
           "Reads traces that darn record wrote, or texts with one event in a line\n"
           "(T1|acq(L)|12), and says which data races, deadlocks, mishandled notifications\n"
           "and violations of atomicity could happen. The exit status is 66 when there\n"
           "are any, 0 when there are none, and 2 when a trace cannot be read.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_analyze_options);
}

/* The index of the option that the word names, and its value after '='; -1 when there is none. */
static int find_option(const char *word, const char **value)
{
    size_t length = strcspn(word, "=");

    *value = word[length] ? word + length + 1 : NULL;
    for (int i = 0; darn_analyze_options[i].name; i++)
        if (strlen(darn_analyze_options[i].name) == length &&
            strncmp(darn_analyze_options[i].name, word, length) == 0)
            return i;
    return -1;
}

/* 0 or an exit status. */
static int set_color(struct darn_analyze_line *line, const char *value)
{
    static const char *const choices[] = {
        [DARN_COLOR_AUTO] = "auto",
        [DARN_COLOR_ALWAYS] = "always",
        [DARN_COLOR_NEVER] = "never",
    };

    for (uint32_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        if (strcmp(choices[i], value) == 0) {
            line->options.color = i;
            return 0;
        }
    }
    return darn_refuse(line->options.command, "--color is auto, always or never, not '%s'", value);
}

/* A bound of the engine blocks. */
static int set_bound(struct darn_analyze_line *line, int option, const char *value, uint64_t most,
                     uint64_t *bound)
{
    uint64_t number;

    if (!darn_number_parse(value, strlen(value), &number) || !number || number > most)
        return darn_refuse(line->options.command, "%s is a number from 1 on, not '%s'",
                           darn_analyze_options[option].name, value);
    *bound = number;
    return 0;
}

static int set_option(struct darn_analyze_line *line, int option, const char *value)
{
    struct darn_analysis_options *options = &line->options;

    switch (option) {
    case ENGINE:
        options->engines = value;
        line->engine_help = strcmp(value, "help") == 0;
        return *value ? 0 : darn_refuse(line->options.command, "--engine needs a value");
    case JSON:
        options->json = value;
        return 0;
    case NO_SYNC:
        options->ignore_sync = true;
        return 0;
    case NO_ATOMICS:
        options->ignore_atomic = true;
        return 0;
    case NO_ESCAPE:
        options->ignore_escape = true;
        return 0;
    case NO_ORDER:
        options->ignore_order = true;
        return 0;
    case TRANSACTIONS:
        options->transactions = value;
        return 0;
    case NO_TRANSACTIONS:
        options->no_transactions = value;
        return 0;
    case BLOCK_WORK:
        return set_bound(line, option, value, UINT64_MAX, &options->block_work);
    case BLOCK_EVENTS:
        return set_bound(line, option, value, UINT32_MAX, &options->block_events);
    case BLOCK_COUNT:
        return set_bound(line, option, value, UINT32_MAX, &options->block_count);
    case EXPLAIN:
        options->explain = value;
        return *value ? 0 : darn_refuse(options->command, "--explain needs a value");
    case PREFIX:
        options->prefix = true;
        return 0;
    case SUPPRESSIONS:
        options->suppressions = value;
        return 0;
    case STRIP:
        options->strip_path_prefix = value;
        return 0;
    case COLOR:
        return set_color(line, value);
    case STATS:
        options->stats = true;
        return 0;
    default:
        line->help = true;
        return 0;
    }
}

int darn_analyze_read(struct darn_analyze_line *line, int *at, int argc, char **argv)
{
    const char *value;
    int option = find_option(argv[*at], &value);

    if (option < 0)
        return darn_refuse(line->options.command,
                           "there is no option %s; 'darn %s --help' lists them", argv[*at],
                           line->options.command);
    if (!darn_analyze_options[option].value && value)
        return darn_refuse(line->options.command, "%s takes no value", darn_analyze_options[option].name);
    if (darn_analyze_options[option].value && !value) {
        if (*at + 1 >= argc)
            return darn_refuse(line->options.command, "%s needs a value", argv[*at]);
        value = argv[++*at];
    }
    return set_option(line, option, value);
}

/* Options and traces may come in any order; after `--` there are only traces. The traces are moved
 * to the front of argv. */
static int read_line(struct darn_analyze_line *line, int argc, char **argv, size_t *traces)
{
    bool only_traces = false;
    int status = 0;

    *traces = 0;
    for (int at = 1; at < argc && !status; at++) {
        if (!only_traces && strcmp(argv[at], "--") == 0)
            only_traces = true;
        else if (!only_traces && argv[at][0] == '-' && argv[at][1])
            status = darn_analyze_read(line, &at, argc, argv);
        else
            argv[(*traces)++] = argv[at];
    }
    return status;
}

int darn_cmd_analyze(int argc, char **argv)
{
    struct darn_analyze_line line = {.options.command = "analyze"};
    size_t traces;
    int status = read_line(&line, argc, argv, &traces);

    if (status)
        return status;
    if (line.help || line.engine_help) {
        if (line.help)
            darn_help_analyze();
        else
            darn_lineup_help(stdout);
        return darn_finish_output();
    }
    if (!traces)
        return darn_refuse("analyze", "no trace; usage: darn analyze [options] TRACE...");
    return darn_analysis_run_all(&line.options, argv, traces);
}
