#include "trace/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

static const uint8_t *payload_of(const struct darn_follow_stream *stream)
{
    return (const uint8_t *)(stream->mapped + 1);
}

static int fail(struct darn_follow *follow, const struct darn_follow_stream *stream,
                const char *what)
{
    return darn_damage(&follow->damage, stream->blocks[stream->block].at, "thread %u: %s",
                       stream->thread, what);
}

/* What its thread has written meanwhile: the number comes after the bytes that it vouches for. */
static int look(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    uint32_t used = __atomic_load_n(&stream->mapped->used, __ATOMIC_ACQUIRE);

    if (used > stream->mapped->capacity)
        return fail(follow, stream, "a block says that it uses more than it has");
    stream->end = payload_of(stream) + used;
    return 0;
}

/* The block has been read: nobody will look at it again. */
static void drop_block(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    const struct darn_follow_block *block = &stream->blocks[stream->block++];

    munmap((void *)(uintptr_t)stream->mapped, block->size);
    stream->mapped = NULL;
    /* Some kinds of disks cannot; then the file takes as much room as a whole trace. */
    (void)fallocate(follow->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    (off_t)block->at, block->size);
    __atomic_fetch_add(&follow->header->taken, block->size, __ATOMIC_RELAXED);
    if (stream->block == stream->block_count)
        stream->block = stream->block_count = 0;
}

static int map_block(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    const struct darn_follow_block *block = &stream->blocks[stream->block];
    void *at = mmap(NULL, block->size, PROT_READ, MAP_SHARED, follow->descriptor, (off_t)block->at);

    if (at == MAP_FAILED)
        return fail(follow, stream, "a block cannot be mapped");
    stream->mapped = at;
    stream->codec = (struct darn_codec){0};
    stream->at = stream->safe = stream->end = payload_of(stream);
    return look(follow, stream);
}

/* The same of the block that is read, if more is to be known. */
static int look_again(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    return follow->is_left || !stream->mapped ? 0 : look(follow, stream);
}

/* Behind the end of what is known. 1, 0 when there is nothing for now, -1 for damage. */
static int advance(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    if (look_again(follow, stream))
        return -1;
    if (stream->mapped && stream->at == stream->end && stream->block + 1 < stream->block_count) {
        /* It was full before the next one was given out. */
        if (look_again(follow, stream))
            return -1;
        if (stream->at == stream->end)
            drop_block(follow, stream);
    }
    if (!stream->mapped && stream->block < stream->block_count && map_block(follow, stream))
        return -1;
    return stream->mapped && stream->at < stream->end;
}

static struct darn_follow_stream *stream_of(struct darn_follow *follow, uint32_t thread)
{
    struct darn_follow_stream *stream;

    follow->by_thread = darn_grow(follow->by_thread, &follow->thread_room, (size_t)thread + 1,
                                  sizeof(struct darn_follow_stream *));
    stream = follow->by_thread[thread];
    if (stream)
        return stream;
    stream = follow->by_thread[thread] = darn_need_zeroed(1, sizeof(*stream));
    stream->thread = thread;
    follow->streams = darn_grow(follow->streams, &follow->stream_room, follow->stream_count + 1,
                                sizeof(struct darn_follow_stream *));
    follow->heap = darn_grow(follow->heap, &follow->heap_room, follow->stream_count + 1,
                             sizeof(struct darn_follow_stream *));
    follow->streams[follow->stream_count++] = stream;
    return stream;
}

static int add_block(struct darn_follow *follow, const struct darn_block_header *header)
{
    uint64_t size = sizeof(*header) + (uint64_t)header->capacity;
    struct darn_follow_stream *stream = &follow->tables_stream;

    if (size > DARN_TRACE_BLOCK || size % DARN_TRACE_PAGE || header->flags ||
        (header->type != DARN_BLOCK_TABLE && header->type != DARN_BLOCK_EVENTS) ||
        header->thread >= DARN_TRACE_THREADS)
        return darn_damage(&follow->damage, follow->next, "the block makes no sense");
    if (header->type == DARN_BLOCK_EVENTS)
        stream = stream_of(follow, header->thread);
    if (header->sequence != stream->sequence)
        return darn_damage(&follow->damage, follow->next,
                           "block %u stands here; block %u was expected", header->sequence,
                           stream->sequence);
    stream->sequence++;
    stream->blocks = darn_grow(stream->blocks, &stream->block_room, stream->block_count + 1,
                               sizeof(*stream->blocks));
    stream->blocks[stream->block_count++] =
        (struct darn_follow_block){follow->next, (uint32_t)size, header->sequence};
    follow->next += size;
    return 0;
}

