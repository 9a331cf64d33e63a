#include "driver/campaign/campaign_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define APPLICATION 0x6461726e /* "darn" */
#define BUSY_MS     10000

static int refuse(const struct darn_campaign_store *store)
{
    return darn_tell_refusal(store->listener, "%s: %s", store->path,
                             sqlite3_errmsg(store->database));
}

static int run(struct darn_campaign_store *store, const char *sql)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL);
}

double darn_campaign_store_number(struct darn_campaign_store *store, const char *sql,
                                  const char *text)
{
    sqlite3_stmt *statement = NULL;
    double number = 0;

    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK) {
        if (text)
            sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            number = sqlite3_column_double(statement, 0);
    }
    sqlite3_finalize(statement);
    return number;
}

/* Whether quick_check has nothing to say. */
static bool is_sound(struct darn_campaign_store *store)
{
    sqlite3_stmt *statement = NULL;
    bool sound = false;

    if (sqlite3_prepare_v2(store->database, "PRAGMA quick_check(1)", -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        sound = strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    sqlite3_finalize(statement);
    return sound;
}

/* What the file is: its version, 0 when it is empty, or DARN_REFUSED. */
static int check(struct darn_campaign_store *store)
{
    sqlite3_stmt *statement = NULL;
    int tables, version, application;

    if (sqlite3_prepare_v2(store->database, "SELECT count(*) FROM sqlite_master", -1, &statement,
                           NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        return refuse(store);
    }
    tables = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    version = (int)darn_campaign_store_number(store, "PRAGMA user_version", NULL);
    application = (int)darn_campaign_store_number(store, "PRAGMA application_id", NULL);
    if (!tables && !version)
        return 0;
    if (application != APPLICATION)
        return darn_tell_refusal(store->listener, "%s: this is a database, but not of a campaign",
                                 store->path);
    if (version > DARN_CAMPAIGN_SCHEMA)
        return darn_tell_refusal(store->listener,
                                 "%s: a newer darn has made it (version %d, this one knows %d)",
                                 store->path, version, DARN_CAMPAIGN_SCHEMA);
    if (!is_sound(store))
        return darn_tell_refusal(store->listener,
                                 "%s: the database is damaged; sqlite3's .recover "
                                 "may save a part of it",
                                 store->path);
    return version;
}

static char *random_name(void)
{
    uint64_t number = 0;
    char *name = NULL;

    if (getrandom(&number, sizeof(number), 0) != sizeof(number) ||
        asprintf(&name, "%016llx", (unsigned long long)number) < 0)
        abort();
    return name;
}

/* The name of the shard, which the first to come writes down. */
static int settle_shard(struct darn_campaign_store *store, const char *shard)
{
    sqlite3_stmt *statement = NULL;
    char *own = shard ? strdup(shard) : random_name();
    int result = sqlite3_prepare_v2(
        store->database, "INSERT OR IGNORE INTO meta VALUES('shard', ?1)", -1, &statement, NULL);

    if (result == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, own, -1, SQLITE_STATIC);
        result = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    }
    sqlite3_finalize(statement);
    free(own);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(store->database, "SELECT value FROM meta WHERE name='shard'",
                                    -1, &statement, NULL);
    if (result == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        store->shard = strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return store->shard ? 0 : refuse(store);
}

static int load_facts(struct darn_campaign_store *store)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->database,
                                    "SELECT kind, first, second, seen, shard=?1 FROM coverage", -1,
                                    &statement, NULL);

    if (result != SQLITE_OK)
        return refuse(store);
    sqlite3_bind_text(statement, 1, store->shard, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        struct darn_campaign_fact fact = {(uint32_t)sqlite3_column_int(statement, 0),
                                          (uint64_t)sqlite3_column_int64(statement, 1),
                                          (uint64_t)sqlite3_column_int64(statement, 2)};

        int seen = sqlite3_column_int(statement, 3);

        *darn_campaign_facts_at(&store->facts, &fact) |=
            !sqlite3_column_int(statement, 4) ? DARN_CAMPAIGN_ELSEWHERE
            : seen < DARN_CAMPAIGN_OFTEN      ? (uint8_t)seen
                                              : DARN_CAMPAIGN_OFTEN;
    }
    sqlite3_finalize(statement);
    return 0;
}

static int prepare(struct darn_campaign_store *store)
{
    const struct {
        sqlite3_stmt **statement;
        const char *sql;
    } all[] = {
        {&store->add_round,
         "INSERT INTO rounds VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,0,0)"},
        {&store->add_fact, "INSERT OR IGNORE INTO coverage VALUES(?1,?2,?3,?4,?5,?6,1)"},
        {&store->see_fact, "UPDATE coverage SET seen=?5 WHERE kind=?1 AND first=?2 AND second=?3"
                           " AND shard=?4"},
        {&store->add_site, "INSERT OR IGNORE INTO sites VALUES(?1,?2)"},
        {&store->add_finding,
         "INSERT INTO findings VALUES(?1,?2,?3,?4,?5,?6) ON CONFLICT(id) DO UPDATE SET"
         " certainty=excluded.certainty, title=excluded.title, json=excluded.json,"
         " schedule=excluded.schedule WHERE excluded.certainty='confirmed' AND "
         "certainty<>'confirmed'"
         " OR excluded.certainty='observed' AND certainty='predicted'"},
        {&store->see_finding,
         "INSERT INTO sightings VALUES(?1,?2,?3,?4,?5,1) ON CONFLICT DO UPDATE SET seen=seen+1"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (sqlite3_prepare_v3(store->database, all[i].sql, -1, SQLITE_PREPARE_PERSISTENT,
                               all[i].statement, NULL) != SQLITE_OK)
            return refuse(store);
    return 0;
}

static int open_file(struct darn_campaign_store *store, enum darn_campaign_open how)
{
    int flags = SQLITE_OPEN_READWRITE | (how == DARN_CAMPAIGN_MAKE ? SQLITE_OPEN_CREATE : 0);
    int version, result = sqlite3_open_v2(store->path, &store->database, flags, NULL);

    if (result != SQLITE_OK)
        return darn_tell_refusal(store->listener, "%s: %s", store->path,
                                 store->database ? sqlite3_errmsg(store->database) : "no memory");
    sqlite3_busy_timeout(store->database, BUSY_MS);
    version = check(store);
    if (version < 0)
        return version;
    /* What a killed process has written stays: only a machine that stops may lose the last rounds.
     */
    if (run(store, "PRAGMA journal_mode=WAL") || run(store, "PRAGMA synchronous=NORMAL"))
        return refuse(store);
    if (!version && how != DARN_CAMPAIGN_MAKE)
        return darn_tell_refusal(store->listener, "%s: it is empty", store->path);
    if (!version && run(store, "PRAGMA application_id=1684107886"))
        return refuse(store);
    if (version < DARN_CAMPAIGN_SCHEMA && darn_campaign_schema(store->database, version))
        return refuse(store);
    return 0;
}

int darn_campaign_store_open(struct darn_campaign_store *store, struct darn_listener *listener,
                             const char *path, enum darn_campaign_open how, const char *shard)
{
    int result;

    *store = (struct darn_campaign_store){.listener = listener, .path = strdup(path)};
    result = open_file(store, how);
    if (!result && how != DARN_CAMPAIGN_LOOK) {
        result = settle_shard(store, shard);
        if (!result)
            result = load_facts(store);
        if (!result)
            result = prepare(store);
        if (!result)
            store->round = (int64_t)darn_campaign_store_number(
                store, "SELECT max(number) FROM rounds WHERE shard=?1", store->shard);
    }
    if (result)
        darn_campaign_store_close(store);
    return result;
}

void darn_campaign_store_close(struct darn_campaign_store *store)
{
    sqlite3_finalize(store->add_round);
    sqlite3_finalize(store->add_fact);
    sqlite3_finalize(store->see_fact);
    sqlite3_finalize(store->add_site);
    sqlite3_finalize(store->add_finding);
    sqlite3_finalize(store->see_finding);
    sqlite3_close(store->database);
    darn_campaign_facts_free(&store->facts);
    free(store->path);
    free(store->shard);
    *store = (struct darn_campaign_store){0};
}

int darn_campaign_store_past(struct darn_campaign_store *store, int most,
                             void (*visit)(void *context, const struct darn_campaign_past *past),
                             void *context)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(store->database,
                           "SELECT * FROM (SELECT test, mode, setting, chosen_by, outcome, seconds,"
                           " coverage_new, findings_new, started FROM rounds WHERE shard=?2"
                           " ORDER BY number DESC LIMIT ?1) ORDER BY started",
                           -1, &statement, NULL) != SQLITE_OK)
        return refuse(store);
    sqlite3_bind_int(statement, 1, most);
    sqlite3_bind_text(statement, 2, store->shard, -1, SQLITE_STATIC);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        struct darn_campaign_past past = {
            (const char *)sqlite3_column_text(statement, 0),
            (const char *)sqlite3_column_text(statement, 1),
            (const char *)sqlite3_column_text(statement, 2),
            (const char *)sqlite3_column_text(statement, 3),
            (const char *)sqlite3_column_text(statement, 4),
            sqlite3_column_double(statement, 5),
            sqlite3_column_int64(statement, 6),
            sqlite3_column_int64(statement, 7),
        };

        visit(context, &past);
    }
    sqlite3_finalize(statement);
    return 0;
}

int darn_campaign_store_findings(struct darn_campaign_store *store,
                                 void (*visit)(void *context,
                                               const struct darn_campaign_known *known),
                                 void *context)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(
            store->database,
            "SELECT id, kind, certainty, title, json, schedule, min(test),"
            " sum(seen), min(started) AS first FROM findings JOIN sightings USING(id)"
            " WHERE " DARN_CAMPAIGN_COUNTS " GROUP BY id ORDER BY first, id",
            -1, &statement, NULL) != SQLITE_OK)
        return refuse(store);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        struct darn_campaign_known known = {
            .id = (const char *)sqlite3_column_text(statement, 0),
            .kind = (const char *)sqlite3_column_text(statement, 1),
            .certainty = (const char *)sqlite3_column_text(statement, 2),
            .title = (const char *)sqlite3_column_text(statement, 3),
            .json = (const char *)sqlite3_column_text(statement, 4),
            .schedule = (const char *)sqlite3_column_text(statement, 5),
            .test = (const char *)sqlite3_column_text(statement, 6),
            .count = sqlite3_column_int64(statement, 7),
            .first = sqlite3_column_double(statement, 8),
        };

        visit(context, &known);
    }
    sqlite3_finalize(statement);
    return 0;
}
