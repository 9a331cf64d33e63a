/*
 * darn sections refine: runs a program again and again, with noise inside its sections, and takes
 * out of the repository what correct runs violate, and what no run comes to.
 */
#include "driver/section/sections_refine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/process/claim.h"
#include "cli/command.h"
#include "driver/process/input.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/process/installation.h"
#include "cli/sections.h"

#define COMMAND "sections refine"

/* However many fail, there is an end: this many times --runs. */
#define MOST_RUNS 20

size_t darn_refine_left(const struct darn_refine *refine)
{
    size_t left = 0;

    for (size_t i = 0; i < refine->sections.count; i++)
        left += !refine->sections.list[i]->why;
    return left;
}

static bool is_quiet(const struct darn_refine *refine)
{
    return refine->sections.refinement.quiet >= refine->line->runs;
}

/* Another file for the runs to come; those under way may still be reading the last one. 0 or a
 * negative errno. */
static int write_file(struct darn_refine *refine)
{
    FILE *to;
    int result;

    darn_free_runs_file(&refine->runs, "sections", refine->generation++, refine->file,
                        sizeof(refine->file));
    to = fopen(refine->file, "wxe");
    if (!to)
        return -errno;
    result = darn_refinement_write(&refine->refinement, to);
    if (fclose(to) && !result)
        result = -errno;
    refine->changed = false;
    return result;
}

/* The same delay on the whole, in few long pieces or in many short ones: a long one lets a slow
 * access of another thread come in between, a short one many fast ones. */
static struct darn_noise noise_of(const struct darn_refine *refine, uint64_t number)
{
    static const struct {
        uint32_t often, rarely;
    } ways[] = {{1, 1}, {4, 1}, {1, 4}};
    const size_t way = number % (sizeof(ways) / sizeof(ways[0]));
    struct darn_noise noise = refine->line->noise;
    uint32_t often = ways[way].often, rarely = ways[way].rarely;

    noise.frequency = noise.frequency * often / rarely;
    noise.strength = (uint32_t)((uint64_t)noise.strength * rarely / often);
    /* What was asked for stays possible in all of them. */
    if (!noise.frequency && refine->line->noise.frequency)
        noise.frequency = 1;
    if (noise.frequency > 1000)
        noise.frequency = 1000;
    if (noise.strength > 10000000)
        noise.strength = 10000000;
    return noise;
}

static void set_options(const struct darn_refine *refine, struct darn_free_run *run)
{
    struct darn_options *options = &run->options;

    darn_options_default(options);
    options->seed = refine->line->seed + run->number;
    options->budget = DARN_BUDGET_MAX;
    options->exitcode = 0; /* what darn finds besides does not make a run fail */
    options->noise[options->noise_count++] = noise_of(refine, run->number);
    snprintf(options->sections, sizeof(options->sections), "%s", refine->file);
    darn_free_runs_file(&refine->runs, "counts", run->job, options->sections_out,
                        sizeof(options->sections_out));
    snprintf(options->log_path, sizeof(options->log_path), "%s/log", refine->runs.directory);
    unlink(options->sections_out);
}

static bool next(void *context, struct darn_free_run *run)
{
    struct darn_refine *refine = context;
    int result;

    if (is_quiet(refine) || refine->made >= MOST_RUNS * refine->line->runs ||
        !darn_refine_left(refine))
        return false;
    result = refine->changed ? write_file(refine) : 0;
    if (result) {
        refine->runs.status =
            darn_refuse(COMMAND, "%s cannot be written: %s", refine->file, strerror(-result));
        return false;
    }
    run->number = ++refine->begun;
    set_options(refine, run);
    return true;
}

