/*
 * darn explore: runs a program under many schedules and says which of them fail.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/json_file.h"
#include "cli/line.h"
#include "driver/explore/exploration.h"
#include "driver/explore/explore_keep.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "report/report_format.h"
#include "report/text/color.h"

#define DIGITS 9 /* of times and rates */

/* The line: what is wanted of the driver, and what is done with the result. */
struct explore_line {
    struct darn_explore_options wanted;
    bool json;
    const char *json_file; /* NULL: stdout */
    const char *strip_path_prefix;
    uint32_t color;
};

#define AT(field) offsetof(struct explore_line, field)

static const struct darn_option options[] = {
    {.name = "strategy",
     .type = DARN_OPTION_CHOICE,
     .offset = AT(wanted.search.kind),
     .value = "NAME",
     .words = "portfolio|random|pct|pos|surw|chess|rff|hold|states",
     .help = "how to choose schedules: portfolio (the default: a\n"
             "bit of all), random, pct, pos, surw, chess, rff, hold,\n"
             "states"},
    {.name = "schedules",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.schedules),
     .initial = "10000",
     .min = 1,
     .max = DARN_MOST_STEPS,
     .value = "N",
     .help = "try at most N schedules"},
    {.name = "seconds",
     .type = DARN_OPTION_SECONDS,
     .offset = AT(wanted.seconds_ms),
     .value = "S",
     .help = "stop after S seconds"},
    DARN_ROW_JOBS(AT(wanted.jobs)),
    {.name = "seed",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.search.seed),
     .initial = "1",
     .max = UINT64_MAX,
     .value = "N",
     .help = "another seed, other schedules; 0: a different one each\n"
             "time"},
    {.name = "depth",
     .type = DARN_OPTION_NUMBER,
     .offset = AT(wanted.search.depth),
     .min = 1,
     .max = 1000,
     .value = "D",
     .help = "pct: bugs that D steps in their order make (default: 3)"},
    {.name = "bound",
     .type = DARN_OPTION_NUMBER,
     .offset = AT(wanted.search.bound),
     .min = 1,
     .max = 1000,
     .value = "K",
     .help = "chess: at most K preemptions (default: no limit)"},
    {.name = "points",
     .type = DARN_OPTION_CHOICE,
     .offset = AT(wanted.points),
     .value = "shared|sync|all",
     .help = "where threads may be switched besides synchronization:\n"
             "at accesses to memory that threads share (the\n"
             "default), nowhere else, or at every access"},
    DARN_ROW_TIMEOUT(AT(wanted.timeout_ms), AT(wanted.timeout_given)),
    DARN_ROW_MAX_STEPS(AT(wanted.max_steps), AT(wanted.max_steps_given)),
    {.name = "keep-going",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.keep_going),
     .help = "do not stop at the first failure"},
    {.name = "races",
     .type = DARN_OPTION_FLAG,
     .offset = AT(wanted.races),
     .help = "data races that are met are findings, too"},
    DARN_ROW_EARLY(AT(wanted.early)),
    {.name = "spins",
     .type = DARN_OPTION_CHOICE,
     .offset = AT(wanted.really_spins),
     .initial = "1",
     .value = "1|0",
     .help = "0: threads that spin really do, each turn is a step; to\n"
             "measure what recognising them saves"},
    DARN_ROW_ORACLE(AT(wanted.oracle), ""),
    DARN_ROW_RESET(AT(wanted.reset)),
    DARN_ROW_WITH(AT(wanted.with)),
    DARN_ROW_STOP(AT(wanted.stop)),
    DARN_ROW_INPUT(AT(wanted.input)),
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(wanted.directory),
     .value = "DIR",
     .help = "keep what fails in DIR/1, DIR/2, ... for darn replay"},
    {.name = "json",
     .type = DARN_OPTION_MAYBE,
     .offset = AT(json_file),
     .given = AT(json),
     .value = "FILE",
     .help = "print findings and a summary as JSON Lines, or append\n"
             "them to FILE"},
    DARN_ROW_ALL(AT(wanted.all)),
    DARN_ROW_STRIP(AT(strip_path_prefix)),
    DARN_ROW_COLOR(AT(color)),
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* What can be refused before the program runs. 0 or an exit status. */
static int check(const struct explore_line *line)
{
    char path[PATH_MAX];
    int status;

    if (!line->wanted.program)
        return darn_refuse("explore",
                           "no program; usage: darn explore [options] -- PROGRAM [arguments]");
    status = darn_check_program(darn_speaker("explore"), line->wanted.program[0],
                                DARN_PROGRAM_COMPILED, path, sizeof(path));
    if (!status && line->json_file)
        status = darn_refuse_output("explore", "json: ", line->json_file,
                                    darn_output_check(line->json_file));
    if (!status && line->wanted.directory)
        status = darn_explore_keep_check(darn_speaker("explore"), line->wanted.directory);
    return status;
}

