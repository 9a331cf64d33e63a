/* The tables of the database (docs/campaign-format.md). */
#include "driver/campaign/campaign_store.h"

/* Each brings the version before it up by one; it is never changed once it is released. */
static const char *const upgrades[DARN_CAMPAIGN_SCHEMA] = {
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE rounds(shard TEXT NOT NULL, number INTEGER NOT NULL, test TEXT NOT NULL,"
    " mode TEXT NOT NULL, setting TEXT NOT NULL, chosen_by TEXT NOT NULL, seed INTEGER NOT NULL,"
    " started REAL NOT NULL, seconds REAL NOT NULL, outcome TEXT NOT NULL, status INTEGER NOT NULL,"
    " detail TEXT, coverage_new INTEGER NOT NULL, findings_new INTEGER NOT NULL,"
    " PRIMARY KEY(shard, number)) WITHOUT ROWID;"
    "CREATE INDEX rounds_by_test ON rounds(test, mode, outcome);"
    "CREATE TABLE sites(key INTEGER PRIMARY KEY, place TEXT NOT NULL);"
    "CREATE TABLE coverage(kind INTEGER NOT NULL, first INTEGER NOT NULL, second INTEGER NOT NULL,"
    " shard TEXT NOT NULL, number INTEGER NOT NULL, started REAL NOT NULL, seen INTEGER NOT NULL,"
    " PRIMARY KEY(kind, first, second, shard)) WITHOUT ROWID;"
    "CREATE TABLE findings(id TEXT PRIMARY KEY, kind TEXT NOT NULL, certainty TEXT NOT NULL,"
    " title TEXT NOT NULL, json TEXT NOT NULL, schedule TEXT) WITHOUT ROWID;"
    "CREATE TABLE sightings(id TEXT NOT NULL, shard TEXT NOT NULL, test TEXT NOT NULL,"
    " number INTEGER NOT NULL, started REAL NOT NULL, seen INTEGER NOT NULL,"
    " PRIMARY KEY(id, shard, test)) WITHOUT ROWID;",
};

int darn_campaign_schema(sqlite3 *database, int from)
{
    char version[64];
    int result = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);

    for (int i = from; result == SQLITE_OK && i < DARN_CAMPAIGN_SCHEMA; i++)
        result = sqlite3_exec(database, upgrades[i], NULL, NULL, NULL);
    sqlite3_snprintf(sizeof(version), version, "PRAGMA user_version=%d", DARN_CAMPAIGN_SCHEMA);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, version, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK)
        sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
    return result;
}
