#include "trace/merge.h"

#include <stdlib.h>

#include "base/grow.h"

static bool is_before(const struct darn_merge_stream *a, const struct darn_merge_stream *b)
{
    return a->key != b->key ? a->key < b->key : a->thread < b->thread;
}

/* The stream at `i` may be later than those below it. */
static void sink(struct darn_merge *merge, size_t i)
{
    struct darn_merge_stream **heap = merge->heap, *moved = heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= merge->heap_count)
            break;
        if (child + 1 < merge->heap_count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], moved))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static int fail(struct darn_merge *merge, const struct darn_merge_stream *stream)
{
    merge->damaged_block = merge->layout->blocks[stream->block].at;
    return -1;
}

static uint64_t position(const struct darn_merge_stream *stream, const uint8_t *at)
{
    return stream->payload.at + stream->payload.step * (uint64_t)(at - stream->payload.bytes);
}

static int load(struct darn_merge *merge, struct darn_merge_stream *stream)
{
    if (darn_payload_load(&stream->payload, &merge->unpack, stream->block, &merge->damage))
        return fail(merge, stream);
    stream->at = stream->payload.bytes;
    stream->end = stream->at + stream->payload.length;
    return 0;
}

static inline int decode(struct darn_merge *merge, struct darn_merge_stream *stream,
                         struct darn_coded *coded)
{
    const uint8_t *next = darn_codec_get(&stream->codec, stream->at, stream->end, coded);

    if (__builtin_expect(!next, 0)) {
        (void)darn_damage(&merge->damage, position(stream, stream->at),
                          "an event of thread %u makes no sense", stream->thread);
        return fail(merge, stream);
    }
    stream->at = next;
    return 0;
}

/* The next event has a stamp: it has to wait for its turn. */
static int hold(struct darn_merge *merge, struct darn_merge_stream *stream)
{
    const uint8_t *at = stream->at;

    if (decode(merge, stream, &stream->next))
        return -1;
    if (stream->next.stamp < stream->last) {
        (void)darn_damage(&merge->damage, position(stream, at),
                          "the stamps of thread %u go backwards", stream->thread);
        return fail(merge, stream);
    }
    stream->key = stream->next.stamp;
    stream->holds = true;
    return 0;
}

/* Goes on behind the end of what is in memory. 1, 0 when nothing is there, -1 for damage. */
static int advance(struct darn_merge *merge, struct darn_merge_stream *stream)
{
    if (stream->parked) {
        stream->parked = false;
        if (load(merge, stream))
            return -1;
        stream->at += stream->skip;
        return 1;
    }
    darn_trace_file_forget(merge->layout->file, stream->payload.at,
                           stream->payload.at + stream->payload.stored);
    if (stream->block + 1 >= stream->blocks_end) {
        darn_payload_drop(&stream->payload);
        return 0;
    }
    stream->block++;
    stream->last = stream->key;
    stream->codec = (struct darn_codec){0};
    return load(merge, stream) ? -1 : 1;
}

/* Looks at the first event, to know when the turn of the thread comes. Its block is given back
 * until then: there may be very many threads. */
static int begin(struct darn_merge *merge, struct darn_merge_stream *stream)
{
    if (load(merge, stream))
        return -1;
    if (stream->at < stream->end && *stream->at & DARN_CODEC_HAS_STAMP && hold(merge, stream))
        return -1;
    if (stream->payload.buffer) {
        stream->skip = (size_t)(stream->at - stream->payload.bytes);
        stream->parked = true;
        stream->at = stream->end = NULL;
        darn_payload_drop(&stream->payload);
    }
    return 0;
}

static void drop_streams(struct darn_merge *merge)
{
    for (size_t i = 0; i < merge->stream_count; i++)
        darn_payload_drop(&merge->streams[i].payload);
    free(merge->streams);
    free(merge->heap);
    merge->streams = NULL;
    merge->heap = NULL;
    merge->stream_count = merge->heap_count = 0;
}

