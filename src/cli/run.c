/*
 * darn run: checks everything, puts the options into DARN_OPTIONS and becomes the program. With
 * --serial it stays, and looks at what the program has done.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/analysis/following.h"
#include "driver/analysis/noise_from.h"
#include "driver/analysis/recording.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "driver/process/program.h"
#include "cli/analyze.h"
#include "cli/line.h"
#include "cli/say.h"
#include "report/cause.h"
#include "report/report_format.h"
#include "report/report_kinds.h"
#include "report/suppress.h"

/* The line. */
struct run {
    struct darn_options options;
    bool any, preload, serial;
    bool noise_left_out; /* --noise-from named more than there is room for */
    char **program;      /* its argv; NULL when the line names none */
};

static int set_noise_from(void *to, const char *value, char *error, size_t size)
{
    struct run *run = to;
    bool left_out = false;
    int result = darn_noise_from(&run->options, value, &left_out, error, size);

    run->noise_left_out |= left_out;
    return result;
}

static const struct darn_option own[] = {
    {.name = "any",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct run, any),
     .help = "run a program that darn did not compile: make, env\n"
             "or a shell, which start programs that it did"},
    {.name = "preload",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct run, preload),
     .help = "run a program that darn did not compile, and report\n"
             "its deadlocks: those that happen, and locks that are\n"
             "taken in different orders"},
    {.name = "serial",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct run, serial),
     .help = "look for no races, but for functions and sections that\n"
             "were not atomic in this run: no order of whole ones has\n"
             "the same result; they are told while it runs"},
    {.name = "noise-from",
     .type = DARN_OPTION_OWN,
     .set = set_noise_from,
     .value = "FILE",
     .help = "aim noise at the findings in FILE, which an earlier\n"
             "run wrote with --json"},
    {.name = NULL},
};

static const struct darn_option_group groups[] = {
    {.options = own},
    {.options = darn_run_options, .base = offsetof(struct run, options)},
    {.options = NULL},
};

static int check_suppressions(struct darn_options *options, const char *program)
{
    char error[1024];
    struct darn_suppressions *read;

    if (!options->suppressions[0])
        return 0;
    read = darn_suppressions_read(options->suppressions, program, error, sizeof(error));
    if (!read)
        return darn_refuse("run", "suppressions: %s", error);
    darn_suppressions_free(read);
    /* One that is found next to the program is found there again. */
    if (access(options->suppressions, F_OK))
        return 0;
    return darn_make_absolute(darn_speaker("run"), options, "suppressions", options->suppressions);
}

static int check_output(struct darn_options *options, const char *name, const char *path,
                        int result)
{
    char what[64];

    snprintf(what, sizeof(what), "%s: ", name);
    if (result)
        return darn_refuse_output("run", what, path, result);
    return darn_make_absolute(darn_speaker("run"), options, name, path);
}

/* Both may be read or written when the program has gone elsewhere. */
static int check_sarif_and_baseline(struct darn_options *options)
{
    int status = darn_begin_sarif("run", options->sarif, options->strip_path_prefix);

    if (!status && options->sarif[0])
        status = darn_make_absolute(darn_speaker("run"), options, "sarif", options->sarif);
    if (!status)
        status = darn_check_baseline("run", options->baseline);
    if (!status && options->baseline[0])
        status = darn_make_absolute(darn_speaker("run"), options, "baseline", options->baseline);
    return status;
}

static int check_outputs(struct darn_options *options)
{
    const char *log = options->log_path;
    int status = check_sarif_and_baseline(options);

    if (!status && strcmp(options->json, "-") == 0)
        status = darn_refuse("run", "--json=-: stdout is the program's own; name a file");
    if (!status && options->json[0])
        status = check_output(options, "json", options->json, darn_output_check(options->json));
    if (!status && options->coverage[0])
        status = check_output(options, "coverage", options->coverage,
                              darn_output_check(options->coverage));
    if (!status && log[0] && strcmp(log, "stderr") != 0 && strcmp(log, "stdout") != 0)
        status = check_output(options, "log_path", log, darn_output_check_prefix(log));
    return status;
}

