/*
 * Runs of the program in the copy of the tree: free ones, hunts and explorations.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json_file.h"
#include "driver/fix/fixing.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "report/shell.h"

#define FREE_MS     20000
#define MORE_MS     60000 /* than the time of a hunt */
#define COST_MS     200.0 /* of all rounds */
#define COST_ROUNDS 40    /* at most */
#define COST_TIMES  5
#define FAILS       66 /* the exit status of what has shown a bug */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- free runs ---- */

static const char *program_line(struct darn_fixing *fixing)
{
    struct darn_text_pool *pool = &fixing->pool;
    const char *line = "";

    for (char **variable = fixing->kept.schedule->environment; *variable; variable++)
        line = darn_pool_format(pool, "%s%s ", line, darn_shell_word(pool, *variable));
    line = darn_pool_format(
        pool, "%s%s%s", *line ? "env " : "", line,
        darn_shell_word(pool, darn_fix_path(fixing, fixing->kept.schedule->program)));
    for (char **argument = fixing->kept.program + 1; *argument; argument++)
        line = darn_pool_format(pool, "%s %s", line, darn_shell_word(pool, *argument));
    return line;
}

static uint64_t hash_of_file(const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t hash = DARN_HASH_START;
    int c;

    while (file && (c = fgetc(file)) != EOF)
        hash = darn_hash_byte(hash, (unsigned char)c);
    if (file)
        fclose(file);
    return hash;
}

const char *darn_fix_status_word(struct darn_text_pool *pool, int status)
{
    if (status < 0)
        return strerror(-status);
    return WIFSIGNALED(status) ? darn_pool_format(pool, "signal %d", WTERMSIG(status))
                               : darn_pool_format(pool, "status %d", WEXITSTATUS(status));
}

/* A program with a repository that heals nothing is not watched either, and prints no report. */
static const char *free_options(struct darn_fixing *fixing)
{
    char path[PATH_MAX];
    struct darn_json json;
    FILE *file;

    if (darn_private_file(fixing->listener, "free.sections", path, sizeof(path)))
        return "";
    file = fopen(path, "we");
    if (!file)
        return "";
    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    darn_json_number(&json, "darn-sections", 1);
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_finish(&json, file);
    fclose(file);
    return darn_pool_format(&fixing->pool, "DARN_OPTIONS=heal=%s",
                            darn_shell_word(&fixing->pool, path));
}

/* A shell does it. */
static const char *free_command(struct darn_fixing *fixing)
{
    const char *input = *fixing->kept.input ? fixing->kept.input : "/dev/null";
    const char *command =
        darn_pool_format(&fixing->pool, "%s %s <%s 2>/dev/null", free_options(fixing),
                         program_line(fixing), darn_shell_word(&fixing->pool, input));

    return fixing->kept.reset
               ? darn_pool_format(&fixing->pool, "(%s); %s", fixing->kept.reset, command)
               : command;
}

/* In the words of a status; NULL: the oracle has nothing against it, or there is none. */
static const char *ask_oracle(struct darn_fixing *fixing, int status, const char *output)
{
    struct darn_fix_run ask = {.directory = fixing->kept.schedule->directory,
                               .timeout_ms = FREE_MS};

    if (!fixing->kept.oracle || !WIFEXITED(status))
        return NULL;
    ask.command =
        darn_pool_format(&fixing->pool, "DARN_STATUS=%d sh -c %s <%s", WEXITSTATUS(status),
                         darn_shell_word(&fixing->pool, fixing->kept.oracle),
                         darn_shell_word(&fixing->pool, output));
    return darn_fix_run(fixing, &ask) ? DARN_FIX_ORACLE : NULL;
}

