#include "driver/analysis/recording.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/draft.h"
#include "base/options_print.h"
#include "driver/process/claim.h"
#include "cli/command.h"
#include "driver/process/launch.h"
#include "cli/option_word.h"
#include "driver/process/output.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "trace/pack.h"
#include "trace/profile.h"
#include "trace/trace.h"

/* Learning runs with stores held back, when spins are suspected that never had to wait. */
#define SUSPECT_RUNS 3

enum { ALL, SYNC_ONLY, ANY, PROFILE, LEARN_RUNS, QUIET };

const struct darn_cli_option darn_recording_options[] = {
    [ALL] = {"--all", NULL,
             "record every access; the program runs once, and\n"
             "nothing is learned first"},
    [SYNC_ONLY] = {"--sync-only", NULL,
                   "record no accesses, only synchronization; the\n"
                   "program runs once"},
    [ANY] = {"--any", NULL,
             "run a program that darn did not compile: a shell or\n"
             "script that starts one that it did"},
    [PROFILE] = {"--profile", "FILE",
                 "keep in FILE what was learned; what is there is used,\n"
                 "and what comes is merged into it"},
    [LEARN_RUNS] = {"--learn-runs", "N",
                    "how often to run the program to learn before the run\n"
                    "that is recorded (1; 0 when --profile is there)"},
    [QUIET] = {"--quiet", NULL, "do not say what was recorded"},
    {NULL, NULL, NULL},
};

bool darn_recording_takes(const char *name)
{
    static const char *const names[] = {"noise",    "noise_kind",     "seed",
                                        "max_size", "spin_threshold", "verbosity"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

void darn_recording_help(void)
{
    darn_print_options(darn_recording_options);
    printf("\n"
           "Of the options of darn run: --noise, --noise-kind, --seed, --max-size,\n"
           "--spin-threshold, --verbosity.\n");
}

static int own_option(const struct darn_option_word *word)
{
    for (int i = 0; darn_recording_options[i].name; i++) {
        struct darn_option_word own;

        if (darn_option_word(&own, darn_recording_options[i].name) == 0 &&
            strcmp(own.name, word->name) == 0)
            return i;
    }
    return -1;
}

static int read_runs(struct darn_recording *recording, const char *text, char *error, size_t size)
{
    char *end;
    long runs = strtol(text, &end, 10);

    if (!*text || *end || runs < 0 || runs > 1000) {
        snprintf(error, size, "--learn-runs=%s: a number from 0 to 1000 is needed", text);
        return -EINVAL;
    }
    recording->learn_runs = (int)runs;
    return 1;
}

static int read_flag(struct darn_recording *recording, int option,
                     const struct darn_option_word *word, char *error, size_t size)
{
    if (word->value) {
        snprintf(error, size, "%s takes no value", darn_recording_options[option].name);
        return -EINVAL;
    }
    recording->all |= option == ALL;
    recording->sync_only |= option == SYNC_ONLY;
    recording->any |= option == ANY;
    recording->quiet |= option == QUIET;
    return 1;
}

int darn_recording_read(struct darn_recording *recording, int *at, int argc, char **argv,
                        char *error, size_t size)
{
    struct darn_option_word word;
    int option;

    if (darn_option_word(&word, argv[*at]))
        return 0;
    if (strcmp(word.name, "help") == 0) {
        recording->help = true;
        return 1;
    }
    option = own_option(&word);
    if (option >= 0 && !darn_recording_options[option].value)
        return read_flag(recording, option, &word, error, size);
    if (option < 0 && !darn_recording_takes(word.name))
        return 0;
    if (darn_option_value(&word, at, argc, argv, error, size))
        return -EINVAL;
    if (option == LEARN_RUNS)
        return read_runs(recording, word.value, error, size);
    if (option == PROFILE) {
        recording->profile = word.value;
        return 1;
    }
    return darn_options_set(&recording->options, word.name, word.value, error, size) ? -EINVAL : 1;
}

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

/* 0 or an exit status. */
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
        return darn_refuse(recording->command,
                           "the standard input, which each run is to read, cannot be kept: %s",
                           strerror(-result));
    *input = (struct input){0, true};
    return 0;
}

static void give_input(const struct input *input)
{
    if (input->again)
        lseek(STDIN_FILENO, input->start, SEEK_SET);
}

static int run_once(struct darn_recording *recording, const struct darn_options *options,
                    const struct input *input, bool quiet, int *status)
{
    int result = darn_pass_options(recording->command, options);

    if (result)
        return result;
    give_input(input);
    *status = darn_launch(recording->command, recording->program, quiet, &recording->limit);
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
    if (access(options.trace, F_OK) && *status == DARN_EXIT_USAGE && recording->silent)
        return darn_refuse(
            recording->command,
            "%s cannot be recorded: the disk is full, or files (ulimit -f) or memory "
            "(ulimit -v) are limited",
            recording->program[0]);
    if (access(options.trace, F_OK) && *status == DARN_EXIT_USAGE)
        return DARN_EXIT_USAGE; /* the runtime has said why */
    if (access(options.trace, F_OK))
        return darn_refuse(recording->command,
                           "%s left no trace: it ended before it began, or it "
                           "starts no program that darn compiled",
                           recording->program[0]);
    if (options.trace_what == DARN_TRACE_ALL && !recording->all)
        darn_warn(recording->command,
                  "the run that was to learn has left nothing in %s (it was killed, or the disk is "
                  "full): all accesses were recorded",
                  profile);
    if (darn_trace_pack(options.trace, error, sizeof(error)))
        darn_warn(recording->command, "%s; the trace stays as the program left it", error);
    return 0;
}

/* A trace takes the place of what is there: a device or a pipe would be gone. 0 or an exit status.
 */
static int check_trace(const struct darn_recording *recording)
{
    const char *path = recording->output;
    int result = *path ? darn_output_check(path) : -ENOENT;
    struct stat about;

    if (result)
        return darn_refuse(recording->command, "%s cannot be written: %s", path, strerror(-result));
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return darn_refuse(recording->command, "%s is no regular file; a trace needs one", path);
    return recording->inside ? 0 : darn_claim_file(recording->command, path);
}

/* The number of the first line that does not belong into a profile; 0: there is none; negative when
 * the file cannot be read. */
static int bad_line_of(const char *path)
{
    FILE *file = fopen(path, "r"), *to;
    char *text = NULL, piece[16384];
    size_t length = 0, got, at = 0;
    struct darn_fact fact;
    int found = 1, line = 1, error = errno;

    if (!file || !(to = open_memstream(&text, &length))) {
        if (file)
            fclose(file);
        return -error;
    }
    while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
        fwrite(piece, 1, got, to);
    error = ferror(file) ? EISDIR : 0; /* what opens, but cannot be read */
    fclose(file);
    fclose(to);
    if (length && !darn_profile_is(text, length))
        found = -1;
    while (found == 1)
        found = darn_profile_next(text, length, &at, &fact);
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    free(text);
    return error ? -error : found < 0 ? line : 0;
}

/* The runtime would complain only when the program has started. 0 or an exit status. */
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
        return darn_refuse(recording->command, "profile: %s cannot be written: %s", name,
                           strerror(-result));
    result = is_there ? bad_line_of(name) : 0;
    if (result < 0)
        return darn_refuse(recording->command, "profile: %s cannot be read: %s", name,
                           strerror(-result));
    if (result > 0)
        return darn_refuse(recording->command, "profile: %s:%d: this is no line of a profile", name,
                           result);
    return 0;
}

