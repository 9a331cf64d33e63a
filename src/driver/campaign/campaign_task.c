#include "driver/campaign/campaign_task.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/options_print.h"
#include "driver/campaign/campaign_outcome.h"
#include "driver/process/installation.h"

/* What hunts and explorations take longer than what they were told: learning, shrinking. */
#define MORE_MS 30000

#define JOIN(to, ...) ((size_t)snprintf(to, sizeof(to), __VA_ARGS__) < sizeof(to))

int darn_campaign_place_open(struct darn_campaign_place *place, struct darn_listener *listener,
                             const struct darn_campaign *campaign, const char *database)
{
    char path[PATH_MAX];

    *place = (struct darn_campaign_place){.listener = listener, .campaign = campaign};
    if (darn_own_path(place->darn, sizeof(place->darn)) ||
        darn_absolute_path(database, path, sizeof(path)) || !JOIN(place->directory, "%s.d", path))
        return darn_tell_refusal(listener, "%s: the path is too long", database);
    if (mkdir(place->directory, 0777) && errno != EEXIST)
        return darn_tell_refusal(listener, "%s: %s", place->directory, strerror(errno));
    return 0;
}

static int remove_one(const char *path, const struct stat *what, int kind, struct FTW *at)
{
    (void)what, (void)kind, (void)at;
    if (remove(path) && errno == EACCES) { /* a directory that nobody may write */
        char *slash = strrchr((char *)path, '/');

        *slash = '\0';
        chmod(path, 0700);
        *slash = '/';
        remove(path);
    }
    return 0;
}

void darn_campaign_remove(const char *directory)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* ---- options of darn ---- */

static void add_variable(struct darn_words *environment, const char *name, const char *value)
{
    char *text = NULL;

    if (asprintf(&text, "%s=%s", name, value) < 0)
        abort();
    darn_words_add(environment, text);
    free(text);
}

/* What the test says itself, or who has started us: suppressions, for example. */
static void begin_options(const struct darn_campaign_test *test, struct darn_options *options)
{
    static const char name[] = DARN_OPTIONS_VARIABLE "=";
    const char *text = getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];

    for (size_t i = 0; i < test->environment.count; i++)
        if (strncmp(test->environment.items[i], name, strlen(name)) == 0)
            text = test->environment.items[i] + strlen(name);
    darn_options_default(options);
    if (text)
        darn_options_parse(options, text, error, sizeof(error));
}

static void set(struct darn_options *options, const char *name, const char *value)
{
    char error[DARN_OPTIONS_ERROR];

    darn_options_set(options, name, value, error, sizeof(error));
}

static void set_noise(const struct darn_campaign_choice *choice, struct darn_options *options)
{
    const struct darn_campaign_space *space = &choice->arm->space;
    const char *noise = darn_campaign_value(space, &choice->point, "noise");
    char text[PATH_MAX + 64];

    set(options, "noise", "");
    if (!noise || strcmp(noise, "none") == 0)
        return;
    snprintf(text, sizeof(text), "%s:%s/%s",
             choice->aim                     ? choice->aim
             : strcmp(noise, "section") == 0 ? "section"
                                             : "random",
             darn_campaign_value(space, &choice->point, "frequency"),
             darn_campaign_value(space, &choice->point, "strength"));
    set(options, "noise", text);
    set(options, "noise_kind", darn_campaign_value(space, &choice->point, "kind"));
}

static void set_options(const struct darn_campaign_test *test, struct darn_campaign_task *task)
{
    struct darn_options options;
    char text[DARN_OPTIONS_TEXT], error[DARN_OPTIONS_ERROR], number[24];

    begin_options(test, &options);
    options.exitcode = 0; /* what fails is the test's own fault */
    if (task->choice.mode != DARN_CAMPAIGN_PLAIN)
        snprintf(options.coverage, sizeof(options.coverage), "%s", task->coverage);
    if (task->choice.mode == DARN_CAMPAIGN_PLAIN) {
        options.budget = 1;
        options.report = DARN_REPORT_OBSERVED;
    } else if (task->choice.mode == DARN_CAMPAIGN_RUN) {
        const char *budget =
            darn_campaign_value(&task->choice.arm->space, &task->choice.point, "budget");

        snprintf(options.json, sizeof(options.json), "%s", task->findings);
        snprintf(number, sizeof(number), "%llu", (unsigned long long)task->choice.seed);
        set(&options, "seed", number);
        set(&options, "budget", budget);
        set_noise(&task->choice, &options);
        options.noise_limit = test->timeout_ms / 4; /* or noise alone could be a hang */
    }
    if (darn_options_format(&options, text, sizeof(text), error, sizeof(error)) == 0)
        add_variable(&task->environment, DARN_OPTIONS_VARIABLE, text);
}

