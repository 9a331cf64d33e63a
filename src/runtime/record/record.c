#include "runtime/record/record.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/order/outside.h"
#include "runtime/os/os.h"
#include "runtime/record/lines.h"
#include "runtime/record/record_ends.h"
#include "runtime/record/record_tables.h"
#include "runtime/record/stream.h"
#include "runtime/record/tracefile.h"
#include "runtime/report/counters.h"
#include "runtime/report/deliver.h"
#include "runtime/report/found.h"
#include "runtime/report/tell.h"
#include "runtime/state.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

#define STATUS_WRONG_USAGE 2

bool darn_recording;

/* How many allocations at one place in a row are recorded for their names alone. */
#define NAMED 1000

/* The largest number that the flags of an event have room for. */
#define MOST_BEHIND 0x3fff

static bool is_open;      /* a trace was begun, which may have become full since */
static bool is_temporary; /* the trace is for ourselves */

/* The return address of the function that made the access: with the site, nearly as good as the
 * whole stack to tell whether we have been here before. */
static uintptr_t caller_of(const struct darn_thread *thread, const void *frame)
{
    uintptr_t up = ((const uintptr_t *)frame)[0];

    if (up % sizeof(up) || up < thread->stack_start || up + 16 > thread->stack_end)
        return 0;
    return ((const uintptr_t *)up)[1];
}

/* A lock may be taken deep in wrappers, as std::mutex is: more of the way tells it apart. Without
 * frame pointers, how deep the stack is. */
static uintptr_t way_of(const struct darn_thread *thread, const void *frame)
{
    uintptr_t pcs[8], way = 0;
    uint32_t depth;

    if (darn_state.preloaded)
        return thread->stack_end - (uintptr_t)frame;
    depth = darn_stack_quick(pcs, 8, thread, frame);
    for (uint32_t i = 1; i < depth; i++)
        way = way * 31 + pcs[i];
    return way;
}

static uint32_t new_where(struct darn_thread *thread, const struct darn_site *site,
                          const void *frame)
{
    struct darn_stack stack;

    darn_stack_walk(&stack, thread, frame);
    if (stack.depth && site)
        stack.pcs[0]--; /* into the call of the hook, which has the line of the access */
    return darn_tables_where(site, &stack);
}

static uint32_t where_of(struct darn_thread *thread, struct darn_stream *stream,
                         const struct darn_site *site, const void *frame)
{
    /* Without a site it is a call of an interceptor: its return address stands for the site. */
    const struct darn_site *key =
        site ? site : (const struct darn_site *)((const uintptr_t *)frame)[1];
    uintptr_t caller = site ? caller_of(thread, frame) : way_of(thread, frame);
    uintptr_t hash = (uintptr_t)key / 8 ^ caller * 31;
    size_t i = (hash ^ hash >> 9) % DARN_WHERE_CACHE;

    if (stream->wheres[i].site != key || stream->wheres[i].caller != caller) {
        /* What is lost needs no entry in the tables, only to be told from others. */
        stream->wheres[i].where = stream->is_cut ? (uint32_t)hash : new_where(thread, site, frame);
        stream->wheres[i].site = key;
        stream->wheres[i].caller = caller;
    }
    return stream->wheres[i].where;
}

static unsigned flags_of(const struct darn_site *site)
{
    unsigned flags = 0;

    if (site->flags & DARN_SITE_ATOMIC)
        flags |= DARN_EVENT_ATOMIC;
    if (site->flags & DARN_SITE_VOLATILE)
        flags |= DARN_EVENT_VOLATILE;
    if (site->flags & DARN_SITE_ACQUIRES)
        flags |= DARN_EVENT_ACQUIRES;
    if (site->flags & DARN_SITE_RELEASES)
        flags |= DARN_EVENT_RELEASES;
    if (site->flags & DARN_SITE_GAPS)
        flags |= DARN_EVENT_GAPS;
    return flags;
}

/*
 * Addresses that stores of recognised spins have written: who reads one of them, in a spin or not,
 * gets to know what the store says (the first look of an MCS lock at its successor), and who stores
 * to one of them ends spins as well.
 */
#define SYNC_ADDRESSES 4096
static _Atomic uintptr_t sync_addresses[SYNC_ADDRESSES];

static bool is_sync_address(uintptr_t address, const struct darn_site *site)
{
    _Atomic uintptr_t *slot = &sync_addresses[(address >> 2 ^ address >> 14) % SYNC_ADDRESSES];

    if (site->kind != DARN_SITE_READ && darn_armed(site) & DARN_ARMED_SYNC_WRITE)
        atomic_store_explicit(slot, address, memory_order_relaxed);
    return atomic_load_explicit(slot, memory_order_relaxed) == address;
}

static void note_stack(struct darn_thread *thread, struct darn_stream *stream, uintptr_t address)
{
    if (address >= thread->stack_start && address < thread->stack_end &&
        (!stream->deepest || address < stream->deepest))
        stream->deepest = address;
}

/* The thread will not go on where it is busy. What was being written there may be torn: the block
 * ends with the event before it. */
