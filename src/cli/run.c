/*
 * darn run: checks everything, puts the options into DARN_OPTIONS and becomes the program.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options_print.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parts.h"
#include "cli/program.h"
#include "cli/run_options.h"
#include "cli/say.h"
#include "report/suppress.h"

void darn_help_run(void)
{
    printf("usage: darn run [options] [--] PROGRAM [arguments]\n"
           "\n"
           "Runs a program that darn cc or darn c++ compiled, and reports its data races.\n"
           "The exit status is the program's own, or 66 when there are findings and it\n"
           "succeeded. Without darn run a program takes the same options from DARN_OPTIONS,\n"
           "as name=value:name=value, with _ for -.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_run_options);
    darn_options_help(DARN_STYLE_COMMAND, darn_write_file, stdout);
}

/* The last part of a path. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int refuse_unfound(const char *name, int result)
{
    if (result == -EACCES)
        return darn_refuse("run", "%s is not an executable file", name);
    if (result != -ENOENT)
        return darn_refuse("run", "%s: %s", name, strerror(-result));
    if (strchr(name, '/'))
        return darn_refuse("run", "%s: there is no such program", name);
    if (access(name, X_OK) == 0)
        return darn_refuse("run", "%s was not found in PATH; did you mean ./%s?", name, name);
    return darn_refuse("run", "%s was not found in PATH", name);
}

/* 0 or an exit status; `path` is then where the program is. */
static int check_program(const struct darn_run *run, char *path, size_t size)
{
    const char *name;
    int result;

    if (!run->program)
        return darn_refuse("run", "no program; usage: darn run [options] -- PROGRAM [arguments]");
    name = run->program[0];
    result = darn_find_program(name, path, size);
    if (result)
        return refuse_unfound(name, result);
    if (run->any)
        return 0;
    result = darn_program_kind(path);
    if (result == DARN_PROGRAM_WATCHED || result == DARN_PROGRAM_SCRIPT)
        return 0;
    if (result < 0)
        return darn_refuse("run", "%s cannot be read: %s", name, strerror(-result));
    if (result == DARN_PROGRAM_UNKNOWN)
        return darn_refuse("run", "%s is neither a program nor a script that begins with #!", name);
    return darn_refuse(
        "run",
        "%s was not compiled by darn; compile it with: darn cc -g -pthread ... -o %s "
        "(--any runs it as it is)",
        name, base_name(name));
}

/* Makes a path option absolute: the program may change its directory. 0 or an exit status. */
static int make_absolute(struct darn_options *options, const char *name, const char *path)
{
    char absolute[DARN_OPTIONS_PATH], error[DARN_OPTIONS_ERROR];
    int result = darn_absolute_path(path, absolute, sizeof(absolute));

    if (result)
        return darn_refuse("run", "%s: %s: %s", name, path, strerror(-result));
    if (darn_options_set(options, name, absolute, error, sizeof(error)))
        return darn_refuse("run", "%s", error);
    return 0;
}

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
    return make_absolute(options, "suppressions", options->suppressions);
}

static int check_output(struct darn_options *options, const char *name, const char *path,
                        int result)
{
    if (result)
        return darn_refuse("run", "%s: %s cannot be written: %s", name, path, strerror(-result));
    return make_absolute(options, name, path);
}

static int check_outputs(struct darn_options *options)
{
    const char *log = options->log_path;
    int status = 0;

    if (options->json[0])
        status = check_output(options, "json", options->json, darn_output_check(options->json));
    if (!status && log[0] && strcmp(log, "stderr") != 0 && strcmp(log, "stdout") != 0)
        status = check_output(options, "log_path", log, darn_output_check_prefix(log));
    return status;
}

/* 0 or an exit status. */
static int pass_options(const struct darn_options *options)
{
    static char text[DARN_OPTIONS_TEXT];
    char error[DARN_OPTIONS_ERROR];

    if (darn_options_format(options, text, sizeof(text), error, sizeof(error)))
        return darn_refuse("run", "%s", error);
    if (text[0] ? setenv(DARN_OPTIONS_VARIABLE, text, 1) : unsetenv(DARN_OPTIONS_VARIABLE))
        return darn_refuse("run", "the environment cannot be set: %s", strerror(errno));
    return 0;
}

int darn_cmd_run(int argc, char **argv)
{
    static struct darn_run run;
    char path[PATH_MAX], error[1024];
    int status;

    if (darn_run_options_read(&run, getenv(DARN_OPTIONS_VARIABLE), argc - 1, argv + 1, error,
                              sizeof(error)))
        return darn_refuse("run", "%s", error);
    if (run.help) {
        darn_help_run();
        return darn_finish_output();
    }
    status = check_program(&run, path, sizeof(path));
    if (!status)
        status = check_suppressions(&run.options, path);
    if (!status)
        status = check_outputs(&run.options);
    if (!status)
        status = pass_options(&run.options);
    if (status)
        return status;
    if (run.noise_left_out)
        darn_warn("run",
                  "--noise-from: the findings name more than the %d places that noise can have",
                  DARN_NOISE_SPECS);
    execvp(run.program[0], run.program);
    return darn_refuse("run", "%s: %s", run.program[0], strerror(errno));
}