/* The runtime comes into the program by way of the loader. 0 or an exit status. */
static int preload(struct run *run, const char *path)
{
    static char list[2 * PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    struct darn_installation installation;

    if (darn_program_kind(path) == DARN_PROGRAM_WATCHED)
        return darn_refuse("run",
                           "%s was compiled by darn: it needs no --preload, "
                           "but --detect-deadlocks=1",
                           run->program[0]);
    if (darn_program_is_static(path))
        return darn_refuse("run", "--preload: %s is linked statically: nothing can be preloaded",
                           run->program[0]);
    if (darn_installation_find(&installation) || access(installation.preload, R_OK))
        return darn_refuse("run", "--preload: %s is missing; install darn again",
                           installation.preload);
    snprintf(list, sizeof(list), "%s%s%s", installation.preload, others && *others ? ":" : "",
             others ? others : "");
    if (setenv("LD_PRELOAD", list, 1))
        return darn_refuse("run", "the environment cannot be set: %s", strerror(errno));
    run->options.detect_deadlocks = true;
    return 0;
}

/* What was found while the program runs. */
struct serial {
    struct darn_analyze_line *line;
    struct darn_analysis analysis;
    struct darn_causes causes; /* what was printed */
    struct darn_collection baseline;
    size_t seen; /* verdicts */
};

/* In the order of darn_analyze_report, which counts on it. */
static void tell(struct serial *serial, const struct darn_finding *finding)
{
    const struct darn_analyze_line *line = serial->line;
    struct darn_style style = darn_analyze_style(line);
    FILE *out = darn_analyze_output(line);
    size_t leader;

    if ((serial->analysis.suppressions &&
         darn_suppressions_match(serial->analysis.suppressions, finding)) ||
        darn_collection_has(&serial->baseline, finding))
        return;
    leader = darn_causes_add(&serial->causes, finding);
    serial->line->told = serial->causes.count;
    if (leader + 1 < serial->causes.count && !line->all) {
        fprintf(out, "darn: possible %s with the same cause: ", darn_kind_words(finding->kind, 1));
        darn_cause_line(finding, out, &style);
    } else {
        darn_format_find("text")->finding(out, finding, &style);
    }
    fputc('\n', out);
    fflush(out);
}

static void tell_new(void *context)
{
    struct serial *serial = context;

    for (; serial->seen < serial->analysis.verdicts.count; serial->seen++)
        tell(serial, serial->analysis.verdicts.items[serial->seen].finding);
}

static void look(void *context)
{
    darn_following_look(context);
}

/* Records the program, and looks at what it records while it runs: what is found is printed at
 * once; JSON, SARIF and the summary come at the end. */
static int follow_program(struct darn_recording *recording, struct darn_analyze_line *line)
{
    static struct serial serial;
    struct darn_following following = {.analysis = &serial.analysis,
                                       .path = recording->output,
                                       .ahead = (uint64_t)recording->options.max_size << 20,
                                       .found = tell_new,
                                       .context = &serial};
    int status = 0, result, found;

    serial.line = line;
    recording->options.max_size = DARN_MOST_SIZE; /* what was read takes no room any more */
    result = darn_analyze_begin(line, &serial.analysis);
    if (!result)
        darn_analyze_read_baseline(line, &serial.baseline);
    recording->limit.meanwhile = look;
    recording->limit.context = &following;
    if (!result)
        result = darn_recording_run(recording, &status);
    found = darn_following_end(&following);
    if (!result && !found)
        found = darn_analyze_report(line, &serial.analysis);
    darn_causes_free(&serial.causes);
    darn_collection_free(&serial.baseline);
    darn_analysis_end(&serial.analysis);
    if (result)
        return result;
    return found == DARN_EXIT_FINDINGS && status ? status : found ? found : status;
}

static int run_serial(const struct darn_options *options, char **program, bool any)
{
    struct darn_recording recording = {.listener = darn_speaker("run"),
                                       .options = *options,
                                       .all = true,
                                       .any = any,
                                       .quiet = true,
                                       .inside = true,
                                       .followed = true,
                                       .program = program};
    struct darn_analyze_line line = {.command = "run",
                                     .wanted = {.engines = "serial",
                                                .suppressions = options->suppressions,
                                                .arguments = program + 1},
                                     .json = options->json,
                                     .sarif = options->sarif,
                                     .baseline = options->baseline,
                                     .strip_path_prefix = options->strip_path_prefix,
                                     .color = options->color,
                                     .all = options->all,
                                     .out = stderr};
    char path[DARN_OPTIONS_PATH];
    int result = darn_private_file(recording.listener, "trace", path, sizeof(path));

    recording.output = path;
    recording.options.json[0] = recording.options.sarif[0] = recording.options.baseline[0] = '\0';
    return result ? result : follow_program(&recording, &line);
}

/* What DARN_OPTIONS says and then the line, which wins. True, or false with an exit status. */
static bool read_line(struct run *run, int argc, char **argv, int *status)
{
    struct darn_command_line line = {.command = &darn_command_run, .to = run};
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];

    darn_line_default(&line);
    if (variable && darn_options_parse(&run->options, variable, error, sizeof(error))) {
        *status = darn_refuse("run", DARN_OPTIONS_VARIABLE ": %s", error);
        return false;
    }
    if (!darn_line_take(&line, argc, argv, status))
        return false;
    run->program = line.count ? line.words : NULL;
    return true;
}

