/*
 * The command line of darn sections infer --runs.
 */
#include <stdio.h>
#include <string.h>

#include "driver/play/free_runs.h"
#include "cli/line.h"
#include "driver/section/sections_learn.h"

#define COMMAND "sections infer"

enum { RUNS, ORACLE, EXPECT, JOBS, TIMEOUT, SEED, INPUT, OUTPUT, HELP };

const struct darn_cli_option darn_sections_learn_options[] = {
    [RUNS] = {"--runs", "N", "learn from N runs (default: 20)"},
    [ORACLE] = {"--oracle", "CMD",
                "a shell command that says whether a run was right: it\n"
                "gets the output on stdin, DARN_STATUS, and fails if\n"
                "not (default: a run is right if its status is 0)"},
    [EXPECT] = {"--expect", "FILE", "a run is right if it prints on stdout what is in FILE"},
    [JOBS] = {"--jobs", "N", "run N at the same time (default: one for each core)"},
    [TIMEOUT] = {"--timeout", "S", "a run that takes longer than S seconds has failed (60)"},
    [SEED] = {"--seed", "N", "another seed, other noise (default: 1)"},
    [INPUT] = {"--input", "FILE", "the standard input of each run (default: our own)"},
    [OUTPUT] = {"-o", "FILE", "write the sections to FILE (default: stdout)"},
    [HELP] = {"--help", NULL, "print this list"},
    {NULL, NULL, NULL},
};

void darn_help_sections_learn(void)
{
    printf("usage: darn sections infer --runs=N [options] [-o FILE] -- PROGRAM [arguments]\n"
           "\n"
           "Records N runs, most of them with noise. Two accesses of a thread to a variable,\n"
           "one after the other, that no other thread ever interrupted in a correct run are\n"
           "a section. A first run, whose output is not shown, finds out which memory is\n"
           "shared.\n"
           "\n");
    darn_print_options(darn_sections_learn_options);
}

static int set_number(int option, const char *value, uint64_t max, uint64_t *to)
{
    return darn_line_number(COMMAND, darn_sections_learn_options[option].name, value, 1, max, to);
}

static int set(void *to, int option, const char *value)
{
    struct darn_learn_line *line = to;

    switch (option) {
    case RUNS:
        return set_number(option, value, 1000000, &line->runs);
    case JOBS:
        return set_number(option, value, 256, &line->jobs);
    case SEED:
        return set_number(option, value, UINT64_C(1) << 62, &line->seed);
    case TIMEOUT:
        return darn_line_seconds(COMMAND, "--timeout", value, &line->timeout_ms);
    case HELP:
        line->help = true;
        return 0;
    default:
        break;
    }
    if (!*value)
        return darn_refuse(COMMAND, "%s needs a value", darn_sections_learn_options[option].name);
    *(option == ORACLE   ? &line->oracle
      : option == EXPECT ? &line->expect
      : option == INPUT  ? &line->input
                         : &line->output) = value;
    return 0;
}

int darn_learn_read(struct darn_learn_line *line, int argc, char **argv)
{
    int rest = argc, status;

    line->runs = 20;
    line->jobs = darn_free_runs_cores();
    line->seed = 1;
    line->timeout_ms = 60000;
    status = darn_line_read(COMMAND, darn_sections_learn_options, argc, argv, set, line, &rest);
    if (status || line->help)
        return status;
    if (line->oracle && line->expect)
        return darn_refuse(COMMAND, "--oracle and --expect exclude each other");
    if (rest < argc)
        line->program = argv + rest;
    if (!line->program)
        return darn_refuse(COMMAND, "no program; usage: darn sections infer --runs=N [options] -- "
                                    "PROGRAM [arguments]");
    return 0;
}
