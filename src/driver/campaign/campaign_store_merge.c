/* Merging: what both have is the same, so what is there already stays. A count is that of one
 * shard, and only grows: the higher one is the later one. */
#include <stdlib.h>
#include <string.h>

#include "driver/campaign/campaign_store.h"

static const char merge[] =
    "BEGIN IMMEDIATE;"
    "INSERT OR IGNORE INTO rounds SELECT * FROM other.rounds;"
    "INSERT OR IGNORE INTO sites SELECT * FROM other.sites;"
    "INSERT INTO coverage SELECT * FROM other.coverage WHERE true"
    " ON CONFLICT DO UPDATE SET seen=max(seen, excluded.seen);"
    "INSERT INTO findings SELECT * FROM other.findings WHERE true"
    " ON CONFLICT(id) DO UPDATE SET certainty=excluded.certainty, title=excluded.title,"
    " json=excluded.json, schedule=excluded.schedule"
    " WHERE excluded.certainty='confirmed' AND certainty<>'confirmed'"
    " OR excluded.certainty='observed' AND certainty='predicted';"
    "INSERT INTO sightings SELECT * FROM other.sightings WHERE true"
    " ON CONFLICT DO UPDATE SET seen=max(seen, excluded.seen);"
    "COMMIT;";

static int attach(struct darn_campaign_store *store, const char *path)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(store->database, "ATTACH ?1 AS other", -1, &statement, NULL);

    if (result == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
        result = sqlite3_step(statement) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    }
    sqlite3_finalize(statement);
    return result;
}

int darn_campaign_store_merge(struct darn_campaign_store *store, const char *path)
{
    struct darn_campaign_store other;
    char *error = NULL;
    int result;

    /* It is checked, and upgraded, as one that is opened by itself. */
    result = darn_campaign_store_open(&other, store->listener, path, DARN_CAMPAIGN_LOOK, NULL);
    if (result)
        return result;
    darn_campaign_store_close(&other);
    result = attach(store, path);
    if (result == SQLITE_OK)
        result = sqlite3_exec(store->database, merge, NULL, NULL, &error);
    if (result != SQLITE_OK) {
        darn_tell_refusal(store->listener, "%s: cannot be merged: %s", path,
                          error ? error : sqlite3_errmsg(store->database));
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_free(error);
    sqlite3_exec(store->database, "DETACH other", NULL, NULL, NULL);
    return result == SQLITE_OK ? 0 : DARN_REFUSED;
}