static void make_environment(const struct darn_campaign_place *place,
                             const struct darn_campaign_test *test, struct darn_campaign_task *task)
{
    char temporary[PATH_MAX];

    for (size_t i = 0; i < test->environment.count; i++)
        darn_words_add(&task->environment, test->environment.items[i]);
    if (JOIN(temporary, "%s/tmp", task->directory) && mkdir(temporary, 0777) == 0)
        add_variable(&task->environment, "TMPDIR", temporary);
    add_variable(&task->environment, DARN_COMMAND_VARIABLE, place->darn);
    add_variable(&task->environment, DARN_PROCESS_VARIABLE, "0"); /* crashes are reported */
    set_options(test, task);
}

/* ---- the command ---- */

/* Another build of the program has other schedules and places. */
static uint64_t hash_of_build(uint64_t hash, const char *directory, const char *program)
{
    char path[PATH_MAX];
    struct stat about;
    bool is_known =
        strchr(program, '/') &&
        (program[0] == '/' ? JOIN(path, "%s", program)
                           : JOIN(path, "%s/%s", directory ? directory : ".", program)) &&
        stat(path, &about) == 0;

    if (!is_known)
        return hash;
    hash = darn_hash_word(hash, (uint64_t)about.st_size);
    hash = darn_hash_word(hash, (uint64_t)about.st_mtim.tv_sec);
    return darn_hash_word(hash, (uint64_t)about.st_mtim.tv_nsec);
}

/* A file that earlier rounds of the test share: its name begins so. */
static bool own_file(const struct darn_campaign_place *place, const struct darn_campaign_task *task,
                     const char *what, char *path, size_t size)
{
    uint64_t hash =
        darn_hash_string(DARN_HASH_START, place->campaign->tests[task->choice.test].name);
    struct darn_words command = {0};

    darn_campaign_command(&task->choice.arm->space, &place->campaign->tests[task->choice.test],
                          &task->choice.point, &command);
    for (size_t i = 0; i < command.count; i++)
        hash = darn_hash_string(hash, command.items[i]);
    if (command.count)
        hash = hash_of_build(hash, place->campaign->tests[task->choice.test].directory,
                             command.items[0]);
    darn_words_free(&command);
    return (size_t)snprintf(path, size, "%s/%s-%016llx", place->directory, what,
                            (unsigned long long)hash) < size;
}

static void add_option(struct darn_words *command, const char *name, const char *value)
{
    darn_words_join(command, name, value);
}

static void make_darn_command(const struct darn_campaign_place *place,
                              const struct darn_campaign_test *test,
                              struct darn_campaign_task *task, int64_t name)
{
    const struct darn_campaign_choice *choice = &task->choice;
    bool hunts = choice->mode == DARN_CAMPAIGN_HUNT;
    char number[32], predicted[PATH_MAX];

    darn_words_add(&task->command, place->darn);
    darn_words_add(&task->command, hunts ? "hunt" : "explore");
    add_option(&task->command,
               "--seconds=", darn_campaign_value(&choice->arm->space, &choice->point, "seconds"));
    darn_words_add(&task->command, "--jobs=1");
    snprintf(number, sizeof(number), "%llu", (unsigned long long)choice->seed);
    add_option(&task->command, "--seed=", number);
    snprintf(number, sizeof(number), "%g", test->timeout_ms / 1000.0);
    add_option(&task->command, "--timeout=", number);
    if (hunts)
        own_file(place, task, "hunt", task->kept, sizeof(task->kept));
    else
        snprintf(task->kept, sizeof(task->kept), "%s/explore-%lld", place->directory,
                 (long long)name);
    darn_words_add(&task->command, "-o");
    darn_words_add(&task->command, task->kept);
    add_option(&task->command, "--json=", task->findings);
    if (!hunts)
        add_option(&task->command, "--strategy=",
                   darn_campaign_value(&choice->arm->space, &choice->point, "strategy"));
    if (hunts && own_file(place, task, "predicted", predicted, sizeof(predicted)) &&
        access(predicted, R_OK) == 0)
        add_option(&task->command, "--predicted=", predicted);
    if (test->oracle)
        add_option(&task->command, "--oracle=", test->oracle);
    if (test->reset)
        add_option(&task->command, "--reset=", test->reset);
    darn_words_add(&task->command, "--");
}

