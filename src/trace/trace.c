/*
 * Opening a trace of either form, and the questions that both answer.
 */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/file.h"
#include "trace/follow.h"
#include "trace/format.h"
#include "trace/layout.h"
#include "trace/merge.h"
#include "trace/damage.h"
#include "trace/tables.h"
#include "trace/trace_rapid.h"
#include "trace/trace_std.h"
#include "trace/unpack.h"

struct darn_trace {
    char *name;
    struct darn_trace_file file;
    bool prefix;
    bool is_text;
    uint64_t cut_at; /* 0: nowhere */
    char error[512];

    /* binary */
    struct darn_layout layout;
    struct darn_tables tables;
    struct darn_merge merge;
    size_t thread_count;

    struct darn_std std;

    struct darn_follow *follow; /* while the program runs; with tables */
    uint64_t unread;            /* at its end */
};

/* One line; false, for callers to pass on. */
static bool say(struct darn_trace *trace, const struct darn_damage *damage)
{
    if (trace->is_text)
        snprintf(trace->error, sizeof(trace->error), "%s:%" PRIu64 ": %s", trace->name, damage->at,
                 damage->what);
    else
        snprintf(trace->error, sizeof(trace->error), "%s: byte %" PRIu64 ": %s", trace->name,
                 damage->at, damage->what);
    return false;
}

/* Whether we go on without what comes from the damage on. */
static bool tolerate(struct darn_trace *trace, const struct darn_damage *damage, uint64_t at)
{
    (void)say(trace, damage);
    if (!trace->cut_at || at < trace->cut_at)
        trace->cut_at = at;
    return trace->prefix;
}

static bool read_tables(struct darn_trace *trace)
{
    const struct darn_layout_stream *stream = &trace->layout.tables;
    struct darn_damage damage = {.found = false};
    struct darn_payload payload = {0};
    struct darn_unpack unpack;

    darn_unpack_start(&unpack, &trace->layout);
    for (size_t i = stream->first; i < stream->first + stream->count && !damage.found; i++)
        if (darn_payload_load(&payload, &unpack, i, &damage) == 0)
            (void)darn_tables_read(&trace->tables, payload.bytes, payload.length, payload.at,
                                   payload.step, &damage);
    darn_payload_drop(&payload);
    darn_unpack_end(&unpack);
    (void)darn_tables_finish(&trace->tables, &damage);
    if (!damage.found)
        return true;
    darn_layout_cut(&trace->layout, damage.at);
    return tolerate(trace, &damage, damage.at);
}

static bool start_merge(struct darn_trace *trace)
{
    darn_merge_open(&trace->merge, &trace->layout, &trace->tables);
    while (darn_merge_start(&trace->merge)) {
        if (!tolerate(trace, &trace->merge.damage, trace->merge.damage.at))
            return false;
        darn_layout_cut(&trace->layout, trace->merge.damaged_block);
    }
    return true;
}

static size_t count_threads(const struct darn_trace *trace)
{
    size_t count = 0;

    for (uint32_t id = 1; id <= trace->tables.threads.most; id++)
        count += trace->tables.threads.items[id] != NULL;
    for (size_t i = 0; i < trace->layout.stream_count; i++)
        count += !darn_trace_thread(trace, trace->layout.streams[i].thread);
    return count;
}

static bool open_binary(struct darn_trace *trace)
{
    struct darn_damage damage = {.found = false};

    if (darn_layout_read(&trace->layout, &trace->file, &damage)) {
        /* Nothing can be read of a version that we do not know. */
        if (damage.at == offsetof(struct darn_trace_header, version))
            return say(trace, &damage);
        if (!tolerate(trace, &damage, damage.at))
            return false;
    }
    if (!read_tables(trace) || !start_merge(trace))
        return false;
    trace->thread_count = count_threads(trace);
    return true;
}

/* A first line that is no event shows now: this may be any text. What comes later shows when it is
 * read. */
static bool open_text(struct darn_trace *trace)
{
    struct darn_event event;

    darn_std_open(&trace->std, &trace->file);
    if (darn_std_next(&trace->std, &event) < 0)
        return say(trace, &trace->std.damage);
    darn_std_rewind(&trace->std);
    return true;
}

