/*
 * What an exploration keeps of a schedule that fails: a copy in memory, as the next run takes the
 * place of this one, and a directory for darn replay (kept.h).
 */
#ifndef DARN_DRIVER_EXPLORE_KEEP_H
#define DARN_DRIVER_EXPLORE_KEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/process/listener.h"
#include "driver/explore/exploration.h"

struct darn_explore_text {
    char *text;
    size_t length;
};

/* A zeroed struct has nothing. */
struct darn_explore_snapshot {
    bool taken;
    struct darn_judged judged;
    struct darn_schedule *schedule; /* NULL without memory */
    struct darn_explore_text story;
    struct darn_explore_text steps, log; /* only with -o */
};

/* Of the last run of the player, unless it was taken already. */
void darn_explore_take(struct darn_explore_snapshot *snapshot,
                       const struct darn_exploration *exploration, struct darn_player *player);
void darn_explore_snapshot_free(struct darn_explore_snapshot *snapshot);

/* Makes the next directory, writes everything there, and tells the finding where its schedule is.
 * Nothing without -o. Warns when it cannot be written. */
void darn_explore_keep(const struct darn_explore_snapshot *snapshot,
                       struct darn_exploration *exploration, struct darn_finding *finding);

/* Whether -o can be used. 0, or DARN_REFUSED. */
int darn_explore_keep_check(struct darn_listener *listener, const char *directory);

#endif
