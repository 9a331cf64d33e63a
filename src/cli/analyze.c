/*
 * darn analyze: engines over traces.
 */
#include "cli/analyze.h"

#include <stdio.h>
#include <string.h>

#include "cli/line.h"
#include "driver/analysis/lineup.h"

#define AT(field) offsetof(struct darn_analyze_line, field)

const struct darn_option darn_analyze_options[] = {
    {.name = "engine",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.engines),
     .value = "LIST",
     .help = "which engines, separated by commas (default:\n" DARN_LINEUP_DEFAULT ");\n"
             "all: every one; help: lists them"},
    {.name = "json",
     .type = DARN_OPTION_STRING,
     .offset = AT(json),
     .value = "FILE",
     .help = "append the findings to FILE, too, as JSON Lines;\n"
             "-: print them, and the reports on stderr"},
    {.name = "sarif",
     .type = DARN_OPTION_STRING,
     .offset = AT(sarif),
     .value = "FILE",
     .help = "put the findings into FILE, too, as SARIF 2.1.0"},
    {.name = "baseline",
     .type = DARN_OPTION_STRING,
     .offset = AT(baseline),
     .value = "FILE",
     .help = "findings of an earlier time, as JSON Lines: what is\n"
             "among them is not reported, and does not count"},
    {.name = "no-sync",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.ignore_sync),
     .help = "take no notice of hand-made synchronization that was\n"
             "recognised when the trace was recorded"},
    {.name = "no-atomics",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.ignore_atomic),
     .help = "atomic accesses are plain ones, and order nothing"},
    {.name = "no-escape",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.ignore_escape),
     .help = "atomicity: accesses to memory that has not escaped yet\n"
             "count, too"},
    {.name = "no-order",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.ignore_order),
     .help = "atomicity: the start and end of threads and barriers\n"
             "put nothing in order"},
    {.name = "transactions",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.transactions),
     .value = "NAMES",
     .help = "atomicity: these functions are expected to be atomic,\n"
             "though static; separated by commas, * for any letters,\n"
             "!NAME: this one is not, @FILE: what FILE names"},
    {.name = "no-transactions",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.no_transactions),
     .value = "NAMES",
     .help = "and these are not"},
    {.name = "block-work",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.block_work),
     .initial = "200000000",
     .min = 1,
     .max = UINT64_MAX,
     .value = "N",
     .help = "the most comparisons that the engine blocks makes\n"
             "at the end"},
    {.name = "block-events",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.block_events),
     .initial = "128",
     .min = 1,
     .max = UINT32_MAX,
     .value = "N",
     .help = "the most initial reads and final writes of one\n"
             "transaction that it puts in pairs"},
    {.name = "block-count",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.block_count),
     .initial = "4000000",
     .min = 1,
     .max = UINT32_MAX,
     .value = "N",
     .help = "the most distinct blocks that it keeps at one time"},
    {.name = "explain",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.explain),
     .value = "FINDING",
     .help = "one finding at length, by its number in the list or by\n"
             "its id: what the threads did, which lock is missing,\n"
             "and what could have put the accesses in order"},
    {.name = "prefix",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.prefix),
     .help = "of a damaged trace, analyze what comes before the\n"
             "damage, instead of refusing it"},
    {.name = "suppressions",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.suppressions),
     .value = "FILE",
     .help = "do not report what FILE names, in TSan's format:\n"
             "race:PATTERN, deadlock:PATTERN, notification:PATTERN,\n"
             "atomicity:PATTERN"},
    DARN_ROW_STRIP(AT(strip_path_prefix)),
    DARN_ROW_COLOR(AT(color)),
    {.name = "stats",
     .type = DARN_OPTION_FLAG,
     .offset = AT(stats),
     .help = "print what each engine found and what it cost"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = darn_analyze_options},
                                                  {.options = NULL}};

bool darn_analyze_lists_engines(const struct darn_analyze_line *line, int *status)
{
    if (!line->wanted.engines || strcmp(line->wanted.engines, "help") != 0)
        return false;
    darn_analyze_engines(stdout);
    *status = darn_finish_output();
    return true;
}

static int cmd_analyze(int argc, char **argv)
{
    struct darn_analyze_line wanted = {.command = "analyze", .numbered = true, .all = true};
    struct darn_command_line line = {.command = &darn_command_analyze, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status) || darn_analyze_lists_engines(&wanted, &status))
        return status;
    if (!line.count)
        return darn_refuse("analyze", "no trace; usage: darn analyze [options] TRACE...");
    return darn_analyze_traces(&wanted, line.words, (size_t)line.count);
}

const struct darn_command darn_command_analyze = {
    .name = "analyze",
    .summary = "say which races and deadlocks could happen, from a trace",
    .usage = "analyze [options] TRACE...",
    .about = "Reads traces that darn record wrote, or texts with one event in a line\n"
             "(T1|acq(L)|12), and says which data races, deadlocks, mishandled notifications\n"
             "and violations of atomicity could happen. The exit status is 66 when there\n"
             "are any, 0 when there are none, and 2 when a trace cannot be read.\n"
             "\n"
             "--name=value may also be written as two words: --name value.\n",
    .groups = groups,
    .operands = "FILE",
    .anywhere = true,
    .exits = "0 nothing was found\n"
             "66 there are findings",
    .see = "darn-record(1), darn-predict(1), darn-trace(1)",
    .run = cmd_analyze,
};
