/*
 * The schedules of the proofs become as short as they can be: at once as far as that is soon done,
 * so that what is told is short, and in the last stage of the hunt with the time that is left.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "driver/hunt/confirmed.h"
#include "driver/hunt/hunt.h"
#include "driver/play/kept.h"
#include "driver/play/shrinking.h"

#define MOST_SECONDS 10.0 /* for one schedule */

/* Of the whole time, for all that is shrunk at once; one gets this part of what is left of it. */
#define AT_ONCE 0.2
#define ONE     0.25

#define LEAST_SECONDS 0.01 /* with less it is not begun */

/* One that could not be kept has no schedule. */
static bool is_to_shrink(const json_t *entry)
{
    return darn_index_is_proof(entry) && json_object_get(entry, "schedule") &&
           !darn_index_is_shrunk(entry);
}

/* In the map of what was told. */
static uintptr_t key_of(const json_t *entry)
{
    return darn_hash_string(DARN_HASH_START, darn_index_id(entry)) | 1;
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

/* As the entry says it: a schedule that was cut where the threads meet has another count up to
 * there than up to its end, and only one of the two may be added up. */
static struct darn_switch_count count_of_entry(const json_t *entry)
{
    return (struct darn_switch_count){
        .switches = (uint64_t)json_integer_value(json_object_get(entry, "switches")),
        .preemptions = (uint64_t)json_integer_value(json_object_get(entry, "preemptions")),
    };
}

/* Whether this hunt has shrunk it before, as far as there was time. Then it was told, too: one of
 * an earlier hunt was not. */
static bool is_begun(const struct darn_hunt *hunt, const json_t *entry)
{
    return json_object_get(entry, "shrunk") && darn_map_get(&hunt->told, key_of(entry), 0);
}

/* Adds to what was shrunk. What was begun before is in there already, up to where it came. */
static void add_counts(struct darn_shrunk *shrunk, struct darn_switch_count before,
                       struct darn_switch_count after, bool begun)
{
    if (!begun) {
        shrunk->count++;
        shrunk->before.switches += before.switches;
        shrunk->before.preemptions += before.preemptions;
    } else {
        shrunk->after.switches -= before.switches;
        shrunk->after.preemptions -= before.preemptions;
    }
    shrunk->after.switches += after.switches;
    shrunk->after.preemptions += after.preemptions;
}

/* Half of the time is for shrinking, half for seeing that the result replays. */
static void shrink(struct darn_hunt *hunt, struct darn_player *player, json_t *entry,
                   double seconds)
{
    static struct darn_kept kept;
    struct darn_shrinking shrinking = {
        .player = player, .stop = stop, .context = hunt, .listener = hunt->listener};
    double start = darn_clock();
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/%s", hunt->directory, darn_index_directory(entry));
    if (darn_kept_open(&kept, hunt->listener, path))
        return;
    shrinking.symptom = kept.symptom;
    shrinking.schedule = kept.schedule; /* its own from now on */
    shrinking.until = start + seconds / 2;
    darn_server_set_until(player->server, start + seconds);
    if (darn_shrink(&shrinking) &&
        darn_hunt_replays(hunt, player, shrinking.schedule, &kept.symptom)) {
        struct darn_switch_count before = count_of_entry(entry);
        bool begun = is_begun(hunt, entry);

        darn_hunt_keep_shrunk(hunt, player, entry, shrinking.schedule, &kept.symptom,
                              shrinking.in_time);
        add_counts(&hunt->shrunk, before, count_of_entry(entry), begun);
    }
    darn_server_set_until(player->server, hunt->stage_until);
    hunt->runs += shrinking.runs;
    hunt->shrunk.seconds += darn_clock() - start;
    kept.schedule = shrinking.schedule;
    darn_kept_close(&kept);
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* What is told of soon has a share of its own: many findings must not eat up the hunt. */
static void shrink_at_once(struct darn_hunt *hunt, struct darn_player *player, json_t *entry)
{
    double share = (hunt->until - hunt->started) * AT_ONCE - hunt->shrunk.seconds;
    double seconds = lesser(lesser(share * ONE, MOST_SECONDS), darn_hunt_left(hunt) / 2);

    if (!hunt->options.no_shrink && is_to_shrink(entry) && seconds > LEAST_SECONDS &&
        !darn_hunt_is_interrupted(hunt))
        shrink(hunt, player, entry, seconds);
}

void darn_hunt_tell(struct darn_hunt *hunt, struct darn_player *player, json_t *entry)
{
    uintptr_t key = key_of(entry);
    const json_t *outcomes = json_object_get(entry, "outcomes");
    struct darn_confirmed confirmed = {.index = &hunt->index, .entry = entry, .name = hunt->name};

    if (darn_map_get(&hunt->told, key, 0))
        confirmed.more = json_string_value(json_array_get(outcomes, 0));
    shrink_at_once(hunt, player, entry);
    if (hunt->listener && hunt->listener->confirmed)
        hunt->listener->confirmed(hunt->listener, &confirmed);
    darn_map_put(&hunt->told, key, 1);
}

static void say_shrunk(struct darn_hunt *hunt)
{
    const struct darn_shrunk *shrunk = &hunt->shrunk;

    if (shrunk->count)
        darn_tell_note(
            hunt->listener,
            "shrink: %zu schedule%s, preemptions %llu -> %llu, context switches %llu -> %llu "
            "(%.1f s)",
            shrunk->count, shrunk->count == 1 ? "" : "s",
            (unsigned long long)shrunk->before.preemptions,
            (unsigned long long)shrunk->after.preemptions,
            (unsigned long long)shrunk->before.switches, (unsigned long long)shrunk->after.switches,
            shrunk->seconds);
}

int darn_hunt_shrink(struct darn_hunt *hunt)
{
    size_t i, left = count_left(hunt);
    json_t *entry;

    if (hunt->options.no_shrink)
        return 0;
    json_array_foreach(hunt->index.entries, i, entry)
    {
        double seconds = left ? darn_hunt_left(hunt) / (double)left : 0;

        if (!is_to_shrink(entry) || darn_hunt_is_interrupted(hunt))
            continue;
        left -= left > 0;
        if (seconds > LEAST_SECONDS)
            shrink(hunt, &hunt->exploration.players[0], entry, lesser(seconds, MOST_SECONDS));
    }
    say_shrunk(hunt);
    return 0;
}
