#include "trace_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/map.h"
#include "trace/codec.h"
#include "trace/packer.h"

#define MOST_TEXT   4000
#define MOST_FRAMES 1000
#define MOST_RECORD (MOST_FRAMES * 10 + 4 * (MOST_TEXT + 3) + 128)

static_assert(MOST_RECORD < DARN_TRACE_PAYLOAD, "a record fits into a block");

/* A block that is being filled. */
struct filling {
    struct darn_block_header header;
    struct darn_codec codec;
    size_t used;
    uint8_t bytes[DARN_TRACE_PAYLOAD];
};

struct darn_trace_writer {
    struct darn_packer packer;
    char *path;
    struct darn_map threads; /* number + 1 to struct filling * */
    struct darn_map wheres;  /* site and stack to id */
    struct filling **list;
    size_t count, room;
    struct filling *last; /* the thread of the last event */
    struct filling tables;
    uint8_t record[MOST_RECORD];
    uint64_t stamp;
    uint32_t pid;
};

static void flush(struct darn_trace_writer *writer, struct filling *filling)
{
    if (!filling->used)
        return;
    darn_packer_block(&writer->packer, &filling->header, filling->bytes, filling->used);
    filling->header.sequence++;
    filling->codec = (struct darn_codec){0};
    filling->used = 0;
}

struct darn_trace_writer *darn_trace_writer_open(const char *path, char *error, size_t error_size)
{
    struct darn_trace_writer *writer = darn_need_zeroed(1, sizeof(*writer));
    FILE *file = fopen(path, "wbe");

    if (!file) {
        snprintf(error, error_size, "%s: cannot be written: %s", path, strerror(errno));
        free(writer);
        return NULL;
    }
    darn_packer_open(&writer->packer, file);
    writer->path = darn_need_memory(strdup(path));
    writer->tables.header =
        (struct darn_block_header){.type = DARN_BLOCK_TABLE, .room = DARN_TRACE_PAYLOAD};
    return writer;
}

/* Not a device that somebody wanted to write to. */
static void remove_file(const char *path)
{
    struct stat about;

    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode))
        (void)unlink(path);
}

int darn_trace_writer_close(struct darn_trace_writer *writer, char *error, size_t error_size)
{
    struct darn_trace_header header = {.pid = writer->pid, .finished = 1};
    int result;

    for (size_t i = 0; i < writer->count; i++) {
        flush(writer, writer->list[i]);
        free(writer->list[i]);
    }
    flush(writer, &writer->tables);
    result = darn_packer_close(&writer->packer, &header);
    if (fclose(writer->packer.file) && !result)
        result = -errno;
    if (result) {
        snprintf(error, error_size, "%s: cannot be written: %s", writer->path, strerror(-result));
        remove_file(writer->path);
    }
    darn_map_free(&writer->threads);
    darn_map_free(&writer->wheres);
    free(writer->list);
    free(writer->path);
    free(writer);
    return result ? -1 : 0;
}

static struct filling *find_thread(struct darn_trace_writer *writer, uint32_t number)
{
    struct filling *filling = writer->last;

    if (filling && filling->header.thread == number)
        return filling;
    filling = (struct filling *)darn_map_get(&writer->threads, (uintptr_t)number + 1, 0);
    if (!filling) {
        filling = darn_need_zeroed(1, sizeof(*filling));
        filling->header = (struct darn_block_header){
            .type = DARN_BLOCK_EVENTS, .thread = number, .room = DARN_TRACE_PAYLOAD};
        writer->list =
            darn_grow(writer->list, &writer->room, writer->count + 1, sizeof(struct filling *));
        writer->list[writer->count++] = filling;
        darn_map_put(&writer->threads, (uintptr_t)number + 1, (uintptr_t)filling);
    }
    writer->last = filling;
    return filling;
}

/* What others may depend on, or depends on others. */
static bool is_ordered(const struct darn_event *event)
{
    if (darn_event_is_access(event))
        return event->flags & (DARN_EVENT_ATOMIC | DARN_EVENT_SYNC);
    return event->kind != DARN_EVENT_BEGIN && event->kind != DARN_EVENT_END;
}

/* A record is written into writer->record, from its payload's first byte on. */

static uint8_t *put_text(uint8_t *to, const char *text)
{
    size_t length = text ? strnlen(text, MOST_TEXT) : 0;

    to = darn_put_varint(to, length);
    if (length)
        memcpy(to, text, length);
    return to + length;
}

