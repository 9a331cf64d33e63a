#include "trace/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/codec.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

#define FORGET_EACH (16u << 20)

int darn_layout_header(const struct darn_trace_file *file, struct darn_trace_header *header,
                       struct darn_damage *damage)
{
    size_t there = file->length < sizeof(*header) ? file->length : sizeof(*header);

    *header = (struct darn_trace_header){.version = 0};
    memcpy(header, file->bytes, there);
    if (file->length >= 12 && header->version > DARN_TRACE_VERSION)
        return darn_damage(damage, 8,
                           "the trace has version %u of the format, this darn reads up to %u; use "
                           "the darn that recorded it, or a newer one",
                           header->version, DARN_TRACE_VERSION);
    if (file->length >= 12 && header->version == 0)
        return darn_damage(damage, 8, "the trace has no version; the file is damaged");
    if (file->length < DARN_TRACE_HEADER)
        return darn_damage(damage, file->length, "the file ends within its header of %d bytes",
                           DARN_TRACE_HEADER);
    return 0;
}

/* Reserved pages that were never used are skipped. False when there is nothing behind them. */
static bool skip_unused(const struct darn_trace_file *file, uint64_t *at)
{
    while (*at < file->length) {
        uint32_t magic = 0;
        uint64_t left = file->length - *at, data;

        memcpy(&magic, file->bytes + *at, left < sizeof(magic) ? (size_t)left : sizeof(magic));
        if (magic)
            return true;
        *at += DARN_TRACE_PAGE;
        data = *at < file->length ? darn_trace_file_data(file, *at) : file->length;
        if (data - data % DARN_TRACE_PAGE > *at)
            *at = data - data % DARN_TRACE_PAGE;
    }
    return false;
}

static int check_block(const struct darn_trace_file *file, bool packed, uint64_t at,
                       const struct darn_block_header *block, struct darn_damage *damage)
{
    bool zstd = block->flags & DARN_BLOCK_ZSTD;

    if (block->type != DARN_BLOCK_EVENTS && block->type != DARN_BLOCK_TABLE)
        return darn_damage(damage, at + 4, "there is no type %u of blocks", block->type);
    if (block->flags & ~DARN_BLOCK_ZSTD)
        return darn_damage(damage, at + 6, "the block has unknown flags 0x%x", block->flags);
    if (block->type == DARN_BLOCK_EVENTS && block->thread >= DARN_TRACE_THREADS)
        return darn_damage(damage, at + 8, "the block is of thread %u; there are less than %u",
                           block->thread, DARN_TRACE_THREADS);
    if (block->capacity > DARN_TRACE_MOST || block->used > block->capacity ||
        (packed && block->used != block->capacity))
        return darn_damage(damage, at + 16, "the block says that it uses %u of %u bytes",
                           block->used, block->capacity);
    if (zstd && (block->unpacked > DARN_TRACE_MOST || !block->unpacked))
        return darn_damage(damage, at + 24, "the block says that it has %u bytes when unpacked",
                           block->unpacked);
    if (block->capacity > file->length - at - sizeof(*block))
        return darn_damage(damage, file->length,
                           "the file ends within the block that begins at byte %llu",
                           (unsigned long long)at);
    return 0;
}

int darn_layout_block(const struct darn_trace_file *file, bool packed, uint64_t *at, uint64_t *next,
                      struct darn_block_header *block, struct darn_damage *damage)
{
    block->magic = 0;
    if (*at >= file->length || (!packed && !skip_unused(file, at)))
        return 0;
    if (file->length - *at < sizeof(*block))
        return darn_damage(damage, file->length,
                           "the file ends within the header of the block at byte %llu",
                           (unsigned long long)*at);
    memcpy(block, file->bytes + *at, sizeof(*block));
    if (block->magic != DARN_BLOCK_MAGIC) {
        block->magic = 0;
        return darn_damage(damage, *at, "no block begins here, but one should");
    }
    if (check_block(file, packed, *at, block, damage)) {
        /* A packed block that is cut cannot be unpacked; of a plain one the beginning is there. */
        if (damage->at != file->length || block->flags & DARN_BLOCK_ZSTD)
            block->magic = 0;
        return -1;
    }
    *next = *at + sizeof(*block) + block->capacity;
    return 1;
}

static void add_block(struct darn_layout *layout, uint64_t at,
                      const struct darn_block_header *block)
{
    bool table = block->type == DARN_BLOCK_TABLE;

    layout->blocks = darn_grow(layout->blocks, &layout->block_room, layout->block_count + 1,
                               sizeof(*layout->blocks));
    layout->blocks[layout->block_count++] =
        (struct darn_layout_block){at, table ? DARN_LAYOUT_TABLES : block->thread, block->sequence};
}

