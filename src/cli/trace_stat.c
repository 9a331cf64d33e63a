/*
 * What is in a trace, as text or as one JSON object.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_file.h"
#include "cli/trace_line.h"
#include "trace/trace_place.h"
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

static void put_number(struct darn_json *json, const char *key, uint64_t number)
{
    darn_json_number(json, key, (int64_t)number);
}

static void put_counter(void *to, uint64_t value, const char *text)
{
    struct darn_json *json = to;

    darn_json_open(json, NULL, '{');
    put_number(json, "value", value);
    darn_json_string(json, "text", text);
    darn_json_close(json, '}');
}

static void put_spins(struct darn_json *json, const struct stat_of *stat)
{
    const struct darn_trace_sync *syncs;
    size_t count_of = darn_trace_syncs(stat->trace, &syncs);

    darn_json_open(json, "spins", '[');
    for (size_t i = 0; i < count_of; i++) {
        char place[DARN_TRACE_PLACE];

        darn_json_open(json, NULL, '{');
        darn_json_string(json, "read",
                         darn_trace_place(stat->trace, syncs[i].reader, 0, place, sizeof(place)));
        darn_json_string(json, "store",
                         darn_trace_place(stat->trace, syncs[i].writer, 0, place, sizeof(place)));
        darn_json_close(json, '}');
    }
    darn_json_close(json, ']');
}

static void put_kinds(struct darn_json *json, const struct stat_of *stat)
{
    darn_json_open(json, "kinds", '{');
    for (unsigned kind = 0; kind < DARN_EVENT_KINDS; kind++)
        if (stat->kinds[kind])
            put_number(json, darn_event_kind_name(kind), stat->kinds[kind]);
    darn_json_close(json, '}');
}

static void put_about(struct darn_json *json, const struct stat_of *stat)
{
    const struct darn_trace_about *about = &stat->about;

    darn_json_string(json, "trace", stat->path);
    darn_json_string(json, "format", about->is_text ? "std" : "darn");
    put_number(json, "version", about->version);
    darn_json_bool(json, "packed", about->packed);
    if (about->program)
        darn_json_string(json, "program", about->program);
    put_number(json, "pid", about->pid);
    darn_json_bool(json, "complete", is_complete(stat));
    darn_json_bool(json, "finished", about->finished);
    if (about->cut_at) {
        put_number(json, "cut_at", about->cut_at);
        darn_json_string(json, "damage", darn_trace_error(stat->trace));
    }
    put_number(json, "lost", about->lost);
    if (about->why) {
        darn_json_string(json, "why_lost", about->why);
        darn_json_bool(json, "lost_at_least", about->at_least);
    }
    put_number(json, "bytes", about->bytes);
}

static void print_json(const struct stat_of *stat)
{
    struct darn_json json;

    darn_json_start_growing(&json);
    darn_json_open(&json, NULL, '{');
    put_about(&json, stat);
    darn_json_real(&json, "bytes_per_event", bytes_per_event(stat), 6);
    put_number(&json, "threads", darn_trace_thread_count(stat->trace));
    put_number(&json, "sites", darn_trace_site_count(stat->trace));
    put_number(&json, "stacks", darn_trace_stack_count(stat->trace));
    put_spins(&json, stat);
    put_number(&json, "events", stat->events);
    put_kinds(&json, stat);
    darn_json_open(&json, "counters", '[');
    darn_trace_counters(stat->trace, put_counter, &json);
    darn_json_close(&json, ']');
    darn_json_close(&json, '}');
    darn_json_end_line(&json);
    darn_json_finish(&json, stdout);
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