static void put(struct darn_json *json, const char *key, uint64_t number)
{
    darn_json_number(json, key, (int64_t)number);
}

/* The first six fields are fixed; others may be added. */
static void put_summary(struct darn_json *json, const struct darn_exploration *exploration)
{
    const struct darn_explore_options *options = exploration->options;
    char seed[32];

    darn_json_open(json, NULL, '{');
    darn_json_string(json, "kind", "summary");
    put(json, "schedules", exploration->schedules);
    if (exploration->first_bug)
        put(json, "first_bug", exploration->first_bug);
    else
        darn_json_literal(json, "first_bug", "null");
    darn_json_real(json, "schedules_per_second",
                   darn_exploration_rate(exploration, exploration->ended), DIGITS);
    darn_json_string(json, "strategy", darn_search_name(options->search.kind));
    snprintf(seed, sizeof(seed), "%" PRIu64, options->search.seed);
    darn_json_literal(json, "seed", seed); /* it may be larger than a signed number */
    put(json, "learning", exploration->learning);
    put(json, "replays", exploration->replays);
    darn_json_real(json, "seconds", exploration->ended - exploration->started, DIGITS);
    put(json, "jobs", exploration->jobs);
    put(json, "reads_from", exploration->stats.reads);
    put(json, "partial_orders", exploration->stats.partial_orders);
    put(json, "steps", exploration->stats.steps);
    put(json, "longest", exploration->stats.longest);
    darn_json_bool(json, "exhausted", exploration->stats.exhausted);
    put(json, "findings", exploration->found_count);
    put(json, "failures", exploration->failures);
    darn_json_string(json, "points", darn_explore_points_names[options->points]);
    put(json, "armed", exploration->armed_count);
    darn_json_bool(json, "interrupted", atomic_load(&exploration->interrupted) != 0);
    darn_json_close(json, '}');
    darn_json_end_line(json);
}

/* One object in a line for each finding, then the summary. */
static void write_json(const struct darn_exploration *exploration, FILE *out)
{
    static const struct darn_style plain;
    struct darn_json json;

    for (size_t i = 0; i < exploration->found_count; i++)
        darn_format_find("json")->finding(out, exploration->found[i].finding, &plain);
    darn_json_start_growing(&json);
    put_summary(&json, exploration);
    darn_json_finish(&json, out);
}

/* 0 or an exit status. */
static int print_json(const struct darn_exploration *exploration, const char *file)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = file ? open_memstream(&text, &length) : stdout;
    int status;

    write_json(exploration, out);
    if (!file)
        return darn_finish_output();
    fclose(out);
    status = darn_append_json("explore", file, text, length);
    free(text);
    return status;
}

static void say_statistics(const struct darn_exploration *exploration)
{
    const struct darn_explore_options *options = exploration->options;

    if (exploration->first_bug)
        fprintf(stderr, "darn explore: first bug at schedule %" PRIu64 "\n",
                exploration->first_bug);
    fprintf(stderr,
            "darn explore: %" PRIu64 " schedule%s in %.1f s (%.0f per second), %" PRIu64
            " to learn, %" PRIu64 " again; %" PRIu64 " reads-from pairs, %" PRIu64
            " partial orders; strategy %s, "
            "seed %" PRIu64 "%s\n",
            exploration->schedules, exploration->schedules == 1 ? "" : "s",
            exploration->ended - exploration->started,
            darn_exploration_rate(exploration, exploration->ended), exploration->learning,
            exploration->replays, exploration->stats.reads, exploration->stats.partial_orders,
            darn_search_name(options->search.kind), options->search.seed,
            exploration->stats.exhausted ? "; nothing is left to try" : "");
}

