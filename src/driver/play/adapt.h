/*
 * A schedule in another build of its program, whose code has changed: threads give way to each
 * other at the same places, as far as these are there.
 *
 * What a thread does is known by its operation, its words (`lock a.mutex`), its function and its column, not by
 * its line or its address. The steps of each thread are compared with those of a run of the new
 * program (base/differ.h); the switches of the schedule go to the steps that are the same; the run
 * that comes of it is compared again, until the switches stay where they are.
 */
#ifndef DARN_DRIVER_ADAPT_H
#define DARN_DRIVER_ADAPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "driver/play/player.h"

struct darn_adapting {
    struct darn_player *player; /* of the other build */
    const struct darn_schedule *schedule;
    const json_t *story; /* of the schedule (docs/story-format.md) */
    /* Threads that meet so fail, too: the kind of finding and its variable. NULL: only how a run
     * ends says so. */
    const char *kind, *variable;
    size_t switches, made; /* of the schedule, and how many of them the last run has made */
    bool fails;            /* the last run does */
};

/* False when no run can be made. After it, the player's last run is the one that follows the
 * schedule. */
bool darn_adapt(struct darn_adapting *adapting);

#endif
