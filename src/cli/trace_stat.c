/*
 * What is in a trace, as text or as one JSON object.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace_line.h"
#include "trace/kinds.h"

struct stat_of {
    struct darn_trace *trace;
    const char *path;
    struct darn_trace_about about;
    uint64_t events, kinds[DARN_EVENT_KINDS];
};

static int count(struct stat_of *stat)
{
    struct darn_event event;
    int result;

    while ((result = darn_trace_next(stat->trace, &event)) > 0)
        stat->kinds[event.kind]++;
    for (unsigned kind = 0; kind < DARN_EVENT_KINDS; kind++)
        stat->events += stat->kinds[kind];
    stat->about = darn_trace_about(stat->trace);
    return result;
}

static double bytes_per_event(const struct stat_of *stat)
{
    return stat->events ? (double)stat->about.bytes / (double)stat->events : 0;
}

static bool is_complete(const struct stat_of *stat)
{
    return stat->about.finished && !stat->about.cut_at && !stat->about.lost;
}

static void print_completeness(const struct stat_of *stat)
{
    const struct darn_trace_about *about = &stat->about;
    char text[256];

    printf("complete  %s\n", is_complete(stat) ? "yes" : "no");
    if (about->cut_at)
        printf("          the rest is damaged: %s\n", darn_trace_error(stat->trace));
    if (darn_trace_missing(about, text, sizeof(text)))
        printf("          %s; it is read up to there\n", text);
    if (!about->finished)
        printf("          the program did not end in good order%s\n",
               about->cut_at || about->lost ? "" : "; what it recorded is there");
}

static void print_counter(void *to, uint64_t value, const char *text)
{
    bool *first = to;

    printf("%s  %" PRIu64 " %s\n", *first ? "counters\n" : "", value, text);
    *first = false;
}

static void print_spins(const struct stat_of *stat)
{
    const struct darn_trace_sync *syncs;
    size_t count_of = darn_trace_syncs(stat->trace, &syncs);

    printf("spins     %zu\n", count_of);
    for (size_t i = 0; i < count_of; i++) {
        char reader[DARN_TRACE_PLACE], writer[DARN_TRACE_PLACE];

        printf("  read at %s, ended by the store at %s\n",
               darn_trace_place(stat->trace, syncs[i].reader, 0, reader, sizeof(reader)),
               darn_trace_place(stat->trace, syncs[i].writer, 0, writer, sizeof(writer)));
    }
}

static void print_text(const struct stat_of *stat)
{
    const struct darn_trace_about *about = &stat->about;
    bool first_counter = true;

    if (about->is_text)
        printf("trace     %s, text\n", stat->path);
    else
        printf("trace     %s, version %" PRIu32 ", %s\n", stat->path, about->version,
               about->packed ? "packed" : "as the program left it");
    if (about->program)
        printf("program   %s, pid %" PRIu32 "\n", about->program, about->pid);
    print_completeness(stat);
    printf("bytes     %" PRIu64 ", %.2f for each event\n", about->bytes, bytes_per_event(stat));
    printf("threads   %zu\n", darn_trace_thread_count(stat->trace));
    printf("sites     %zu\n", darn_trace_site_count(stat->trace));
    printf("stacks    %zu\n", darn_trace_stack_count(stat->trace));
    print_spins(stat);
    printf("events    %" PRIu64 "\n", stat->events);
    for (unsigned kind = 0; kind < DARN_EVENT_KINDS; kind++)
        if (stat->kinds[kind])
            printf("  %-9s %" PRIu64 "\n", darn_event_kind_name(kind), stat->kinds[kind]);
    darn_trace_counters(stat->trace, print_counter, &first_counter);
}

static void put_number(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

/* JSON is UTF-8; names of files need not be. */
static void put_text(json_t *object, const char *key, const char *text)
{
    json_t *string = json_string(text);

    if (!string) {
        char *copy = strdup(text);

        for (char *c = copy; c && *c; c++)
            if ((unsigned char)*c > 126)
                *c = '?';
        string = copy ? json_string(copy) : NULL;
        free(copy);
    }
    json_object_set_new(object, key, string ? string : json_null());
}

static void put_counter(void *to, uint64_t value, const char *text)
{
    json_t *counter = json_object();

    put_number(counter, "value", value);
    put_text(counter, "text", text);
    json_array_append_new(to, counter);
}

static json_t *spins_object(const struct stat_of *stat)
{
    const struct darn_trace_sync *syncs;
    size_t count_of = darn_trace_syncs(stat->trace, &syncs);
    json_t *list = json_array();

    for (size_t i = 0; i < count_of; i++) {
        char place[DARN_TRACE_PLACE];
        json_t *spin = json_object();

        put_text(spin, "read",
                 darn_trace_place(stat->trace, syncs[i].reader, 0, place, sizeof(place)));
        put_text(spin, "store",
                 darn_trace_place(stat->trace, syncs[i].writer, 0, place, sizeof(place)));
        json_array_append_new(list, spin);
    }
    return list;
}

static json_t *kinds_object(const struct stat_of *stat)
{
    json_t *kinds = json_object();

    for (unsigned kind = 0; kind < DARN_EVENT_KINDS; kind++)
        if (stat->kinds[kind])
            put_number(kinds, darn_event_kind_name(kind), stat->kinds[kind]);
    return kinds;
}

static void print_json(const struct stat_of *stat)
{
    const struct darn_trace_about *about = &stat->about;
    json_t *object = json_object(), *counters = json_array();

    put_text(object, "trace", stat->path);
    put_text(object, "format", about->is_text ? "std" : "darn");
    put_number(object, "version", about->version);
    json_object_set_new(object, "packed", json_boolean(about->packed));
    if (about->program)
        put_text(object, "program", about->program);
    put_number(object, "pid", about->pid);
    json_object_set_new(object, "complete", json_boolean(is_complete(stat)));
    json_object_set_new(object, "finished", json_boolean(about->finished));
    if (about->cut_at) {
        put_number(object, "cut_at", about->cut_at);
        put_text(object, "damage", darn_trace_error(stat->trace));
    }
    put_number(object, "lost", about->lost);
    if (about->why) {
        put_text(object, "why_lost", about->why);
        json_object_set_new(object, "lost_at_least", json_boolean(about->at_least));
    }
    put_number(object, "bytes", about->bytes);
    json_object_set_new(object, "bytes_per_event", json_real(bytes_per_event(stat)));
    put_number(object, "threads", darn_trace_thread_count(stat->trace));
    put_number(object, "sites", darn_trace_site_count(stat->trace));
    put_number(object, "stacks", darn_trace_stack_count(stat->trace));
    json_object_set_new(object, "spins", spins_object(stat));
    put_number(object, "events", stat->events);
    json_object_set_new(object, "kinds", kinds_object(stat));
    darn_trace_counters(stat->trace, put_counter, counters);
    json_object_set_new(object, "counters", counters);
    json_dumpf(object, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
}

int darn_trace_stat(struct darn_trace *trace, const char *path, bool json)
{
    struct stat_of stat = {.trace = trace, .path = path};

    if (count(&stat) < 0)
        return -1;
    if (json)
        print_json(&stat);
    else
        print_text(&stat);
    return 0;
}
