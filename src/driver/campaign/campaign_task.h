/*
 * A round that is under way: what was chosen becomes a command, an environment and files; when it
 * is over, what it has left becomes a round of the database.
 */
#ifndef DARN_DRIVER_CAMPAIGN_TASK_H
#define DARN_DRIVER_CAMPAIGN_TASK_H

#include "driver/campaign/campaign_child.h"
#include "driver/campaign/campaign_coverage.h"
#include "driver/campaign/campaign_choice.h"
#include "driver/campaign/campaign_harvest.h"

/* Where all rounds of a campaign work: beside the database, NAME.db.d. */
struct darn_campaign_place {
    struct darn_listener *listener;
    const struct darn_campaign *campaign;
    char directory[PATH_MAX];
    char darn[PATH_MAX]; /* the command */
    struct darn_campaign_calls calls;
};

int darn_campaign_place_open(struct darn_campaign_place *place, struct darn_listener *listener,
                             const struct darn_campaign *campaign, const char *database);

/* Removes a directory with all that is in it. */
void darn_campaign_remove(const char *directory);

struct darn_campaign_task {
    struct darn_campaign_choice choice;
    char directory[PATH_MAX]; /* of this round; removed behind it */
    char output[PATH_MAX], findings[PATH_MAX], coverage[PATH_MAX];
    char kept[PATH_MAX]; /* schedules of a hunt or an exploration */
    char *setting;
    struct darn_words command, environment;
    double started; /* seconds since 1970 */
    pid_t pid;
    struct darn_campaign_end *end; /* shared */
};

/* Starts it: `slot` tells it from those that are under way, `name` is its number. 0 or a negative
 * errno. */
int darn_campaign_task_start(const struct darn_campaign_place *place,
                             struct darn_campaign_task *task, unsigned slot, int64_t name,
                             uint32_t most_ms);

/* What came of it. `text` has room for the detail. */
void darn_campaign_task_read(struct darn_campaign_place *place,
                             const struct darn_campaign_task *task, bool is_flaky,
                             struct darn_campaign_harvest *harvest,
                             struct darn_campaign_round *round, char *text, size_t size);

/* After that. */
void darn_campaign_task_end(struct darn_campaign_task *task, bool keep);

#endif