static void leave(struct darn_stream *stream)
{
    if (!stream->busy)
        return;
    stream->at = stream->limit = NULL;
    stream->busy = false;
}

void darn_record_jump(struct darn_thread *thread, uintptr_t to)
{
    struct darn_stream *stream = thread->stream;

    if (stream && stream->busy && darn_stack_is_left(thread, stream->busy_at, to))
        leave(stream);
}

void darn_record_access(struct darn_thread *thread, uintptr_t address, uint64_t size,
                        const struct darn_site *site, bool sync, const void *frame)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded;
    bool synchronizes, unseen;

    if (!stream || stream->busy)
        return;
    if (__builtin_expect(stream->is_ahead, 0))
        darn_stream_wait(stream);
    unseen = darn_order_recorded(thread, frame);
    darn_stream_begin(stream);
    sync = sync || is_sync_address(address, site) ||
           darn_armed(site) & (DARN_ARMED_SYNC_READ | DARN_ARMED_SYNC_WRITE);
    synchronizes = sync || site->flags & (DARN_SITE_ATOMIC | DARN_SITE_VOLATILE | DARN_SITE_SPIN);
    coded.where = where_of(thread, stream, site, frame);
    if (!synchronizes) {
        darn_stream_settle(thread, stream);
        if (size <= 8 && darn_stream_repeats(stream, address, coded.where)) {
            stream->busy = false;
            return;
        }
    }
    coded.event = (struct darn_event){
        .kind = (uint8_t)(DARN_EVENT_READ + site->kind),
        .target = address,
        .size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
        .flags = (uint16_t)(flags_of(site) | (sync ? DARN_EVENT_SYNC : 0)),
        .extra = darn_site_gaps(site),
    };
    coded.stamp = 0;
    note_stack(thread, stream, address);
    darn_lines_set(address, size, DARN_LINE_TOUCHED);
    if (synchronizes)
        darn_stream_synchronize(thread, stream, &coded, unseen);
    else
        darn_stream_put(thread, stream, &coded);
    stream->busy = false;
}

static_assert(DARN_EVENT_READ + DARN_SITE_WRITE == DARN_EVENT_WRITE &&
                  DARN_EVENT_READ + DARN_SITE_UPDATE == DARN_EVENT_UPDATE,
              "darn_record_access adds");

/* Who gives a lock back, posts or signals uses the memory that it is in. */
static bool uses_object(unsigned kind)
{
    return kind == DARN_EVENT_RELEASE || kind == DARN_EVENT_WAIT || kind == DARN_EVENT_SIGNAL ||
           kind == DARN_EVENT_BROADCAST || kind == DARN_EVENT_ARRIVE || kind == DARN_EVENT_POST ||
           kind == DARN_EVENT_TAKE;
}

void darn_record_put(struct darn_thread *thread, const struct darn_event *event,
                     const struct darn_site *site, const void *frame)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded = {.event = *event};

    if (stream && stream->is_ahead && !stream->busy)
        darn_stream_wait(stream);
    if (!darn_stream_begin(stream))
        return;
    darn_stream_settle(thread, stream);
    if (frame)
        coded.where = where_of(thread, stream, site, frame);
    darn_lines_set(event->target, uses_object(event->kind), DARN_LINE_TOUCHED);
    darn_stream_stamp(thread, stream, &coded);
    stream->busy = false;
}

void darn_record_use(struct darn_thread *thread, const struct darn_event *event, const void *frame)
{
    struct darn_stream *stream = thread->stream;
    struct darn_coded coded = {.event = *event};

    if (!stream || stream->busy)
        return;
    darn_order_recorded(thread, frame);
    darn_stream_begin(stream);
    darn_stream_settle(thread, stream);
    coded.where = where_of(thread, stream, NULL, frame);
    darn_lines_set(event->target, 1, DARN_LINE_TOUCHED);
    if (!darn_stream_repeats(stream, event->target, coded.where))
        darn_stream_put(thread, stream, &coded);
    stream->busy = false;
}

void darn_record_alloc(const void *block, uint64_t size, uint64_t behind, const void *frame)
{
    struct darn_thread *thread = darn_thread_peek();
    struct darn_stream *stream = thread ? thread->stream : NULL;
    struct darn_coded coded = {
        .event = {.kind = DARN_EVENT_ALLOC,
                  .target = (uintptr_t)block,
                  .extra = size,
                  .flags = (uint16_t)(behind < MOST_BEHIND ? behind : MOST_BEHIND)}};

    if (!block || darn_state.options.trace_what == DARN_TRACE_SYNC || !darn_stream_begin(stream))
        return;
    stream->blocks++;
    darn_record_block((uintptr_t)block, size);
    darn_stream_settle(thread, stream);
    coded.where = where_of(thread, stream, NULL, frame);
    /* Memory that others have used before: their free must come first. Other allocations are only
     * of use to name the block in reports. */
    if (darn_lines_any((uintptr_t)block, size, DARN_LINE_FREED))
        darn_stream_stamp(thread, stream, &coded);
    else if (coded.where != stream->last_alloc || stream->alike++ < NAMED)
        darn_stream_put(thread, stream, &coded);
    stream->last_alloc = coded.where;
    stream->busy = false;
}

