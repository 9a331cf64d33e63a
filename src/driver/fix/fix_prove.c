/*
 * Whether a candidate is a fix: the same hunt that finds the bug in the program as it is does not
 * find it any more, nor anything new; and the program does what it did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/fix/fixing.h"
#include "driver/play/index.h"
#include "driver/process/wall_clock.h"

#define FREE_RUNS  5
#define QUICK_PART 5 /* a hunt of this part of the time comes first */
#define QUICK_MS   2000
#define LEAST_MS   250 /* of an exploration */
#define LONGER     4   /* times longer is the most that the bug may take to be found again */
#define HANG_MS    2000
#define TEST_MS    (30 * 60 * 1000)

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

/* Of one that takes too long others would, too. */
static bool has_ended(const char *status)
{
    return strncmp(status, "status ", 7) == 0 || strncmp(status, "signal ", 7) == 0;
}

static int note_free_runs(struct darn_fixing *fixing)
{
    double started = darn_clock();
    int result = 0;

    /* A server does not end by itself. */
    for (int i = 0; i < FREE_RUNS && !result && !fixing->kept.with; i++) {
        const char *status = "", *output = "";

        result = darn_fix_run_freely(fixing, &status, &output, &fixing->before_ms);
        if (!has(&fixing->statuses, status))
            darn_words_add(&fixing->statuses, status);
        if (!has(&fixing->outputs, output))
            darn_words_add(&fixing->outputs, output);
        if (!has_ended(status))
            return result;
    }
    /* One that hangs with a candidate is not waited for much longer than all of these together. */
    fixing->free_ms = HANG_MS + (uint32_t)(2 * (darn_clock() - started) * 1000);
    return result;
}

/* How it makes the program fail; NULL: it does not, or only prints something else, which may be
 * right. Where the race is gone and the assertion still fails, it was no fix. */
static const char *failure_of(const struct darn_fixing *fixing, const json_t *entry)
{
    const json_t *outcomes = json_object_get(entry, "outcomes");

    for (size_t i = 0; i < json_array_size(outcomes); i++) {
        const char *word = json_string_value(json_array_get(outcomes, i));

        if (word && (strcmp(word, "output") != 0 || has(&fixing->outcomes, word)))
            return word;
    }
    return strcmp(text_of(entry, "kind"), "deadlock") == 0 ? "deadlock" : NULL;
}

/* What makes the program fail. */
static void add_left(struct darn_fixing *fixing, const struct darn_index *index,
                     const json_t *entry)
{
    darn_words_add(&fixing->left, darn_pool_format(&fixing->pool, "%s/%s", index->directory,
                                                   darn_index_directory(entry)));
}

static void note_siblings(struct darn_fixing *fixing, const struct darn_index *index)
{
    for (size_t i = 0; i < json_array_size(index->entries); i++) {
        const json_t *entry = json_array_get(index->entries, i);

        if (counts(entry) && failure_of(fixing, entry))
            add_left(fixing, index, entry);
    }
}

int darn_fix_read(struct darn_fixing *fixing)
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
    if (darn_index_open(&index, fixing->listener, path) == 0) {
        note_known(fixing, &index);
        note_siblings(fixing, &index);
    }
    darn_index_close(&index);
    return 0;
}

