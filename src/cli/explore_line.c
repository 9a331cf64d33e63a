/*
 * The command line of darn explore.
 */
#include <sched.h>
#include <string.h>
#include <sys/random.h>

#include "base/options.h"
#include "driver/explore/explore_options.h"
#include "cli/line.h"

enum {
    STRATEGY,
    SCHEDULES,
    SECONDS,
    JOBS,
    SEED,
    DEPTH,
    BOUND,
    POINTS,
    TIMEOUT,
    MAX_STEPS,
    KEEP_GOING,
    RACES,
    EARLY,
    SPINS,
    ORACLE,
    RESET,
    INPUT,
    OUTPUT,
    JSON,
    STRIP,
    COLOR,
    HELP,
};

const struct darn_cli_option darn_explore_options[] = {
    [STRATEGY] = {"--strategy", "NAME",
                  "how to choose schedules: portfolio (the default: a\n"
                  "bit of all), random, pct, pos, surw, chess, rff, hold,\n"
                  "states"},
    [SCHEDULES] = {"--schedules", "N", "try at most N schedules (default: 10000)"},
    [SECONDS] = {"--seconds", "S", "stop after S seconds"},
    [JOBS] = {"--jobs", "N", "run N at the same time (default: one for each core)"},
    [SEED] = {"--seed", "N",
              "another seed, other schedules (default: 1); 0: a\n"
              "different one each time"},
    [DEPTH] = {"--depth", "D", "pct: bugs that D steps in their order make (default: 3)"},
    [BOUND] = {"--bound", "K", "chess: at most K preemptions (default: no limit)"},
    [POINTS] = {"--points", "shared|sync|all",
                "where threads may be switched besides synchronization:\n"
                "at accesses to memory that threads share (the\n"
                "default), nowhere else, or at every access"},
    [TIMEOUT] = {"--timeout", "S", "a run that takes longer than S seconds hangs (10)"},
    [MAX_STEPS] = {"--max-steps", "N", "a run of more than N steps hangs (100000)"},
    [KEEP_GOING] = {"--keep-going", NULL, "do not stop at the first failure"},
    [RACES] = {"--races", NULL, "data races that are met are findings, too"},
    [EARLY] = {"--early-timeouts", NULL,
               "a wait may time out while other threads can go on; else\n"
               "only when none can"},
    [SPINS] = {"--spins", "1|0",
               "0: threads that spin really do, each turn is a step; to\n"
               "measure what recognising them saves (default: 1)"},
    [ORACLE] = {"--oracle", "CMD",
                "a shell command that says whether a run was right: it\n"
                "gets the output on stdin, DARN_STATUS, and fails if\n"
                "not"},
    [RESET] = {"--reset", "CMD", "a shell command before each run, to remove its traces"},
    [INPUT] = {"--input", "FILE", "the standard input of each run (default: our own)"},
    [OUTPUT] = {"-o", "DIR", "keep what fails in DIR/1, DIR/2, ... for darn replay"},
    [JSON] = {"--json[=FILE]", NULL,
              "print findings and a summary as JSON Lines, or append\n"
              "them to FILE"},
    [STRIP] = {"--strip-path-prefix", "PREFIX", "leave PREFIX out of the file names in reports"},
    [COLOR] = {"--color", "auto|always|never", "colour in reports; auto: on a terminal"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

static const char *const points_names[] = {
    [DARN_POINTS_SHARED] = "shared",
    [DARN_POINTS_SYNC] = "sync",
    [DARN_POINTS_ALL] = "all",
};

static const char *const color_names[] = {
    [DARN_COLOR_AUTO] = "auto",
    [DARN_COLOR_ALWAYS] = "always",
    [DARN_COLOR_NEVER] = "never",
};

const char *darn_explore_points_name(uint32_t points)
{
    return points_names[points];
}

static int set_choice(const char *option, const char *const *names, const char *value,
                      uint32_t *choice)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(names[i], value) == 0) {
            *choice = i;
            return 0;
        }
    }
    return darn_refuse("explore", "%s is %s, %s or %s, not '%s'", option, names[0], names[1],
                       names[2], value);
}

