#define _GNU_SOURCE
#include "runtime/helper.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "base/text.h"
#include "runtime/os.h"
#include "runtime/state.h"

/* A report of a huge program takes seconds; one that takes longer is stuck. */
#define PATIENCE UINT64_C(60000000000)

static const char *const inherited[] = {
    "PATH", "HOME",   "TERM", "LANG",         "LC_ALL",          "NO_COLOR",
    "PWD",  "TMPDIR", "TZ",   "ASAN_OPTIONS", "DEBUGINFOD_URLS", DARN_OPTIONS_VARIABLE,
};

#define INHERITED (sizeof(inherited) / sizeof(inherited[0]))

static char environment_text[16384];
static char *environment[INHERITED + 1];
static char program[PATH_MAX];
static char command[PATH_MAX];

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
    find_command();
}

void darn_helper_command(const char *path)
{
    if (!command[0] && path && strlen(path) < sizeof(command))
        strcpy(command, path);
}

const char *darn_helper_program(void)
{
    return program;
}

static int run(const char *path, const char *flag, const char *input, size_t length)
{
    char *arguments[] = {(char *)path, (char *)"report", (char *)flag, NULL};
    uint64_t end = darn_os_now() + PATIENCE;
    int keeper = darn_os_spawn(path, arguments, environment, input, length);
    int status = keeper > 0 ? -1 : DARN_OS_NOT_STARTED;

    while (status < 0 && darn_os_now() < end) {
        darn_os_sleep(200000);
        status = darn_os_reap(keeper);
    }
    return status < 0 ? DARN_OS_LOST : status;
}

/* Tries `darn` in each directory of the PATH that we started with. */
static int run_from_path(const char *flag, const char *input, size_t length)
{
    const char *from = environment[0] && strncmp(environment[0], "PATH=", 5) == 0
                           ? environment[0] + 5
                           : "/usr/local/bin:/usr/bin";
    static char path[PATH_MAX]; /* not on the stack, which may be tiny; one report at a time */
    int status = DARN_OS_NOT_STARTED;

    while (*from && status == DARN_OS_NOT_STARTED) {
        size_t part = strcspn(from, ":");
        struct darn_text text;

        darn_text_start(&text, path, sizeof(path));
        darn_text_part(&text, from, part);
        darn_text_add(&text, "/darn");
        status = run(path, flag, input, length);
        from += part + (from[part] == ':');
    }
    return status;
}

int darn_helper_run(const char *flag, const char *input, size_t length)
{
    int status = command[0] ? run(command, flag, input, length) : DARN_OS_NOT_STARTED;

    return status == DARN_OS_NOT_STARTED ? run_from_path(flag, input, length) : status;
}