static bool is_binary(const struct darn_trace_file *file)
{
    size_t length = strlen(DARN_TRACE_MAGIC);

    /* Even when it was cut off within the magic. */
    if (file->length < length)
        length = file->length;
    return memcmp(file->bytes, DARN_TRACE_MAGIC, length) == 0;
}

static bool is_text(const struct darn_trace_file *file)
{
    for (size_t i = 0; i < file->length && i < DARN_TRACE_HEADER; i++)
        if (file->bytes[i] < ' ' && !memchr("\t\n\r\f", file->bytes[i], 4))
            return false;
    return true;
}

static bool open_bytes(struct darn_trace *trace)
{
    struct darn_damage damage = {.found = false};

    if (!trace->file.length)
        (void)darn_damage(&damage, 0,
                          "the file is empty; darn record -o FILE -- PROGRAM makes a trace");
    else if (is_binary(&trace->file))
        return open_binary(trace);
    else if (!is_text(&trace->file) && !darn_rapid_is(&trace->file))
        (void)darn_damage(&damage, 0,
                          "this is no trace: neither one of darn record nor a text with lines as "
                          "T1|acq(L)|12");
    if (damage.found)
        return say(trace, &damage);
    trace->is_text = true;
    return open_text(trace);
}

static struct darn_trace *finish_open(struct darn_trace *trace, char *error, size_t error_size)
{
    if (open_bytes(trace))
        return trace;
    snprintf(error, error_size, "%s", trace->error);
    darn_trace_close(trace);
    return NULL;
}

static struct darn_trace *create(const char *name, bool prefix)
{
    struct darn_trace *trace = darn_need_zeroed(1, sizeof(*trace));

    trace->name = darn_need_memory(strdup(name));
    trace->prefix = prefix;
    trace->file.descriptor = -1;
    return trace;
}

struct darn_trace *darn_trace_open(const char *path, bool prefix, char *error, size_t error_size)
{
    struct darn_trace *trace = create(path, prefix);
    int result = darn_trace_file_open(&trace->file, path);

    if (result) {
        snprintf(error, error_size, "%s: cannot be read: %s", path, strerror(-result));
        darn_trace_close(trace);
        return NULL;
    }
    return finish_open(trace, error, error_size);
}

struct darn_trace *darn_trace_open_memory(const char *name, const void *bytes, size_t length,
                                          bool prefix, char *error, size_t error_size)
{
    struct darn_trace *trace = create(name, prefix);

    darn_trace_file_memory(&trace->file, bytes, length);
    return finish_open(trace, error, error_size);
}

struct darn_trace *darn_trace_follow(const char *path, uint64_t ahead, int *error)
{
    struct darn_trace *trace = create(path, false);
    int result;

    trace->follow = darn_need_zeroed(1, sizeof(*trace->follow));
    result = darn_follow_open(trace->follow, path, ahead, &trace->tables);
    *error = result < 0 ? result : 0;
    if (result > 0)
        return trace;
    darn_trace_close(trace);
    return NULL;
}

bool darn_trace_is_at(const struct darn_trace *trace, const char *path)
{
    return darn_follow_is_at(trace->follow, path);
}

void darn_trace_has_ended(struct darn_trace *trace)
{
    darn_follow_end(trace->follow);
}

void darn_trace_close(struct darn_trace *trace)
{
    if (!trace)
        return;
    if (trace->follow)
        darn_follow_close(trace->follow);
    free(trace->follow);
    darn_std_close(&trace->std);
    darn_merge_close(&trace->merge);
    darn_tables_free(&trace->tables);
    darn_layout_free(&trace->layout);
    darn_trace_file_close(&trace->file);
    free(trace->name);
    free(trace);
}

/* The end of a trace that is damaged. */
static int stop(struct darn_trace *trace, const struct darn_damage *damage, uint64_t at)
{
    return tolerate(trace, damage, at) ? 0 : -1;
}

static int follow_next(struct darn_trace *trace, struct darn_event *event)
{
    int result = darn_follow_next(trace->follow, event);

    if (result < 0)
        return stop(trace, &trace->follow->damage, trace->follow->damage.at);
    if (!result && trace->follow->ended)
        trace->unread += darn_follow_unread(trace->follow);
    return result;
}

