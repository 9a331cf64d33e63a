#include "runtime/record/stream.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"
#include "runtime/record/tracefile.h"

/* Taken by every event that synchronizes: on a cache line of its own. From 1 on. */
static _Alignas(64) _Atomic uint64_t stamps = 1;

/* Protects the lists of streams; nothing nests inside. */
static struct darn_spin list_lock;
static struct darn_stream *unused, *all;
static uint64_t stream_count;

/* So many lost events are told to the file at once; a program that is killed takes fewer than that
 * for each thread with it. */
#define TOLD_EACH 1024

static uint64_t next_stamp(void)
{
    return atomic_fetch_add_explicit(&stamps, 1, memory_order_seq_cst);
}

/* A new thread has recorded nothing; where it has been before is the same for all threads. */
static void reset(struct darn_stream *stream)
{
    stream->block = NULL;
    stream->at = stream->limit = NULL;
    stream->sequence = 0;
    stream->segment++;
    stream->busy = stream->pending = stream->is_cut = stream->is_ahead = false;
    stream->deepest = stream->quiet = 0;
    memset(stream->reads, 0, sizeof(stream->reads));
    memset(stream->known, 0, sizeof(stream->known));
}

struct darn_stream *darn_stream_take(void)
{
    uint64_t mask = darn_os_block_signals();
    struct darn_stream *stream;

    darn_spin_lock(&list_lock);
    stream = unused;
    if (stream) {
        unused = stream->next;
    } else if (darn_tracefile_may_take((stream_count + 1) * sizeof(*stream)) &&
               (stream = darn_os_allocate(sizeof(*stream)))) {
        stream_count++;
        stream->other = all;
        all = stream;
    }
    darn_spin_unlock(&list_lock);
    darn_os_restore_signals(mask);
    if (stream)
        reset(stream);
    return stream;
}

void darn_stream_give(struct darn_stream *stream)
{
    uint64_t mask = darn_os_block_signals();

    darn_spin_lock(&list_lock);
    stream->next = unused;
    unused = stream;
    darn_spin_unlock(&list_lock);
    darn_os_restore_signals(mask);
}

void darn_stream_missed(void)
{
    darn_tracefile_lost_thread(next_stamp());
}

static void tell(struct darn_stream *stream)
{
    uint64_t lost = __atomic_load_n(&stream->lost, __ATOMIC_RELAXED);

    darn_tracefile_lost(lost - __atomic_exchange_n(&stream->told, lost, __ATOMIC_RELAXED));
}

void darn_streams_tell(void)
{
    darn_spin_lock(&list_lock);
    for (struct darn_stream *stream = all; stream; stream = stream->other)
        tell(stream);
    darn_spin_unlock(&list_lock);
}

/* After the first one the reader stops: the file knows it before anything else can happen. */
static void lose(struct darn_stream *stream, uint64_t stamp)
{
    uint64_t lost = stream->lost + 1;

    __atomic_store_n(&stream->lost, lost, __ATOMIC_RELAXED);
    if (!stream->is_cut)
        darn_tracefile_lost_from(stamp ? stamp : atomic_load(&stamps));
    if (!stream->is_cut || lost % TOLD_EACH == 0)
        tell(stream);
    stream->is_cut = true;
}

/* Short threads shall not take up much room. */
static uint32_t pages_of(uint32_t sequence)
{
    return sequence == 0 ? 1 : sequence == 1 ? 4 : DARN_TRACE_BLOCK / DARN_TRACE_PAGE;
}

static bool new_block(struct darn_thread *thread, struct darn_stream *stream)
{
    stream->block = darn_tracefile_block(DARN_BLOCK_EVENTS, thread->number, stream->sequence,
                                         pages_of(stream->sequence));
    if (!stream->block) {
        stream->at = stream->limit = NULL;
        return false;
    }
    stream->is_ahead = darn_tracefile_is_ahead();
    stream->sequence++;
    stream->at = darn_block_start(stream->block);
    stream->limit = darn_block_end(stream->block) - DARN_CODEC_MOST;
    stream->codec = (struct darn_codec){0};
    return true;
}

