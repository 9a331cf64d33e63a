#include "driver/analysis/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "driver/analysis/profile_check.h"
#include "driver/process/claim.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "driver/process/sh.h"
#include "driver/process/wall_clock.h"
#include "trace/pack.h"
#include "trace/trace.h"

/* Learning runs with stores held back, when spins are suspected that never had to wait. */
#define SUSPECT_RUNS 3

/* If learning and recording takes less, it is short: more of it costs little. Where spins are
 * suspected, learning takes many times as long as the program. */
#define SHORT_SECONDS 2.0

/* A run of a program that has been short, and now takes this long and so many times longer, hangs:
 * the noise of a run is NOISE_MS in all. */
#define HANG_MS    2000
#define HANG_TIMES 10

#define NOISE_MS 500

/* The exit status of a program whose runtime cannot do what it was told. */
#define RUNTIME_REFUSES 2

/*
 * Every run gets the same input: a file is read from where it stood; what comes by a pipe is kept
 * in a file first.
 */
struct input {
    off_t start;
    bool again;
};

/* 0 or a negative errno: what was read of a pipe, nobody can read again. */
static int keep_input(void)
{
    FILE *spool = tmpfile();
    char piece[65536];
    ssize_t got;
    int result = 0;

    if (!spool)
        return -errno;
    while ((got = read(STDIN_FILENO, piece, sizeof(piece))) > 0)
        if (fwrite(piece, 1, (size_t)got, spool) != (size_t)got)
            break;
    if (got || fflush(spool) || dup2(fileno(spool), STDIN_FILENO) < 0)
        result = -errno;
    fclose(spool);
    return result;
}

/* 0 or DARN_REFUSED. */
static int take_input(const struct darn_recording *recording, bool several, struct input *input)
{
    struct stat about;
    int result;

    *input = (struct input){lseek(STDIN_FILENO, 0, SEEK_CUR), true};
    if (input->start >= 0 && fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode))
        return 0;
    input->again = false;
    if (!several || isatty(STDIN_FILENO) || fstat(STDIN_FILENO, &about) ||
        (!S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode)))
        return 0;
    result = keep_input();
    if (result)
        return darn_tell_refusal(
            recording->listener,
            "the standard input, which each run is to read, cannot be kept: %s", strerror(-result));
    *input = (struct input){0, true};
    return 0;
}

static void give_input(const struct input *input)
{
    if (input->again)
        lseek(STDIN_FILENO, input->start, SEEK_SET);
}

/* What the run before has left outside of the process. */
static void reset(const struct darn_recording *recording)
{
    struct darn_sh sh = {.command = recording->reset, .input = -1};

    if (sh.command && darn_sh(&sh))
        darn_tell_warning(recording->listener, "the command of --reset failed: %s", sh.command);
}

/* A run gets this share of what is left of the time. */
static void limit_run(struct darn_recording *recording, double share)
{
    double left = (recording->until - darn_clock()) * share * 1000;

    if (recording->until)
        recording->limit.milliseconds = left > 1 ? (uint32_t)left : 1;
}

static int run_once(struct darn_recording *recording, const struct darn_options *options,
                    const struct input *input, bool quiet, int *status)
{
    int result = darn_pass_options(recording->listener, options);

    if (result)
        return result;
    give_input(input);
    reset(recording);
    limit_run(recording, *options->trace ? 1 : 0.5);
    recording->made++;
    if (quiet) /* else the terminal is the program's */
        darn_tell_progress(recording->listener, "run %" PRIu32 " of the program, %s",
                           recording->made, *options->trace ? "recorded" : "to learn");
    *status = darn_launch(recording->listener, recording->program, quiet, &recording->limit);
    darn_tell_progress(recording->listener, "%s", "");
    return 0;
}

static bool has_suspects(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    bool found = false;

    while (file && !found && fgets(line, sizeof(line), file))
        found = strncmp(line, "suspect ", 8) == 0;
    if (file)
        fclose(file);
    return found;
}

/* Whoever stops the program wants no other run of it. */
static bool was_stopped(int status)
{
    return status == 128 + SIGINT || status == 128 + SIGQUIT || status == 128 + SIGTERM ||
           status == 128 + SIGHUP;
}

