/*
 * darn record: runs a program and keeps a trace of what its threads did.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/options_print.h"
#include "cli/command.h"
#include "driver/analysis/recording.h"
#include "cli/say.h"
#include "trace/trace.h"

void darn_help_record(void)
{
    printf("usage: darn record [options] [-o FILE] [--] PROGRAM [arguments]\n"
           "\n"
           "Records the accesses and the synchronization of a program in a trace, for darn\n"
           "analyze and darn trace. The program runs twice: first to find out which sites\n"
           "touch memory that threads share (its output is not shown then), then to be\n"
           "recorded. The exit status is the program's own.\n"
           "\n"
           "  -o FILE               the trace; without it PROGRAM.trace\n");
    darn_recording_help();
}

static int read_line(struct darn_recording *recording, int argc, char **argv, char *error,
                     size_t size)
{
    int at = 1, result;

    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++) {
        if (strcmp(argv[at], "-o") == 0) {
            if (at + 1 >= argc) {
                snprintf(error, size, "-o needs a file");
                return -EINVAL;
            }
            recording->output = argv[++at];
            continue;
        }
        result = darn_recording_read(recording, &at, argc, argv, error, size);
        if (result == 0)
            snprintf(error, size, "there is no option %s; 'darn record --help' lists them",
                     argv[at]);
        if (result != 1)
            return -EINVAL;
    }
    if (at < argc && strcmp(argv[at], "--") == 0)
        at++;
    if (at < argc)
        recording->program = argv + at;
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

int darn_cmd_record(int argc, char **argv)
{
    static struct darn_recording recording = {.command = "record", .learn_runs = -1};
    char error[1024], output[DARN_OPTIONS_PATH];
    const char *slash;
    int result, status = 0;

    darn_options_default(&recording.options);
    if (read_line(&recording, argc, argv, error, sizeof(error)))
        return darn_refuse("record", "%s", error);
    if (recording.help) {
        darn_help_record();
        return darn_finish_output();
    }
    if (!recording.output && recording.program) {
        slash = strrchr(recording.program[0], '/');
        snprintf(output, sizeof(output), "%s.trace", slash ? slash + 1 : recording.program[0]);
        recording.output = output;
    }
    result = darn_recording_run(&recording, &status);
    if (result)
        return result;
    if (!recording.quiet)
        say_recorded(recording.output);
    return status;
}