static int prepare_paths(struct darn_recording *recording, bool learns, char *profile, size_t size)
{
    int result = check_trace(recording);

    profile[0] = '\0';
    if (!result && recording->profile) {
        result = check_profile(recording, learns);
        if (!result && (result = darn_absolute_path(recording->profile, profile, size)))
            return darn_refuse(recording->command, "profile: %s: %s", recording->profile,
                               strerror(-result));
    } else if (!result && learns) {
        result = darn_private_file(recording->command, "profile", profile, size);
    }
    if (result)
        return result;
    return darn_make_absolute(recording->command, &recording->options, "trace", recording->output);
}

int darn_recording_run(struct darn_recording *recording, int *status)
{
    char path[PATH_MAX], profile[DARN_OPTIONS_PATH];
    bool once = recording->all || recording->sync_only;
    struct input input;
    int result;

    if (!recording->program)
        return darn_refuse(recording->command,
                           "no program; usage: darn %s [options] -- PROGRAM [arguments]",
                           recording->command);
    if (recording->all && recording->sync_only)
        return darn_refuse(recording->command, "--all and --sync-only exclude each other");
    result = darn_check_program(recording->command, recording->program[0], recording->any, path,
                                sizeof(path));
    if (!result)
        result = prepare_paths(recording, !once, profile, sizeof(profile));
    if (result)
        return result;
    result = take_input(recording, !once, &input);
    if (!result && !once)
        result = learn(recording, profile, &input);
    if (!result)
        result = record(recording, profile, &input, status);
    return result;
}