int darn_fix_run_freely(struct darn_fixing *fixing, const char **status, const char **output,
                        double *cpu_ms)
{
    char path[PATH_MAX];
    struct darn_fix_run run = {.directory = fixing->kept.schedule->directory,
                               .output = path,
                               .timeout_ms = fixing->free_ms ? fixing->free_ms : FREE_MS};
    int result = darn_private_file(fixing->listener, "output", path, sizeof(path));

    if (result)
        return result;
    run.command = free_command(fixing);
    result = darn_fix_run(fixing, &run);
    *status = result >= 0 ? ask_oracle(fixing, result, path) : NULL;
    if (!*status)
        *status = darn_fix_status_word(&fixing->pool, result);
    *output = darn_pool_format(&fixing->pool, "%016" PRIx64, hash_of_file(path));
    if (result >= 0 && (!*cpu_ms || run.cpu_ms < *cpu_ms))
        *cpu_ms = run.cpu_ms;
    return 0;
}

/* So many that what starts a run of milliseconds is little of the whole. */
static unsigned rounds_for(double ms)
{
    return ms >= COST_MS ? 1 : ms * COST_ROUNDS <= COST_MS ? COST_ROUNDS : (unsigned)(COST_MS / ms);
}

double darn_fix_cost(struct darn_fixing *fixing)
{
    struct darn_fix_run run = {.directory = fixing->kept.schedule->directory,
                               .timeout_ms = FREE_MS};
    unsigned rounds = rounds_for(fixing->before_ms);
    double least = 0;

    if (!fixing->before_ms)
        return 0;
    run.command = darn_pool_format(&fixing->pool,
                                   "i=0; while [ $i -lt %u ]; do { %s; }; i=$((i + 1)); done; true",
                                   rounds, free_command(fixing));
    for (int i = 0; i < COST_TIMES && darn_fix_run(fixing, &run) == 0; i++)
        if (!least || run.cpu_ms < least)
            least = run.cpu_ms;
    return least / rounds;
}

/* ---- hunts ---- */

static const char *option(struct darn_fixing *fixing, const char *line, const char *name,
                          const char *value)
{
    if (!value || !*value)
        return line;
    return darn_pool_format(&fixing->pool, "%s --%s=%s", line, name,
                            darn_shell_word(&fixing->pool, value));
}

/* What the hunt that has found the bug was told about the runs. */
static const char *run_options(struct darn_fixing *fixing, const char *line)
{
    const struct darn_kept *kept = &fixing->kept;

    if (fixing->options.jobs)
        line = darn_pool_format(&fixing->pool, "%s --jobs=%" PRIu64, line, fixing->options.jobs);
    line = option(fixing, line, "oracle", kept->oracle);
    line = option(fixing, line, "reset", kept->reset);
    line = option(fixing, line, "input", kept->input);
    line = option(fixing, line, "with", kept->with);
    line = option(fixing, line, "stop",
                  kept->with && kept->stop ? sigabbrev_np((int)kept->stop) : NULL);
    if (kept->schedule->run_flags & DARN_RUN_EARLY)
        line = darn_pool_format(&fixing->pool, "%s --early-timeouts", line);
    return darn_pool_format(&fixing->pool, "%s -- %s", line, program_line(fixing));
}

/* `darn COMMAND` for so long, with a seed of its own. */
static const char *own_line(struct darn_fixing *fixing, const char *command, uint32_t milliseconds)
{
    char own[PATH_MAX];

    if (darn_own_path(own, sizeof(own)))
        return NULL;
    return darn_pool_format(&fixing->pool, "%s %s --seconds=%u.%03u --seed=%" PRIu64,
                            darn_shell_word(&fixing->pool, own), command, milliseconds / 1000,
                            milliseconds % 1000, fixing->options.seed + fixing->hunts);
}

