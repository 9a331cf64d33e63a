/* Putting a round into the database: one transaction, in which its coverage and its findings find
 * out what of them is new. */
#include <errno.h>
#include <string.h>

#include "driver/campaign/campaign_store.h"

static int step(sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);

    sqlite3_reset(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static int put_round(struct darn_campaign_store *store, const struct darn_campaign_round *round,
                     int64_t number)
{
    sqlite3_stmt *to = store->add_round;

    bind_text(to, 1, store->shard);
    sqlite3_bind_int64(to, 2, number);
    bind_text(to, 3, round->test);
    bind_text(to, 4, round->mode);
    bind_text(to, 5, round->setting);
    bind_text(to, 6, round->by);
    sqlite3_bind_int64(to, 7, (int64_t)round->seed);
    sqlite3_bind_double(to, 8, round->started);
    sqlite3_bind_double(to, 9, round->seconds);
    bind_text(to, 10, round->outcome);
    sqlite3_bind_int(to, 11, round->status);
    bind_text(to, 12, round->detail);
    return step(to);
}

static int put_fact(struct darn_campaign_store *store, const struct darn_campaign_round *round,
                    int64_t number, const struct darn_campaign_fact *fact, uint8_t seen)
{
    sqlite3_stmt *to = seen ? store->see_fact : store->add_fact;

    sqlite3_bind_int64(to, 1, fact->kind);
    sqlite3_bind_int64(to, 2, (int64_t)fact->first);
    sqlite3_bind_int64(to, 3, (int64_t)fact->second);
    bind_text(to, 4, store->shard);
    if (seen) {
        sqlite3_bind_int(to, 5, seen + 1);
    } else {
        sqlite3_bind_int64(to, 5, number);
        sqlite3_bind_double(to, 6, round->started);
    }
    return step(to);
}

/* The counts in memory are those of the database once the transaction is through (raise_counts). */
static int put_coverage(struct darn_campaign_store *store, struct darn_campaign_round *round,
                        int64_t number)
{
    const struct darn_campaign_coverage *coverage = round->coverage;
    const struct darn_campaign_fact *facts = coverage->facts.items;
    int result = SQLITE_OK;

    round->coverage_new = 0;
    for (size_t i = 0; result == SQLITE_OK && i < coverage->facts.count; i++) {
        uint8_t known = *darn_campaign_facts_at(&store->facts, &facts[i]);
        uint8_t seen = known & (uint8_t)~DARN_CAMPAIGN_ELSEWHERE;

        if (seen < DARN_CAMPAIGN_OFTEN)
            result = put_fact(store, round, number, &facts[i], seen);
        round->coverage_new += !known;
    }
    for (size_t i = 0; result == SQLITE_OK && round->coverage_new && i < coverage->site_count;
         i++) {
        sqlite3_bind_int64(store->add_site, 1, (int64_t)coverage->sites[i].key);
        bind_text(store->add_site, 2, coverage->sites[i].place);
        result = step(store->add_site);
    }
    return result;
}

static void raise_counts(struct darn_campaign_store *store,
                         const struct darn_campaign_coverage *coverage)
{
    for (size_t i = 0; i < coverage->facts.count; i++) {
        uint8_t *known = darn_campaign_facts_at(&store->facts, &coverage->facts.items[i]);

        *known += (*known & ~DARN_CAMPAIGN_ELSEWHERE) < DARN_CAMPAIGN_OFTEN;
    }
}

static int put_finding(struct darn_campaign_store *store, const struct darn_campaign_round *round,
                       int64_t number, struct darn_campaign_sighting *finding)
{
    int result;

    finding->is_new = !darn_campaign_store_number(
        store, "SELECT count(*) FROM findings WHERE id=?1", finding->id);
    bind_text(store->add_finding, 1, finding->id);
    bind_text(store->add_finding, 2, finding->kind);
    bind_text(store->add_finding, 3, finding->certainty);
    bind_text(store->add_finding, 4, finding->title);
    bind_text(store->add_finding, 5, finding->json);
    bind_text(store->add_finding, 6, finding->schedule);
    result = step(store->add_finding);
    bind_text(store->see_finding, 1, finding->id);
    bind_text(store->see_finding, 2, store->shard);
    bind_text(store->see_finding, 3, round->test);
    sqlite3_bind_int64(store->see_finding, 4, number);
    sqlite3_bind_double(store->see_finding, 5, round->started);
    return result == SQLITE_OK ? step(store->see_finding) : result;
}

static int put_gains(struct darn_campaign_store *store, const struct darn_campaign_round *round,
                     int64_t number)
{
    sqlite3_stmt *to = NULL;
    int result;

    if (!round->coverage_new && !round->findings_new)
        return SQLITE_OK;
    result = sqlite3_prepare_v2(store->database,
                                "UPDATE rounds SET coverage_new=?3, findings_new=?4"
                                " WHERE shard=?1 AND number=?2",
                                -1, &to, NULL);
    if (result == SQLITE_OK) {
        bind_text(to, 1, store->shard);
        sqlite3_bind_int64(to, 2, number);
        sqlite3_bind_int64(to, 3, round->coverage_new);
        sqlite3_bind_int64(to, 4, round->findings_new);
        result = step(to);
    }
    sqlite3_finalize(to);
    return result;
}

static int put_all(struct darn_campaign_store *store, struct darn_campaign_round *round,
                   int64_t number)
{
    int result = put_round(store, round, number);

    if (result == SQLITE_OK)
        result = put_coverage(store, round, number);
    round->findings_new = 0;
    for (size_t i = 0; result == SQLITE_OK && i < round->finding_count; i++) {
        result = put_finding(store, round, number, &round->findings[i]);
        round->findings_new += round->findings[i].is_new;
    }
    return result == SQLITE_OK ? put_gains(store, round, number) : result;
}

int darn_campaign_store_round(struct darn_campaign_store *store, struct darn_campaign_round *round)
{
    int result = sqlite3_exec(store->database, "BEGIN IMMEDIATE", NULL, NULL, NULL);

    if (result == SQLITE_OK)
        result = put_all(store, round, store->round + 1);
    if (result == SQLITE_OK)
        result = sqlite3_exec(store->database, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK) {
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
        return result == SQLITE_FULL ? -ENOSPC : -EIO;
    }
    store->round++;
    raise_counts(store, round->coverage);
    return 0;
}
