#define _GNU_SOURCE
#include "runtime/os/helper.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/text.h"
#include "runtime/os/log.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

/* A report of a huge program takes seconds, and the processor is busy meanwhile; one that does
 * nothing for so long is stuck. In nanoseconds. */
#define PATIENCE      UINT64_C(60000000000)
#define PATIENCE_IDLE UINT64_C(1800000000)

static const char *const inherited[] = {
    "PATH", "HOME",   "TERM", "LANG",         "LC_ALL",          "NO_COLOR",
    "PWD",  "TMPDIR", "TZ",   "ASAN_OPTIONS", "DEBUGINFOD_URLS", DARN_OPTIONS_VARIABLE,
};

#define INHERITED (sizeof(inherited) / sizeof(inherited[0]))

static char environment_text[16384];
static char *environment[INHERITED + 1];
static char program[PATH_MAX];
static char command[PATH_MAX]; /* of the build, */
static char handed[PATH_MAX];  /* and of who has started the program */
static bool is_stuck;          /* the last one was: there is no other try */

/* A runtime that was preloaded lies at PREFIX/lib/darn/libdarn_rt.so: the command is beside it. */
static void find_command(void)
{
    static const char part[] = "/lib/darn/libdarn_rt.so";
    struct darn_text text;
    Dl_info info;
    size_t length;

    if (!dladdr((const void *)darn_helper_init, &info) || !info.dli_fname)
        return;
    length = strlen(info.dli_fname);
    if (length < sizeof(part) || strcmp(info.dli_fname + length - sizeof(part) + 1, part) != 0)
        return;
    darn_text_start(&text, command, sizeof(command));
    darn_text_part(&text, info.dli_fname, length - sizeof(part) + 1);
    darn_text_add(&text, "/bin/darn");
    darn_state.preloaded = true;
}

/* Only by an absolute path: who may choose the directories of PATH must not choose what runs. */
static void take(char *to, const char *path)
{
    if (!to[0] && path && path[0] == '/' && strlen(path) < PATH_MAX)
        strcpy(to, path);
}

void darn_helper_init(void)
{
    struct darn_text text;
    size_t count = 0;
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    program[length > 0 ? length : 0] = '\0';
    darn_text_start(&text, environment_text, sizeof(environment_text));
    for (size_t i = 0; i < INHERITED; i++) {
        const char *value = getenv(inherited[i]);

        if (!value)
            continue;
        environment[count++] = text.to + text.used;
        darn_text_add(&text, inherited[i]);
        darn_text_char(&text, '=');
        darn_text_add(&text, value);
        darn_text_char(&text, '\0');
    }
    if (text.cut && count)
        environment[--count] = NULL;
    take(handed, getenv(DARN_COMMAND_VARIABLE));
    find_command();
}

void darn_helper_command(const char *path)
{
    take(command, path);
}

const char *darn_helper_program(void)
{
    return program;
}

static int run(const char *path, const char *flag, const char *input, size_t length)
{
    char *arguments[] = {(char *)path, (char *)"report", (char *)flag, NULL};
    bool to_stdout = strcmp(darn_state.options.log_path, "stdout") == 0;
    struct darn_os_program report = {.path = path,
                                     .arguments = arguments,
                                     .environment = environment,
                                     .input = input,
                                     .length = length,
                                     .errors = darn_log(2),
                                     .idle = PATIENCE_IDLE,
                                     .most = PATIENCE};
    int status;

    if (!path[0] || is_stuck || darn_state.secure)
        return DARN_OS_NOT_STARTED;
    report.output = to_stdout ? darn_log(1) : report.errors;
    status = darn_os_run(&report);
    is_stuck = status == DARN_OS_HUNG;
    return status;
}

int darn_helper_run(const char *flag, const char *input, size_t length)
{
    int status = run(command, flag, input, length);

    return status == DARN_OS_NOT_STARTED ? run(handed, flag, input, length) : status;
}
