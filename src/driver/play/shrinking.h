/*
 * Shrinking a schedule that shows a bug: the fewest preemptions, then the fewest switches, that
 * still show the same one. The schedule of what threads met ends there, if the run leads to the
 * same without being told who goes on.
 */
#ifndef DARN_DRIVER_SHRINKING_H
#define DARN_DRIVER_SHRINKING_H

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
    struct darn_listener *listener; /* of the progress; NULL: nobody */
    struct darn_schedule *schedule; /* replaced by the shrunk one, if that is better */
    /* What became of it. */
    struct darn_switch_count before, after;
    uint64_t runs;
    double shown; /* when the progress was told last */
    bool in_time; /* the result cannot be made smaller by leaving out a switch */
    /* While it is being shrunk (shrinking_private.h). */
    bool cuts;     /* the schedule ends where the threads have met, and `tail` steps later */
    bool looks_on; /* each run is made up to its end, to see that it leads to the same */
    uint64_t tail;
    uint64_t steps;              /* of the player's last run: those that the schedule is to have */
    uint64_t whole;              /* how many steps a run may make that is to end as the bug does, */
    uint64_t part;               /* and one that need not */
    struct darn_schedule *first; /* to go back to */
};

/* False when the schedule does not show the bug when it is replayed; it is unchanged then. After it
 * the player's last run is that of the schedule. */
bool darn_shrink(struct darn_shrinking *shrinking);

/* The run of the schedule, but at its essential step the other thread goes on. False when no such
 * run can be made. */
bool darn_play_otherwise(struct darn_player *player, const struct darn_schedule *schedule);

#endif