/* 0, or -1 for damage. */
static int scan(struct darn_layout *layout, struct darn_damage *damage)
{
    const struct darn_trace_file *file = layout->file;
    uint64_t at = DARN_TRACE_HEADER, next, forgotten = 0;
    struct darn_block_header block;
    int result;

    while ((result = darn_layout_block(file, layout->header.packed, &at, &next, &block, damage)) >
           0) {
        add_block(layout, at, &block);
        at = next;
        if (at - forgotten > FORGET_EACH && at <= file->length) {
            darn_trace_file_forget(file, forgotten, at);
            forgotten = at;
        }
    }
    if (result < 0 && block.magic)
        add_block(layout, at, &block);
    if (result == 0 && layout->header.bytes && layout->header.bytes != file->length)
        return darn_damage(
            damage, file->length, "the file has %llu bytes, but says that it has %llu",
            (unsigned long long)file->length, (unsigned long long)layout->header.bytes);
    return result;
}

static int compare(const void *a, const void *b)
{
    const struct darn_layout_block *left = a, *right = b;

    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->sequence != right->sequence)
        return left->sequence < right->sequence ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* The blocks of a stream are numbered from 0 without gaps. Of several faults the first in the file
 * is told. */
static int check_sequences(const struct darn_layout *layout, struct darn_damage *damage)
{
    const struct darn_layout_block *worst = NULL;
    uint32_t expected = 0, missing = 0;

    for (size_t i = 0; i < layout->block_count; i++) {
        const struct darn_layout_block *block = &layout->blocks[i];

        if (i == 0 || block[-1].thread != block->thread)
            expected = 0;
        if (block->sequence != expected && (!worst || block->at < worst->at)) {
            worst = block;
            missing = expected;
        }
        expected = block->sequence + 1;
    }
    if (!worst)
        return 0;
    return darn_damage(damage, worst->at,
                       worst->thread == DARN_LAYOUT_TABLES
                           ? "block %u of the tables stands here; block %u was expected"
                           : "block %u of a thread stands here; block %u was expected",
                       worst->sequence, missing);
}

struct darn_block_header darn_layout_header_of(const struct darn_layout *layout, size_t block)
{
    struct darn_block_header header;

    memcpy(&header, layout->file->bytes + layout->blocks[block].at, sizeof(header));
    return header;
}

size_t darn_layout_used(const struct darn_layout *layout, size_t block)
{
    uint64_t room =
        layout->file->length - layout->blocks[block].at - sizeof(struct darn_block_header);
    uint32_t used = darn_layout_header_of(layout, block).used;

    return used < room ? used : (size_t)room;
}

/* Whether the thread may have gone on in another block. */
static bool is_full(const struct darn_layout *layout, size_t block)
{
    struct darn_block_header header = darn_layout_header_of(layout, block);
    bool zstd = header.flags & DARN_BLOCK_ZSTD;
    uint32_t used = zstd ? header.unpacked : header.used;
    uint32_t room = layout->header.packed ? header.room : header.capacity;

    return (uint64_t)used + DARN_CODEC_MOST >= room ||
           darn_layout_used(layout, block) < header.used;
}

static void find_streams(struct darn_layout *layout)
{
    struct darn_layout_stream *stream = NULL;

    layout->stream_count = 0;
    layout->tables = (struct darn_layout_stream){0};
    for (size_t i = 0; i < layout->block_count; i++) {
        uint32_t thread = layout->blocks[i].thread;

        if (thread == DARN_LAYOUT_TABLES) {
            if (!layout->tables.count++)
                layout->tables.first = i;
            continue;
        }
        if (!stream || stream->thread != thread) {
            layout->streams = darn_grow(layout->streams, &layout->stream_room,
                                        layout->stream_count + 1, sizeof(*layout->streams));
            stream = &layout->streams[layout->stream_count++];
            *stream = (struct darn_layout_stream){.first = i, .thread = thread};
        }
        stream->count++;
    }
    for (size_t i = 0; i < layout->stream_count && layout->is_partial; i++)
        layout->streams[i].cut =
            is_full(layout, layout->streams[i].first + layout->streams[i].count - 1);
}

void darn_layout_cut(struct darn_layout *layout, uint64_t end)
{
    struct darn_damage gap;
    size_t kept;

    layout->is_partial = true;
    do {
        kept = 0;
        for (size_t i = 0; i < layout->block_count; i++)
            if (layout->blocks[i].at < end)
                layout->blocks[kept++] = layout->blocks[i];
        layout->block_count = kept;
        layout->end = end;
        gap = (struct darn_damage){.found = false};
        if (check_sequences(layout, &gap))
            end = gap.at;
    } while (gap.found);
    find_streams(layout);
}

int darn_layout_read(struct darn_layout *layout, const struct darn_trace_file *file,
                     struct darn_damage *damage)
{
    *layout = (struct darn_layout){.file = file, .end = UINT64_MAX};
    if (darn_layout_header(file, &layout->header, damage) == 0)
        (void)scan(layout, damage);
    if (layout->block_count)
        qsort(layout->blocks, layout->block_count, sizeof(*layout->blocks), compare);
    if (!damage->found)
        (void)check_sequences(layout, damage);
    /* Traces that do not say where the loss began: where the first thread had no more room. */
    layout->is_partial = damage->found || (layout->header.lost && !layout->header.lost_at);
    if (damage->found)
        darn_layout_cut(layout, damage->at);
    else
        find_streams(layout);
    return damage->found ? -1 : 0;
}

void darn_layout_free(struct darn_layout *layout)
{
    free(layout->blocks);
    free(layout->streams);
    *layout = (struct darn_layout){0};
}