/* With one block for each wait the file hardly grows, even if the reader is gone. */
#define WAITS 100

void darn_stream_wait(struct darn_stream *stream)
{
    stream->is_ahead = false;
    for (int i = 0; i < WAITS && darn_tracefile_is_ahead(); i++)
        darn_os_sleep(1000000);
}

void darn_stream_put(struct darn_thread *thread, struct darn_stream *stream,
                     const struct darn_coded *coded)
{
    if (stream->at >= stream->limit && !new_block(thread, stream)) {
        lose(stream, coded->stamp);
        return;
    }
    stream->at = darn_codec_put(&stream->codec, stream->at, coded);
    darn_block_used(stream->block, stream->at);
}

/*
 * The stamp of the last synchronizing store to an address, by hash: its version. It is set after
 * the stamp was taken and before the store happens. A thread that has acquired a version has an
 * edge from all stores up to it; a read that finds no newer one acquires nothing new, and need not
 * be recorded again. So a thread that polls, or reads back what it wrote itself, records nothing.
 */
#define VERSIONS 16384
static _Alignas(64) _Atomic uint64_t versions[VERSIONS];

static _Atomic uint64_t *version_of(uintptr_t address)
{
    return &versions[(address >> 3 ^ address >> 17) % VERSIONS];
}

/* Our own store adds nothing to what we know, if we know what came before it. */
static void new_version(struct darn_stream *stream, uintptr_t address, uint64_t stamp)
{
    size_t i = (address >> 3) % DARN_REPEATS;
    uint64_t before = atomic_exchange(version_of(address), stamp);

    if (stream->known[i].address == address && stream->known[i].version == before)
        stream->known[i].version = stamp;
}

void darn_stream_stamp(struct darn_thread *thread, struct darn_stream *stream,
                       struct darn_coded *coded)
{
    coded->stamp = next_stamp();
    stream->segment++;
    if (coded->stamp == stream->quiet + 1)
        stream->quiet++;
    if (darn_event_writes(&coded->event) || coded->event.kind == DARN_EVENT_SEND)
        new_version(stream, coded->event.target, coded->stamp);
    darn_stream_put(thread, stream, coded);
}

/*
 * Whether the read acquires nothing that was not acquired before. One that does not acquire by
 * itself (memory_order_relaxed) may still be followed by a fence that does.
 */
static bool is_old(struct darn_stream *stream, const struct darn_coded *read)
{
    uintptr_t address = read->event.target;
    uint64_t version = atomic_load_explicit(version_of(address), memory_order_acquire);
    size_t i = (address >> 3) % DARN_REPEATS, j = (address >> 2 ^ read->where * 7) % DARN_REPEATS;
    bool acquires = read->event.flags & (DARN_EVENT_ACQUIRES | DARN_EVENT_SYNC) ||
                    read->event.kind == DARN_EVENT_RECEIVE;
    bool recorded = stream->reads[j].address == address && stream->reads[j].where == read->where;
    bool old;

    if (stream->known[i].address != address) {
        stream->known[i].address = address;
        stream->known[i].version = stream->known[i].seen = UINT64_MAX;
    }
    old = recorded &&
          (stream->known[i].version == version || (!acquires && stream->known[i].seen == version));
    if (acquires)
        stream->known[i].version = version;
    stream->known[i].seen = version;
    stream->reads[j].address = address;
    stream->reads[j].where = read->where;
    return old;
}

/* The read that was kept back has happened by now. */
void darn_stream_settle(struct darn_thread *thread, struct darn_stream *stream)
{
    if (stream->pending) {
        stream->pending = false;
        if (!is_old(stream, &stream->late))
            darn_stream_stamp(thread, stream, &stream->late);
    }
}