void darn_record_thread_start(struct darn_thread *thread)
{
    struct darn_event event = {.kind = DARN_EVENT_START,
                               .target = thread->has_parent ? thread->parent : thread->number};
    char name[16];

    if (!darn_recording)
        return;
    thread->stream = darn_stream_take();
    if (!thread->stream) {
        darn_count(DARN_COUNT_THREADS_NOT_RECORDED);
        darn_stream_missed();
        return;
    }
    darn_os_thread_name(name);
    darn_tables_thread(thread, name);
    darn_record_event(thread, &event, NULL, NULL);
    darn_record_stack(thread);
}

/* Who gets a robust mutex whose owner died comes after all that the owner did. */
static void release_held(struct darn_thread *thread)
{
    for (uint32_t i = thread->locks.count; i > 0; i--) {
        struct darn_event event = {.kind = DARN_EVENT_RELEASE,
                                   .target = thread->locks.held[i - 1].address,
                                   .lock = (uint8_t)thread->locks.held[i - 1].kind};

        darn_record_event(thread, &event, NULL, NULL);
    }
}

void darn_record_thread_end(struct darn_thread *thread)
{
    struct darn_stream *stream = thread->stream;
    char name[16];

    if (!stream)
        return;
    leave(stream); /* cancelled there, or ended by a handler */
    release_held(thread);
    darn_record_end_stack(thread, stream->deepest);
    darn_record_event(thread, &(struct darn_event){.kind = DARN_EVENT_EXIT}, NULL, NULL);
    darn_os_thread_name(name); /* by now it has the name that it gave itself */
    darn_tables_thread(thread, name);
    thread->stream = NULL;
    darn_stream_give(stream);
}

static int refuse(const char *path, int error)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: trace=");
    darn_say_text(&say, path);
    darn_say_text(&say, error == -EEXIST   ? ": the file is there already"
                        : error == -ENOSPC ? ": there is no room on the disk"
                        : error == -EFBIG  ? ": files may not be large enough (ulimit -f)"
                        : error == -ENOMEM
                            ? ": there is no memory for it (ulimit -v)"
                            : ": the file cannot be made; is the directory there, and yours?");
    darn_say_end(&say);
    return STATUS_WRONG_USAGE;
}

/* detect_deadlocks: only synchronization, and in memory. */
#define MOST_LOCKS (UINT64_C(256) << 20)

int darn_record_open(void)
{
    struct darn_options *options = &darn_state.options;
    uint64_t size = (uint64_t)options->max_size << 20;
    int error;

    if (!options->trace[0] && !options->detect_deadlocks)
        return 0;
    if (options->trace[0]) {
        error = darn_tracefile_open(options->trace, size);
        if (error == -EEXIST && darn_tracefile_is_ours(options->trace)) {
            darn_os_remove(options->trace);
            error = darn_tracefile_open(options->trace, size);
        }
    } else {
        error = darn_tracefile_open(NULL, size < MOST_LOCKS ? size : MOST_LOCKS);
        options->trace_what = DARN_TRACE_SYNC;
        is_temporary = true;
    }
    /* A program that the program has started finds the file taken: one trace, one process. */
    if (error == -EEXIST)
        return 0;
    if (!error)
        error = darn_tables_open() ? -ENOSPC : 0;
    if (error && is_temporary) {
        darn_say_line(
            "darn: detect_deadlocks: there is no memory for it: the order in which locks are "
            "taken is not looked at");
        return 0;
    }
    if (error) {
        darn_os_remove(options->trace);
        return refuse(options->trace, error);
    }
    darn_recording = is_open = true;
    return 0;
}

void darn_record_finish(void)
{
    struct darn_thread *thread = darn_thread_peek();

    if (!is_open)
        return;
    if (thread && thread->stream && !thread->stream->busy)
        darn_stream_settle(thread, thread->stream);
    for (int i = 0; i < DARN_COUNT_END; i++) {
        uint64_t value = darn_counter_value((enum darn_counter)i);

        if (value)
            darn_tables_counter((uint32_t)i + 1, value, darn_counter_text((enum darn_counter)i));
    }
    if (darn_counter_value(DARN_COUNT_SITES_UNKNOWN)) /* and with them their accesses */
        darn_stream_missed();
    darn_recording = is_open = false;
    darn_streams_tell();
    darn_tracefile_finish();
    if (is_temporary && !darn_findings_any_stuck()) { /* what happened need not be predicted */
        size_t length;
        const char *trace = darn_tracefile_bytes(&length);

        if (darn_deliver_locks(trace, length))
            darn_findings_predicted();
    }
}

void darn_record_after_fork(void)
{
    struct darn_thread *thread = darn_thread_peek();

    darn_recording = is_open = false;
    if (thread)
        thread->stream = NULL;
}