int darn_fix_measure(struct darn_fixing *fixing)
{
    uint32_t milliseconds = fixing->options.seconds_ms;
    struct darn_fix_followed followed;
    int result = note_free_runs(fixing);

    fixing->cost_ms = darn_fix_cost(fixing);
    darn_fix_follow(fixing, &followed);
    fixing->follows = followed.ran && followed.fails;
    for (int i = 1; !result && i <= LONGER; i *= 2) {
        struct darn_fix_hunted hunted = {.schedules = 0};
        bool found;

        darn_tell_progress(fixing->listener, "hunting in the program as it is");
        result = darn_fix_hunt(fixing, milliseconds * (uint32_t)i, &hunted);
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

/* One that is there. The first that says so decides. */
static enum darn_fix_result look_at_entry(struct darn_fixing *fixing,
                                          const struct darn_fix_hunted *hunted, const json_t *entry)
{
    const char *key = key_of(&fixing->pool, entry), *failure = failure_of(fixing, entry);
    bool is_known = has(&fixing->known, key);

    if ((counts(entry) || is_sure(entry)) && strcmp(key, fixing->key) == 0)
        return fail(fixing, DARN_FIX_REMAINS, "it still happens: ", key);
    if (is_sure(entry) && !is_known && strcmp(text_of(entry, "kind"), "deadlock") == 0)
        return fail(fixing, DARN_FIX_HARMS, "a deadlock becomes possible: ", key);
    if (!counts(entry))
        return DARN_FIX_PROVED;
    if (!is_known && (!failure || strcmp(text_of(entry, "kind"), "deadlock") == 0))
        return fail(fixing, DARN_FIX_HARMS, "another bug comes instead: ", key);
    if (!failure)
        return DARN_FIX_PROVED;
    add_left(fixing, &hunted->index, entry);
    return fail(fixing, DARN_FIX_PART,
                is_known                          ? "what was known before makes it fail: "
                : has(&fixing->outcomes, failure) ? "what it led to still happens: "
                                                  : "another bug comes instead: ",
                key);
}

static enum darn_fix_result look_at_hunt(struct darn_fixing *fixing,
                                         const struct darn_fix_hunted *hunted, uint64_t *others)
{
    enum darn_fix_result result = DARN_FIX_PROVED;

    *others = 0;
    for (size_t i = 0; i < json_array_size(hunted->index.entries); i++) {
        const json_t *entry = json_array_get(hunted->index.entries, i);
        enum darn_fix_result here = look_at_entry(fixing, hunted, entry);

        if (here != DARN_FIX_PROVED && here != DARN_FIX_PART)
            return here;
        if (here == DARN_FIX_PART)
            result = here;
        *others += counts(entry) && !darn_index_leader(entry);
    }
    if (!hunted->schedules)
        return fail(fixing, DARN_FIX_BREAKS, "it cannot be hunted any more", "");
    return result;
}

static enum darn_fix_result hunt_candidate(struct darn_fixing *fixing, uint32_t milliseconds,
                                           struct darn_fix_proof *proof)
{
    struct darn_fix_hunted hunted = {.schedules = 0};
    enum darn_fix_result result = DARN_FIX_BREAKS;
    int refused = darn_fix_hunt(fixing, milliseconds, &hunted);

    if (!refused && !hunted.schedules) {
        darn_index_close(&hunted.index);
        refused = darn_fix_hunt(fixing, milliseconds * LONGER, &hunted);
    }
    if (!refused)
        result = look_at_hunt(fixing, &hunted, &proof->others);
    else
        fail(fixing, result, "it cannot be hunted any more", "");
    proof->schedules += hunted.schedules;
    proof->seconds += hunted.seconds;
    darn_index_close(&hunted.index);
    return result;
}

/* None of the schedules may fail, whatever was known before. */
static enum darn_fix_result explore(struct darn_fixing *fixing, const char *way,
                                    uint32_t milliseconds, struct darn_fix_proof *proof)
{
    struct darn_fix_explored explored = {.schedules = 0};
    int result = darn_fix_explore(fixing, way, milliseconds, &explored);

    /* A machine may be too busy to come to any. */
    if (!result && !explored.schedules && !explored.failing)
        result = darn_fix_explore(fixing, way, milliseconds * LONGER, &explored);
    proof->schedules += explored.schedules;
    proof->seconds += explored.seconds;
    if (explored.failing) {
        darn_words_add(&fixing->left, explored.failing);
        return fail(fixing, DARN_FIX_PART, "it fails in a schedule of darn ", way);
    }
    if (result || !explored.schedules)
        return fail(fixing, DARN_FIX_BREAKS, "it cannot be explored", "");
    return DARN_FIX_PROVED;
}

/* What nobody has predicted: schedules of several kinds. Half of the time is for the first. */
static enum darn_fix_result explore_candidate(struct darn_fixing *fixing, uint32_t milliseconds,
                                              struct darn_fix_proof *proof)
{
    static const char *const ways[] = {
        "explore --strategy=portfolio", "explore --strategy=random --points=all",
        "explore --strategy=pct --depth=6 --points=all", "explore --strategy=states"};
    enum darn_fix_result result = DARN_FIX_PROVED;

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && result == DARN_FIX_PROVED; i++) {
        uint32_t part = milliseconds / (i ? 6 : 2);

        result = explore(fixing, ways[i], part < LEAST_MS ? LEAST_MS : part, proof);
    }
    return result;
}

/* The steps that have led to the bug, as far as there are such steps. */
static enum darn_fix_result follow_candidate(struct darn_fixing *fixing,
                                             struct darn_fix_proof *proof)
{
    struct darn_fix_followed followed;

    if (!fixing->follows)
        return DARN_FIX_PROVED;
    darn_fix_follow(fixing, &followed);
    proof->followed = followed.ran && !followed.fails;
    proof->switches = followed.switches;
    proof->made = followed.made;
    if (!followed.ran || !followed.fails)
        return DARN_FIX_PROVED;
    return fail(fixing, DARN_FIX_REMAINS, "it fails in the schedule of the finding", "");
}

/* It ends as before, or well; and where all runs have printed the same, it prints that. */
static enum darn_fix_result run_candidate(struct darn_fixing *fixing, struct darn_fix_proof *proof)
{
    for (int i = 0; i < FREE_RUNS && !fixing->kept.with; i++) {
        const char *status = "", *output = "";
        double cpu_ms = 0;

        if (darn_fix_run_freely(fixing, &status, &output, &cpu_ms))
            return fail(fixing, DARN_FIX_BREAKS, "it cannot be run", "");
        if (strcmp(status, "status 0") != 0 &&
            (!has(&fixing->statuses, status) || strcmp(status, DARN_FIX_ORACLE) == 0))
            return fail(fixing, DARN_FIX_BREAKS, "it ends otherwise: ", status);
        if (fixing->outputs.count == 1 && fixing->statuses.count == 1 &&
            strcmp(fixing->statuses.items[0], "status 0") == 0) {
            if (!has(&fixing->outputs, output))
                return fail(fixing, DARN_FIX_BREAKS, "it prints something else", "");
            proof->compared = true;
        }
        proof->ran = true;
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
                    "the tests fail: ", darn_fix_status_word(&fixing->pool, result));
    proof->tested = true;
    return DARN_FIX_PROVED;
}

enum darn_fix_result darn_fix_prove(struct darn_fixing *fixing, struct darn_fix_proof *proof)
{
    uint32_t all = fixing->options.seconds_ms, quick = all / QUICK_PART;
    enum darn_fix_result result;

    if (quick < QUICK_MS)
        quick = QUICK_MS < all ? QUICK_MS : all;
    *proof = (struct darn_fix_proof){.before_ms = fixing->cost_ms};
    result = run_candidate(fixing, proof);
    if (result == DARN_FIX_PROVED)
        result = hunt_candidate(fixing, quick, proof);
    /* A race may be gone, and the program fails still: of that the searches below tell more. */
    if (result == DARN_FIX_PROVED && !fixing->kept.symptom.met)
        result = follow_candidate(fixing, proof);
    if (result == DARN_FIX_PROVED && quick < all)
        result = hunt_candidate(fixing, all - quick, proof);
    if (result == DARN_FIX_PROVED)
        result = explore_candidate(fixing, all, proof);
    if (result == DARN_FIX_PROVED && fixing->kept.symptom.met)
        result = follow_candidate(fixing, proof);
    if (result == DARN_FIX_PROVED)
        result = test_candidate(fixing, proof);
    if (result == DARN_FIX_PROVED)
        proof->after_ms = darn_fix_cost(fixing);
    return result;
}