/* Nothing was written here: after the end, what was given out and never used is passed over. */
static bool pass_over(struct darn_follow *follow)
{
    off_t data;

    if (!follow->ended)
        return false;
    data = lseek(follow->descriptor, (off_t)(follow->next += DARN_TRACE_PAGE), SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        return false;
    if (data > 0 && (uint64_t)data > follow->next)
        follow->next = (uint64_t)data - (uint64_t)data % DARN_TRACE_PAGE;
    return true;
}

/* The blocks that were given out since the last time. Their headers were written before the magic,
 * and a page that nobody has is not made by reading it. Whether there were any. */
static bool discover(struct darn_follow *follow)
{
    struct darn_block_header header;
    bool found = false;

    while (!follow->damage.found && !follow->is_left) {
        ssize_t got = pread(follow->descriptor, &header, sizeof(header), (off_t)follow->next);

        if (got != sizeof(header))
            break;
        if (header.magic == DARN_BLOCK_MAGIC) {
            found = true;
            (void)add_block(follow, &header);
        } else if (!pass_over(follow)) {
            break;
        }
    }
    return found;
}

static int read_tables(struct darn_follow *follow)
{
    struct darn_follow_stream *stream = &follow->tables_stream;
    bool any = false;
    int result;

    while ((result = advance(follow, stream)) > 0) {
        if (darn_tables_read(follow->tables, stream->at, (size_t)(stream->end - stream->at),
                             stream->blocks[stream->block].at, 0, &follow->damage))
            return -1;
        stream->at = stream->end;
        any = true;
    }
    return any && !result ? darn_tables_finish(follow->tables, &follow->damage) : result;
}

static void free_stream(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    if (stream->mapped)
        munmap((void *)(uintptr_t)stream->mapped, stream->blocks[stream->block].size);
    free(stream->blocks);
    if (stream == &follow->tables_stream)
        return;
    follow->by_thread[stream->thread] = NULL;
    free(stream);
}

/* Threads that have ended write no more. */
static void forget_ended(struct darn_follow *follow)
{
    size_t kept = 0;

    for (size_t i = 0; i < follow->stream_count; i++) {
        if (follow->streams[i]->is_over) {
            if (follow->streams[i]->mapped)
                drop_block(follow, follow->streams[i]);
            free_stream(follow, follow->streams[i]);
        } else {
            follow->streams[kept++] = follow->streams[i];
        }
    }
    follow->stream_count = kept;
}

/*
 * Looks at all threads again. What was known of one before this is safe now: all that others had
 * done by then is known. False when there is nothing new, or damage.
 */
static bool refresh(struct darn_follow *follow)
{
    bool any;

    forget_ended(follow);
    any = discover(follow);
    for (size_t i = 0; i < follow->stream_count && !follow->damage.found; i++) {
        struct darn_follow_stream *stream = follow->streams[i];
        const uint8_t *end = stream->end;

        any |= stream->safe != end;
        stream->safe = end;
        any |= (stream->mapped ? look_again(follow, stream) == 0 && stream->end != end
                               : advance(follow, stream) > 0);
    }
    (void)read_tables(follow);
    follow->drained = 0;
    return any && !follow->damage.found;
}

static bool is_before(const struct darn_follow_stream *a, const struct darn_follow_stream *b)
{
    return a->key != b->key ? a->key < b->key : a->thread < b->thread;
}

static void push(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    size_t i = follow->heap_count++;

    for (; i && is_before(stream, follow->heap[(i - 1) / 2]); i = (i - 1) / 2)
        follow->heap[i] = follow->heap[(i - 1) / 2];
    follow->heap[i] = stream;
}

static struct darn_follow_stream *pop(struct darn_follow *follow)
{
    struct darn_follow_stream **heap = follow->heap, *first = heap[0];
    struct darn_follow_stream *last = heap[--follow->heap_count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < follow->heap_count) {
        child += child + 1 < follow->heap_count && is_before(heap[child + 1], heap[child]);
        if (!is_before(heap[child], last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

static int decode(struct darn_follow *follow, struct darn_follow_stream *stream)
{
    const uint8_t *next = darn_codec_get(&stream->codec, stream->at, stream->end, &stream->next);

    if (!next)
        return fail(follow, stream, "an event makes no sense");
    stream->at = next;
    return 0;
}

static int give(struct darn_follow *follow, struct darn_follow_stream *stream,
                struct darn_event *event)
{
    /* Its block may be newer than our tables; what it names was written before it. */
    if (stream->next.where >= follow->tables->where_count && read_tables(follow))
        return -1;
    darn_tables_resolve(follow->tables, &stream->next, stream->thread, event);
    stream->is_over = event->kind == DARN_EVENT_EXIT;
    return 1;
}

/* Its next event, if that needs no turn: 1, 0 when there is none, -1 for damage. */
static int step(struct darn_follow *follow, struct darn_follow_stream *stream,
                struct darn_event *event)
{
    int result = stream->at < stream->end ? 1 : advance(follow, stream);

    if (result <= 0)
        return result;
    if (decode(follow, stream))
        return -1;
    if (!stream->next.stamp)
        return give(follow, stream, event);
    if (stream->next.stamp <= stream->key)
        return fail(follow, stream, "the stamps go backwards");
    stream->key = stream->next.stamp;
    stream->holds = true;
    push(follow, stream);
    return 0;
}

/* What was lost ends the trace: what others do after it may depend on it. */
static bool is_readable(const struct darn_follow *follow, const struct darn_follow_stream *stream)
{
    uint64_t lost_at = __atomic_load_n(&follow->header->lost_at, __ATOMIC_RELAXED);

    return !lost_at || stream->key < lost_at;
}

int darn_follow_next(struct darn_follow *follow, struct darn_event *event)
{
    while (!follow->damage.found) {
        struct darn_follow_stream *first = follow->heap_count ? follow->heap[0] : NULL;
        int result = follow->current ? step(follow, follow->current, event) : 0;
        bool is_next;

        if (result)
            return result;
        follow->current = NULL;
        if (follow->drained < follow->stream_count) {
            struct darn_follow_stream *stream = follow->streams[follow->drained++];

            follow->current = stream->holds ? NULL : stream;
            continue;
        }
        first = follow->heap_count ? follow->heap[0] : NULL;
        is_next = first && first->key == follow->stamp && first->at <= first->safe;
        if (!is_next && refresh(follow))
            continue;
        /* After the end a stamp may be missing: its thread has left the place by a jump. */
        if (!first || follow->damage.found || !is_readable(follow, first) ||
            !(is_next || follow->ended))
            return follow->damage.found ? -1 : 0;
        follow->current = pop(follow);
        follow->stamp = first->key + 1;
        first->holds = false;
        return give(follow, first, event);
    }
    return -1;
}

uint64_t darn_follow_unread(struct darn_follow *follow)
{
    struct darn_event event;
    uint64_t count = 0;

    while (follow->heap_count && !follow->damage.found) {
        struct darn_follow_stream *stream = pop(follow);

        stream->holds = false;
        for (count++; step(follow, stream, &event) > 0; count++)
            continue;
    }
    return count;
}

bool darn_follow_is_at(const struct darn_follow *follow, const char *path)
{
    struct stat mine, there;

    return fstat(follow->descriptor, &mine) || stat(path, &there) ||
           (mine.st_ino == there.st_ino && mine.st_dev == there.st_dev);
}

/* The first block is one of tables; the header was written before it. */
int darn_follow_open(struct darn_follow *follow, const char *path, uint64_t ahead,
                     struct darn_tables *tables)
{
    struct darn_block_header first = {.magic = 0};
    void *header;

    *follow = (struct darn_follow){.descriptor = open(path, O_RDWR | O_CLOEXEC),
                                   .next = DARN_TRACE_HEADER,
                                   .stamp = 1,
                                   .tables = tables};
    if (follow->descriptor < 0)
        return errno == ENOENT ? 0 : -errno;
    if (pread(follow->descriptor, &first, sizeof(first), DARN_TRACE_HEADER) != sizeof(first) ||
        first.magic != DARN_BLOCK_MAGIC) {
        close(follow->descriptor);
        return 0;
    }
    header =
        mmap(NULL, DARN_TRACE_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, follow->descriptor, 0);
    if (header == MAP_FAILED) {
        close(follow->descriptor);
        return -errno;
    }
    follow->header = header;
    __atomic_store_n(&follow->header->ahead, ahead, __ATOMIC_RELAXED);
    return 1;
}

void darn_follow_close(struct darn_follow *follow)
{
    if (!follow->header)
        return;
    for (size_t i = 0; i < follow->stream_count; i++)
        free_stream(follow, follow->streams[i]);
    free_stream(follow, &follow->tables_stream);
    free(follow->streams);
    free(follow->heap);
    free(follow->by_thread);
    munmap(follow->header, DARN_TRACE_HEADER);
    close(follow->descriptor);
    *follow = (struct darn_follow){0};
}

void darn_follow_end(struct darn_follow *follow)
{
    bool lives = kill((pid_t)follow->header->pid, 0) == 0 || errno == EPERM;

    follow->ended = !lives;
    if (lives)
        (void)refresh(follow);
    follow->is_left = lives;
}
