#include "trace/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define PROCESS 1
#define FLUSH   (1u << 16)

struct open_slice {
    uint64_t key;
    char *name, *place; /* place: NULL when it is not known */
};

struct darn_perfetto_track {
    uint32_t thread;
    bool is_named;
    struct open_slice *open; /* the outermost first */
    size_t count, room;
};

static struct darn_perfetto_track *track_of(struct darn_perfetto *to, uint32_t thread)
{
    to->tracks = darn_grow(to->tracks, &to->room, (size_t)thread + 1, sizeof(*to->tracks));
    if (to->count <= thread)
        to->count = (size_t)thread + 1;
    to->tracks[thread].thread = thread;
    return &to->tracks[thread];
}

/* The beginning of an event: viewers keep thread 0 for the system. */
static void begin_event(struct darn_perfetto *to, const char *phase, uint32_t thread,
                        const char *name)
{
    struct darn_json *json = &to->json;

    darn_json_break(json, 0);
    darn_json_open(json, NULL, '{');
    darn_json_string(json, "ph", phase);
    darn_json_number(json, "pid", PROCESS);
    darn_json_number(json, "tid", (int64_t)thread + 1);
    if (name)
        darn_json_string(json, "name", name);
}

static void end_event(struct darn_perfetto *to)
{
    darn_json_close(&to->json, '}');
    if (to->json.text.used > FLUSH)
        darn_json_flush(&to->json, to->out);
}

static void put_time(struct darn_perfetto *to, const char *category)
{
    darn_json_number(&to->json, "ts", (int64_t)to->now);
    if (category)
        darn_json_string(&to->json, "cat", category);
}

static void put_place(struct darn_perfetto *to, const char *place)
{
    if (!place || !*place)
        return;
    darn_json_open(&to->json, "args", '{');
    darn_json_string(&to->json, "at", place);
    darn_json_close(&to->json, '}');
}

static void put_name(struct darn_perfetto *to, const char *what, uint32_t thread, const char *name)
{
    begin_event(to, "M", thread, what);
    darn_json_open(&to->json, "args", '{');
    darn_json_string(&to->json, "name", name);
    darn_json_close(&to->json, '}');
    end_event(to);
}

void darn_perfetto_begin(struct darn_perfetto *to, FILE *out, const char *program)
{
    *to = (struct darn_perfetto){.out = out};
    darn_json_start_growing(&to->json);
    darn_json_open(&to->json, NULL, '{');
    darn_json_string(&to->json, "displayTimeUnit", "ns");
    darn_json_open(&to->json, "traceEvents", '[');
    put_name(to, "process_name", 0, program);
}

void darn_perfetto_at(struct darn_perfetto *to, uint64_t event)
{
    uint64_t at = event * DARN_PERFETTO_TICK;

    if (at > to->now)
        to->now = at;
}

static void put_open(struct darn_perfetto *to, uint32_t thread, const struct open_slice *slice)
{
    begin_event(to, "B", thread, slice->name);
    put_time(to, "darn");
    put_place(to, slice->place);
    end_event(to);
}

static void put_close(struct darn_perfetto *to, uint32_t thread)
{
    begin_event(to, "E", thread, NULL);
    put_time(to, NULL);
    end_event(to);
}

void darn_perfetto_open(struct darn_perfetto *to, uint32_t thread, uint64_t key, const char *name,
                        const char *place)
{
    struct darn_perfetto_track *track = track_of(to, thread);
    struct open_slice *slice;

    track->open = darn_grow(track->open, &track->room, track->count + 1, sizeof(*track->open));
    slice = &track->open[track->count++];
    *slice = (struct open_slice){
        .key = key,
        .name = darn_need_memory(strdup(name)),
        .place = place ? darn_need_memory(strdup(place)) : NULL,
    };
    put_open(to, thread, slice);
}

static void free_slice(const struct open_slice *slice)
{
    free(slice->name);
    free(slice->place);
}

void darn_perfetto_close(struct darn_perfetto *to, uint32_t thread, uint64_t key)
{
    struct darn_perfetto_track *track = track_of(to, thread);
    size_t at = track->count;

    while (at && track->open[at - 1].key != key)
        at--;
    if (!at)
        return;
    for (size_t i = track->count; i >= at; i--)
        put_close(to, thread);
    free_slice(&track->open[at - 1]);
    memmove(&track->open[at - 1], &track->open[at], (track->count - at) * sizeof(*track->open));
    track->count--;
    for (size_t i = at - 1; i < track->count; i++)
        put_open(to, thread, &track->open[i]);
}

void darn_perfetto_thread(struct darn_perfetto *to, uint32_t thread, const char *name)
{
    struct darn_perfetto_track *track = track_of(to, thread);

    if (track->is_named)
        return;
    track->is_named = true;
    put_name(to, "thread_name", thread, name);
    begin_event(to, "M", thread, "thread_sort_index");
    darn_json_open(&to->json, "args", '{');
    darn_json_number(&to->json, "sort_index", thread);
    darn_json_close(&to->json, '}');
    end_event(to);
    darn_perfetto_open(to, thread, UINT64_MAX, name, NULL);
}

void darn_perfetto_exit(struct darn_perfetto *to, uint32_t thread)
{
    struct darn_perfetto_track *track = track_of(to, thread);

    while (track->count) {
        put_close(to, thread);
        free_slice(&track->open[--track->count]);
    }
}

void darn_perfetto_instant(struct darn_perfetto *to, uint32_t thread, const char *name,
                           const char *place)
{
    begin_event(to, "i", thread, name);
    put_time(to, "access");
    darn_json_string(&to->json, "s", "t");
    put_place(to, place);
    end_event(to);
}

void darn_perfetto_slice(struct darn_perfetto *to, uint32_t thread, const char *name,
                         const char *place)
{
    begin_event(to, "X", thread, name);
    put_time(to, "darn");
    darn_json_number(&to->json, "dur", DARN_PERFETTO_TICK - 2);
    put_place(to, place);
    end_event(to);
}

void darn_perfetto_arrow(struct darn_perfetto *to, uint32_t thread, uint64_t number, bool ends)
{
    begin_event(to, ends ? "f" : "s", thread, "order");
    put_time(to, "order");
    darn_json_number(&to->json, "id", (int64_t)number);
    if (ends)
        darn_json_string(&to->json, "bp", "e");
    end_event(to);
}

void darn_perfetto_end(struct darn_perfetto *to)
{
    to->now += DARN_PERFETTO_TICK;
    for (size_t i = 0; i < to->count; i++) {
        darn_perfetto_exit(to, (uint32_t)i);
        free(to->tracks[i].open);
    }
    free(to->tracks);
    darn_json_close(&to->json, ']');
    darn_json_close(&to->json, '}');
    darn_json_end_line(&to->json);
    darn_json_finish(&to->json, to->out);
}
