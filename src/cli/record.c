/*
 * darn record: runs a program and keeps a trace of what its threads did.
 */
#include <stdio.h>
#include <string.h>

#include "cli/line.h"
#include "cli/recording_options.h"
#include "cli/say.h"
#include "trace/trace.h"

const struct darn_option darn_recording_options[] = {
    {.name = "every-access",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_recording, all),
     .help = "record every access; the program runs once, and\n"
             "nothing is learned first"},
    {.name = "sync-only",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_recording, sync_only),
     .help = "record no accesses, only synchronization; the\n"
             "program runs once"},
    {.name = "any",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_recording, any),
     .help = "run a program that darn did not compile: a shell or\n"
             "script that starts one that it did"},
    {.name = "profile",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_recording, profile),
     .value = "FILE",
     .help = "keep in FILE what was learned; what is there is used,\n"
             "and what comes is merged into it"},
    {.name = "learn-runs",
     .type = DARN_OPTION_NUMBER,
     .offset = offsetof(struct darn_recording, learn_runs),
     .max = 1000,
     .value = "N",
     .help = "how often to run the program to learn before the run\n"
             "that is recorded (1; 0 when --profile is there)"},
    {.name = "quiet",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_recording, quiet),
     .help = "do not say what was recorded"},
    {.name = NULL},
};

static const struct darn_option output[] = {
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_recording, output),
     .value = "FILE",
     .help = "the trace; without it PROGRAM.trace"},
    {.name = NULL},
};

static const struct darn_option help[] = {DARN_ROW_HELP, {.name = NULL}};

static const struct darn_option_group groups[] = {
    {.options = output}, {.options = darn_recording_options},
    {.options = help},   DARN_GROUP_OF_RUN(offsetof(struct darn_recording, options)),
    {.options = NULL},
};

int darn_recording_check(const char *command, const struct darn_recording *recording)
{
    if (!recording->program)
        return darn_refuse(command, "no program; usage: darn %s [options] -- PROGRAM [arguments]",
                           command);
    if (recording->all && recording->sync_only)
        return darn_refuse(command, "--every-access and --sync-only exclude each other");
    return 0;
}

static void say_recorded(const char *path)
{
    char error[1024];
    struct darn_trace *trace = darn_trace_open(path, true, error, sizeof(error));
    struct darn_trace_about about;
    struct darn_event event;
    uint64_t events = 0;
    char text[256];

    if (!trace)
        return;
    while (darn_trace_next(trace, &event) > 0)
        events++;
    about = darn_trace_about(trace);
    fprintf(stderr, "darn record: %llu events in %s (%.1f MB)%s\n", (unsigned long long)events,
            path, (double)about.bytes / 1e6,
            about.finished ? "" : "; the program did not end properly");
    if (darn_trace_missing(&about, text, sizeof(text)))
        fprintf(stderr, "darn record: %s\n", text);
    darn_trace_close(trace);
}

static int cmd_record(int argc, char **argv)
{
    static struct darn_recording recording = {.learn_runs = -1};
    struct darn_command_line line = {.command = &darn_command_record, .to = &recording};
    char trace[DARN_OPTIONS_PATH];
    const char *slash;
    int result, status = 0;

    recording.listener = darn_speaker("record");
    darn_options_default(&recording.options);
    if (!darn_line_read(&line, argc, argv, &status))
        return status;
    recording.program = line.count ? line.words : NULL;
    if (!recording.output && recording.program) {
        slash = strrchr(recording.program[0], '/');
        snprintf(trace, sizeof(trace), "%s.trace", slash ? slash + 1 : recording.program[0]);
        recording.output = trace;
    }
    result = darn_recording_check("record", &recording);
    if (!result)
        result = darn_recording_run(&recording, &status);
    if (result)
        return result;
    if (!recording.quiet)
        say_recorded(recording.output);
    return status;
}

const struct darn_command darn_command_record = {
    .name = "record",
    .summary = "run a program and keep a trace of what its threads do",
    .usage = "record [options] [-o FILE] [--] PROGRAM [arguments]",
    .about = "Records the accesses and the synchronization of a program in a trace, for darn\n"
             "analyze and darn trace. The program runs twice: first to find out which sites\n"
             "touch memory that threads share (its output is not shown then), then to be\n"
             "recorded. The exit status is the program's own.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .guarded = true,
    .exits = "N the program's own status; 128 + N when signal N has ended it\n"
             "127 the program cannot be started",
    .see = "darn-analyze(1), darn-trace(1), darn-predict(1)",
    .run = cmd_record,
};
