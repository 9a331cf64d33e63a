#include "driver/campaign/campaign_picture.h"

#include <stdio.h>
#include <string.h>

#include "base/options_print.h"
#include "driver/campaign/campaign.h"
#include "driver/campaign/campaign_status.h"

#define POINTS 300 /* of the curve, at most */

/* ---- over time ---- */

/* A statement of one column, sorted: the time of its row, and how many came before it. */
struct campaign_times {
    sqlite3_stmt *rows;
    double next; /* only while has_next */
    bool has_next;
    int64_t passed;
};

static void next_time(struct campaign_times *times)
{
    times->has_next = times->rows && sqlite3_step(times->rows) == SQLITE_ROW;
    if (times->has_next)
        times->next = sqlite3_column_double(times->rows, 0);
}

static void begin_times(struct campaign_times *times, sqlite3 *database, const char *sql)
{
    *times = (struct campaign_times){0};
    sqlite3_prepare_v2(database, sql, -1, &times->rows, NULL);
    next_time(times);
}

/* Counts what had come by then. */
static void pass(struct campaign_times *times, double until)
{
    for (; times->has_next && times->next <= until; next_time(times))
        times->passed++;
}

/* [rounds, seconds of tests, facts, findings], after every few rounds. What a round has seen first
 * has the time at which that round began. */
static json_t *curve_of(struct darn_campaign_store *store, int64_t all)
{
    static const char facts_sql[] = "SELECT min(started) AS s FROM coverage"
                                    " GROUP BY kind, first, second ORDER BY s",
                      findings_sql[] =
                          "SELECT min(started) AS s FROM sightings GROUP BY id ORDER BY s";
    struct campaign_times facts, findings;
    sqlite3_stmt *rounds = NULL;
    int64_t step = all / POINTS + 1, number = 0;
    json_t *curve = json_array();
    double seconds = 0;

    begin_times(&facts, store->database, facts_sql);
    begin_times(&findings, store->database, findings_sql);
    sqlite3_prepare_v2(store->database, "SELECT started, seconds FROM rounds ORDER BY started", -1,
                       &rounds, NULL);
    while (rounds && sqlite3_step(rounds) == SQLITE_ROW) {
        seconds += sqlite3_column_double(rounds, 1);
        if (++number % step && number < all)
            continue;
        pass(&facts, sqlite3_column_double(rounds, 0));
        pass(&findings, sqlite3_column_double(rounds, 0));
        json_array_append_new(curve,
                              json_pack("[I,f,I,I]", (json_int_t)number, seconds,
                                        (json_int_t)facts.passed, (json_int_t)findings.passed));
    }
    sqlite3_finalize(rounds);
    sqlite3_finalize(facts.rows);
    sqlite3_finalize(findings.rows);
    return curve;
}

/* ---- settings ---- */

static void set(struct darn_options *options, const char *name, const json_t *value)
{
    char error[DARN_OPTIONS_ERROR];

    if (json_is_string(value))
        darn_options_set(options, name, json_string_value(value), error, sizeof(error));
}

/* The setting of a run, as a round has it, for DARN_OPTIONS. */
static json_t *options_of(const json_t *setting)
{
    const char *noise = json_string_value(json_object_get(setting, "noise"));
    const char *frequency = json_string_value(json_object_get(setting, "frequency"));
    const char *strength = json_string_value(json_object_get(setting, "strength"));
    static char text[DARN_OPTIONS_TEXT];
    char error[DARN_OPTIONS_ERROR], what[128];
    struct darn_options options;

    darn_options_default(&options);
    set(&options, "budget", json_object_get(setting, "budget"));
    if (noise && frequency && strength && strcmp(noise, "none") != 0) {
        snprintf(what, sizeof(what), "%s:%s/%s", noise, frequency, strength);
        darn_options_set(&options, "noise", what, error, sizeof(error));
        set(&options, "noise_kind", json_object_get(setting, "kind"));
    }
    return darn_options_format(&options, text, sizeof(text), error, sizeof(error))
               ? NULL
               : json_string(text);
}

/* Whether darn varies it; otherwise it is a parameter of the test. */
static bool is_ours(const char *name)
{
    const char *values, *known;

    for (unsigned i = 0; (known = darn_campaign_default(i, &values)); i++)
        if (strcmp(known, name) == 0)
            return true;
    return false;
}

