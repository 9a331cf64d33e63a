#include "driver/play/adapt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/differ.h"
#include "base/grow.h"
#include "base/hash.h"
#include "search/switches.h"

#define MOST_RUNS  8
#define LEARN_RUNS 10 /* as an exploration makes them */

/* What each thread does, step by step, as hashes of words. */
struct lane {
    uint64_t *acts;
    size_t count, room;
};

struct lanes {
    struct lane *list; /* by the number of the thread */
    size_t count, room;
};

/* While a schedule is adapted. */
struct adapting {
    struct darn_adapting *to;
    struct lanes before; /* what the schedule has */
    uint64_t *acts;      /* of all its steps, sorted */
    size_t act_count;
    uint64_t *strangers; /* keys of sites that do what is not in the schedule, sorted */
    size_t stranger_count, stranger_room;
};

static void free_lanes(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        free(lanes->list[i].acts);
    free(lanes->list);
    *lanes = (struct lanes){.count = 0};
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return darn_hash_bytes(hash, text, strlen(text) + 1);
}

/* Two locks may have one name: `mutex#2` is the second that a run came to, in another run the
 * first.
 */
static uint64_t hash_words(uint64_t hash, const char *words)
{
    return darn_hash_bytes(hash, words, strcspn(words, "#"));
}

static uint64_t act_of(const json_t *story, const json_t *deed)
{
    const json_t *number = json_object_get(deed, "place");
    const json_t *place = number ? json_array_get(json_object_get(story, "places"),
                                                  (size_t)json_integer_value(number))
                                 : NULL;
    uint64_t hash = hash_text(DARN_HASH_START, text_of(deed, "op"));

    hash = hash_text(hash_words(hash, text_of(deed, "text")), text_of(place, "function"));
    return darn_hash_number(hash, (uint32_t)json_integer_value(json_object_get(place, "column")));
}

/* The number in `T1 worker`. */
static size_t number_of(const json_t *story, size_t thread)
{
    const char *title = text_of(json_array_get(json_object_get(story, "threads"), thread), "title");

    return *title == 'T' ? strtoul(title + 1, NULL, 10) : SIZE_MAX;
}

static void read_lanes(const json_t *story, struct lanes *lanes)
{
    const json_t *steps = json_object_get(story, "steps"), *deeds = json_object_get(story, "deeds");

    for (size_t i = 0; i + 2 < json_array_size(steps); i += 3) {
        size_t thread = number_of(story, (size_t)json_integer_value(json_array_get(steps, i)));
        const json_t *deed =
            json_array_get(deeds, (size_t)json_integer_value(json_array_get(steps, i + 1)));
        struct lane *lane;

        if (thread >= DARN_BLOCK_STEPS || strcmp(text_of(deed, "op"), "wake") == 0)
            continue;
        lanes->list = darn_grow(lanes->list, &lanes->room, thread + 1, sizeof(*lanes->list));
        if (thread >= lanes->count)
            lanes->count = thread + 1;
        lane = &lanes->list[thread];
        lane->acts = darn_grow(lane->acts, &lane->room, lane->count + 1, sizeof(*lane->acts));
        lane->acts[lane->count++] = act_of(story, deed);
    }
}

static int by_number(const void *one, const void *other)
{
    const uint64_t *a = one, *b = other;

    return (*a > *b) - (*a < *b);
}

static bool has_number(const uint64_t *list, size_t count, uint64_t number)
{
    return count && bsearch(&number, list, count, sizeof(*list), by_number);
}

static void gather_acts(struct adapting *adapting)
{
    const struct lanes *lanes = &adapting->before;
    size_t count = 0;

    for (size_t i = 0; i < lanes->count; i++)
        count += lanes->list[i].count;
    adapting->acts = darn_need_zeroed(count, sizeof(*adapting->acts));
    for (size_t i = 0; i < lanes->count; i++)
        for (size_t j = 0; j < lanes->list[i].count; j++)
            adapting->acts[adapting->act_count++] = lanes->list[i].acts[j];
    qsort(adapting->acts, adapting->act_count, sizeof(*adapting->acts), by_number);
}

/* Accesses that the schedule has no step for are no scheduling points here either: steps could not
 * be compared with each other. Lines move, so the key of a site does not tell. */