static int learn(struct darn_recording *recording, const char *profile, const struct input *input)
{
    struct darn_options options = recording->options;
    int runs = recording->learn_runs, status, result = 0;

    options.trace[0] = '\0';
    if (runs < 0)
        runs = access(profile, F_OK) == 0 ? 0 : 1;
    for (int i = 0; i < runs && !result; i++) {
        snprintf(options.learn, sizeof(options.learn), "%s", profile);
        snprintf(options.profile, sizeof(options.profile), "%s",
                 access(profile, F_OK) == 0 ? profile : "");
        result = run_once(recording, &options, input, true, &status);
        if (!result && was_stopped(status))
            return status;
        if (recording->limit.was_reached)
            break;
        /* Spins that never had to wait: once more, with the stores held back. */
        if (i + 1 == runs && runs <= SUSPECT_RUNS && has_suspects(profile))
            runs++;
    }
    return result;
}

/* A run that was ended while it was being started has left no file, or an empty one. */
static bool has_begun(const char *path)
{
    char error[1024];
    struct darn_trace *trace = darn_trace_open(path, true, error, sizeof(error));
    bool is_there = trace != NULL;

    darn_trace_close(trace);
    return is_there;
}

static int record(struct darn_recording *recording, const char *profile, const struct input *input,
                  int *status)
{
    struct darn_options options = recording->options;
    char error[1024];
    int result;

    unlink(options.trace);
    options.trace_what = recording->all         ? DARN_TRACE_ALL
                         : recording->sync_only ? DARN_TRACE_SYNC
                                                : DARN_TRACE_SHARED;
    if (access(profile, F_OK) == 0)
        snprintf(options.profile, sizeof(options.profile), "%s", profile);
    else if (*profile && recording->learn_runs && !recording->sync_only)
        options.trace_what = DARN_TRACE_ALL;
    result = run_once(recording, &options, input, recording->silent, status);
    if (result)
        return result;
    if (access(options.trace, F_OK) && *status == RUNTIME_REFUSES && recording->silent)
        return darn_tell_refusal(
            recording->listener,
            "%s cannot be recorded: the disk is full, or files (ulimit -f) or memory "
            "(ulimit -v) are limited",
            recording->program[0]);
    if (access(options.trace, F_OK) && *status == RUNTIME_REFUSES)
        return DARN_REFUSED; /* the runtime has said why */
    if (recording->limit.was_reached && !has_begun(options.trace)) {
        unlink(options.trace);
        darn_tell_note(recording->listener, "%s left no trace: it did not begin within %.1f s",
                       recording->program[0], recording->limit.milliseconds / 1000.0);
        return DARN_LATE;
    }
    if (access(options.trace, F_OK))
        return darn_tell_refusal(recording->listener,
                                 "%s left no trace: it ended before it began, or it "
                                 "starts no program that darn compiled",
                                 recording->program[0]);
    if (options.trace_what == DARN_TRACE_ALL && !recording->all)
        darn_tell_warning(
            recording->listener,
            "the run that was to learn has left nothing in %s (it was killed, or the disk is "
            "full): all accesses were recorded",
            profile);
    if (!recording->followed && darn_trace_pack(options.trace, error, sizeof(error)))
        darn_tell_warning(recording->listener, "%s; the trace stays as the program left it", error);
    return 0;
}

/* A trace takes the place of what is there: a device or a pipe would be gone. 0 or DARN_REFUSED.
 */
static int check_trace(const struct darn_recording *recording)
{
    const char *path = recording->output;
    int result = darn_output_check(path);
    struct stat about;

    if (result)
        return darn_tell_refusal(recording->listener, "%s cannot be written: %s", path,
                                 strerror(-result));
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return darn_tell_refusal(recording->listener, "%s is no regular file; a trace needs one",
                                 path);
    return recording->inside ? 0 : darn_claim_file(recording->listener, path);
}

/* The runtime would complain only when the program has started. 0 or DARN_REFUSED. */
static int check_profile(const struct darn_recording *recording, bool learns)
{
    const char *name = recording->profile;
    bool is_there = access(name, F_OK) == 0;
    int result = *name ? 0 : -ENOENT;

    learns = learns && (recording->learn_runs > 0 || (recording->learn_runs < 0 && !is_there));
    if (!result && learns)
        result = darn_output_check(name);
    darn_draft_sweep(name); /* of a program that was killed */
    if (result)
        return darn_tell_refusal(recording->listener, "profile: %s cannot be written: %s", name,
                                 strerror(-result));
    result = is_there ? darn_profile_bad_line(name) : 0;
    if (result < 0)
        return darn_tell_refusal(recording->listener, "profile: %s cannot be read: %s", name,
                                 strerror(-result));
    if (result > 0)
        return darn_tell_refusal(recording->listener,
                                 "profile: %s:%d: this is no line of a profile", name, result);
    return 0;
}

