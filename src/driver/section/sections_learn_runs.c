/*
 * Sections from runs: records a program several times, and takes what its correct runs have in
 * common.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/analysis/gaps.h"
#include "driver/analysis/recording.h"
#include "driver/section/sections_learn.h"
#include "trace/trace.h"

static void tell_progress(void *context)
{
    const struct darn_learn *learn = context;

    darn_tell_progress(learn->listener, "%" PRIu64 " of %" PRIu64 " runs, %" PRIu64 " correct",
                       learn->made, learn->options->runs, learn->correct);
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
    struct darn_learn *learn = context;
    struct darn_options *options = &run->options;

    if (learn->begun >= learn->options->runs)
        return false;
    run->number = ++learn->begun;
    darn_options_default(options);
    options->seed = learn->options->seed + run->number;
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
    struct darn_learn *learn = context;
    struct darn_trace *trace;
    char error[1024];

    learn->made++;
    if (run->verdict != DARN_VERDICT_OK)
        return;
    trace = darn_trace_open(run->options.trace, true, error, sizeof(error));
    if (!trace) {
        learn->runs.status = darn_tell_refusal(learn->listener, "%s left no trace: %s",
                                               learn->options->runs_as.program[0], error);
        atomic_store(&learn->runs.stop, true);
        return;
    }
    learn->correct++;
    darn_learning_take(learn->learning, trace);
    if (darn_trace_about(trace).lost && !learn->warned) { /* the other runs are much like it */
        darn_warn_of_gaps(learn->listener, run->options.trace, trace);
        learn->warned = true;
    }
    darn_trace_close(trace);
}

/* Each run reads the same, also that which makes the profile. 0 or DARN_REFUSED. */
static int set_input(const struct darn_learn *learn)
{
    const char *path = learn->runs.input ? learn->runs.input : "/dev/null";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return darn_tell_refusal(learn->listener, "%s: %s", path, strerror(errno));
    close(fd);
    return 0;
}

/* Which memory do threads share? 0 or DARN_REFUSED. */
static int make_profile(struct darn_learn *learn)
{
    static struct darn_recording recording;
    char trace[PATH_MAX];
    int status = set_input(learn), ignored;

    if (status)
        return status;
    darn_free_runs_file(&learn->runs, "trace", 0, trace, sizeof(trace));
    darn_free_runs_file(&learn->runs, "profile", 0, learn->profile, sizeof(learn->profile));
    darn_options_default(&recording.options);
    recording.listener = learn->listener;
    recording.output = trace;
    recording.profile = learn->profile;
    recording.learn_runs = 1;
    recording.quiet = recording.silent = recording.inside = true;
    recording.limit.milliseconds = learn->options->runs_as.timeout_ms;
    recording.program = learn->options->runs_as.program;
    return darn_recording_run(&recording, &ignored);
}

/* 0 or DARN_REFUSED. */
static int make_runs(struct darn_learn *learn)
{
    int status;

    learn->runs = (struct darn_free_runs){
        .listener = learn->listener,
        .options = &learn->options->runs_as,
        .next = next,
        .done = done,
        .progress = tell_progress,
        .context = learn,
    };
    status = darn_free_runs_open(&learn->runs);
    if (!status)
        status = make_profile(learn);
    if (!status)
        status = darn_free_runs_make(&learn->runs);
    darn_free_runs_close(&learn->runs);
    return status;
}

int darn_learn(struct darn_learn *learn)
{
    int status;

    learn->learning = darn_learning_new();
    if (!learn->learning)
        return darn_tell_refusal(learn->listener, "out of memory");
    status = make_runs(learn);
    darn_tell_progress(learn->listener, "%s", "");
    learn->signal = atomic_load(&learn->runs.signal);
    if (!status && !learn->correct && !learn->signal)
        status = darn_tell_refusal(learn->listener,
                                   "none of the %" PRIu64 " run%s was correct: nothing is learned",
                                   learn->made, learn->made == 1 ? "" : "s");
    if (!status)
        learn->learned = darn_learning_give(learn->learning, &learn->sections);
    darn_learning_free(learn->learning);
    return status;
}
