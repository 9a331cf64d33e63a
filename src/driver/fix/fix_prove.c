/*
 * Whether a candidate is a fix: the same hunt that finds the bug in the program as it is does not
 * find it any more, nor anything new; and the program does what it did.
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
#include "driver/fix/fixing.h"
#include "driver/play/index.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "report/shell.h"

#define FREE_RUNS  5
#define FREE_MS    60000
#define QUICK_PART 5 /* a hunt of this part of the time comes first */
#define QUICK_MS   2000
#define LONGER     4 /* times longer is the most that the bug may take to be found again */
#define TEST_MS    (30 * 60 * 1000)

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- what a finding is, also when lines have moved ---- */

static int by_text(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* Its kind, its variable and its functions. Which thread comes first is chance. */
static const char *key_of(struct darn_text_pool *pool, const json_t *entry)
{
    const json_t *accesses = json_object_get(entry, "accesses");
    const char *functions[8], *key;
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(accesses) && count < 8; i++)
        functions[count++] = text_of(json_array_get(accesses, i), "function");
    qsort(functions, count, sizeof(functions[0]), by_text);
    key = darn_pool_format(pool, "%s %s", text_of(entry, "kind"), text_of(entry, "variable"));
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(functions[i], functions[i - 1]) != 0)
            key = darn_pool_format(pool, "%s %s", key, functions[i]);
    return key;
}

