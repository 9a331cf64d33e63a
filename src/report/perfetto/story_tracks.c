#include "report/perfetto/story_tracks.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/story/story_read.h"
#include "trace/perfetto.h"

#define WAITS (UINT64_C(1) << 40) /* keys of slices that are no locks */

struct tracks {
    struct darn_perfetto to;
    const json_t *story, *threads, *deeds, *places, *steps, *holds;
    size_t *ends; /* holds by when they end */
    size_t hold_count;
};

static size_t number_at(const json_t *list, size_t at)
{
    return (size_t)json_integer_value(json_array_get(list, at));
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* `bank.c:12`; NULL when it is not known. */
static const char *place_of(const struct tracks *tracks, const json_t *told, char *to, size_t size)
{
    const json_t *number = json_object_get(told, "place");
    const json_t *place =
        number ? json_array_get(tracks->places, (size_t)json_integer_value(number)) : NULL;

    if (!place)
        return NULL;
    if (json_integer_value(json_object_get(place, "line")))
        snprintf(to, size, "%s:%" JSON_INTEGER_FORMAT, text_of(place, "file"),
                 json_integer_value(json_object_get(place, "line")));
    else
        snprintf(to, size, "%s", text_of(place, "file"));
    return to;
}

static uint32_t thread_of(const struct tracks *tracks, size_t step)
{
    return (uint32_t)number_at(tracks->steps, 3 * step);
}

static const json_t *deed_of(const struct tracks *tracks, size_t step)
{
    return json_array_get(tracks->deeds, number_at(tracks->steps, 3 * step + 1));
}

static void name_thread(struct tracks *tracks, uint32_t thread)
{
    darn_perfetto_thread(&tracks->to, thread,
                         text_of(json_array_get(tracks->threads, thread), "title"));
}

static bool is_access(const char *op)
{
    return strcmp(op, "read") == 0 || strcmp(op, "write") == 0 || strcmp(op, "update") == 0 ||
           strcmp(op, "spin") == 0;
}

/* Locks that are given back at the step, and those that are taken. Both lists are sorted. */
static void put_holds(struct tracks *tracks, size_t step, size_t *taken, size_t *given)
{
    const json_t *locks = json_object_get(tracks->story, "locks");
    const json_t *holds = tracks->holds;
    char at[512];

    while (*given < tracks->hold_count && number_at(holds, 4 * tracks->ends[*given] + 3) <= step) {
        size_t hold = 4 * tracks->ends[(*given)++];

        if (number_at(holds, hold + 3) == step)
            darn_perfetto_close(&tracks->to, (uint32_t)number_at(holds, hold),
                                number_at(holds, hold + 1));
    }
    while (*taken < tracks->hold_count && number_at(holds, 4 * *taken + 2) <= step) {
        size_t hold = 4 * (*taken)++, lock = number_at(holds, hold + 1);
        const char *name = json_string_value(json_array_get(locks, lock));

        if (number_at(holds, hold + 2) == step)
            darn_perfetto_open(&tracks->to, (uint32_t)number_at(holds, hold), lock,
                               *name ? name : "a lock",
                               place_of(tracks, deed_of(tracks, step), at, sizeof(at)));
    }
}

static void put_step(struct tracks *tracks, size_t step)
{
    const json_t *deed = deed_of(tracks, step);
    const char *op = text_of(deed, "op");
    uint32_t thread = thread_of(tracks, step);
    char at[512];
    const char *place = place_of(tracks, deed, at, sizeof(at));

    if (op && is_access(op))
        darn_perfetto_instant(&tracks->to, thread, text_of(deed, "text"), place);
    else
        darn_perfetto_slice(&tracks->to, thread, text_of(deed, "text"), place);
}

/* An arrow from the step before a switch to the one after it. */
static void put_switch(struct tracks *tracks, size_t step, size_t number)
{
    uint32_t from = thread_of(tracks, step - 1), to = thread_of(tracks, step);

    if (from == to)
        return;
    darn_perfetto_arrow(&tracks->to, from, number, false);
    darn_perfetto_arrow(&tracks->to, to, number, true);
}

/* Threads that have met: what each is about to do, on its track. */
static void put_met(struct tracks *tracks, size_t step)
{
    size_t i, j;
    const json_t *met, *side;

    json_array_foreach(json_object_get(tracks->story, "met"), i, met)
    {
        if ((size_t)json_integer_value(json_object_get(met, "step")) != step)
            continue;
        json_array_foreach(json_object_get(met, "about"), j, side)
        {
            uint32_t lane = (uint32_t)json_integer_value(json_object_get(side, "thread"));
            char name[512], at[512];

            name_thread(tracks, lane);
            snprintf(name, sizeof(name), "%s: about to %s", text_of(met, "kind"),
                     text_of(side, "text"));
            darn_perfetto_instant(&tracks->to, lane, name, place_of(tracks, side, at, sizeof(at)));
        }
    }
}

static void put_steps(struct tracks *tracks)
{
    const json_t *switches = json_object_get(tracks->story, "switches");
    size_t next = 0, taken = 0, given = 0, count = json_array_size(tracks->steps) / 3;

    for (size_t step = 0; step < count; step++) {
        darn_perfetto_at(&tracks->to, step + 1);
        put_met(tracks, step);
        name_thread(tracks, thread_of(tracks, step));
        put_holds(tracks, step, &taken, &given);
        put_step(tracks, step);
        while (next < json_array_size(switches) && number_at(switches, next) <= step) {
            if (step && number_at(switches, next) == step)
                put_switch(tracks, step, next / 2 + 1);
            next += 2;
        }
    }
    darn_perfetto_at(&tracks->to, count + 1);
    put_met(tracks, count);
}

/* How it ended: a slice of each thread that still waits. */
static void put_ending(struct tracks *tracks)
{
    size_t i;
    const json_t *line;
    char at[512];

    json_array_foreach(json_object_get(tracks->story, "ending"), i, line)
    {
        const json_t *thread = json_object_get(line, "thread");
        uint32_t lane = thread ? (uint32_t)json_integer_value(thread) : 0;

        if (!json_array_size(tracks->threads))
            break;
        name_thread(tracks, lane);
        if (thread)
            darn_perfetto_open(&tracks->to, lane, WAITS + i, text_of(line, "text"),
                               place_of(tracks, line, at, sizeof(at)));
        else
            darn_perfetto_instant(&tracks->to, lane, text_of(line, "text"),
                                  place_of(tracks, line, at, sizeof(at)));
    }
}

static int compare_ends(const void *a, const void *b, void *holds)
{
    size_t one = number_at(holds, 4 * *(const size_t *)a + 3);
    size_t other = number_at(holds, 4 * *(const size_t *)b + 3);

    return (one > other) - (one < other);
}

int darn_story_tracks(const char *directory, FILE *out)
{
    json_t *story = darn_story_read(directory);
    struct tracks tracks = {
        .story = story,
        .threads = json_object_get(story, "threads"),
        .deeds = json_object_get(story, "deeds"),
        .places = json_object_get(story, "places"),
        .steps = json_object_get(story, "steps"),
        .holds = json_object_get(story, "holds"),
    };

    if (!story)
        return -EINVAL;
    tracks.hold_count = json_array_size(tracks.holds) / 4;
    tracks.ends = darn_need_zeroed(tracks.hold_count, sizeof(*tracks.ends));
    for (size_t i = 0; i < tracks.hold_count; i++)
        tracks.ends[i] = i;
    qsort_r(tracks.ends, tracks.hold_count, sizeof(*tracks.ends), compare_ends,
            (json_t *)tracks.holds);
    darn_perfetto_begin(&tracks.to, out, directory);
    put_steps(&tracks);
    put_ending(&tracks);
    darn_perfetto_end(&tracks.to);
    free(tracks.ends);
    json_decref(story);
    return 0;
}
