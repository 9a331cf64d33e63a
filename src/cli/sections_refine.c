/*
 * darn sections refine: runs a program again and again, with noise inside its sections, and takes
 * out of the repository what correct runs violate, and what no run comes to.
 */
#include "driver/section/sections_refine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/line.h"
#include "cli/sections_line.h"
#include "driver/process/claim.h"
#include "driver/process/launch.h"
#include "section/match.h"

#define COMMAND "sections refine"

static int set_noise(void *to, const char *value, char *error, size_t size)
{
    struct darn_noise *noise = to, read;

    if (darn_noise_parse(&read, value, strlen(value)) || read.kind != DARN_NOISE_SECTION) {
        snprintf(error, size, "--noise=%s: section:F/S is needed" DARN_NOISE_BOUNDS, value);
        return -EINVAL;
    }
    *noise = read;
    return 0;
}

/* The line: what is wanted of the driver, and what is done with the result. */
struct refine_line {
    struct darn_refine_options wanted;
    const char *file;
    const char *output; /* NULL: the file itself */
    bool verbose;
};

#define AT(field) offsetof(struct refine_line, field)

static const struct darn_option options[] = {
    {.name = "runs",
     .type = DARN_OPTION_WIDE,
     .offset = AT(wanted.runs),
     .initial = "50",
     .min = 1,
     .max = 1000000,
     .value = "N",
     .help = "end after N correct runs without a change"},
    DARN_ROW_ORACLE(AT(wanted.runs_as.oracle), DARN_OTHERWISE_STATUS),
    DARN_ROW_EXPECT(AT(wanted.runs_as.expect)),
    {.name = "noise",
     .type = DARN_OPTION_OWN,
     .offset = AT(wanted.noise),
     .initial = "section:100/500",
     .value = "section:F/S",
     .set = set_noise,
     .help = "delay threads inside sections, F times in 1000, by S\n"
             "microseconds; both vary from run to run"},
    DARN_ROW_JOBS(AT(wanted.runs_as.jobs)),
    DARN_ROW_LIMIT(AT(wanted.runs_as.timeout_ms)),
    DARN_ROW_NOISE_SEED(AT(wanted.seed), AT(wanted.seed_given)),
    DARN_ROW_INPUT(AT(wanted.runs_as.input)),
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = AT(output),
     .value = "FILE",
     .help = "write to FILE, not back to where it was read"},
    {.name = "v",
     .type = DARN_OPTION_FLAG,
     .offset = AT(verbose),
     .help = "say of each section why it went"},
    DARN_ROW_HELP,
    {.name = NULL},
};

#undef AT

static const struct darn_option_group groups[] = {{.options = options}, {.options = NULL}};

/* What can be refused before the program runs. 0 or an exit status. */
static int check(struct darn_refine *refine, const struct refine_line *line)
{
    const char *output = line->output ? line->output : line->file;
    char path[PATH_MAX];
    uint32_t errors = 0;
    int status = darn_check_program(darn_speaker(COMMAND), line->wanted.runs_as.program[0],
                                    DARN_PROGRAM_COMPILED, path, sizeof(path));

    if (!status)
        status =
            darn_section_file_load(darn_speaker(COMMAND), line->file, &refine->sections, &errors);
    if (status)
        return status;
    /* The rest would be written, and what could not be read would be lost. */
    if (errors && !line->output)
        return darn_refuse(COMMAND,
                           "%s has %" PRIu32 " fault%s; mend it, or have the rest written to "
                           "another file with -o",
                           line->file, errors, errors == 1 ? "" : "s");
    status = darn_sections_check_output(COMMAND, output);
    return status || strcmp(output, "-") == 0 ? status
                                              : darn_claim_file(darn_speaker(COMMAND), output);
}

/* bank.c:12: 'balance' in deposit (load-and-store) */
static void name_section(FILE *out, const struct darn_section *section)
{
    if (darn_section_is_lines(section)) {
        fprintf(out, "%s:%" PRIu32 "-%" PRIu32 ": '%s' (by-hand)", section->file, section->first,
                section->last, section->variable);
        return;
    }
    fprintf(out, "%s:%" PRIu32 ": '%s' in %s (%s)", section->file,
            section->count ? section->points[0].at : 0, section->variable, section->function,
            darn_section_kind_name(section->kind));
}

