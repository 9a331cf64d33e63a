#include "driver/hunt/hunt_options.h"

#include <sched.h>
#include <string.h>

#include "base/options.h"
#include "cli/line.h"

enum {
    SECONDS,
    JOBS,
    OUTPUT,
    TRIALS,
    SEED,
    TIMEOUT,
    MAX_STEPS,
    NO_EXPLORE,
    NO_SHRINK,
    EARLY,
    ORACLE,
    RESET,
    INPUT,
    SUPPRESSIONS,
    SECTIONS,
    JSON,
    STRIP,
    COLOR,
    HELP,
};

const struct darn_cli_option darn_hunt_options[] = {
    [SECONDS] = {"--seconds", "S", "be done after about S seconds (default: 60)"},
    [JOBS] = {"--jobs", "N", "run N at the same time (default: one for each core)"},
    [OUTPUT] = {"-o", "DIR",
                "keep everything in DIR (default: darn-out, darn-out-2,\n"
                "...); a hunt that was begun there is continued"},
    [TRIALS] = {"--trials", "N", "runs for each prediction (default: 20)"},
    [SEED] = {"--seed", "N", "another seed, other schedules (default: 1)"},
    [TIMEOUT] = {"--timeout", "S", "a run that takes longer than S seconds hangs (10)"},
    [MAX_STEPS] = {"--max-steps", "N", "a run of more than N steps hangs (100000)"},
    [NO_EXPLORE] = {"--no-explore", NULL, "try the predictions only"},
    [NO_SHRINK] = {"--no-shrink", NULL, "leave the schedules as they were found"},
    [EARLY] = {"--early-timeouts", NULL,
               "a wait may time out while other threads can go on; else\n"
               "only when none can"},
    [ORACLE] = {"--oracle", "CMD",
                "a shell command that says whether a run was right: it\n"
                "gets the output on stdin, DARN_STATUS, and fails if\n"
                "not"},
    [RESET] = {"--reset", "CMD", "a shell command before each run, to remove its traces"},
    [INPUT] = {"--input", "FILE", "the standard input of each run (default: our own)"},
    [SUPPRESSIONS] = {"--suppressions", "FILE",
                      "leave out predictions that FILE names, in TSan's\n"
                      "format: race:PATTERN, deadlock:PATTERN"},
    [SECTIONS] = {"--sections", "FILE",
                  "try to violate the atomic sections of FILE (default:\n"
                  "what the compiler has inferred, without pairs)"},
    [JSON] = {"--json[=FILE]", NULL, "print the findings as JSON Lines, or append them to FILE"},
    [STRIP] = {"--strip-path-prefix", "PREFIX", "leave PREFIX out of the file names in reports"},
    [COLOR] = {"--color", "auto|always|never", "colour in reports; auto: on a terminal"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

static int set_color(struct darn_hunt_line *line, const char *value)
{
    static const char *const names[] = {
        [DARN_COLOR_AUTO] = "auto",
        [DARN_COLOR_ALWAYS] = "always",
        [DARN_COLOR_NEVER] = "never",
    };

    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], value) == 0) {
            line->color = i;
            return 0;
        }
    }
    return darn_refuse("hunt", "--color is auto, always or never, not '%s'", value);
}

static int set_number(int option, const char *value, uint64_t min, uint64_t max, uint64_t *to)
{
    return darn_line_number("hunt", darn_hunt_options[option].name, value, min, max, to);
}

static int set_limit(struct darn_hunt_line *line, int option, const char *value)
{
    switch (option) {
    case SECONDS:
        return darn_line_seconds("hunt", "--seconds", value, &line->seconds_ms);
    case TIMEOUT:
        return darn_line_seconds("hunt", "--timeout", value, &line->timeout_ms);
    case JOBS:
        return set_number(option, value, 1, 256, &line->jobs);
    case TRIALS:
        return set_number(option, value, 1, 1000000, &line->trials);
    case MAX_STEPS:
        line->max_steps_given = true;
        return set_number(option, value, 1, UINT64_C(1000000000000), &line->max_steps);
    default:
        return set_number(SEED, value, 1, UINT64_C(1) << 62, &line->seed);
    }
}

static int set_text(struct darn_hunt_line *line, int option, const char *value)
{
    const char **to = option == ORACLE         ? &line->oracle
                      : option == RESET        ? &line->reset
                      : option == INPUT        ? &line->input
                      : option == OUTPUT       ? &line->directory
                      : option == SUPPRESSIONS ? &line->suppressions
                      : option == SECTIONS     ? &line->sections
                                               : &line->strip_path_prefix;

    if (!*value)
        return darn_refuse("hunt", "%s needs a value", darn_hunt_options[option].name);
    *to = value;
    return 0;
}

static int set_flag(struct darn_hunt_line *line, int option, const char *value)
{
    line->no_explore |= option == NO_EXPLORE;
    line->no_shrink |= option == NO_SHRINK;
    line->early |= option == EARLY;
    line->help |= option == HELP;
    if (option == JSON) {
        line->json = true;
        line->json_file = value;
    }
    return 0;
}

static int set(void *to, int option, const char *value)
{
    struct darn_hunt_line *line = to;

    switch (option) {
    case SECONDS:
    case TIMEOUT:
    case JOBS:
    case TRIALS:
    case SEED:
    case MAX_STEPS:
        return set_limit(line, option, value);
    case ORACLE:
    case RESET:
    case INPUT:
    case OUTPUT:
    case SUPPRESSIONS:
    case SECTIONS:
    case STRIP:
        return set_text(line, option, value);
    case COLOR:
        return set_color(line, value);
    default:
        return set_flag(line, option, value);
    }
}

int darn_hunt_read(struct darn_hunt_line *line, int argc, char **argv)
{
    int rest = argc, status;
    cpu_set_t set_of_cores;

    line->seconds_ms = 60000;
    line->timeout_ms = 10000;
    line->trials = 20;
    line->seed = 1;
    line->max_steps = 100000;
    line->jobs = sched_getaffinity(0, sizeof(set_of_cores), &set_of_cores)
                     ? 1
                     : (uint64_t)CPU_COUNT(&set_of_cores);
    status = darn_line_read("hunt", darn_hunt_options, argc, argv, set, line, &rest);
    if (rest < argc)
        line->program = argv + rest;
    return status;
}
