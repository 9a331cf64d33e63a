/*
 * darn sections infer --runs: records a program several times, and makes sections of what its
 * correct runs have in common.
 */
#include "driver/section/sections_learn.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/line.h"
#include "cli/sections_line.h"
#include "driver/process/launch.h"

#define COMMAND "sections infer"

/* The line: what is wanted of the driver, and what is done with the result. */
struct learn_line {
    struct darn_learn_options wanted;
    const char *output; /* NULL: not given */
};

#define AT(field) offsetof(struct learn_line, field)

static const struct darn_option options[] = {
    {.name = "runs",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.runs),
     .initial = "20",
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "learn from N runs"},
    DARN_ROW_ORACLE(AT(wanted.runs_as.oracle), DARN_OTHERWISE_STATUS),
    DARN_ROW_EXPECT(AT(wanted.runs_as.expect)),
    DARN_ROW_JOBS(AT(wanted.runs_as.jobs)),
    DARN_ROW_LIMIT(AT(wanted.runs_as.timeout_ms)),
    DARN_ROW_NOISE_SEED(AT(wanted.seed), 0),
    DARN_ROW_INPUT(AT(wanted.runs_as.input)),
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(output),
     .value = "FILE",
     .help = "write the sections to FILE (default: stdout)"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Writes what was learned. An exit status. */
static int conclude(const struct darn_learn *learn, const char *output)
{
    const struct darn_learned *learned = &learn->learned;
    int result = darn_sections_write(output, &learn->sections);

    fprintf(stderr,
            "darn sections infer: %zu section%s learned from %" PRIu64 " correct run%s of %" PRIu64
            "; %" PRIu64 " pair%s of accesses, of which %" PRIu64 " interrupted, %" PRIu64
            " of memory that no threads share\n",
            learn->sections.count, plural(learn->sections.count), learn->correct,
            plural(learn->correct), learn->made, learned->pairs, plural(learned->pairs),
            learned->broken, learned->private);
    if (learned->dropped)
        darn_warn(COMMAND, "%" PRIu64 " pairs were left out: there are too many at one place",
                  learned->dropped);
    if (result)
        return darn_refuse_output(COMMAND, "", output, result);
    return learn->signal ? 128 + learn->signal : darn_finish_output();
}

/* 0 or an exit status. */
static int check_line(const struct learn_line *line)
{
    char path[PATH_MAX];
    int status;

    if (line->wanted.runs_as.oracle && line->wanted.runs_as.expect)
        return darn_refuse(COMMAND, "--oracle and --expect exclude each other");
    if (!line->wanted.runs_as.program)
        return darn_refuse(COMMAND, "no program; usage: darn sections infer --runs=N [options] -- "
                                    "PROGRAM [arguments]");
    status = darn_check_program(darn_speaker(COMMAND), line->wanted.runs_as.program[0],
                                DARN_PROGRAM_COMPILED, path, sizeof(path));
    return status ? status : darn_sections_check_output(COMMAND, line->output);
}

static int learn_sections(int argc, char **argv)
{
    static struct learn_line wanted;
    static struct darn_learn learn = {.options = &wanted.wanted};
    struct darn_command_line line = {.command = &darn_sections_learn, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    wanted.wanted.runs_as.program = line.count ? line.words : NULL;
    status = check_line(&wanted);
    if (status)
        return status;
    learn.listener = darn_speaker(COMMAND);
    status = darn_learn(&learn);
    if (!status)
        status = conclude(&learn, wanted.output ? wanted.output : "-");
    darn_sections_free(&learn.sections);
    return status;
}

const struct darn_command darn_sections_learn = {
    .name = COMMAND,
    .summary = "learn sections from runs that go well",
    .usage = "sections infer --runs=N [options] [-o FILE] -- PROGRAM [arguments]",
    .about = "Records N runs, most of them with noise. Two accesses of a thread to a variable,\n"
             "one after the other, that no other thread ever interrupted in a correct run are\n"
             "a section. A first run, whose output is not shown, finds out which memory is\n"
             "shared.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .run = learn_sections,
};