static void tell(void *to, enum darn_refinement_news news, const struct darn_section *section,
                 const struct darn_point *end)
{
    static const char *const words[] = {
        [DARN_REFINEMENT_ALLOWED] = "; everything is allowed there",
        [DARN_REFINEMENT_DROPPED] = "; it goes",
        [DARN_REFINEMENT_SUSPECT] = "",
    };
    const struct darn_refine *refine = to;

    darn_clear_progress();
    fprintf(stderr, "darn sections refine: run %" PRIu64, refine->number);
    if (refine->failure)
        fprintf(stderr, " failed (%s)", refine->failure);
    fputs(": violated: ", stderr);
    name_section(stderr, section);
    if (end)
        fprintf(stderr, " at line %" PRIu32, end->at);
    fprintf(stderr, "%s\n", words[news]);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* First of all what was violated in failing runs only. */
static void say_suspects(const struct darn_refine *refine, FILE *out)
{
    bool is_first = true;

    for (size_t i = 0; i < refine->sections.count; i++) {
        uint64_t often = darn_refinement_suspicion(&refine->refinement, i);

        if (!often)
            continue;
        if (is_first)
            fputs("violated only in failing runs:\n", out);
        is_first = false;
        fputs("  ", out);
        name_section(out, refine->sections.list[i]);
        fprintf(out, ", %" PRIu64 " time%s\n", often, plural(often));
    }
}

static void say_left(const struct darn_refine *refine, FILE *out)
{
    size_t of_kind[DARN_SECTION_KINDS] = {0}, left = darn_refine_left(refine);
    const char *between = ": ";

    for (size_t i = 0; i < refine->sections.count; i++)
        if (!refine->sections.list[i]->why)
            of_kind[refine->sections.list[i]->kind]++;
    fprintf(out, "%zu of %zu section%s left", left, refine->sections.count,
            refine->sections.count == 1 ? " is" : "s are");
    for (uint8_t kind = 0; kind < DARN_SECTION_KINDS; kind++) {
        if (!of_kind[kind])
            continue;
        fprintf(out, "%s%zu %s", between, of_kind[kind], darn_section_kind_name(kind));
        between = ", ";
    }
    fputc('\n', out);
}

/* How much of the reason counts when they are counted: not the number of the run. */
static size_t reason_length(const char *why)
{
    return strcspn(why, "(");
}

static bool is_same_reason(const char *a, const char *b)
{
    size_t length = reason_length(a);

    return length == reason_length(b) && strncmp(a, b, length) == 0;
}

/* Whether an earlier section has gone for the same reason. */
static bool is_counted(const struct darn_sections *sections, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (sections->list[i]->why &&
            is_same_reason(sections->list[i]->why, sections->list[number]->why))
            return true;
    return false;
}

static void say_reasons(const struct darn_sections *sections, FILE *out)
{
    for (size_t i = 0; i < sections->count; i++) {
        const char *why = sections->list[i]->why;
        size_t count = 0;
        int length;

        if (!why || is_counted(sections, i))
            continue;
        for (size_t j = i; j < sections->count; j++)
            count += sections->list[j]->why && is_same_reason(sections->list[j]->why, why);
        length = (int)reason_length(why);
        while (length && why[length - 1] == ' ')
            length--;
        fprintf(out, "  %zu went: %.*s\n", count, length, why);
    }
}

static void say_each(const struct darn_sections *sections, FILE *out)
{
    for (size_t i = 0; i < sections->count; i++) {
        if (!sections->list[i]->why)
            continue;
        fputs("  ", out);
        name_section(out, sections->list[i]);
        fprintf(out, ": %s\n", sections->list[i]->why);
    }
}

static void say_end(const struct darn_refine *refine, FILE *out)
{
    uint64_t quiet = refine->sections.refinement.quiet;

    fprintf(out, "%" PRIu64 " run%s", refine->sections.refinement.runs,
            plural(refine->sections.refinement.runs));
    if (refine->failed)
        fprintf(out, ", %" PRIu64 " failed", refine->failed);
    if (refine->unclear)
        fprintf(out, ", %" PRIu64 " without an answer of the oracle or without counts",
                refine->unclear);
    fprintf(out, "; the last %" PRIu64 " correct one%s changed nothing\n", quiet, plural(quiet));
    if (darn_refine_is_quiet(refine) || !darn_refine_left(refine))
        return;
    if (atomic_load(&refine->runs.signal))
        fputs("interrupted: the same command goes on from here\n", out);
    else
        fprintf(out, "not at its end: too few runs are correct; what was never seen is kept\n");
}

static void print_summary(const struct darn_refine *refine, bool verbose, FILE *out)
{
    say_suspects(refine, out);
    say_left(refine, out);
    if (verbose)
        say_each(&refine->sections, out);
    else
        say_reasons(&refine->sections, out);
    say_end(refine, out);
}

/* Writes what is left and says what became of the rest. An exit status. */
static int conclude(const struct darn_refine *refine, const struct refine_line *line)
{
    const char *output = line->output ? line->output : line->file;
    int signal = atomic_load(&refine->runs.signal);
    int result = darn_sections_write(output, &refine->sections);

    if (result)
        return darn_refuse_output(COMMAND, "", output, result);
    print_summary(refine, line->verbose, strcmp(output, "-") == 0 ? stderr : stdout);
    if (signal)
        return 128 + signal;
    return darn_refine_is_quiet(refine) || !darn_refine_left(refine) ? darn_finish_output() : 1;
}

/* After the options: the file, perhaps `--`, and the program. 0 or an exit status. */
static int read_words(struct refine_line *wanted, const struct darn_command_line *line)
{
    bool dashes = line->count > 1 && strcmp(line->words[1], "--") == 0;

    if (wanted->wanted.runs_as.oracle && wanted->wanted.runs_as.expect)
        return darn_refuse(COMMAND, "--oracle and --expect exclude each other");
    wanted->file = line->words[0];
    wanted->wanted.runs_as.program = line->count > 1 + dashes ? line->words + 1 + dashes : NULL;
    if (!wanted->file || !wanted->wanted.runs_as.program)
        return darn_refuse(COMMAND,
                           "%s; usage: darn sections refine [options] FILE -- PROGRAM "
                           "[arguments]",
                           wanted->file ? "no program" : "no file of sections");
    return 0;
}

static int refine_sections(int argc, char **argv)
{
    static struct refine_line wanted;
    static struct darn_refine refine = {.options = &wanted.wanted, .tell = tell};
    struct darn_command_line line = {.command = &darn_sections_refine, .to = &wanted};
    int status;

    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    status = read_words(&wanted, &line);
    if (status)
        return status;
    refine.listener = darn_speaker(COMMAND);
    status = check(&refine, &wanted);
    if (!status)
        status = darn_refine(&refine);
    if (!status)
        status = conclude(&refine, &wanted);
    darn_refine_free(&refine);
    return status;
}

const struct darn_command darn_sections_refine = {
    .name = COMMAND,
    .summary = "run the program, and take out what correct runs violate",
    .usage = "sections refine [options] FILE -- PROGRAM [arguments]",
    .about = "Runs a program again and again, with noise inside the sections of FILE. What a\n"
             "correct run violates was not meant to be atomic: it goes, and so does what no\n"
             "run comes to. What only failing runs violate is kept, and named as the likely\n"
             "cause. FILE is written in the end, and when it is interrupted: the same command\n"
             "goes on from there.\n"
             "\n"
             "--name=value may also be written as two words: --name value.\n",
    .groups = groups,
    .operands = "FILE PROGRAM",
    .exits = "0 FILE is written\n"
             "1 too few runs were correct to come to an end\n"
             "128+N signal N has interrupted it; what was known is written",
    .see = "darn-sections(1), darn-sections-infer(1), darn-run(1)",
    .run = refine_sections,
};
