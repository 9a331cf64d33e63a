/*
 * Shrinking a schedule that shows a bug: the fewest preemptions, then the fewest switches, that
 * still show the same one.
 */
#ifndef DARN_CLI_SHRINKING_H
#define DARN_CLI_SHRINKING_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/process/wall_clock.h"
#include "driver/play/player.h"
#include "search/switches.h"

struct darn_shrinking {
    struct darn_player *player;
    struct darn_symptom symptom;
    double until;                   /* darn_clock */
    bool (*stop)(void *context);    /* asked between the runs; NULL: never */
    void *context;                  /* of stop */
    struct darn_schedule *schedule; /* replaced by the shrunk one, if that is better */
    /* What became of it. */
    struct darn_switch_count before, after;
    uint64_t runs;
    bool in_time; /* the result cannot be made smaller by leaving out a switch */
};

/* False when the schedule does not show the bug when it is replayed; it is unchanged then. After it
 * the player's last run is that of the schedule. */
bool darn_shrink(struct darn_shrinking *shrinking);

#endif