static int prepare_paths(struct darn_recording *recording, bool learns, char *profile, size_t size)
{
    int result = check_trace(recording);

    profile[0] = '\0';
    if (!result && recording->profile) {
        result = check_profile(recording, learns);
        if (!result && (result = darn_absolute_path(recording->profile, profile, size)))
            return darn_tell_refusal(recording->listener, "profile: %s: %s", recording->profile,
                                     strerror(-result));
    } else if (!result && learns) {
        result = darn_private_file(recording->listener, "profile", profile, size);
    }
    if (result)
        return result;
    return darn_make_absolute(recording->listener, &recording->options, "trace", recording->output);
}

void darn_recording_trace(const struct darn_recording *recording, int run, char *path, size_t size)
{
    if (run > 1)
        snprintf(path, size, "%s.%d", recording->output, run);
    else
        snprintf(path, size, "%s", recording->output);
}

static int learn_and_record(struct darn_recording *recording, const char *profile,
                            const struct input *input, int *status)
{
    double start = darn_clock();
    int result = 0;

    if (!recording->all && !recording->sync_only)
        result = learn(recording, profile, input);
    if (!result)
        result = record(recording, profile, input, status);
    recording->seconds = darn_clock() - start;
    return result;
}

/* Noise changes who comes first: many short delays in one run, a few long ones in the next. A
 * thread may make a million accesses in a short run: half a second of noise will do for all. */
static void vary(struct darn_recording *recording, int run, bool quiet)
{
    struct darn_options *options = &recording->options;

    if (options->seed)
        options->seed++;
    if (!quiet)
        return;
    options->noise[0] = (struct darn_noise){
        .kind = DARN_NOISE_RANDOM,
        .frequency = run % 2 ? 2 : 20,
        .strength = run % 2 ? 5000 : 200,
    };
    options->noise_count = 1;
    options->noise_limit = NOISE_MS;
}

/* Another run, of a copy of what the first one was told. 0, or as darn_recording_run. */
static int run_again(const struct darn_recording *first, int run, const char *profile,
                     const struct input *input, int *status)
{
    static struct darn_recording again;
    char path[DARN_OPTIONS_PATH];
    int result, own = 0;

    again = *first;
    for (int i = 2; i <= run; i++)
        vary(&again, i, !first->options.noise_count);
    again.silent = true;
    if (again.learn_runs < 0 && !again.profile)
        again.learn_runs = 1; /* other ways come by other sites */
    if (!again.limit.milliseconds && first->seconds < SHORT_SECONDS)
        again.limit.milliseconds = HANG_MS + (uint32_t)(first->seconds * 1000 * HANG_TIMES);
    darn_recording_trace(first, run, path, sizeof(path));
    result = darn_make_absolute(again.listener, &again.options, "trace", path);
    if (!result)
        result = learn_and_record(&again, profile, input, &own);
    if (!result && again.limit.was_reached)
        darn_tell_note(
            again.listener,
            "run %d, whose output is not shown, had not ended after %.1f s: it may hang, "
            "and was ended",
            run, again.limit.milliseconds / 1000.0);
    if (result || again.limit.was_reached || own == *status)
        return result;
    darn_tell_note(again.listener, "run %d, whose output is not shown, ended with the status %d",
                   run, own);
    if (!*status || was_stopped(own))
        *status = own;
    return 0;
}

int darn_recording_run(struct darn_recording *recording, int *status)
{
    char path[PATH_MAX], profile[DARN_OPTIONS_PATH];
    bool once = recording->all || recording->sync_only;
    int runs = recording->runs, result;
    struct input input;

    result = darn_check_program(recording->listener, recording->program[0],
                                recording->any ? DARN_PROGRAM_ANY : DARN_PROGRAM_BY_DEFAULT, path,
                                sizeof(path));
    if (!result)
        result = prepare_paths(recording, !once, profile, sizeof(profile));
    if (!result)
        result = take_input(recording, !once || (runs != 0 && runs != 1), &input);
    if (result)
        return result;
    result = learn_and_record(recording, profile, &input, status);
    if (runs < 0)
        runs = recording->seconds < SHORT_SECONDS ? DARN_RECORDING_RUNS : 1;
    for (recording->recorded = 1; !result && recording->recorded < runs && !was_stopped(*status);
         recording->recorded++)
        result = run_again(recording, recording->recorded + 1, profile, &input, status);
    return result;
}