static json_t *own_of(json_t *setting)
{
    json_t *own = json_object(), *value;
    const char *name;

    json_object_foreach(setting, name, value)
    {
        if (!is_ours(name))
            json_object_set(own, name, value);
    }
    return own;
}

/* The first run of a test shows nearly everything, whatever its setting: it is left out. So is
 * noise that was aimed: at what, the setting does not say. */
static const char by_setting[] =
    "SELECT r.test, r.setting, count(*), sum(r.coverage_new), sum(r.findings_new),"
    " sum(r.coverage_new + 20*r.findings_new) AS worth FROM rounds AS r JOIN"
    " (SELECT test, min(started) AS began FROM rounds WHERE mode='run' GROUP BY test) AS f"
    " ON r.test=f.test WHERE r.mode='run' AND r.started>f.began"
    " AND coalesce(json_extract(r.setting,'$.noise'),'random') IN ('none','random','section')"
    " GROUP BY r.test, r.setting HAVING worth>0 ORDER BY r.test, worth/max(sum(r.seconds),0.02) "
    "DESC";

static json_t *best_of(struct darn_campaign_store *store)
{
    sqlite3_stmt *rows = NULL;
    json_t *best = json_array();
    const char *last = NULL;

    sqlite3_prepare_v2(store->database, by_setting, -1, &rows, NULL);
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        const char *test = (const char *)sqlite3_column_text(rows, 0);
        json_t *setting, *options;

        if (last && strcmp(last, test) == 0)
            continue;
        setting = json_loads((const char *)sqlite3_column_text(rows, 1), 0, NULL);
        options = setting ? options_of(setting) : NULL;
        if (options) {
            json_t *entry = json_pack("{s:s, s:o, s:o, s:I, s:I, s:I}", "test", test, "options",
                                      options, "parameters", own_of(setting), "rounds",
                                      (json_int_t)sqlite3_column_int64(rows, 2), "coverage",
                                      (json_int_t)sqlite3_column_int64(rows, 3), "findings",
                                      (json_int_t)sqlite3_column_int64(rows, 4));

            json_array_append_new(best, entry);
            last = json_string_value(json_object_get(entry, "test"));
        }
        json_decref(setting);
    }
    sqlite3_finalize(rows);
    return best;
}

/* ---- all of it ---- */

static json_t *tests_of(const struct darn_campaign_status *status)
{
    json_t *tests = json_array();

    for (size_t i = 0; i < status->test_count; i++) {
        const struct darn_campaign_test_status *test = &status->tests[i];

        json_array_append_new(
            tests, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:s}", "name", test->name,
                             "rounds", (json_int_t)test->rounds, "failed", (json_int_t)test->failed,
                             "hung", (json_int_t)test->hung, "coverage", (json_int_t)test->coverage,
                             "findings", (json_int_t)test->findings, "seconds", test->seconds,
                             "remark", darn_campaign_remark(test)));
    }
    return tests;
}

static json_t *helps_of(const struct darn_campaign_status *status)
{
    json_t *helps = json_array();

    for (size_t i = 0; i < status->help_count; i++) {
        const struct darn_campaign_help *help = &status->helps[i];

        json_array_append_new(helps, json_pack("{s:s, s:s, s:s, s:I, s:f}", "mode", help->mode,
                                               "name", help->name, "value", help->value, "rounds",
                                               (json_int_t)help->rounds, "gain", help->gain));
    }
    return helps;
}

json_t *darn_campaign_picture(struct darn_campaign_store *store)
{
    struct darn_campaign_status status;
    json_t *picture;

    if (darn_campaign_status(store, &status))
        return NULL;
    picture = json_pack(
        "{s:I, s:I, s:f, s:I, s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:o}", "rounds",
        (json_int_t)status.rounds, "shards", (json_int_t)status.shards, "seconds", status.seconds,
        "findings", (json_int_t)status.findings, "confirmed", (json_int_t)status.confirmed,
        "coverage", (json_int_t)status.coverage, "wait", darn_campaign_rounds_to_new(&status),
        "in_all", darn_campaign_coverage_in_all(&status), "curve", curve_of(store, status.rounds),
        "helps", helps_of(&status), "best", best_of(store), "tests", tests_of(&status));
    darn_campaign_status_free(&status);
    return picture;
}