static int set_strategy(struct darn_explore_line *line, const char *value)
{
    line->search.kind = darn_search_of(value);
    if (line->search.kind == DARN_SEARCHES)
        return darn_refuse("explore", "there is no strategy '%s'; 'darn explore --help' lists them",
                           value);
    return 0;
}

static int set_number(int option, const char *value, uint64_t min, uint64_t max, uint64_t *to)
{
    return darn_line_number("explore", darn_explore_options[option].name, value, min, max, to);
}

static int set_small(int option, const char *value, uint64_t max, uint32_t *to)
{
    uint64_t number = 0;
    int status = set_number(option, value, 1, max, &number);

    if (!status)
        *to = (uint32_t)number;
    return status;
}

static int set_limit(struct darn_explore_line *line, int option, const char *value)
{
    switch (option) {
    case SCHEDULES:
        return set_number(option, value, 1, UINT64_C(1000000000000), &line->schedules);
    case SECONDS:
        return darn_line_seconds("explore", "--seconds", value, &line->seconds_ms);
    case TIMEOUT:
        return darn_line_seconds("explore", "--timeout", value, &line->timeout_ms);
    case JOBS:
        return set_number(option, value, 1, 256, &line->jobs);
    case MAX_STEPS:
        line->max_steps_given = true;
        return set_number(option, value, 1, UINT64_C(1000000000000), &line->max_steps);
    default:
        return set_number(SEED, value, 0, UINT64_MAX, &line->search.seed);
    }
}

static int set_text(struct darn_explore_line *line, int option, const char *value)
{
    const char **to = option == ORACLE   ? &line->oracle
                      : option == RESET  ? &line->reset
                      : option == INPUT  ? &line->input
                      : option == OUTPUT ? &line->directory
                                         : &line->strip_path_prefix;

    if (!*value)
        return darn_refuse("explore", "%s needs a value", darn_explore_options[option].name);
    *to = value;
    return 0;
}

static int set_flag(struct darn_explore_line *line, int option, const char *value)
{
    line->keep_going |= option == KEEP_GOING;
    line->races |= option == RACES;
    line->early |= option == EARLY;
    line->help |= option == HELP;
    if (option == JSON) {
        line->json = true;
        line->json_file = value;
    }
    return 0;
}

static int set_spins(struct darn_explore_line *line, const char *value)
{
    uint64_t recognised = 1;
    int status = set_number(SPINS, value, 0, 1, &recognised);

    line->really_spins = !recognised;
    return status;
}

static int set(void *to, int option, const char *value)
{
    struct darn_explore_line *line = to;

    switch (option) {
    case STRATEGY:
        return set_strategy(line, value);
    case DEPTH:
        return set_small(option, value, 1000, &line->search.depth);
    case BOUND:
        return set_small(option, value, 1000, &line->search.bound);
    case POINTS:
        return set_choice("--points", points_names, value, &line->points);
    case SPINS:
        return set_spins(line, value);
    case COLOR:
        return set_choice("--color", color_names, value, &line->color);
    case SCHEDULES:
    case SECONDS:
    case TIMEOUT:
    case JOBS:
    case MAX_STEPS:
    case SEED:
        return set_limit(line, option, value);
    case ORACLE:
    case RESET:
    case INPUT:
    case OUTPUT:
    case STRIP:
        return set_text(line, option, value);
    default:
        return set_flag(line, option, value);
    }
}

static uint64_t count_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint64_t)CPU_COUNT(&set);
}

/* One that can be typed again. */
static uint64_t draw_seed(void)
{
    uint32_t seed = 0;

    while (!seed && getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
        ;
    return seed;
}

int darn_explore_read(struct darn_explore_line *line, int argc, char **argv)
{
    int rest = argc, status;

    line->search.seed = 1;
    line->schedules = 10000;
    line->timeout_ms = 10000;
    line->max_steps = 100000;
    line->jobs = count_cores();
    status = darn_line_read("explore", darn_explore_options, argc, argv, set, line, &rest);
    if (!line->search.seed)
        line->search.seed = draw_seed();
    if (rest < argc)
        line->program = argv + rest;
    return status;
}