/* The last line, as of every run of darn. */
static void print_summary(const struct darn_exploration *exploration,
                          const struct darn_style *style)
{
    struct darn_summary summary = {0};

    summary.items =
        darn_pool_get(&summary.pool, exploration->found_count + 1, sizeof(*summary.items));
    summary.scope =
        darn_pool_format(&summary.pool, "%" PRIu64 " schedule%s", exploration->schedules,
                         exploration->schedules == 1 ? "" : "s");
    for (size_t i = 0; i < exploration->found_count; i++) {
        const struct darn_finding *finding = exploration->found[i].finding;

        if (finding->variant_of && !exploration->options->all)
            summary.variants++;
        else
            summary.items[summary.item_count++] = darn_summary_item(finding);
    }
    darn_format_find("text")->summary(stderr, &summary, style);
    darn_pool_release(&summary.pool);
}

/* What is said when it is over. 0 or the exit status of an output that could not be written. */
static int conclude(const struct darn_exploration *exploration, const struct explore_line *line,
                    const struct darn_style *style)
{
    darn_exploration_notes(exploration);
    say_statistics(exploration);
    print_summary(exploration, style);
    return line->json ? print_json(exploration, line->json_file) : 0;
}

/* An exit status. */
static int explore(struct darn_exploration *exploration, const struct explore_line *line)
{
    struct darn_style style = {line->strip_path_prefix,
                               darn_wants_color(line->color, STDERR_FILENO)};
    int status, signal;

    darn_speaker_style(&style);
    status = darn_explore(exploration, &line->wanted);
    if (!status)
        status = conclude(exploration, line, &style);
    signal = atomic_load(&exploration->interrupted);
    if (!status && exploration->found_count)
        status = DARN_EXIT_FINDINGS;
    if (!status)
        status = exploration->status;
    return status ? status : signal ? 128 + signal : 0;
}

/* One that can be typed again. */
static uint64_t draw_seed(void)
{
    uint32_t seed = 0;

    while (!seed && getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
        ;
    return seed;
}

static int cmd_explore(int argc, char **argv)
{
    static struct explore_line wanted;
    static struct darn_exploration exploration;
    struct darn_command_line line = {.command = &darn_command_explore, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    wanted.wanted.program = line.count ? line.words : NULL;
    wanted.wanted.stop = (uint32_t)darn_stop_signals[wanted.wanted.stop];
    if (!wanted.wanted.search.seed)
        wanted.wanted.search.seed = draw_seed();
    status = check(&wanted);
    if (status)
        return status;
    darn_exploration_init(&exploration, darn_speaker("explore"));
    status = explore(&exploration, &wanted);
    darn_exploration_free(&exploration);
    return status;
}

const struct darn_command darn_command_explore = {
    .name = "explore",
    .summary = "run a program under many schedules until one fails",
    .usage = "explore [options] [--] PROGRAM [arguments]",
    .about = "Runs a program that darn cc or darn c++ compiled under many schedules, one\n"
             "thread at a time, until one fails: a crash, an assertion, a deadlock, a hang, or\n"
             "an exit status that is not 0. What fails is followed once more, reported with\n"
             "its story, and with -o kept for darn replay. The exit status is 66 when\n"
             "something was found, else 0.\n"
             "\n"
             "--name=value may also be written as two words: --name value.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .guarded = true,
    .exits = "0 no schedule failed\n"
             "66 something was found\n"
             "130 it was interrupted before anything was found",
    .see = "darn-cc(1), darn-hunt(1), darn-replay(1), darn-shrink(1)",
    .run = cmd_explore,
};
