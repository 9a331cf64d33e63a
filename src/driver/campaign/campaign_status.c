#include "driver/campaign/campaign_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static char *text_at(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return darn_need_memory(strdup(text ? text : ""));
}

/* Each round counts where its test does; plain ones are told apart. */
static const char by_test[] =
    "SELECT test, count(*), sum(outcome='failed' AND mode<>'plain'), sum(outcome='hung'),"
    " sum(outcome='unfit'), sum(mode='plain'), sum(mode='plain' AND outcome<>'passed'),"
    " sum(coverage_new), sum(findings_new), sum(seconds) FROM rounds GROUP BY test ORDER BY test";

static int read_tests(struct darn_campaign_store *store, struct darn_campaign_status *status)
{
    sqlite3_stmt *statement = NULL;
    size_t room = 0;

    if (sqlite3_prepare_v2(store->database, by_test, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    while (sqlite3_step(statement) == SQLITE_ROW && status->test_count < DARN_CAMPAIGN_TESTS) {
        status->tests =
            darn_grow(status->tests, &room, status->test_count + 1, sizeof(*status->tests));
        status->tests[status->test_count++] = (struct darn_campaign_test_status){
            .name = text_at(statement, 0),
            .rounds = sqlite3_column_int64(statement, 1),
            .failed = sqlite3_column_int64(statement, 2),
            .hung = sqlite3_column_int64(statement, 3),
            .unfit = sqlite3_column_int64(statement, 4),
            .plain = sqlite3_column_int64(statement, 5),
            .plain_failed = sqlite3_column_int64(statement, 6),
            .coverage = sqlite3_column_int64(statement, 7),
            .findings = sqlite3_column_int64(statement, 8),
            .seconds = sqlite3_column_double(statement, 9),
        };
    }
    sqlite3_finalize(statement);
    return 0;
}

/* Settings that are the same are added up first: there are fewer of them than rounds. The first
 * round of a test in a mode shows nearly everything, whatever its setting: it would speak for that.
 */
static const char by_value[] =
    "SELECT mode, key, value, sum(n), sum(worth)/max(sum(s), 0.001) FROM"
    " (SELECT mode, setting, count(*) AS n, sum(coverage_new + 20*findings_new) AS worth,"
    "  sum(seconds) AS s FROM rounds WHERE mode<>'plain' AND (shard, number) NOT IN"
    "  (SELECT shard, min(number) FROM rounds GROUP BY test, mode, shard)"
    "  GROUP BY mode, setting) AS grouped,"
    " json_each(setting) GROUP BY mode, key, value ORDER BY mode, key, 5 DESC";

static int read_helps(struct darn_campaign_store *store, struct darn_campaign_status *status)
{
    sqlite3_stmt *statement = NULL;
    size_t room = 0;

    if (sqlite3_prepare_v2(store->database, by_value, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        status->helps =
            darn_grow(status->helps, &room, status->help_count + 1, sizeof(*status->helps));
        status->helps[status->help_count++] = (struct darn_campaign_help){
            .mode = text_at(statement, 0),
            .name = text_at(statement, 1),
            .value = text_at(statement, 2),
            .rounds = sqlite3_column_int64(statement, 3),
            .gain = sqlite3_column_double(statement, 4),
        };
    }
    sqlite3_finalize(statement);
    return 0;
}

static int64_t number(struct darn_campaign_store *store, const char *sql)
{
    return (int64_t)darn_campaign_store_number(store, sql, NULL);
}

static void read_coverage(struct darn_campaign_store *store, struct darn_campaign_status *status)
{
    static const char counts[] =
        "SELECT count(*), sum(n=1), sum(n=2) FROM"
        " (SELECT sum(seen) AS n FROM coverage GROUP BY kind, first, second)";
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(store->database, counts, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        status->coverage = sqlite3_column_int64(statement, 0);
        status->once = sqlite3_column_int64(statement, 1);
        status->twice = sqlite3_column_int64(statement, 2);
    }
    sqlite3_finalize(statement);
}

int darn_campaign_status(struct darn_campaign_store *store, struct darn_campaign_status *status)
{
    static const char findings[] =
        "SELECT count(DISTINCT id) FROM findings JOIN sightings USING(id)"
        " WHERE " DARN_CAMPAIGN_COUNTS,
                      confirmed[] =
                          "SELECT count(DISTINCT id) FROM findings JOIN sightings USING(id)"
                          " WHERE certainty='confirmed' AND " DARN_CAMPAIGN_COUNTS;

    *status = (struct darn_campaign_status){0};
    status->shards = number(store, "SELECT count(DISTINCT shard) FROM rounds");
    status->findings = number(store, findings);
    status->confirmed = number(store, confirmed);
    read_coverage(store, status);
    if (read_tests(store, status) || read_helps(store, status)) {
        darn_campaign_status_free(status);
        return darn_tell_refusal(store->listener, "%s: %s", store->path,
                                 sqlite3_errmsg(store->database));
    }
    for (size_t i = 0; i < status->test_count; i++) {
        status->rounds += status->tests[i].rounds;
        status->plain += status->tests[i].plain;
        status->seconds += status->tests[i].seconds;
    }
    return 0;
}

void darn_campaign_status_free(struct darn_campaign_status *status)
{
    for (size_t i = 0; i < status->test_count; i++)
        free(status->tests[i].name);
    for (size_t i = 0; i < status->help_count; i++) {
        free(status->helps[i].mode);
        free(status->helps[i].name);
        free(status->helps[i].value);
    }
    free(status->tests);
    free(status->helps);
    *status = (struct darn_campaign_status){0};
}

const char *darn_campaign_remark(const struct darn_campaign_test_status *test)
{
    if (test->plain_failed && test->plain_failed == test->plain)
        return "fails without noise, too, each time";
    if (test->plain_failed)
        return "flaky: it fails without noise, too";
    if (test->hung)
        return "hangs at times";
    if (test->rounds == test->plain)
        return "was only run without noise so far";
    if (!test->coverage && !test->findings)
        return "shows nothing";
    return "";
}

double darn_campaign_rounds_to_new(const struct darn_campaign_status *status)
{
    return status->once ? (double)(status->rounds - status->plain) / (double)status->once : 0;
}

void darn_campaign_outlook(const struct darn_campaign_status *status, const char *round, char *text,
                           size_t size)
{
    double wait = darn_campaign_rounds_to_new(status);

    if (wait >= 1)
        snprintf(text, size, "a new one about every %.1f %ss, %.0f in all at least", wait, round,
                 darn_campaign_coverage_in_all(status));
    else
        snprintf(text, size, "about %.1f new ones in a %s, %.0f in all at least", 1 / wait, round,
                 darn_campaign_coverage_in_all(status));
}

double darn_campaign_coverage_in_all(const struct darn_campaign_status *status)
{
    double once = (double)status->once, twice = (double)status->twice;

    /* The form of Chao2 without its bias, which needs nobody to be seen twice. */
    return (double)status->coverage + once * (once - 1) / (2 * (twice + 1));
}
