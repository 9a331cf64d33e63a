#include "driver/play/free_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/options_print.h"
#include "driver/process/listener.h"
#include "driver/process/sh.h"

#define OUTPUT_END 65536 /* of what was printed, for the words of the verdict */

/* What a run leaves: the file of its output, and how it ended. */
struct outcome {
    int outputs[2]; /* stdout and stderr: the same file, unless only stdout is looked at */
    int status;     /* of darn_sh */
};

/* A second descriptor of the file, that reads from its start. */
static int reopen(int fd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Runs the program with its options. 0 or a negative errno. */
static int run_program(const struct darn_free_runs *runs, const struct darn_free_run *run,
                       struct outcome *outcome)
{
    const size_t name = strlen(DARN_OPTIONS_VARIABLE "=");
    char *variable = malloc(name + DARN_OPTIONS_TEXT), error[DARN_OPTIONS_ERROR];
    struct darn_sh sh = {
        .program = runs->options->program,
        .outputs = outcome->outputs,
        .input = runs->input ? open(runs->input, O_RDONLY | O_CLOEXEC) : -1,
        .variable = variable,
        .timeout_ms = runs->options->timeout_ms,
        .stop = &runs->stop,
    };
    int result = variable ? 0 : -ENOMEM;

    if (!result) {
        memcpy(variable, DARN_OPTIONS_VARIABLE "=", name);
        result = darn_options_format(&run->options, variable + name, DARN_OPTIONS_TEXT, error,
                                     sizeof(error));
    }
    if (!result)
        outcome->status = darn_sh(&sh);
    if (sh.input >= 0)
        close(sh.input);
    free(variable);
    return result;
}

/* As darn_sh_oracle. */
static int ask_oracle(const struct darn_free_runs *runs, const struct outcome *outcome)
{
    struct darn_sh sh = {
        .command = runs->options->oracle,
        .input = reopen(outcome->outputs[0]),
        .timeout_ms = runs->options->timeout_ms,
        .stop = &runs->stop,
    };

    return darn_sh_oracle(&sh, WEXITSTATUS(outcome->status));
}

/* Whether stdout is what it should be. */
static bool is_as_expected(const struct darn_free_runs *runs, const struct outcome *outcome)
{
    char piece[16384];
    size_t at = 0;
    ssize_t got;

    while ((got = pread(outcome->outputs[0], piece, sizeof(piece), (off_t)at)) > 0) {
        if ((size_t)got > runs->expected_size - at ||
            memcmp(runs->expected + at, piece, (size_t)got) != 0)
            return false;
        at += (size_t)got;
    }
    return at == runs->expected_size;
}

/* What the oracle and the expected output say, if the run has exited. 0; -EINTR; -ETIMEDOUT when
 * there is no answer; or DARN_REFUSED. */
static int look_closer(const struct darn_free_runs *runs, const struct outcome *outcome,
                       struct darn_evidence *evidence)
{
    int answer;

    if (!runs->options->oracle) {
        evidence->differs = runs->options->expect && !is_as_expected(runs, outcome);
        return 0;
    }
    answer = ask_oracle(runs, outcome);
    if (answer == -EINTR || answer == -ETIMEDOUT)
        return answer;
    if (answer < 0)
        return darn_tell_refusal(runs->listener, "the oracle cannot be asked: %s",
                                 answer == -ENOEXEC ? "there is no such command"
                                                    : strerror(-answer));
    evidence->asked = true;
    evidence->refused = answer;
    return 0;
}

static int judge(const struct darn_free_runs *runs, const struct outcome *outcome,
                 struct darn_result *result, char *end, struct darn_free_run *run)
{
    off_t size = lseek(outcome->outputs[1], 0, SEEK_END);
    ssize_t got =
        pread(outcome->outputs[1], end, OUTPUT_END, size > OUTPUT_END ? size - OUTPUT_END : 0);
    struct darn_evidence evidence = {
        .how = outcome->status == -ETIMEDOUT ? DARN_SERVER_TIMEOUT : DARN_SERVER_RAN,
        .result = result,
        .output = end,
        .length = got > 0 ? (size_t)got : 0,
        .timeout_ms = runs->options->timeout_ms,
    };
    int status = 0;

    result->end = DARN_END_EXIT;
    result->status = outcome->status;
    if (evidence.how == DARN_SERVER_RAN && WIFEXITED(outcome->status))
        status = look_closer(runs, outcome, &evidence);
    if (status == -ETIMEDOUT) {
        run->verdict = DARN_VERDICT_NONE;
        snprintf(run->text, sizeof(run->text), "the oracle did not answer");
        return 0;
    }
    run->verdict = darn_verdict_of(&evidence);
    darn_verdict_text(&evidence, run->verdict, run->text, sizeof(run->text));
    return status;
}

static int make(const struct darn_free_runs *runs, struct darn_free_run *run,
                struct outcome *outcome)
{
    struct darn_result *result = calloc(1, sizeof(*result));
    char *end = malloc(OUTPUT_END);
    int status = -ENOMEM;

    if (result && end && outcome->outputs[0] >= 0 && outcome->outputs[1] >= 0)
        status = run_program(runs, run, outcome);
    if (!status && outcome->status < 0 && outcome->status != -ETIMEDOUT)
        status = outcome->status;
    if (status && status != -EINTR)
        status = darn_tell_refusal(runs->listener, "%s cannot be run: %s",
                                   runs->options->program[0], strerror(-status));
    if (!status)
        status = judge(runs, outcome, result, end, run);
    free(end);
    free(result);
    return status;
}

int darn_free_run_make(struct darn_free_runs *runs, struct darn_free_run *run)
{
    int out = memfd_create("darn-output", MFD_CLOEXEC);
    int error = runs->options->expect && !runs->options->oracle
                    ? memfd_create("darn-errors", MFD_CLOEXEC)
                    : out;
    struct outcome outcome = {.outputs = {out, error}};
    int status = make(runs, run, &outcome);

    if (error != out && error >= 0)
        close(error);
    if (out >= 0)
        close(out);
    return status;
}
