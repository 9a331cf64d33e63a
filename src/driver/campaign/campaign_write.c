/* Trying tests, and writing the file of a campaign. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/draft.h"
#include "driver/campaign/campaign.h"
#include "driver/campaign/campaign_child.h"
#include "driver/campaign/campaign_import.h"
#include "driver/campaign/campaign_outcome.h"
#include "driver/campaign/campaign_task.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "driver/process/program.h"
#include "report/json_tree.h"

#define TRY_MS       60000
#define LEAST_S      10.0 /* a test under noise may take much longer than without, */
#define TIMES_LONGER 20.0 /* so many times */

/* What the program of the test is, from the directory of the test. */
static enum darn_program kind_of(const char *directory, const char *name)
{
    char path[PATH_MAX], joined[2 * PATH_MAX];
    int kind;

    snprintf(joined, sizeof(joined), *name == '/' || !strchr(name, '/') ? "%.0s%s" : "%s/%s",
             directory, name);
    kind = darn_find_program(joined, path, sizeof(path)) ? -1 : darn_program_kind(path);
    return kind < 0 ? DARN_PROGRAM_UNKNOWN : (enum darn_program)kind;
}

static const char *kind_words(enum darn_program kind)
{
    return kind == DARN_PROGRAM_WATCHED  ? "compiled by darn"
           : kind == DARN_PROGRAM_SCRIPT ? "a script"
           : kind == DARN_PROGRAM_PLAIN  ? "not compiled by darn: nothing in it is watched"
                                         : "no program that darn knows";
}

/* Each parameter has its first value. */
static void fill_command(const json_t *test, struct darn_words *command)
{
    json_t *parameters = json_object_get(test, "parameters"), *word, *value;
    struct darn_campaign_variable variable;
    const char *name;
    size_t i;

    json_array_foreach(json_object_get(test, "command"), i, word)
    {
        char *text = strdup(json_string_value(word)), *at, *filled = NULL, braces[300];

        json_object_foreach(parameters, name, value)
        {
            variable = (struct darn_campaign_variable){0};
            snprintf(braces, sizeof(braces), "{%s}", name);
            while (darn_campaign_values(&variable, json_string_value(value)) &&
                   (at = strstr(text, braces))) {
                if (asprintf(&filled, "%.*s%s%s", (int)(at - text), text, variable.values.items[0],
                             at + strlen(braces)) < 0)
                    abort();
                free(text);
                text = filled;
                darn_words_free(&variable.values);
                variable = (struct darn_campaign_variable){0};
            }
            darn_words_free(&variable.values);
        }
        darn_words_add(command, text);
        free(text);
    }
}

static void add_variable(struct darn_words *environment, const char *name, const char *value)
{
    char *text = NULL;

    if (asprintf(&text, "%s=%s", name, value) < 0)
        abort();
    darn_words_add(environment, text);
    free(text);
}

static void fill_environment(const json_t *test, const char *temporary,
                             struct darn_words *environment)
{
    const char *name;
    json_t *value;

    json_object_foreach(json_object_get(test, "environment"), name, value)
    {
        add_variable(environment, name, json_string_value(value));
    }
    add_variable(environment, "TMPDIR", temporary);
    darn_words_add(environment, "DARN_OPTIONS=exitcode=0:budget=1:report=observed");
}

/* What a test prints, and where it may put files. */
struct campaign_trial {
    char output[PATH_MAX], temporary[PATH_MAX];
};

static void run_once(const json_t *test, const char *directory, const struct campaign_trial *trial,
                     struct darn_campaign_end *end)
{
    struct darn_words command = {0}, environment = {0};
    double timeout = json_number_value(json_object_get(test, "timeout"));
    struct darn_campaign_child child;
    pid_t pid;

    fill_command(test, &command);
    mkdir(trial->temporary, 0777);
    fill_environment(test, trial->temporary, &environment);
    child = (struct darn_campaign_child){
        .command = command.items,
        .directory = directory,
        .environment = environment.items,
        .oracle = json_string_value(json_object_get(test, "oracle")),
        .output = trial->output,
        .timeout_ms = timeout > 0 ? (uint32_t)(timeout * 1000) : TRY_MS,
        .file_size = UINT64_C(1) << 30};
    pid = darn_campaign_child_start(&child, end);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    darn_campaign_remove(trial->temporary);
    darn_words_free(&command);
    darn_words_free(&environment);
}

