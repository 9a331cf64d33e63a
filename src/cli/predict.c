/*
 * darn predict: records a program and says what could go wrong in other schedules of the same run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analyze.h"
#include "cli/line.h"
#include "cli/recording_options.h"
#include "driver/analysis/lineup.h"
#include "driver/process/private.h"
#include "cli/say.h"

/* The line. */
struct predict {
    struct darn_recording recording;
    struct darn_analyze_line analysis;
};

/* Told from the same names on the line by its address: nobody has named an engine with it. */
static const char with_atomicity[] = DARN_LINEUP_ATOMICITY;

static int set_atomicity(void *engines, const char *value, char *error, size_t size)
{
    (void)value;
    (void)error;
    (void)size;
    *(const char **)engines = with_atomicity;
    return 0;
}

static const struct darn_option own[] = {
    {.name = "o",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct predict, recording.output),
     .value = "FILE",
     .help = "keep the trace in FILE"},
    {.name = "atomicity",
     .type = DARN_OPTION_OWN,
     .offset = offsetof(struct predict, analysis.wanted.engines),
     .set = set_atomicity,
     .help = "also say which functions are not atomic (compile with\n"
             "--darn-functions)"},
    DARN_ROW_ALL(offsetof(struct predict, analysis.all)),
    {.name = "runs",
     .type = DARN_OPTION_NUMBER,
     .offset = offsetof(struct predict, recording.runs),
     .min = 1,
     .max = 100,
     .value = "N",
     .help = "record N runs, each with another schedule, and put\n"
             "together what they show (3 when that is short, which is\n"
             "less than two seconds for the first, and there is no\n"
             "-o; else 1)"},
    {.name = "suspects",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct predict, analysis.suspects),
     .value = "FILE",
     .help = "what is only suspected goes to FILE, for darn hunt\n"
             "--predicted=FILE (default: PROGRAM.suspects)"},
    {.name = NULL},
};

static const struct darn_option_group groups[] = {
    {.options = own},
    {.options = darn_recording_options, .base = offsetof(struct predict, recording)},
    DARN_GROUP_OF_RUN(offsetof(struct predict, recording.options)),
    {.heading = "Of the options of darn analyze:",
     .options = darn_analyze_options,
     .base = offsetof(struct predict, analysis)},
    {.options = NULL},
};

/* What is found in all traces. */
static int analyze(const struct darn_recording *recording, const struct darn_analyze_line *line)
{
    char **paths = calloc((size_t)recording->recorded, sizeof(*paths));
    int status = 0, count = 0;

    for (; paths && count < recording->recorded; count++) {
        char path[DARN_OPTIONS_PATH];

        darn_recording_trace(recording, count + 1, path, sizeof(path));
        paths[count] = strdup(path);
    }
    if (!paths || (count && !paths[count - 1]))
        status = darn_refuse("predict", "out of memory");
    else
        status = darn_analyze_traces(line, paths, (size_t)count);
    while (count > 0)
        free(paths[--count]);
    free(paths);
    return status;
}

static int predict(struct darn_recording *recording, struct darn_analyze_line *line)
{
    int status = 0, found;
    int result = darn_analyze_check(line); /* before the program runs */

    if (!result)
        result = darn_recording_check("predict", recording);
    if (!result)
        result = darn_recording_run(recording, &status);
    if (result)
        return result;
    line->wanted.arguments = recording->program + 1;
    found = analyze(recording, line);
    return found == DARN_EXIT_FINDINGS && status ? status : found ? found : status;
}

/* Where suspicions go. Without a file that the line names for them, whoever names engines wants all
 * that they tell. */
static void choose_suspects(struct darn_analyze_line *line, char **program, char *path, size_t size)
{
    const char *engines = line->wanted.engines;
    const char *slash = program ? strrchr(program[0], '/') : NULL;

    line->suspects_asked_for = line->suspects != NULL;
    line->wanted.sure_first = line->suspects || !engines || engines == with_atomicity;
    line->program = program;
    if (!program || line->suspects || !line->wanted.sure_first)
        return;
    snprintf(path, size, "%s.suspects", slash ? slash + 1 : program[0]);
    line->suspects = path;
}

/* What belongs together. 0 or an exit status. */
static int choose_runs(struct predict *wanted)
{
    bool explains = wanted->analysis.wanted.explain;

    if (explains && wanted->recording.runs > 1)
        return darn_refuse("predict", "--explain takes one run, not %d", wanted->recording.runs);
    if (wanted->recording.runs < 0 && (explains || wanted->recording.output))
        wanted->recording.runs = 1;
    return 0;
}

static int cmd_predict(int argc, char **argv)
{
    static struct predict wanted = {
        .recording = {.learn_runs = -1, .runs = -1},
        .analysis = {.command = "predict"},
    };
    struct darn_recording *recording = &wanted.recording;
    struct darn_command_line line = {.command = &darn_command_predict, .to = &wanted};
    char path[DARN_OPTIONS_PATH], suspects[DARN_OPTIONS_PATH];
    int status;

    wanted.analysis.out = stderr; /* the program's own output is on stdout */
    recording->listener = darn_speaker("predict");
    darn_options_default(&recording->options);
    if (!darn_line_read(&line, argc, argv, &status) ||
        darn_analyze_lists_engines(&wanted.analysis, &status))
        return status;
    recording->program = line.count ? line.words : NULL;
    choose_suspects(&wanted.analysis, recording->program, suspects, sizeof(suspects));
    status = choose_runs(&wanted);
    if (!status && !recording->output) {
        status = darn_private_file(darn_speaker("predict"), "trace", path, sizeof(path));
        recording->output = path;
        recording->inside = true;
    }
    return status ? status : predict(recording, &wanted.analysis);
}

const struct darn_command darn_command_predict = {
    .name = "predict",
    .summary = "say which races and deadlocks could happen, from runs of a program",
    .usage = "predict [options] [--] PROGRAM [arguments]",
    .about = "Runs a program to learn which sites touch memory that threads share, runs it\n"
             "again to record what they do, and says which data races, deadlocks and\n"
             "mishandled notifications could happen in other schedules. What the learning\n"
             "runs print is not shown. The exit status is the program's own, or 66 when there\n"
             "are findings and it succeeded.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .guarded = true,
    .exits = "66 there are findings, and the program itself succeeded\n"
             "N the program's own status; 128 + N when signal N has ended it",
    .see = "darn-record(1), darn-analyze(1), darn-hunt(1)",
    .run = cmd_predict,
};