int darn_fix_hunt(struct darn_fixing *fixing, uint32_t milliseconds, struct darn_fix_hunted *hunted)
{
    char directory[PATH_MAX], name[32];
    struct darn_fix_run run = {.directory = fixing->kept.schedule->directory,
                               .timeout_ms = milliseconds * 2 + MORE_MS};
    double started = now_s();
    const char *line;
    int result;

    memset(&hunted->index, 0, sizeof(hunted->index));
    snprintf(name, sizeof(name), "hunt-%u", ++fixing->hunts);
    if (darn_private_file(fixing->listener, name, directory, sizeof(directory)))
        return DARN_REFUSED;
    line = own_line(fixing, "hunt --no-shrink", milliseconds);
    if (!line)
        return DARN_REFUSED;
    line = darn_pool_format(&fixing->pool, "%s -o %s", line,
                            darn_shell_word(&fixing->pool, directory));
    run.command = run_options(fixing, line);
    result = darn_fix_run(fixing, &run);
    hunted->seconds = now_s() - started;
    if (access(directory, F_OK))
        return darn_tell_refusal(fixing->listener, "a hunt could not be made: %s",
                                 darn_fix_status_word(&fixing->pool, result));
    result = darn_index_open(&hunted->index, fixing->listener, directory);
    if (!result)
        hunted->schedules =
            (uint64_t)json_integer_value(json_object_get(hunted->index.state, "runs"));
    return result;
}
/* ---- explorations ---- */

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* The number of schedules in what the exploration has written by --json; 0: it came to none. */
static uint64_t schedules_in(const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t schedules = 0;
    json_t *object;

    while (file && (object = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
        if (strcmp(text_of(object, "kind"), "summary") == 0)
            schedules = (uint64_t)json_integer_value(json_object_get(object, "schedules"));
        json_decref(object);
    }
    if (file)
        fclose(file);
    return schedules;
}

int darn_fix_explore(struct darn_fixing *fixing, const char *way, uint32_t milliseconds,
                     struct darn_fix_explored *explored)
{
    char directory[PATH_MAX], json[PATH_MAX], name[32];
    struct darn_fix_run run = {.directory = fixing->kept.schedule->directory,
                               .timeout_ms = milliseconds * 2 + MORE_MS};
    double started = now_s();
    const char *line;

    snprintf(name, sizeof(name), "explore-%u", ++fixing->hunts);
    line = own_line(fixing, way, milliseconds);
    if (!line || darn_private_file(fixing->listener, name, directory, sizeof(directory)) ||
        darn_private_file(fixing->listener, "explore.json", json, sizeof(json)))
        return DARN_REFUSED;
    unlink(json);
    run.command = run_options(fixing, darn_pool_format(&fixing->pool,
                                                       "%s --schedules=1000000000 --json=%s -o %s",
                                                       line, darn_shell_word(&fixing->pool, json),
                                                       darn_shell_word(&fixing->pool, directory)));
    if (darn_fix_run(fixing, &run) == W_EXITCODE(FAILS, 0))
        explored->failing = darn_pool_format(&fixing->pool, "%s/1", directory);
    explored->schedules += schedules_in(json);
    explored->seconds += now_s() - started;
    return 0;
}

/* ---- the failing schedule ---- */

void darn_fix_follow(struct darn_fixing *fixing, struct darn_fix_followed *followed)
{
    char own[PATH_MAX], log[PATH_MAX], line[512];
    struct darn_fix_run run = {
        .directory = fixing->kept.schedule->directory, .output = log, .timeout_ms = 4 * MORE_MS};
    const char *program = darn_fix_path(fixing, fixing->kept.schedule->program);
    FILE *file;
    int result;

    *followed = (struct darn_fix_followed){.ran = false};
    if (darn_own_path(own, sizeof(own)) ||
        darn_private_file(fixing->listener, "replay.log", log, sizeof(log)))
        return;
    run.command = darn_pool_format(&fixing->pool, "%s replay --timeout=10 --in=%s %s",
                                   darn_shell_word(&fixing->pool, own),
                                   darn_shell_word(&fixing->pool, program),
                                   darn_shell_word(&fixing->pool, fixing->kept.directory));
    result = darn_fix_run(fixing, &run);
    followed->ran = result == 0 || result == W_EXITCODE(FAILS, 0);
    followed->fails = result != 0;
    file = fopen(log, "re");
    while (file && fgets(line, sizeof(line), file))
        sscanf(line, "darn replay: %" SCNu64 " of %" SCNu64 " switches", &followed->made,
               &followed->switches);
    if (file)
        fclose(file);
}