static void make_command(const struct darn_campaign_place *place,
                         const struct darn_campaign_test *test, struct darn_campaign_task *task,
                         int64_t name)
{
    struct darn_campaign_space none;
    bool is_darn =
        task->choice.mode == DARN_CAMPAIGN_HUNT || task->choice.mode == DARN_CAMPAIGN_EXPLORE;
    struct darn_tuning_point initial = {0};

    if (is_darn)
        make_darn_command(place, test, task, name);
    if (task->choice.arm) {
        darn_campaign_command(&task->choice.arm->space, test, &task->choice.point, &task->command);
        task->setting = darn_campaign_point_text(&task->choice.arm->space, &task->choice.point);
        return;
    }
    darn_campaign_space(&none, place->campaign, test, DARN_CAMPAIGN_PLAIN);
    for (unsigned i = 0; i < none.tuning.count; i++)
        initial.at[i] = none.tuning.parameters[i].initial;
    darn_campaign_command(&none, test, &initial, &task->command);
    task->setting = darn_campaign_point_text(&none, &initial);
}

static double wall_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint32_t timeout_of(const struct darn_campaign_test *test,
                           const struct darn_campaign_choice *choice)
{
    const char *seconds =
        choice->arm ? darn_campaign_value(&choice->arm->space, &choice->point, "seconds") : NULL;

    return test->timeout_ms + (seconds ? MORE_MS + (uint32_t)(strtod(seconds, NULL) * 1000) : 0);
}

int darn_campaign_task_start(const struct darn_campaign_place *place,
                             struct darn_campaign_task *task, unsigned slot, int64_t name,
                             uint32_t most_ms)
{
    const struct darn_campaign_test *test = &place->campaign->tests[task->choice.test];
    bool is_darn =
        task->choice.mode == DARN_CAMPAIGN_HUNT || task->choice.mode == DARN_CAMPAIGN_EXPLORE;
    struct darn_campaign_child child;

    if (!JOIN(task->directory, "%s/round-%u", place->directory, slot) ||
        !JOIN(task->output, "%s/output", task->directory) ||
        !JOIN(task->findings, "%s/findings.jsonl", task->directory) ||
        !JOIN(task->coverage, "%s/coverage", task->directory))
        return -ENAMETOOLONG;
    darn_campaign_remove(task->directory);
    if (mkdir(task->directory, 0777))
        return -errno;
    task->started = wall_clock();
    make_command(place, test, task, name);
    make_environment(place, test, task);
    child = (struct darn_campaign_child){
        .command = task->command.items,
        .directory = test->directory,
        .environment = task->environment.items,
        .oracle = is_darn ? NULL : test->oracle,
        .reset = is_darn ? NULL : test->reset,
        .output = task->output,
        .timeout_ms = timeout_of(test, &task->choice),
        .file_size = (uint64_t)place->campaign->file_size_mb << 20,
    };
    if (child.timeout_ms > most_ms)
        child.timeout_ms = most_ms;
    task->pid = darn_campaign_child_start(&child, task->end);
    return task->pid < 0 ? (int)task->pid : 0;
}

/* ---- what came of it ---- */