/* What the runtime has left; nothing when it did not come to its end. */
static void read_counts(struct darn_refine *refine, const char *path)
{
    FILE *file = fopen(path, "r"), *to;
    char *text = NULL, piece[16384];
    size_t size = 0, got;

    to = open_memstream(&text, &size);
    while (file && to && (got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, to);
    if (to)
        fclose(to);
    if (file)
        fclose(file);
    darn_refinement_counts_read(&refine->counts, text ? text : "");
    free(text);
}

static void done(void *context, const struct darn_free_run *run)
{
    struct darn_refine *refine = context;
    bool correct = run->verdict == DARN_VERDICT_OK;
    uint64_t *quiet = &refine->sections.refinement.quiet;

    read_counts(refine, run->options.sections_out);
    refine->made++;
    refine->sections.refinement.runs++;
    if (run->verdict == DARN_VERDICT_NONE) {
        refine->unclear++;
        return;
    }
    refine->failed += !correct;
    refine->number = run->number;
    refine->failure = correct ? NULL : run->text;
    if (correct && !refine->counts.done) {
        if (refine->counted) { /* it went another way for once */
            refine->unclear++;
            return;
        }
        refine->runs.status =
            darn_refuse(COMMAND,
                        "%s says nothing about its sections: it, or what it starts, must have been "
                        "compiled by darn, and end by itself",
                        refine->line->program[0]);
        atomic_store(&refine->runs.stop, true);
        return;
    }
    refine->counted += refine->counts.done;
    if (darn_refinement_apply(&refine->refinement, &refine->counts, correct, run->number,
                              darn_refine_tell, refine)) {
        refine->changed = true;
        *quiet = 0;
    } else if (correct) {
        ++*quiet;
    }
}

/* What can be refused before the program runs. 0 or an exit status. */
static int check(struct darn_refine *refine)
{
    const struct darn_refine_line *line = refine->line;
    const char *output = line->output ? line->output : line->file;
    char path[PATH_MAX];
    uint32_t errors = 0;
    int status = darn_check_program(COMMAND, line->program[0], false, path, sizeof(path)), result;

    if (!status)
        status = darn_section_file_load(COMMAND, line->file, &refine->sections, &errors);
    if (status)
        return status;
    /* The rest would be written, and what could not be read would be lost. */
    if (errors && !line->output)
        return darn_refuse(COMMAND,
                           "%s has %" PRIu32 " fault%s; mend it, or have the rest written to "
                           "another file with -o",
                           line->file, errors, errors == 1 ? "" : "s");
    result = strcmp(output, "-") == 0 ? 0 : darn_output_check(output);
    if (result)
        return darn_refuse(COMMAND, "%s cannot be written: %s", output, strerror(-result));
    return strcmp(output, "-") == 0 ? 0 : darn_claim_file(COMMAND, output);
}

/* Where an earlier refinement of the file has come to. */
static void go_on(struct darn_refine *refine, struct darn_refine_line *line)
{
    if (line->seed_given || !refine->sections.refinement.runs)
        refine->sections.refinement.seed = line->seed;
    line->seed = refine->sections.refinement.seed;
    refine->begun = refine->sections.refinement.runs;
    if (is_quiet(refine)) /* it was at its end: once more, then */
        refine->sections.refinement.quiet = 0;
    refine->changed = true;
}

/* Writes what is left and says what became of the rest. An exit status. */
static int conclude(struct darn_refine *refine)
{
    const struct darn_refine_line *line = refine->line;
    const char *output = line->output ? line->output : line->file;
    int signal = atomic_load(&refine->runs.signal), result;

    darn_refine_clear_progress(refine);
    if (is_quiet(refine))
        darn_refinement_finish(&refine->refinement, refine->sections.refinement.runs);
    result = darn_section_file_write(output, &refine->sections);
    if (result)
        return darn_refuse(COMMAND, "%s cannot be written: %s", output, strerror(-result));
    darn_refine_summary(refine, strcmp(output, "-") == 0 ? stderr : stdout);
    if (signal)
        return 128 + signal;
    return is_quiet(refine) || !darn_refine_left(refine) ? darn_finish_output() : 1;
}

static int refine(struct darn_refine *refine)
{
    const struct darn_refine_line *line = refine->line;
    int status;

    refine->runs = (struct darn_free_runs){
        .command = COMMAND,
        .program = line->program,
        .oracle = line->oracle,
        .expect = line->expect,
        .timeout_ms = line->timeout_ms,
        .jobs = (uint32_t)line->jobs,
        .next = next,
        .done = done,
        .progress = darn_refine_progress,
        .context = refine,
    };
    status = darn_input_keep(COMMAND, line->input, &refine->runs.input);
    if (!status)
        status = darn_free_runs_open(&refine->runs);
    darn_refinement_open(&refine->refinement, &refine->sections);
    if (!status)
        status = darn_free_runs_make(&refine->runs);
    darn_free_runs_close(&refine->runs);
    if (!status)
        status = conclude(refine);
    darn_refinement_close(&refine->refinement);
    darn_refinement_counts_free(&refine->counts);
    return status;
}

int darn_sections_refine(int argc, char **argv)
{
    static struct darn_refine_line line;
    static struct darn_refine state = {.line = &line};
    int status = darn_refine_read(&line, argc, argv);

    if (status)
        return status;
    if (line.help) {
        darn_help_sections_refine();
        return darn_finish_output();
    }
    status = check(&state);
    if (!status) {
        go_on(&state, &line);
        status = refine(&state);
    }
    darn_sections_free(&state.sections);
    return status;
}
