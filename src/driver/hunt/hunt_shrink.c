/*
 * The last stage: the schedules of the proofs become as short as they can be.
 */
#include <stdio.h>
#include <string.h>

#include "driver/hunt/hunt.h"
#include "driver/play/kept.h"
#include "driver/play/shrinking.h"

#define MOST_SECONDS  10.0
#define LEAST_SECONDS 1.0 /* also when the time of the hunt is over */

/* One that could not be kept has no schedule. */
static bool is_to_shrink(const json_t *entry)
{
    return darn_index_is_proof(entry) && json_object_get(entry, "schedule") &&
           !json_is_true(json_object_get(entry, "shrunk"));
}

static size_t count_left(const struct darn_hunt *hunt)
{
    size_t i, count = 0;
    json_t *entry;

    json_array_foreach(hunt->index.entries, i, entry)
    {
        count += is_to_shrink(entry);
    }
    return count;
}

static bool stop(void *context)
{
    return darn_hunt_is_interrupted(context);
}

/* What is left is for all that are left. */
static double limit_of(const struct darn_hunt *hunt)
{
    double share = darn_hunt_left(hunt) / (double)(count_left(hunt) + 1);

    return share < LEAST_SECONDS ? LEAST_SECONDS : share > MOST_SECONDS ? MOST_SECONDS : share;
}

/* Adds to `before` and `after` if the proof could be shrunk. */
static void shrink(struct darn_hunt *hunt, json_t *entry, struct darn_switch_count *before,
                   struct darn_switch_count *after)
{
    static struct darn_kept kept;
    struct darn_player *player = &hunt->exploration.players[0];
    struct darn_shrinking shrinking = {.player = player, .stop = stop, .context = hunt};
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/%s", hunt->directory,
             json_string_value(json_object_get(entry, "directory")));
    if (darn_kept_open(&kept, "hunt", path))
        return;
    shrinking.symptom = kept.symptom;
    shrinking.schedule = kept.schedule; /* its own from now on */
    shrinking.until = darn_clock() + limit_of(hunt);
    if (darn_shrink(&shrinking) &&
        darn_hunt_replays(hunt, player, shrinking.schedule, &kept.symptom)) {
        before->switches += shrinking.before.switches;
        before->preemptions += shrinking.before.preemptions;
        after->switches += shrinking.after.switches;
        after->preemptions += shrinking.after.preemptions;
        darn_hunt_keep_shrunk(hunt, player, entry, shrinking.schedule);
    }
    hunt->runs += shrinking.runs;
    kept.schedule = shrinking.schedule;
    darn_kept_close(&kept);
}

int darn_hunt_shrink(struct darn_hunt *hunt)
{
    struct darn_switch_count before = {0, 0}, after = {0, 0};
    double start = darn_clock();
    size_t i, count = count_left(hunt);
    json_t *entry;

    if (hunt->line.no_shrink || !count || darn_hunt_is_interrupted(hunt))
        return 0;
    json_array_foreach(hunt->index.entries, i, entry)
    {
        if (is_to_shrink(entry) && !darn_hunt_is_interrupted(hunt))
            shrink(hunt, entry, &before, &after);
    }
    darn_hunt_say(hunt,
                  "shrink: %zu schedule%s, preemptions %llu -> %llu, context switches %llu -> %llu "
                  "(%.1f s)",
                  count, count == 1 ? "" : "s", (unsigned long long)before.preemptions,
                  (unsigned long long)after.preemptions, (unsigned long long)before.switches,
                  (unsigned long long)after.switches, darn_clock() - start);
    return 0;
}