int darn_trace_next(struct darn_trace *trace, struct darn_event *event)
{
    int result;

    if (trace->follow)
        return follow_next(trace, event);
    result =
        trace->is_text ? darn_std_next(&trace->std, event) : darn_merge_next(&trace->merge, event);
    if (__builtin_expect(result >= 0, 1))
        return result;
    if (trace->is_text)
        return stop(trace, &trace->std.damage, trace->std.damaged_at);
    return stop(trace, &trace->merge.damage, trace->merge.damage.at);
}

const char *darn_trace_error(const struct darn_trace *trace)
{
    return trace->error;
}

void darn_trace_rewind(struct darn_trace *trace)
{
    if (trace->is_text)
        darn_std_rewind(&trace->std);
    else
        (void)darn_merge_start(&trace->merge); /* has succeeded before */
}

struct darn_trace_about darn_trace_about(const struct darn_trace *trace)
{
    const struct darn_trace_header *header =
        trace->follow ? trace->follow->header : &trace->layout.header;
    struct darn_trace_about about = {.is_text = trace->is_text,
                                     .finished = trace->is_text,
                                     .bytes = trace->file.stored,
                                     .cut_at = trace->prefix ? trace->cut_at : 0};

    if (trace->is_text)
        return about;
    about.finished = header->finished;
    about.packed = header->packed;
    about.version = header->version;
    about.pid = header->pid;
    about.lost = header->lost + trace->merge.unread + trace->unread;
    about.at_least = header->at_least || !header->finished;
    about.why = header->lost ? darn_missing_why(header->why) : NULL;
    about.program = trace->tables.program;
    return about;
}

const struct darn_trace_site *darn_trace_site(const struct darn_trace *trace, uint32_t id)
{
    if (trace->is_text)
        return id && id <= trace->std.site_count ? trace->std.sites[id - 1] : NULL;
    return darn_table_get(&trace->tables.sites, id);
}

const struct darn_trace_stack *darn_trace_stack(const struct darn_trace *trace, uint32_t id)
{
    return darn_table_get(&trace->tables.stacks, id);
}

const struct darn_trace_thread *darn_trace_thread(const struct darn_trace *trace, uint32_t number)
{
    return darn_table_get(&trace->tables.threads, (uint64_t)number + 1);
}

/* Where a library was unloaded and another one took its place, the last one counts. */
const struct darn_trace_module *darn_trace_module(const struct darn_trace *trace, uint64_t address)
{
    for (uint32_t id = trace->tables.modules.most; id > 0; id--) {
        const struct darn_trace_module *module = trace->tables.modules.items[id];

        if (module && address >= module->start && address < module->end)
            return module;
    }
    return NULL;
}

size_t darn_trace_site_count(const struct darn_trace *trace)
{
    return trace->is_text ? trace->std.site_count : trace->tables.sites.most;
}

size_t darn_trace_stack_count(const struct darn_trace *trace)
{
    return trace->tables.stacks.most;
}

size_t darn_trace_thread_count(const struct darn_trace *trace)
{
    return trace->is_text ? trace->std.threads.count : trace->thread_count;
}

size_t darn_trace_syncs(const struct darn_trace *trace, const struct darn_trace_sync **syncs)
{
    *syncs = trace->tables.sync_pairs;
    return trace->tables.sync_count;
}

const char *darn_trace_target_name(const struct darn_trace *trace, const struct darn_event *event)
{
    return trace->is_text ? darn_std_name(&trace->std, event) : NULL;
}

const char *darn_trace_pointee_name(const struct darn_trace *trace, const struct darn_event *event)
{
    return trace->is_text ? darn_std_pointee(&trace->std, event) : NULL;
}

const char *darn_trace_thread_name(const struct darn_trace *trace, uint32_t number)
{
    return trace->is_text ? darn_names_get(&trace->std.threads, number) : NULL;
}

void darn_trace_counters(const struct darn_trace *trace,
                         void (*visit)(void *to, uint64_t value, const char *text), void *to)
{
    for (uint32_t id = 1; id <= trace->tables.counters.most; id++) {
        const struct darn_trace_counter *counter = trace->tables.counters.items[id];

        if (counter && counter->text)
            visit(to, counter->value, counter->text);
    }
}