/* Keeps a read back. One that only repeats the last one, as in a spin, takes its place. */
/* Keeps a read back. One that only repeats the last one, as in a spin, takes its place. */
static void keep_late(struct darn_thread *thread, struct darn_stream *stream,
                      const struct darn_coded *coded)
{
    if (stream->pending &&
        (stream->late.event.target != coded->event.target || stream->late.where != coded->where))
        darn_stream_settle(thread, stream);
    stream->late = *coded;
    stream->pending = true;
}

bool darn_stream_repeats(struct darn_stream *stream, uintptr_t address, uint32_t where)
{
    size_t i = (address >> 2 ^ where * 7) % DARN_REPEATS;

    if (stream->repeats[i].address == address && stream->repeats[i].where == where &&
        stream->repeats[i].segment == stream->segment)
        return true;
    stream->repeats[i].address = address;
    stream->repeats[i].where = where;
    stream->repeats[i].segment = stream->segment;
    return false;
}

/*
 * A read is kept back, and with it its place among what others do. If nobody sees what orders the
 * thread with others afterwards, it stands where it is, and only what it acquires is kept back.
 */
static void put_read(struct darn_thread *thread, struct darn_stream *stream,
                     struct darn_coded *coded, bool unseen)
{
    struct darn_coded first = *coded;

    if (unseen) {
        darn_stream_settle(thread, stream);
        first.event.flags &= (uint16_t)~DARN_EVENT_ACQUIRES;
        if (!darn_stream_repeats(stream, first.event.target, first.where))
            darn_stream_put(thread, stream, &first);
        coded->event.flags |= DARN_EVENT_HALF;
    }
    keep_late(thread, stream, coded);
}

void darn_stream_synchronize(struct darn_thread *thread, struct darn_stream *stream,
                             struct darn_coded *coded, bool unseen)
{
    struct darn_coded second;

    if (coded->event.kind == DARN_EVENT_READ) {
        put_read(thread, stream, coded, unseen);
        return;
    }
    darn_stream_settle(thread, stream);
    second = *coded;
    if (coded->event.kind == DARN_EVENT_UPDATE)
        coded->event.flags &= (uint16_t)~DARN_EVENT_ACQUIRES;
    darn_stream_stamp(thread, stream, coded);
    if (second.event.kind == DARN_EVENT_UPDATE) {
        second.event.kind = DARN_EVENT_READ;
        second.event.flags &= (uint16_t)~DARN_EVENT_RELEASES;
        second.event.flags |= DARN_EVENT_HALF;
        keep_late(thread, stream, &second);
    }
}

void darn_stream_release(struct darn_thread *thread, uint64_t object)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded = {.event = {.kind = DARN_EVENT_SEND, .target = object}};

    if (!darn_stream_begin(stream))
        return;
    darn_stream_settle(thread, stream);
    darn_stream_stamp(thread, stream, &coded);
    stream->busy = false;
}

bool darn_stream_thins(struct darn_thread *thread)
{
    if (!thread->stream || !darn_stream_begin(thread->stream))
        return false;
    thread->stream->busy = false;
    darn_stream_release(thread, DARN_EVENT_THINNED);
    return true;
}

void darn_stream_acquire(struct darn_thread *thread, uint64_t object)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded = {.event = {.kind = DARN_EVENT_RECEIVE, .target = object}};

    if (!darn_stream_begin(stream))
        return;
    darn_stream_settle(thread, stream);
    if (!is_old(stream, &coded))
        darn_stream_stamp(thread, stream, &coded);
    stream->busy = false;
}

/*
 * What others do without a stamp stands right behind their last one, wherever that was: so after
 * it comes who comes after the stamp. While nobody else takes one, there is nothing new to come
 * after.
 */
void darn_stream_acquire_all(struct darn_thread *thread)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded = {.event = {.kind = DARN_EVENT_AFTER_ALL}};

    if (!darn_stream_begin(stream))
        return;
    darn_stream_settle(thread, stream);
    if (atomic_load(&stamps) != stream->quiet + 1) {
        darn_stream_stamp(thread, stream, &coded);
        stream->quiet = coded.stamp;
    }
    stream->busy = false;
}
