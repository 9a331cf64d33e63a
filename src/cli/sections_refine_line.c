/*
 * The command line of darn sections refine.
 */
#include <stdio.h>
#include <string.h>

#include "cli/line.h"
#include "driver/section/sections_refine.h"

#define COMMAND "sections refine"

enum { RUNS, ORACLE, EXPECT, NOISE, JOBS, TIMEOUT, SEED, INPUT, OUTPUT, VERBOSE, HELP };

const struct darn_cli_option darn_sections_refine_options[] = {
    [RUNS] = {"--runs", "N", "end after N correct runs without a change (default: 50)"},
    [ORACLE] = {"--oracle", "CMD",
                "a shell command that says whether a run was right: it\n"
                "gets the output on stdin, DARN_STATUS, and fails if\n"
                "not (default: a run is right if its status is 0)"},
    [EXPECT] = {"--expect", "FILE", "a run is right if it prints on stdout what is in FILE"},
    [NOISE] = {"--noise", "section:F/S",
               "delay threads inside sections, F times in 1000, by S\n"
               "microseconds; both vary from run to run (default:\n"
               "section:100/500)"},
    [JOBS] = {"--jobs", "N", "run N at the same time (default: one for each core)"},
    [TIMEOUT] = {"--timeout", "S", "a run that takes longer than S seconds has failed (60)"},
    [SEED] = {"--seed", "N", "another seed, other noise (default: 1)"},
    [INPUT] = {"--input", "FILE", "the standard input of each run (default: our own)"},
    [OUTPUT] = {"-o", "FILE", "write to FILE, not back to where it was read"},
    [VERBOSE] = {"-v", NULL, "say of each section why it went"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

void darn_help_sections_refine(void)
{
    printf("usage: darn sections refine [options] FILE -- PROGRAM [arguments]\n"
           "\n"
           "Runs a program again and again, with noise inside the sections of FILE. What a\n"
           "correct run violates was not meant to be atomic: it goes, and so does what no\n"
           "run comes to. What only failing runs violate is kept, and named as the likely\n"
           "cause. FILE is written in the end, and when it is interrupted: the same command\n"
           "goes on from there.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_sections_refine_options);
}

static int set_number(int option, const char *value, uint64_t max, uint64_t *to)
{
    return darn_line_number(COMMAND, darn_sections_refine_options[option].name, value, 1, max, to);
}

static int set_noise(struct darn_refine_line *line, const char *value)
{
    if (darn_noise_parse(&line->noise, value, strlen(value)) ||
        line->noise.kind != DARN_NOISE_SECTION)
        return darn_refuse(
            COMMAND, "--noise=%s: section:F/S is needed, with F 0..1000 and S 0..10000000", value);
    return 0;
}

static int set_text(struct darn_refine_line *line, int option, const char *value)
{
    const char **to = option == ORACLE   ? &line->oracle
                      : option == EXPECT ? &line->expect
                      : option == INPUT  ? &line->input
                                         : &line->output;

    if (!*value)
        return darn_refuse(COMMAND, "%s needs a value", darn_sections_refine_options[option].name);
    *to = value;
    return 0;
}

static int set(void *to, int option, const char *value)
{
    struct darn_refine_line *line = to;

    switch (option) {
    case RUNS:
        return set_number(option, value, 1000000, &line->runs);
    case JOBS:
        return set_number(option, value, 256, &line->jobs);
    case SEED:
        line->seed_given = true;
        return set_number(option, value, UINT64_C(1) << 62, &line->seed);
    case TIMEOUT:
        return darn_line_seconds(COMMAND, "--timeout", value, &line->timeout_ms);
    case NOISE:
        return set_noise(line, value);
    case VERBOSE:
        line->verbose = true;
        return 0;
    case HELP:
        line->help = true;
        return 0;
    default:
        return set_text(line, option, value);
    }
}

int darn_refine_read(struct darn_refine_line *line, int argc, char **argv)
{
    int rest = argc, status;

    line->runs = 50;
    line->jobs = darn_free_runs_cores();
    line->seed = 1;
    line->timeout_ms = 60000;
    line->noise =
        (struct darn_noise){.kind = DARN_NOISE_SECTION, .frequency = 100, .strength = 500};
    status = darn_line_read(COMMAND, darn_sections_refine_options, argc, argv, set, line, &rest);
    if (status || line->help)
        return status;
    if (line->oracle && line->expect)
        return darn_refuse(COMMAND, "--oracle and --expect exclude each other");
    if (rest < argc)
        line->file = argv[rest++];
    if (rest < argc && strcmp(argv[rest], "--") == 0)
        rest++;
    if (rest < argc)
        line->program = argv + rest;
    if (!line->file || !line->program)
        return darn_refuse(COMMAND,
                           "%s; usage: darn sections refine [options] FILE -- PROGRAM "
                           "[arguments]",
                           line->file ? "no program" : "no file of sections");
    return 0;
}