static void note_strangers(struct adapting *adapting, const json_t *story)
{
    const struct darn_snapshot *snapshot = &adapting->to->player->snapshot;
    const json_t *steps = json_object_get(story, "steps"), *deeds = json_object_get(story, "deeds");
    bool *seen = darn_need_zeroed(json_array_size(deeds), sizeof(*seen));

    for (size_t i = 0; i < json_array_size(steps) / 3; i++) {
        size_t deed = (size_t)json_integer_value(json_array_get(steps, 3 * i + 1));
        const struct darn_step *step = &snapshot->block->steps[i];
        uint64_t key;

        if (deed >= json_array_size(deeds) || seen[deed] ||
            !darn_step_is_access((enum darn_step_op)step->op))
            continue;
        seen[deed] = true;
        key = darn_snapshot_site_key(snapshot, step->place);
        if (has_number(adapting->acts, adapting->act_count,
                       act_of(story, json_array_get(deeds, deed))) ||
            has_number(adapting->strangers, adapting->stranger_count, key))
            continue;
        adapting->strangers = darn_grow(adapting->strangers, &adapting->stranger_room,
                                        adapting->stranger_count + 1, sizeof(*adapting->strangers));
        adapting->strangers[adapting->stranger_count++] = key;
        qsort(adapting->strangers, adapting->stranger_count, sizeof(*adapting->strangers),
              by_number);
    }
    free(seen);
}

/* What the last run of the player has done. */
static void read_run(struct adapting *adapting, struct lanes *lanes)
{
    struct darn_player *player = adapting->to->player;
    char *text = NULL;
    size_t length = 0;
    FILE *out = darn_need_memory(open_memstream(&text, &length));
    json_t *story;

    player->snapshot.told = 0;
    darn_snapshot_story_json(&player->snapshot, out);
    fclose(out);
    story = json_loadb(text, length, 0, NULL);
    free(text);
    read_lanes(story, lanes);
    note_strangers(adapting, story);
    json_decref(story);
}

/* ---- where the switches go ---- */

struct lane_pair {
    const struct lane *before, *after;
};

static bool is_same(const struct darn_differ *differ, size_t x, size_t y)
{
    const struct lane_pair *pair = differ->context;

    return pair->before->acts[x] == pair->after->acts[y];
}

/* For each step of a thread the number of the same one in the run: of one that is not there, that
 * of the step behind the last that is. There is one more, for the end. */
static uint32_t *map_lane(const struct lane *before, const struct lane *after)
{
    struct lane_pair pair = {before, after};
    struct darn_differ differ = {
        .before = before->count, .after = after->count, .is_same = is_same, .context = &pair};
    uint32_t *to = darn_need_zeroed(before->count + 1, sizeof(*to)), behind = 0;
    size_t y = 0;

    darn_differ(&differ);
    for (size_t x = 0; x <= before->count; x++) {
        if (x == before->count || differ.gone[x]) {
            to[x] = behind;
            continue;
        }
        while (differ.added[y])
            y++;
        to[x] = (uint32_t)y++;
        behind = (uint32_t)y;
    }
    free(differ.gone);
    free(differ.added);
    return to;
}

/* Moves the switches. */
static void move(const struct darn_switch *from, size_t count, const struct lanes *before,
                 const struct lanes *after, struct darn_switch *to)
{
    static const struct lane none;
    uint32_t **maps = darn_need_zeroed(before->count, sizeof(*maps));

    for (size_t i = 0; i < before->count; i++)
        maps[i] = map_lane(&before->list[i], i < after->count ? &after->list[i] : &none);
    for (size_t i = 0; i < count; i++) {
        size_t thread = from[i].thread, last;

        to[i] = from[i];
        if (thread >= before->count)
            continue;
        last = before->list[thread].count;
        to[i].own = from[i].own <= last ? maps[thread][from[i].own]
                                        : maps[thread][last] + (from[i].own - (uint32_t)last);
    }
    for (size_t i = 0; i < before->count; i++)
        free(maps[i]);
    free(maps);
}

static struct darn_switch *switches_of(const struct darn_schedule *schedule, size_t *count)
{
    struct darn_step *steps = darn_need_zeroed(schedule->step_count, sizeof(*steps));
    struct darn_switch *switches;

    for (size_t i = 0; i < schedule->step_count; i++) {
        steps[i].thread = schedule->steps[i].thread;
        steps[i].op = schedule->steps[i].op;
        steps[i].flags = schedule->steps[i].flags;
    }
    switches = darn_switches_of(steps, schedule->step_count, count);
    free(steps);
    return switches;
}

