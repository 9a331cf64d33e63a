/*
 * darn sections infer --runs: records a program several times, and makes sections of what its
 * correct runs have in common.
 */
#include "driver/section/sections_learn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/play/free_runs.h"
#include "driver/analysis/gaps.h"
#include "driver/process/input.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/analysis/recording.h"
#include "cli/sections.h"
#include "trace/trace.h"

#define COMMAND "sections infer"

struct learn {
    const struct darn_learn_line *line;
    struct darn_learning *learning;
    struct darn_free_runs runs;
    char profile[DARN_OPTIONS_PATH];
    uint64_t begun, made, correct;
    bool progress, warned;
};

static void show_progress(void *context)
{
    struct learn *learn = context;

    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr,
            "\r\033[Kdarn sections infer: %" PRIu64 " of %" PRIu64 " runs, %" PRIu64 " correct",
            learn->made, learn->line->runs, learn->correct);
    fflush(stderr);
    learn->progress = true;
}

/* Pairs that are broken at times shall be, so that they are not learned: the first run and each
 * fourth after it go as they like, the others are delayed, often or long. */
static void set_noise(struct darn_options *options, uint64_t number)
{
    static const struct darn_noise ways[] = {
        {.kind = DARN_NOISE_RANDOM, .frequency = 100, .strength = 100},
        {.kind = DARN_NOISE_RANDOM, .frequency = 300, .strength = 20},
        {.kind = DARN_NOISE_RANDOM, .frequency = 10, .strength = 2000},
    };

    if (number % 4 != 1)
        options->noise[options->noise_count++] = ways[(number + 2) % 4 % 3];
}

static bool next(void *context, struct darn_free_run *run)
{
    struct learn *learn = context;
    struct darn_options *options = &run->options;

    if (learn->begun >= learn->line->runs)
        return false;
    run->number = ++learn->begun;
    darn_options_default(options);
    options->seed = learn->line->seed + run->number;
    options->exitcode = 0;
    set_noise(options, run->number);
    darn_free_runs_file(&learn->runs, "trace", run->job, options->trace, sizeof(options->trace));
    snprintf(options->log_path, sizeof(options->log_path), "%s/log", learn->runs.directory);
    /* Without a profile, the program has not come to its end when it should have made one. */
    if (access(learn->profile, F_OK) == 0)
        snprintf(options->profile, sizeof(options->profile), "%s", learn->profile);
    else
        options->trace_what = DARN_TRACE_ALL;
    unlink(options->trace);
    return true;
}

static void done(void *context, const struct darn_free_run *run)
{
    struct learn *learn = context;
    struct darn_trace *trace;
    char error[1024];

    learn->made++;
    if (run->verdict != DARN_VERDICT_OK)
        return;
    trace = darn_trace_open(run->options.trace, true, error, sizeof(error));
    if (!trace) {
        learn->runs.status =
            darn_refuse(COMMAND, "%s left no trace: %s", learn->line->program[0], error);
        atomic_store(&learn->runs.stop, true);
        return;
    }
    learn->correct++;
    darn_learning_take(learn->learning, trace);
    if (darn_trace_about(trace).lost && !learn->warned) { /* the other runs are much like it */
        darn_warn_of_gaps(COMMAND, run->options.trace, trace);
        learn->warned = true;
    }
    darn_trace_close(trace);
}

/* Each run reads the same, also that which makes the profile. 0 or an exit status. */
static int set_input(const struct learn *learn)
{
    const char *path = learn->runs.input ? learn->runs.input : "/dev/null";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return darn_refuse(COMMAND, "%s: %s", path, strerror(errno));
    close(fd);
    return 0;
}

/* Which memory do threads share? 0 or an exit status. */
static int make_profile(struct learn *learn)
{
    static struct darn_recording recording;
    char trace[PATH_MAX];
    int status = set_input(learn), ignored;

    if (status)
        return status;
    darn_free_runs_file(&learn->runs, "trace", 0, trace, sizeof(trace));
    darn_free_runs_file(&learn->runs, "profile", 0, learn->profile, sizeof(learn->profile));
    darn_options_default(&recording.options);
    recording.command = COMMAND;
    recording.output = trace;
    recording.profile = learn->profile;
    recording.learn_runs = 1;
    recording.quiet = recording.silent = recording.inside = true;
    recording.limit.milliseconds = learn->line->timeout_ms;
    recording.program = learn->line->program;
    return darn_recording_run(&recording, &ignored);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static int conclude(struct learn *learn)
{
    const char *output = learn->line->output ? learn->line->output : "-";
    int signal = atomic_load(&learn->runs.signal), result;
    struct darn_sections sections = {0};
    struct darn_learned learned;

    if (learn->progress)
        fputs("\r\033[K", stderr);
    if (!learn->correct && !signal)
        return darn_refuse(COMMAND, "none of the %" PRIu64 " run%s was correct: nothing is learned",
                           learn->made, plural(learn->made));
    learned = darn_learning_give(learn->learning, &sections);
    result = darn_section_file_write(output, &sections);
    fprintf(stderr,
            "darn sections infer: %zu section%s learned from %" PRIu64 " correct run%s of %" PRIu64
            "; %" PRIu64 " pair%s of accesses, of which %" PRIu64 " interrupted, %" PRIu64
            " of memory that no threads share\n",
            sections.count, plural(sections.count), learn->correct, plural(learn->correct),
            learn->made, learned.pairs, plural(learned.pairs), learned.broken, learned.private);
    if (learned.dropped)
        darn_warn(COMMAND, "%" PRIu64 " pairs were left out: there are too many at one place",
                  learned.dropped);
    darn_sections_free(&sections);
    if (result)
        return darn_refuse(COMMAND, "%s cannot be written: %s", output, strerror(-result));
    return signal ? 128 + signal : darn_finish_output();
}

static int learn_from_runs(struct learn *learn)
{
    const struct darn_learn_line *line = learn->line;
    int status;

    learn->runs = (struct darn_free_runs){
        .command = COMMAND,
        .program = line->program,
        .oracle = line->oracle,
        .expect = line->expect,
        .timeout_ms = line->timeout_ms,
        .jobs = (uint32_t)line->jobs,
        .next = next,
        .done = done,
        .progress = show_progress,
        .context = learn,
    };
    status = darn_input_keep(COMMAND, line->input, &learn->runs.input);
    if (!status)
        status = darn_free_runs_open(&learn->runs);
    if (!status)
        status = make_profile(learn);
    if (!status)
        status = darn_free_runs_make(&learn->runs);
    darn_free_runs_close(&learn->runs);
    return status ? status : conclude(learn);
}

int darn_sections_learn(int argc, char **argv)
{
    static struct darn_learn_line line;
    static struct learn learn = {.line = &line};
    char path[PATH_MAX];
    int status = darn_learn_read(&line, argc, argv), result;

    if (status)
        return status;
    if (line.help) {
        darn_help_sections_learn();
        return darn_finish_output();
    }
    status = darn_check_program(COMMAND, line.program[0], false, path, sizeof(path));
    if (status)
        return status;
    result = line.output && strcmp(line.output, "-") != 0 ? darn_output_check(line.output) : 0;
    if (result)
        return darn_refuse(COMMAND, "%s cannot be written: %s", line.output, strerror(-result));
    learn.learning = darn_learning_new();
    if (!learn.learning)
        return darn_refuse(COMMAND, "out of memory");
    status = learn_from_runs(&learn);
    darn_learning_free(learn.learning);
    return status;
}
