/*
 * darn predict: records a program and says what could go wrong in other schedules of the same run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "driver/analysis/analysis.h"
#include "cli/analyze.h"
#include "cli/command.h"
#include "driver/analysis/lineup.h"
#include "driver/process/private.h"
#include "driver/analysis/recording.h"
#include "cli/say.h"

void darn_help_predict(void)
{
    printf("usage: darn predict [options] [--] PROGRAM [arguments]\n"
           "\n"
           "Runs a program to learn which sites touch memory that threads share, runs it\n"
           "again to record what they do, and says which data races, deadlocks and\n"
           "mishandled notifications could happen in other schedules. What the learning\n"
           "runs print is not shown. The exit status is the program's own, or 66 when there\n"
           "are findings and it succeeded.\n"
           "\n"
           "  -o FILE               keep the trace in FILE\n"
           "  --atomicity           also say which functions are not atomic (compile with\n"
           "                        --darn-functions)\n");
    darn_recording_help();
    printf("\nOf the options of darn analyze:\n");
    darn_print_options(darn_analyze_options);
}

static int read_output(struct darn_recording *recording, int *at, int argc, char **argv)
{
    if (*at + 1 >= argc)
        return darn_refuse("predict", "-o needs a file");
    recording->output = argv[++*at];
    return 0;
}

/* 0 or an exit status. */
static int read_line(struct darn_recording *recording, struct darn_analyze_line *line, int argc,
                     char **argv)
{
    char error[1024];
    int at = 1, result, status = 0;

    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0 && !status; at++) {
        if (strcmp(argv[at], "-o") == 0) {
            status = read_output(recording, &at, argc, argv);
            continue;
        }
        if (strcmp(argv[at], "--atomicity") == 0) {
            line->options.engines = DARN_LINEUP_ATOMICITY;
            continue;
        }
        result = darn_recording_read(recording, &at, argc, argv, error, sizeof(error));
        if (result < 0)
            return darn_refuse("predict", "%s", error);
        if (result == 0)
            status = darn_analyze_read(line, &at, argc, argv);
    }
    if (at < argc && strcmp(argv[at], "--") == 0)
        at++;
    if (at < argc)
        recording->program = argv + at;
    return status;
}

static int predict(struct darn_recording *recording, struct darn_analysis_options *options)
{
    int status = 0, found;
    int result = darn_analysis_check(options); /* before the program runs */

    if (!result)
        result = darn_recording_run(recording, &status);
    if (result)
        return result;
    options->arguments = recording->program + 1;
    found = darn_analysis_run(options, recording->output);
    return found == DARN_EXIT_FINDINGS && status ? status : found ? found : status;
}

int darn_cmd_predict(int argc, char **argv)
{
    static struct darn_recording recording = {.command = "predict", .learn_runs = -1};
    static struct darn_analyze_line line = {.options = {.command = "predict"}};
    char path[DARN_OPTIONS_PATH];
    int status;

    line.options.out = stderr; /* the program's own output is on stdout */
    darn_options_default(&recording.options);
    status = read_line(&recording, &line, argc, argv);
    if (status)
        return status;
    if (recording.help || line.help) {
        darn_help_predict();
        return darn_finish_output();
    }
    if (line.engine_help) {
        darn_lineup_help(stdout);
        return darn_finish_output();
    }
    if (!recording.output) {
        status = darn_private_file("predict", "trace", path, sizeof(path));
        if (status)
            return status;
        recording.output = path;
        recording.inside = true;
    }
    return predict(&recording, &line.options);
}