static int by_bytes(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct darn_switch));
}

static size_t count_made(const struct darn_player *player, const struct darn_switch *wanted,
                         size_t count)
{
    uint64_t steps = player->block->result.steps;
    size_t had, made = 0;
    struct darn_switch *switches = darn_switches_of(
        player->block->steps, steps < DARN_BLOCK_STEPS ? steps : DARN_BLOCK_STEPS, &had);

    if (had)
        qsort(switches, had, sizeof(*switches), by_bytes);
    for (size_t i = 0; i < count && had; i++)
        made += bsearch(&wanted[i], switches, had, sizeof(*switches), by_bytes) != NULL;
    free(switches);
    return made;
}

/* ---- runs ---- */

static bool meets(struct darn_adapting *adapting)
{
    const struct darn_result *result = &adapting->player->block->result;
    bool found = false;

    for (uint32_t i = 0; adapting->kind && i < result->met_count && i < DARN_BLOCK_MET; i++) {
        struct darn_finding *finding =
            darn_snapshot_met(&adapting->player->snapshot, &result->met[i]);

        found |= finding && darn_finding_is(finding, adapting->kind) && finding->variable &&
                 adapting->variable && strcmp(finding->variable, adapting->variable) == 0;
        darn_finding_free(finding);
    }
    return found;
}

/* Those that runs of this build have found to be shared, but for strangers; and of the schedule's,
 * those whose line is still the same. */
static uint64_t *keys_to_arm(const struct adapting *adapting, size_t *count)
{
    const struct darn_schedule *schedule = adapting->to->schedule;
    size_t shared;
    uint64_t *found = darn_server_armed(adapting->to->player->server, &shared);
    uint64_t *keys = darn_need_zeroed(shared + schedule->armed_count, sizeof(*keys));

    *count = 0;
    for (size_t i = 0; i < shared; i++)
        if (!has_number(adapting->strangers, adapting->stranger_count, found[i]))
            keys[(*count)++] = found[i];
    for (size_t i = 0; i < schedule->armed_count; i++)
        keys[(*count)++] = schedule->armed[i];
    qsort(keys, *count, sizeof(*keys), by_number);
    free(found);
    return keys;
}

static bool run(struct adapting *adapting, const struct darn_switch *switches, size_t count)
{
    struct darn_adapting *to = adapting->to;
    struct darn_schedule here = *to->schedule;
    bool ran;

    here.aims = NULL; /* places of the other build */
    here.aim_count = 0;
    here.run_flags |= DARN_RUN_LEARN;
    here.armed = keys_to_arm(adapting, &here.armed_count);
    ran = darn_player_script(to->player, &here, switches, count);
    free(here.armed);
    if (!ran)
        return false;
    to->made = count_made(to->player, switches, count);
    to->fails = darn_verdict_is_failure(to->player->judged.kind) || meets(to);
    darn_server_arm_shared(to->player->server);
    return true;
}

/* Until the switches stay where they are. */
static bool adapt(struct adapting *adapting, const struct darn_switch *from, size_t count)
{
    struct darn_switch *now = darn_need_zeroed(count, sizeof(*now));
    struct darn_switch *next = darn_need_zeroed(count, sizeof(*next));
    bool ran = run(adapting, NULL, 0), same = false;

    for (int i = 0; i < MOST_RUNS && ran && !same && !adapting->to->fails; i++) {
        size_t strangers = adapting->stranger_count;
        struct lanes after = {.count = 0};

        read_run(adapting, &after);
        move(from, count, &adapting->before, &after, next);
        free_lanes(&after);
        same = i > 0 && strangers == adapting->stranger_count &&
               (!count || memcmp(now, next, count * sizeof(*now)) == 0);
        if (count)
            memcpy(now, next, count * sizeof(*now));
        if (!same)
            ran = run(adapting, now, count);
    }
    free(now);
    free(next);
    return ran;
}

bool darn_adapt(struct darn_adapting *adapting)
{
    struct adapting at = {.to = adapting};
    struct darn_switch *from = switches_of(adapting->schedule, &adapting->switches);
    bool ran = darn_server_learn(adapting->player->server, LEARN_RUNS) >= 0;

    adapting->fails = false;
    read_lanes(adapting->story, &at.before);
    gather_acts(&at);
    ran = ran && adapt(&at, from, adapting->switches);
    free_lanes(&at.before);
    free(at.acts);
    free(at.strangers);
    free(from);
    return ran;
}