/* Predictions of a run are tried by the next hunt. */
static void keep_predictions(const struct darn_campaign_place *place,
                             const struct darn_campaign_task *task,
                             const struct darn_campaign_harvest *harvest)
{
    char path[PATH_MAX];
    FILE *file;

    if (task->choice.mode != DARN_CAMPAIGN_RUN || !harvest->count ||
        !own_file(place, task, "predicted", path, sizeof(path)))
        return;
    file = fopen(path, "we"); /* the last ones: what was found before has been tried */
    for (size_t i = 0; file && i < harvest->count; i++)
        fprintf(file, "%s\n", harvest->findings[i].json);
    if (file)
        fclose(file);
}

static const char *of_darn(const struct darn_campaign_task *task, char *text, size_t size)
{
    int status = WIFEXITED(task->end->status) ? WEXITSTATUS(task->end->status) : 255;
    char *line = status == 0 || status == 66 ? NULL : darn_campaign_last_line(task->output);

    if (line)
        snprintf(text, size, "%s", line);
    free(line);
    return status == 0 || status == 66 ? "passed" : status == 2 ? "unfit" : "failed";
}

/* The runtime of another version of darn does not know what we ask for: that says nothing of the
 * test. */
static bool is_refused(const struct darn_campaign_task *task)
{
    static const char begin[] = "darn: " DARN_OPTIONS_VARIABLE;
    char *line = NULL;
    bool refused;

    if (!WIFEXITED(task->end->status) || WEXITSTATUS(task->end->status) != 2)
        return false;
    line = darn_campaign_last_line(task->output);
    refused = line && strncmp(line, begin, sizeof(begin) - 1) == 0;
    free(line);
    return refused;
}

static const char *outcome_of(const struct darn_campaign_task *task, bool has_oracle, char *text,
                              size_t size)
{
    bool is_darn =
        task->choice.mode == DARN_CAMPAIGN_HUNT || task->choice.mode == DARN_CAMPAIGN_EXPLORE;
    const char *outcome = darn_campaign_outcome(task->end, !has_oracle, text, size);

    if (strcmp(outcome, "passed") != 0 && strcmp(outcome, "failed") != 0)
        return outcome;
    if (!is_darn && is_refused(task)) {
        snprintf(text, size, "another version of darn has compiled it");
        return "unfit";
    }
    if (!is_darn)
        return outcome;
    *text = '\0';
    return of_darn(task, text, size);
}

void darn_campaign_task_read(struct darn_campaign_place *place,
                             const struct darn_campaign_task *task, bool is_flaky,
                             struct darn_campaign_harvest *harvest,
                             struct darn_campaign_round *round, char *text, size_t size)
{
    const struct darn_campaign_test *test = &place->campaign->tests[task->choice.test];

    darn_campaign_harvest_findings(harvest, task->findings);
    darn_campaign_coverage_read(&harvest->coverage, &place->calls, task->coverage);
    keep_predictions(place, task, harvest);
    *round = (struct darn_campaign_round){
        .test = test->name,
        .mode = darn_campaign_mode_name(task->choice.mode),
        .setting = task->setting,
        .by = task->choice.arm ? darn_tuner_name(task->choice.by) : "",
        .outcome = outcome_of(task, test->oracle != NULL, text, size),
        .seed = task->choice.seed,
        .started = task->started,
        .seconds = task->end->seconds,
        .status = task->end->status,
        .coverage = &harvest->coverage,
    };
    if (task->choice.mode == DARN_CAMPAIGN_RUN && strcmp(round->outcome, "failed") == 0 &&
        !is_flaky)
        darn_campaign_harvest_failure(harvest, test->name, text);
    /* Behind findings, the last line is ours. */
    if (strcmp(round->outcome, "passed") != 0 && task->choice.mode == DARN_CAMPAIGN_PLAIN)
        darn_campaign_add_last_line(task->output, text, size);
    darn_campaign_add_remarks(task->end, text, size);
    round->detail = *text ? text : NULL;
    round->findings = harvest->findings;
    round->finding_count = harvest->count;
}

void darn_campaign_task_end(struct darn_campaign_task *task, bool keep)
{
    darn_campaign_remove(task->directory);
    if (task->choice.mode == DARN_CAMPAIGN_EXPLORE && !keep)
        darn_campaign_remove(task->kept);
    free(task->setting);
    darn_words_free(&task->command);
    darn_words_free(&task->environment);
    *task = (struct darn_campaign_task){.end = task->end};
}
