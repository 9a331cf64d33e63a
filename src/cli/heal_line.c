/*
 * The command line of darn heal.
 */
#include <string.h>

#include "driver/heal/healing.h"
#include "cli/line.h"

enum {
    SECTIONS,
    FROM,
    WITH,
    BOUND,
    WRITE,
    LEARN,
    JSON,
    VERIFY,
    SCHEDULES,
    SECONDS,
    JOBS,
    SEED,
    TIMEOUT,
    MAX_STEPS,
    ORACLE,
    RESET,
    INPUT,
    OUTPUT,
    STRIP,
    COLOR,
    HELP,
};

const struct darn_cli_option darn_heal_options[] = {
    [SECTIONS] = {"--sections", "FILE", "heal the sections and deadlocks of this repository"},
    [FROM] = {"--from", "DIR",
              "heal what darn hunt has confirmed: DIR is its directory,\n"
              "or the one of a finding; or a file of findings that\n"
              "--json has written"},
    [WITH] = {"--with", "block|lock|yield|priority",
              "how others are kept out of a section: block (the\n"
              "default): who would harm it waits; lock: everybody\n"
              "waits; yield, priority: nobody waits, harm becomes less\n"
              "likely"},
    [BOUND] = {"--bound", "MS", "the longest wait, in milliseconds (default: 100)"},
    [WRITE] = {"--write", "FILE",
               "write the repository that --from makes, and do not run\n"
               "the program"},
    [LEARN] = {"--learn", "FILE",
               "look for races as well; heal what is found from then\n"
               "on, and write it to FILE, a repository"},
    [JSON] = {"--json", "FILE", "append the report to FILE as JSON Lines"},
    [VERIFY] = {"--verify", NULL,
                "run the healed program under many schedules, that of the\n"
                "bug first: none may fail"},
    [SCHEDULES] = {"--schedules", "N", "verify: try N schedules (default: 10000)"},
    [SECONDS] = {"--seconds", "S", "verify: stop after S seconds"},
    [JOBS] = {"--jobs", "N", "verify: run N at the same time (default: one for each\ncore)"},
    [SEED] = {"--seed", "N", "verify: another seed, other schedules (default: 1)"},
    [TIMEOUT] = {"--timeout", "S", "verify: a run that takes longer than S seconds hangs\n(10)"},
    [MAX_STEPS] = {"--max-steps", "N", "verify: a run of more than N steps hangs (100000)"},
    [ORACLE] = {"--oracle", "CMD",
                "verify: a shell command that says whether a run was\n"
                "right; see darn explore"},
    [RESET] = {"--reset", "CMD", "verify: a shell command before each run"},
    [INPUT] = {"--input", "FILE", "verify: the standard input of each run"},
    [OUTPUT] = {"-o", "DIR", "verify: keep what fails in DIR/1, ... for darn replay"},
    [STRIP] = {"--strip-path-prefix", "PREFIX", "leave PREFIX out of the file names in reports"},
    [COLOR] = {"--color", "auto|always|never", "colour in reports; auto: on a terminal"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

static const char *const with_names[] = {
    [DARN_HEAL_BLOCK] = "block",
    [DARN_HEAL_LOCK] = "lock",
    [DARN_HEAL_YIELD] = "yield",
    [DARN_HEAL_PRIORITY] = "priority",
};

static const char *const color_names[] = {
    [DARN_COLOR_AUTO] = "auto",
    [DARN_COLOR_ALWAYS] = "always",
    [DARN_COLOR_NEVER] = "never",
};

static int set_with(struct darn_heal_line *line, const char *value)
{
    for (size_t i = 0; i < sizeof(with_names) / sizeof(with_names[0]); i++) {
        if (strcmp(with_names[i], value) == 0) {
            line->with = with_names[i];
            return 0;
        }
    }
    return darn_refuse("heal", "--with is block, lock, yield or priority, not '%s'", value);
}

static int set_color(struct darn_heal_line *line, const char *value)
{
    for (uint32_t i = 0; i < sizeof(color_names) / sizeof(color_names[0]); i++) {
        if (strcmp(color_names[i], value) == 0) {
            line->color = i;
            return 0;
        }
    }
    return darn_refuse("heal", "--color is auto, always or never, not '%s'", value);
}

static int set_bound(struct darn_heal_line *line, const char *value)
{
    uint64_t number;

    line->bound = value;
    return darn_line_number("heal", "--bound", value, 1, 60000, &number);
}

/* What only --verify asks for. */
static int set_limit(struct darn_heal_line *line, int option, const char *value)
{
    const char *name = darn_heal_options[option].name;

    line->only_verify = name;
    switch (option) {
    case SCHEDULES:
        return darn_line_number("heal", name, value, 1, UINT64_C(1000000000000), &line->schedules);
    case SECONDS:
        return darn_line_seconds("heal", name, value, &line->seconds_ms);
    case TIMEOUT:
        return darn_line_seconds("heal", name, value, &line->timeout_ms);
    case JOBS:
        return darn_line_number("heal", name, value, 1, 256, &line->jobs);
    case MAX_STEPS:
        return darn_line_number("heal", name, value, 1, UINT64_C(1000000000000), &line->max_steps);
    default:
        return darn_line_number("heal", name, value, 1, UINT64_MAX, &line->seed);
    }
}

static const char **text_for(struct darn_heal_line *line, int option)
{
    switch (option) {
    case SECTIONS:
        return &line->sections;
    case FROM:
        return &line->from;
    case WRITE:
        return &line->write;
    case LEARN:
        return &line->learn;
    case JSON:
        return &line->json;
    case ORACLE:
        return &line->oracle;
    case RESET:
        return &line->reset;
    case INPUT:
        return &line->input;
    case OUTPUT:
        return &line->directory;
    default:
        return &line->strip_path_prefix;
    }
}

static int set_text(struct darn_heal_line *line, int option, const char *value)
{
    const char *name = darn_heal_options[option].name;

    if (!*value)
        return darn_refuse("heal", "%s needs a value", name);
    if (option == ORACLE || option == RESET || option == INPUT || option == OUTPUT)
        line->only_verify = name;
    *text_for(line, option) = value;
    return 0;
}

static int set(void *to, int option, const char *value)
{
    struct darn_heal_line *line = to;

    switch (option) {
    case WITH:
        return set_with(line, value);
    case BOUND:
        return set_bound(line, value);
    case COLOR:
        return set_color(line, value);
    case VERIFY:
        line->verify = true;
        return 0;
    case HELP:
        line->help = true;
        return 0;
    case SCHEDULES:
    case SECONDS:
    case JOBS:
    case SEED:
    case TIMEOUT:
    case MAX_STEPS:
        return set_limit(line, option, value);
    default:
        return set_text(line, option, value);
    }
}

/* What does not go together. */
static int check(const struct darn_heal_line *line)
{
    if (!line->sections && !line->from && !line->learn)
        return darn_refuse("heal", "what is to be healed? --sections=FILE names a repository, "
                                   "--from=DIR what darn hunt has found");
    if (line->write && !line->from)
        return darn_refuse("heal", "--write writes what --from=DIR makes, which is not given");
    if (line->write && line->verify)
        return darn_refuse("heal", "--write does not run the program, and --verify does");
    if (line->learn && (line->verify || line->write))
        return darn_refuse("heal", "--learn goes with an ordinary run: without %s",
                           line->verify ? "--verify" : "--write");
    if (line->only_verify && !line->verify)
        return darn_refuse("heal", "%s is for --verify, which is not given", line->only_verify);
    if (!line->program)
        return darn_refuse("heal", "no program; usage: darn heal [options] -- PROGRAM [arguments]");
    return 0;
}

int darn_heal_read(struct darn_heal_line *line, int argc, char **argv)
{
    int rest = argc, status;

    line->schedules = 10000;
    line->timeout_ms = 10000;
    line->seed = 1;
    status = darn_line_read("heal", darn_heal_options, argc, argv, set, line, &rest);
    if (rest < argc)
        line->program = argv + rest;
    return status || line->help ? status : check(line);
}