static bool has(const struct darn_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
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

static const char *status_word(struct darn_text_pool *pool, int status)
{
    if (status < 0)
        return strerror(-status);
    return WIFSIGNALED(status) ? darn_pool_format(pool, "signal %d", WTERMSIG(status))
                               : darn_pool_format(pool, "status %d", WEXITSTATUS(status));
}

/* One run with nobody in between: how it ended, and what it printed. */
static int run_freely(struct darn_fixing *fixing, const char **status, const char **output,
                      double *cpu_ms)
{
    char path[PATH_MAX];
    struct darn_fix_run run = {
        .directory = fixing->kept.schedule->directory, .output = path, .timeout_ms = FREE_MS};
    int result = darn_private_file(fixing->listener, "output", path, sizeof(path));
    const char *input = *fixing->kept.input ? fixing->kept.input : "/dev/null";

    if (result)
        return result;
    run.command =
        darn_pool_format(&fixing->pool, "DARN_OPTIONS=budget=0:exitcode=0 %s <%s 2>/dev/null",
                         program_line(fixing), darn_shell_word(&fixing->pool, input));
    if (fixing->kept.reset)
        run.command = darn_pool_format(&fixing->pool, "(%s); %s", fixing->kept.reset, run.command);
    result = darn_fix_run(fixing, &run);
    *status = status_word(&fixing->pool, result);
    *output = darn_pool_format(&fixing->pool, "%016" PRIx64, hash_of_file(path));
    if (!*cpu_ms || run.cpu_ms < *cpu_ms)
        *cpu_ms = run.cpu_ms;
    return 0;
}

/* ---- hunts ---- */

struct hunted {
    struct darn_index index;
    uint64_t schedules;
    double seconds;
    char log[PATH_MAX];
};

static const char *option(struct darn_fixing *fixing, const char *line, const char *name,
                          const char *value)
{
    if (!value || !*value)
        return line;
    return darn_pool_format(&fixing->pool, "%s --%s=%s", line, name,
                            darn_shell_word(&fixing->pool, value));
}

static const char *hunt_line(struct darn_fixing *fixing, const char *directory,
                             uint32_t milliseconds)
{
    struct darn_text_pool *pool = &fixing->pool;
    const struct darn_kept *kept = &fixing->kept;
    char own[PATH_MAX];
    const char *line;

    if (darn_own_path(own, sizeof(own)))
        return NULL;
    line = darn_pool_format(pool, "%s hunt --no-shrink --seconds=%u.%03u --seed=%" PRIu64 " -o %s",
                            darn_shell_word(pool, own), milliseconds / 1000, milliseconds % 1000,
                            fixing->options.seed + fixing->hunts, darn_shell_word(pool, directory));
    if (fixing->options.jobs)
        line = darn_pool_format(pool, "%s --jobs=%" PRIu64, line, fixing->options.jobs);
    line = option(fixing, line, "oracle", kept->oracle);
    line = option(fixing, line, "reset", kept->reset);
    line = option(fixing, line, "input", kept->input);
    line = option(fixing, line, "with", kept->with);
    line = option(fixing, line, "stop",
                  kept->with && kept->stop ? sigabbrev_np((int)kept->stop) : NULL);
    return darn_pool_format(pool, "%s -- %s", line, program_line(fixing));
}

/* 0, or DARN_REFUSED; the index is to be closed in either case. */
static int hunt(struct darn_fixing *fixing, uint32_t milliseconds, struct hunted *hunted)
{
    char directory[PATH_MAX], name[32];
    struct darn_fix_run run = {.directory = fixing->kept.schedule->directory,
                               .output = hunted->log,
                               .timeout_ms = milliseconds * 2 + FREE_MS};
    double started = now_s();
    int result;

    memset(&hunted->index, 0, sizeof(hunted->index));
    snprintf(name, sizeof(name), "hunt-%u", ++fixing->hunts);
    if (darn_private_file(fixing->listener, name, directory, sizeof(directory)) ||
        darn_private_file(fixing->listener, "hunt.log", hunted->log, sizeof(hunted->log)))
        return DARN_REFUSED;
    run.command = hunt_line(fixing, directory, milliseconds);
    if (!run.command)
        return DARN_REFUSED;
    result = darn_fix_run(fixing, &run);
    hunted->seconds = now_s() - started;
    if (access(directory, F_OK))
        return darn_tell_refusal(fixing->listener, "a hunt could not be made: %s",
                                 status_word(&fixing->pool, result));
    result = darn_index_open(&hunted->index, fixing->listener, directory);
    if (!result)
        hunted->schedules =
            (uint64_t)json_integer_value(json_object_get(hunted->index.state, "runs"));
    return result;
}

/* A suspicion that came to nothing is no bug. */
static bool counts(const json_t *entry)
{
    return darn_index_is_proof(entry) && !darn_index_is_suspicion(entry);
}

/* What is sure without having happened: such a prediction is the bug, still. */
static bool is_sure(const json_t *entry)
{
    const char *engine = text_of(entry, "engine");

    return strcmp(text_of(entry, "certainty"), "predicted") == 0 &&
           (strstr(engine, "hb") || strstr(engine, "syncp"));
}

/* ---- the program as it is ---- */

static void note_known(struct darn_fixing *fixing, const struct darn_index *index)
{
    for (size_t i = 0; i < json_array_size(index->entries); i++) {
        const json_t *entry = json_array_get(index->entries, i);
        const char *key = key_of(&fixing->pool, entry);

        if (counts(entry) && !has(&fixing->known, key))
            darn_words_add(&fixing->known, key);
    }
}

static int note_free_runs(struct darn_fixing *fixing)
{
    int result = 0;

    for (int i = 0; i < FREE_RUNS && !result; i++) {
        const char *status = "", *output = "";

        result = run_freely(fixing, &status, &output, &fixing->before_ms);
        if (!has(&fixing->statuses, status))
            darn_words_add(&fixing->statuses, status);
        if (!has(&fixing->outputs, output))
            darn_words_add(&fixing->outputs, output);
    }
    return result;
}

/* The finding, as the hunt that has kept it knows it, and what else that has found. */
static int read_own(struct darn_fixing *fixing)
{
    char path[2 * PATH_MAX];
    struct darn_index index = {.entries = NULL};
    const json_t *outcomes;
    json_error_t error;
    json_t *entry;

    snprintf(path, sizeof(path), "%s/finding.json", fixing->kept.directory);
    entry = json_load_file(path, 0, &error);
    if (!entry)
        return darn_tell_refusal(fixing->listener, "%s: %s", path, error.text);
    fixing->key = key_of(&fixing->pool, entry);
    outcomes = json_object_get(entry, "outcomes");
    for (size_t i = 0; i < json_array_size(outcomes); i++)
        darn_words_add(&fixing->outcomes, json_string_value(json_array_get(outcomes, i)));
    json_decref(entry);
    snprintf(path, sizeof(path), "%s/..", fixing->kept.directory);
    if (darn_index_open(&index, fixing->listener, path) == 0)
        note_known(fixing, &index);
    darn_index_close(&index);
    return 0;
}

int darn_fix_measure(struct darn_fixing *fixing)
{
    uint32_t milliseconds = fixing->options.seconds_ms;
    int result = read_own(fixing);

    if (!result)
        result = note_free_runs(fixing);
    for (int i = 1; !result && i <= LONGER; i *= 2) {
        struct hunted hunted = {.schedules = 0};
        bool found;

        darn_tell_progress(fixing->listener, "hunting in the program as it is");
        result = hunt(fixing, milliseconds * (uint32_t)i, &hunted);
        if (!result)
            note_known(fixing, &hunted.index);
        found = false;
        for (size_t j = 0; !result && j < json_array_size(hunted.index.entries); j++) {
            const json_t *entry = json_array_get(hunted.index.entries, j);

            found |= counts(entry) && strcmp(key_of(&fixing->pool, entry), fixing->key) == 0;
        }
        darn_index_close(&hunted.index);
        fixing->options.seconds_ms = milliseconds * (uint32_t)i;
        if (found)
            return 0;
    }
    if (result)
        return result;
    return darn_tell_refusal(fixing->listener,
                             "a hunt of %u s does not find it in the program as it is: nothing "
                             "could be proved; --seconds gives it more",
                             fixing->options.seconds_ms / 1000);
}

/* ---- a candidate ---- */

static enum darn_fix_result fail(struct darn_fixing *fixing, enum darn_fix_result result,
                                 const char *why, const char *what)
{
    snprintf(fixing->why, sizeof(fixing->why), "%s%s", why, what);
    return result;
}

/* What it leads to, if the bug that is to be fixed leads to the same; NULL: it does not. Where the
 * race is gone and the assertion still fails, it was no fix. */
static const char *same_outcome(const struct darn_fixing *fixing, const json_t *entry)
{
    const json_t *outcomes = json_object_get(entry, "outcomes");

    for (size_t i = 0; i < json_array_size(outcomes); i++) {
        const char *word = json_string_value(json_array_get(outcomes, i));

        if (word && has(&fixing->outcomes, word))
            return word;
    }
    return NULL;
}

static enum darn_fix_result look_at_hunt(struct darn_fixing *fixing, const struct hunted *hunted,
                                         uint64_t *others)
{
    *others = 0;
    for (size_t i = 0; i < json_array_size(hunted->index.entries); i++) {
        const json_t *entry = json_array_get(hunted->index.entries, i);
        const char *key = key_of(&fixing->pool, entry);

        if ((counts(entry) || is_sure(entry)) && strcmp(key, fixing->key) == 0)
            return fail(fixing, DARN_FIX_REMAINS, "it still happens: ", key);
        if (counts(entry) && same_outcome(fixing, entry))
            return fail(fixing, DARN_FIX_REMAINS,
                        "what it led to still happens: ", same_outcome(fixing, entry));
        if (counts(entry) && !has(&fixing->known, key))
            return fail(fixing, DARN_FIX_HARMS, "another bug comes instead: ", key);
        if (is_sure(entry) && !has(&fixing->known, key) &&
            strcmp(text_of(entry, "kind"), "deadlock") == 0)
            return fail(fixing, DARN_FIX_HARMS, "a deadlock becomes possible: ", key);
        *others += counts(entry) && !darn_index_leader(entry);
    }
    if (!hunted->schedules)
        return fail(fixing, DARN_FIX_BREAKS, "it cannot be hunted any more", "");
    return DARN_FIX_PROVED;
}

static enum darn_fix_result hunt_candidate(struct darn_fixing *fixing, uint32_t milliseconds,
                                           struct darn_fix_proof *proof)
{
    struct hunted hunted = {.schedules = 0};
    enum darn_fix_result result = DARN_FIX_BREAKS;

    if (hunt(fixing, milliseconds, &hunted) == 0)
        result = look_at_hunt(fixing, &hunted, &proof->others);
    else
        fail(fixing, result, "it cannot be hunted any more", "");
    proof->schedules += hunted.schedules;
    proof->seconds += hunted.seconds;
    darn_index_close(&hunted.index);
    return result;
}

/* It ends as before, or well; and where all runs have printed the same, it prints that. */
static enum darn_fix_result run_candidate(struct darn_fixing *fixing, struct darn_fix_proof *proof)
{
    for (int i = 0; i < FREE_RUNS; i++) {
        const char *status = "", *output = "";

        if (run_freely(fixing, &status, &output, &proof->after_ms))
            return fail(fixing, DARN_FIX_BREAKS, "it cannot be run", "");
        if (strcmp(status, "status 0") != 0 && !has(&fixing->statuses, status))
            return fail(fixing, DARN_FIX_BREAKS, "it ends otherwise: ", status);
        if (fixing->outputs.count == 1 && fixing->statuses.count == 1 &&
            strcmp(fixing->statuses.items[0], "status 0") == 0) {
            if (!has(&fixing->outputs, output))
                return fail(fixing, DARN_FIX_BREAKS, "it prints something else", "");
            proof->compared = true;
        }
    }
    return DARN_FIX_PROVED;
}

static enum darn_fix_result test_candidate(struct darn_fixing *fixing, struct darn_fix_proof *proof)
{
    struct darn_fix_run run = {
        .command = fixing->options.test, .directory = fixing->tree, .timeout_ms = TEST_MS};
    int result;

    if (!run.command)
        return DARN_FIX_PROVED;
    result = darn_fix_run(fixing, &run);
    if (result)
        return fail(fixing, DARN_FIX_NO_TEST,
                    "the tests fail: ", status_word(&fixing->pool, result));
    proof->tested = true;
    return DARN_FIX_PROVED;
}

enum darn_fix_result darn_fix_prove(struct darn_fixing *fixing, struct darn_fix_proof *proof)
{
    uint32_t all = fixing->options.seconds_ms, quick = all / QUICK_PART;
    enum darn_fix_result result;

    if (quick < QUICK_MS)
        quick = QUICK_MS < all ? QUICK_MS : all;
    *proof = (struct darn_fix_proof){.before_ms = fixing->before_ms};
    result = run_candidate(fixing, proof);
    if (result == DARN_FIX_PROVED)
        result = hunt_candidate(fixing, quick, proof);
    if (result == DARN_FIX_PROVED && quick < all)
        result = hunt_candidate(fixing, all - quick, proof);
    if (result == DARN_FIX_PROVED)
        result = test_candidate(fixing, proof);
    return result;
}
