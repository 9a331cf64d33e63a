/*
 * darn run: checks everything, puts the options into DARN_OPTIONS and becomes the program.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "driver/process/launch.h"
#include "driver/process/output.h"
#include "driver/process/installation.h"
#include "driver/process/program.h"
#include "cli/run_options.h"
#include "cli/say.h"
#include "report/suppress.h"

void darn_help_run(void)
{
    printf("usage: darn run [options] [--] PROGRAM [arguments]\n"
           "\n"
           "Runs a program that darn cc or darn c++ compiled, and reports its data races and\n"
           "deadlocks. The exit status is the program's own, or 66 when there are findings\n"
           "and it succeeded. Without darn run a program takes the same options from\n"
           "DARN_OPTIONS, as name=value:name=value, with _ for -.\n"
           "\n"
           "--name=value may also be written as two words: --name value.\n"
           "\n");
    darn_print_options(darn_run_options);
    darn_options_help(DARN_STYLE_COMMAND, darn_write_file, stdout);
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
    return darn_make_absolute("run", options, "suppressions", options->suppressions);
}

static int check_output(struct darn_options *options, const char *name, const char *path,
                        int result)
{
    if (result)
        return darn_refuse("run", "%s: %s cannot be written: %s", name, path, strerror(-result));
    return darn_make_absolute("run", options, name, path);
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

/* The runtime comes into the program by way of the loader. 0 or an exit status. */
static int preload(struct darn_run *run, const char *path)
{
    static char list[2 * PATH_MAX];
    const char *others = getenv("LD_PRELOAD");
    struct darn_parts parts;

    if (darn_program_kind(path) == DARN_PROGRAM_WATCHED)
        return darn_refuse("run",
                           "%s was compiled by darn: it needs no --preload, "
                           "but --detect-deadlocks=1",
                           run->program[0]);
    if (darn_program_is_static(path))
        return darn_refuse("run", "--preload: %s is linked statically: nothing can be preloaded",
                           run->program[0]);
    if (darn_parts_find(&parts) || access(parts.preload, R_OK))
        return darn_refuse("run", "--preload: %s is missing; install darn again", parts.preload);
    snprintf(list, sizeof(list), "%s%s%s", parts.preload, others && *others ? ":" : "",
             others ? others : "");
    if (setenv("LD_PRELOAD", list, 1))
        return darn_refuse("run", "the environment cannot be set: %s", strerror(errno));
    run->options.detect_deadlocks = true;
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
    status =
        run.program
            ? darn_check_program("run", run.program[0], run.any || run.preload, path, sizeof(path))
            : darn_refuse("run", "no program; usage: darn run [options] -- PROGRAM [arguments]");
    if (!status && run.preload)
        status = preload(&run, path);
    if (!status)
        status = check_suppressions(&run.options, path);
    if (!status)
        status = check_outputs(&run.options);
    if (!status)
        status = darn_pass_options("run", &run.options);
    if (status)
        return status;
    if (run.noise_left_out)
        darn_warn("run",
                  "--noise-from: the findings name more than the %d places that noise can have",
                  DARN_NOISE_SPECS);
    execvp(run.program[0], run.program);
    return darn_refuse("run", "%s: %s", run.program[0], strerror(errno));
}
