/*
 * The database of a campaign: SQLite in WAL mode, one file, docs/campaign-format.md. What was put
 * in is there whoever is killed when. One process writes it at a time.
 *
 * Rounds are counted by shard: what one process has done under one name. So databases of several
 * machines can be merged, and merging the same twice changes nothing.
 */
#ifndef DARN_DRIVER_CAMPAIGN_STORE_H
#define DARN_DRIVER_CAMPAIGN_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/campaign/campaign_facts.h"
#include "driver/process/listener.h"

struct darn_campaign_store {
    sqlite3 *database;
    struct darn_listener *listener;
    char *path;
    char *shard;                      /* the one that new rounds belong to */
    int64_t round;                    /* the last number of it */
    struct darn_campaign_facts facts; /* that its rounds have seen */
    sqlite3_stmt *add_round, *add_fact, *see_fact, *add_site, *add_finding, *see_finding;
};

enum darn_campaign_open {
    DARN_CAMPAIGN_MAKE,  /* it is made if it is not there */
    DARN_CAMPAIGN_WRITE, /* it must be there */
    DARN_CAMPAIGN_LOOK,  /* the same, and nothing is changed, but that an old one is upgraded */
};

/* A database that is damaged, is that of a newer darn or something else is refused. `shard` names
 * the rounds of a new one; NULL: a name that no other has. 0 or DARN_REFUSED. */
int darn_campaign_store_open(struct darn_campaign_store *store, struct darn_listener *listener,
                             const char *path, enum darn_campaign_open how, const char *shard);
void darn_campaign_store_close(struct darn_campaign_store *store);

/* A finding as a round has reported it. */
struct darn_campaign_sighting {
    char *id, *kind, *certainty, *title, *json, *schedule; /* schedule: its text, or NULL */
    bool is_new;                                           /* set by the store */
};

/* A round that is over. */
struct darn_campaign_round {
    const char *test, *mode, *setting, *by, *outcome, *detail;
    uint64_t seed;
    double started; /* seconds since 1970 */
    double seconds;
    int status;
    const struct darn_campaign_coverage *coverage;
    struct darn_campaign_sighting *findings;
    size_t finding_count;
    int64_t coverage_new, findings_new; /* set by the store */
};

/* All of it or nothing. 0, or a negative errno: -ENOSPC when the disk is full. */
int darn_campaign_store_round(struct darn_campaign_store *store, struct darn_campaign_round *round);

/* What earlier rounds were worth, the oldest first; only the last `most`. */
struct darn_campaign_past {
    const char *test, *mode, *setting, *by, *outcome;
    double seconds;
    int64_t coverage_new, findings_new;
};
int darn_campaign_store_past(struct darn_campaign_store *store, int most,
                             void (*visit)(void *context, const struct darn_campaign_past *past),
                             void *context);

/* Of findings and their sightings: a test that fails, and that fails without noise as well, which
 * often comes out later, is none. */
#define DARN_CAMPAIGN_COUNTS                                                                       \
    "NOT (kind='failure' AND json_extract(json, '$.engine') IS 'campaign' AND test IN"                \
    " (SELECT test FROM rounds WHERE mode='plain' AND outcome<>'passed'))"

/* All findings, the oldest first, as JSON. */
struct darn_campaign_known {
    const char *id, *kind, *certainty, *title, *json, *schedule, *test;
    int64_t count;
    double first;
};
int darn_campaign_store_findings(struct darn_campaign_store *store,
                                 void (*visit)(void *context,
                                               const struct darn_campaign_known *known),
                                 void *context);

/* One number: SELECT …; 0 when there is none. */
double darn_campaign_store_number(struct darn_campaign_store *store, const char *sql,
                                  const char *text);

/* Puts in all that another one has; what is there already stays. 0 or DARN_REFUSED. */
int darn_campaign_store_merge(struct darn_campaign_store *store, const char *path);

/* campaign_schema.c: makes or upgrades the tables. 0 or an SQLite error. */
#define DARN_CAMPAIGN_SCHEMA 1
int darn_campaign_schema(sqlite3 *database, int from);

#endif