void darn_merge_open(struct darn_merge *merge, const struct darn_layout *layout,
                     const struct darn_tables *tables)
{
    *merge = (struct darn_merge){.layout = layout, .tables = tables};
    darn_unpack_start(&merge->unpack, layout);
}

void darn_merge_close(struct darn_merge *merge)
{
    drop_streams(merge);
    darn_unpack_end(&merge->unpack);
}

/* When events are missing: whether some of the thread are there. */
static bool has_stream(const struct darn_merge *merge, uint64_t thread)
{
    size_t low = 0, high = merge->stream_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (merge->streams[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low < merge->stream_count && merge->streams[low].thread == thread;
}

int darn_merge_start(struct darn_merge *merge)
{
    const struct darn_layout *layout = merge->layout;

    drop_streams(merge);
    merge->damage = (struct darn_damage){.found = false};
    merge->ended = false;
    merge->stream_count = layout->stream_count;
    merge->streams = darn_need_zeroed(merge->stream_count, sizeof(*merge->streams));
    merge->heap = darn_need_zeroed(merge->stream_count, sizeof(struct darn_merge_stream *));
    for (size_t i = 0; i < merge->stream_count; i++) {
        const struct darn_layout_stream *from = &layout->streams[i];
        struct darn_merge_stream *stream = &merge->streams[i];

        stream->thread = from->thread;
        stream->cut = from->cut;
        stream->block = from->first;
        stream->blocks_end = from->first + from->count;
        if (begin(merge, stream))
            return -1;
        merge->heap[merge->heap_count++] = stream;
    }
    for (size_t i = merge->heap_count / 2; i-- > 0;)
        sink(merge, i);
    merge->ended = layout->is_partial && !has_stream(merge, 0);
    return 0;
}

static inline void give(struct darn_merge *merge, const struct darn_merge_stream *stream,
                        const struct darn_coded *coded, struct darn_event *event)
{
    darn_tables_resolve(merge->tables, coded, stream->thread, event);
    /* The whole thread was left out: from here on anything may depend on it. */
    if (event->kind == DARN_EVENT_FORK && merge->layout->is_partial &&
        !has_stream(merge, event->target))
        merge->ended = true;
}

/* The first stream of the heap is at its end. */
static void retire(struct darn_merge *merge)
{
    if (merge->heap[0]->cut)
        merge->ended = true;
    merge->heap[0] = merge->heap[--merge->heap_count];
    if (merge->heap_count)
        sink(merge, 0);
}

/* The events that are in the file, but come after something that is not. */
static uint64_t count_rest(struct darn_merge *merge)
{
    struct darn_coded coded;
    uint64_t count = 0;

    for (size_t i = 0; i < merge->heap_count && !merge->damage.found; i++) {
        struct darn_merge_stream *stream = merge->heap[i];

        count += stream->holds;
        do {
            while (stream->at < stream->end && decode(merge, stream, &coded) == 0)
                count++;
        } while (!merge->damage.found && advance(merge, stream) > 0);
    }
    return count;
}

int darn_merge_next(struct darn_merge *merge, struct darn_event *event)
{
    uint64_t end = merge->layout->header.lost_at;
    struct darn_coded coded;

    while (!merge->damage.found && !merge->ended && merge->heap_count) {
        struct darn_merge_stream *stream = merge->heap[0];

        if (stream->holds && end && stream->key >= end) {
            merge->unread = count_rest(merge);
            merge->ended = true;
        } else if (stream->holds) {
            stream->holds = false;
            give(merge, stream, &stream->next, event);
            return 1;
        }
        if (__builtin_expect(stream->at == stream->end, 0)) {
            if (advance(merge, stream) == 0)
                retire(merge);
        } else if (*stream->at & DARN_CODEC_HAS_STAMP) {
            if (hold(merge, stream) == 0)
                sink(merge, 0);
        } else if (decode(merge, stream, &coded) == 0) {
            give(merge, stream, &coded, event);
            return 1;
        }
    }
    return merge->damage.found ? -1 : 0;
}