/* As CTest and Automake have it. */
static bool is_skipped(const json_t *test, const struct darn_campaign_end *end)
{
    const json_t *skip = json_object_get(test, DARN_CAMPAIGN_SKIP);

    return skip && end->is_over && !end->error && !end->timed_out && WIFEXITED(end->status) &&
           WEXITSTATUS(end->status) == json_integer_value(skip);
}

static bool try_one(struct darn_listener *listener, json_t *test,
                    const struct campaign_trial *trial, struct darn_campaign_end *end)
{
    const char *given = json_string_value(json_object_get(test, "directory"));
    const char *directory = given ? given : ".";
    const char *name = json_string_value(json_object_get(test, "name"));
    enum darn_program kind =
        kind_of(directory, json_string_value(json_array_get(json_object_get(test, "command"), 0)));
    const char *outcome;
    double timeout;
    char why[512];
    bool passed;

    run_once(test, directory, trial, end);
    outcome = darn_campaign_outcome(end, !json_object_get(test, "oracle"), why, sizeof(why));
    passed = strcmp(outcome, "passed") == 0;
    if (!passed)
        darn_campaign_add_last_line(trial->output, why, sizeof(why));
    darn_campaign_add_remarks(end, why, sizeof(why));
    timeout = end->seconds * TIMES_LONGER;
    if (!json_object_get(test, "timeout"))
        json_object_set_new(test, "timeout",
                            json_real((double)(int)(timeout < LEAST_S ? LEAST_S : timeout + 1)));
    json_object_set_new(test, "compiled", json_boolean(kind == DARN_PROGRAM_WATCHED));
    darn_tell_note(listener, "%s: %s%s%s (%.2f s), %s", name,
                   passed                  ? "passes"
                   : is_skipped(test, end) ? "skipped"
                                           : outcome,
                   *why ? ": " : "", why, end->seconds, kind_words(kind));
    return passed;
}

size_t darn_campaign_try(struct darn_listener *listener, json_t *tests)
{
    struct darn_campaign_end *end =
        mmap(NULL, sizeof(*end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct campaign_trial trial;
    size_t i, passed = 0;
    json_t *test;

    if (end == MAP_FAILED ||
        darn_private_file(listener, "output", trial.output, sizeof(trial.output)) ||
        darn_private_file(listener, "files", trial.temporary, sizeof(trial.temporary)))
        return 0;
    json_array_foreach(tests, i, test)
    {
        bool passes = try_one(listener, test, &trial, end);

        passed += passes;
        if (!passes && is_skipped(test, end))
            json_array_remove(tests, i--);
    }
    munmap(end, sizeof(*end));
    return passed;
}

int darn_campaign_write(const char *path, json_t *tests)
{
    json_t *vary = json_object();
    json_t *root = json_pack("{s:i, s:i, s:s, s:[s,s,s], s:o, s:O}", "darn-campaign",
                             DARN_CAMPAIGN_VERSION, "seed", 1, "search", "portfolio", "modes",
                             "run", "hunt", "explore", "vary", vary, "tests", tests);
    const char *values;
    json_t *test;
    size_t at;
    struct darn_draft draft;
    struct darn_json json;
    int result = darn_draft_open(&draft, path, false);

    for (unsigned i = 0; darn_campaign_default(i, &values); i++)
        json_object_set_new(vary, darn_campaign_default(i, &values), json_string(values));
    json_array_foreach(tests, at, test) json_object_del(test, DARN_CAMPAIGN_SKIP);
    if (!result) {
        darn_json_start_growing(&json);
        json.spaced = true;
        darn_json_tree_lines(&json, root);
        darn_json_finish(&json, draft.file);
        fputc('\n', draft.file);
        result = darn_draft_finish(&draft, 0);
    }
    json_decref(root);
    return result;
}