/* Who says the last word: the program, once it is in our place; not what it starts. */
static int pass_process(void)
{
    char number[32];

    snprintf(number, sizeof(number), "%d", (int)getpid());
    return setenv(DARN_PROCESS_VARIABLE, number, 1)
               ? darn_refuse("run", "the environment cannot be set: %s", strerror(errno))
               : 0;
}

static int cmd_run(int argc, char **argv)
{
    static struct run run;
    char path[PATH_MAX];
    int status;

    if (!read_line(&run, argc, argv, &status))
        return status;
    status =
        run.program
            ? darn_check_program(darn_speaker("run"), run.program[0],
                                 run.any || run.preload ? DARN_PROGRAM_ANY
                                                        : DARN_PROGRAM_BY_DEFAULT,
                                 path, sizeof(path))
            : darn_refuse("run", "no program; usage: darn run [options] -- PROGRAM [arguments]");
    if (!status && run.preload)
        status = preload(&run, path);
    if (!status)
        status = check_suppressions(&run.options, path);
    if (!status)
        status = check_outputs(&run.options);
    if (!status && run.serial)
        return run.preload
                   ? darn_refuse("run", "--serial needs accesses, which nobody sees with --preload")
                   : run_serial(&run.options, run.program, run.any);
    if (!status)
        status = darn_pass_options(darn_speaker("run"), &run.options);
    if (!status)
        status = pass_process();
    if (status)
        return status;
    if (run.noise_left_out)
        darn_warn("run",
                  "--noise-from: the findings name more than the %d places that noise can have",
                  DARN_NOISE_SPECS);
    execvp(run.program[0], run.program);
    return darn_refuse("run", "%s: %s", run.program[0], strerror(errno));
}

const struct darn_command darn_command_run = {
    .name = "run",
    .summary = "run a program and report its data races and deadlocks",
    .usage = "run [options] [--] PROGRAM [arguments]",
    .about = "Runs a program that darn cc or darn c++ compiled, and reports its data races and\n"
             "deadlocks. The exit status is the program's own, or 66 when there are findings\n"
             "and it succeeded. Without darn run a program takes the same options from\n"
             "DARN_OPTIONS, as name=value:name=value, with _ for -.\n"
             "\n"
             "--name=value may also be written as two words: --name value.\n",
    .groups = groups,
    .operands = "PROGRAM",
    .exits = "66 there are findings, and the program itself succeeded\n"
             "N the program's own status",
    .see = "darn-cc(1), darn-predict(1), darn-hunt(1)",
    .run = cmd_run,
};