static void add_record(struct darn_trace_writer *writer, enum darn_record_type type,
                       const uint8_t *end)
{
    struct filling *tables = &writer->tables;
    size_t length = (size_t)(end - writer->record);
    uint8_t *to;

    if (sizeof(tables->bytes) - tables->used < length + 12)
        flush(writer, tables);
    to = tables->bytes + tables->used;
    *to++ = (uint8_t)type;
    to = darn_put_varint(to, length);
    memcpy(to, writer->record, length);
    tables->used = (size_t)(to - tables->bytes) + length;
}

static uint32_t find_where(struct darn_trace_writer *writer, const struct darn_event *event)
{
    uint64_t key = (uint64_t)event->site << 32 | event->stack;
    uint32_t id;
    uint8_t *to;

    if (!key)
        return 0;
    id = (uint32_t)darn_map_get(&writer->wheres, key, 0);
    if (id)
        return id;
    id = (uint32_t)writer->wheres.count + 1;
    darn_map_put(&writer->wheres, key, id);
    to = darn_put_varint(writer->record, id);
    to = darn_put_varint(to, event->site);
    add_record(writer, DARN_RECORD_WHERE, darn_put_varint(to, event->stack));
    return id;
}

void darn_trace_writer_event(struct darn_trace_writer *writer, const struct darn_event *event)
{
    struct filling *filling = find_thread(writer, event->thread);
    /* The first event of a thread must not come before its fork. */
    bool first = !filling->used && !filling->header.sequence;
    struct darn_coded coded = {.event = *event, .where = find_where(writer, event)};

    if (first || is_ordered(event))
        coded.stamp = ++writer->stamp;
    if (sizeof(filling->bytes) - filling->used < DARN_CODEC_MOST)
        flush(writer, filling);
    filling->used =
        (size_t)(darn_codec_put(&filling->codec, filling->bytes + filling->used, &coded) -
                 filling->bytes);
}

void darn_trace_writer_program(struct darn_trace_writer *writer, const char *path, uint32_t pid)
{
    writer->pid = pid;
    add_record(writer, DARN_RECORD_PROGRAM, put_text(writer->record, path));
}

void darn_trace_writer_site(struct darn_trace_writer *writer, uint32_t id,
                            const struct darn_trace_site *site)
{
    uint8_t *to = darn_put_varint(writer->record, id);

    to = darn_put_varint(to, site->line);
    to = darn_put_varint(to, site->column);
    to = darn_put_varint(to, site->size);
    to = darn_put_varint(to, site->kind);
    to = darn_put_varint(to, site->flags);
    to = darn_put_varint(to, site->key);
    to = put_text(to, site->file);
    to = put_text(to, site->dir);
    to = put_text(to, site->function);
    to = put_text(to, site->variable);
    if (site->has_copy)
        to = darn_put_varint(to, site->inlined);
    add_record(writer, DARN_RECORD_SITE, to);
}

void darn_trace_writer_stack(struct darn_trace_writer *writer, uint32_t id,
                             const struct darn_trace_stack *stack)
{
    uint32_t depth = stack->depth < MOST_FRAMES ? stack->depth : MOST_FRAMES;
    uint8_t *to = darn_put_varint(writer->record, id);

    to = darn_put_varint(to, depth);
    for (uint32_t i = 0; i < depth; i++)
        to = darn_put_varint(to, stack->pcs[i]);
    add_record(writer, DARN_RECORD_STACK, to);
}

void darn_trace_writer_thread(struct darn_trace_writer *writer,
                              const struct darn_trace_thread *thread)
{
    uint8_t *to = darn_put_varint(writer->record, (uint64_t)thread->number + 1);

    to = darn_put_varint(to, thread->tid);
    to = darn_put_varint(to, thread->has_parent ? (uint64_t)thread->parent + 1 : 0);
    to = darn_put_varint(to, thread->stack);
    add_record(writer, DARN_RECORD_THREAD, put_text(to, thread->name));
}

void darn_trace_writer_module(struct darn_trace_writer *writer, uint32_t id,
                              const struct darn_trace_module *module)
{
    uint8_t *to = darn_put_varint(writer->record, id);

    to = darn_put_varint(to, module->start);
    to = darn_put_varint(to, module->end);
    to = darn_put_varint(to, module->offset);
    add_record(writer, DARN_RECORD_MODULE, put_text(to, module->path));
}
