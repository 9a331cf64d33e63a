/*
 * The stream of a thread: its events, written one after the other into blocks of the trace file
 * that belong to it alone (src/trace/format.h), without locks.
 *
 * What synchronizes carries a stamp from one counter. A stamp must be taken before the program
 * releases something to others, and after it has acquired it. A hook stands before its access: a
 * store is stamped at once, but a read that may acquire something (an atomic, a volatile one, a
 * spin) is kept back and stamped when the thread comes to its next event, for then it has really
 * happened.
 */
#ifndef DARN_RUNTIME_STREAM_H
#define DARN_RUNTIME_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/thread/thread.h"
#include "site/site.h"
#include "trace/codec.h"

#define DARN_WHERE_CACHE 16384
#define DARN_REPEATS     1024

/* What a thread needs to write its events. */
struct darn_stream {
    uint8_t *at, *limit; /* room for one event is left before `limit` */
    struct darn_block_header *block;
    struct darn_codec codec;
    uint32_t sequence; /* of the next block */
    uint32_t segment;  /* counts the stamps: accesses in between have the same meaning */
    bool is_ahead;     /* of who reads what it writes: it is to wait (darn_stream_wait) */
    bool busy;         /* a signal handler that comes in between records nothing, */
    uintptr_t busy_at; /* unless it leaves this frame by a jump */
    bool pending;      /* `late` waits for its stamp */
    struct darn_coded late;
    uint64_t quiet; /* since it last came after all, all stamps up to this one are its own */
    uint32_t last_alloc, alike; /* where the last allocation was, and how many there were */
    uint32_t blocks;            /* how many allocations there were */
    uintptr_t deepest;          /* of the addresses recorded on the own stack; 0: none */
    struct {
        const struct darn_site *site;
        uintptr_t caller;
        uint32_t where;
    } wheres[DARN_WHERE_CACHE];
    struct {
        uintptr_t address;
        uint32_t where;
        uint32_t segment;
    } repeats[DARN_REPEATS];
    struct {
        uintptr_t at;
        uint64_t value;
        uint32_t moment; /* counts stamps and allocations */
    } pointers[DARN_REPEATS];
    struct {
        uintptr_t address;
        uint32_t where;
    } reads[DARN_REPEATS]; /* recorded before */
    struct {
        uintptr_t address;
        uint64_t version; /* all stores up to this version are acquired, */
        uint64_t seen;    /* or were at least read */
    } known[DARN_REPEATS];
    uint64_t lost;             /* events of all its threads that found no room, */
    uint64_t told;             /* and how many of them the file knows of */
    bool is_cut;               /* the thread has lost events */
    struct darn_stream *next;  /* in the list of unused ones, */
    struct darn_stream *other; /* and of all */
};

/* One for a new thread, or NULL when there is no memory; and back. */
struct darn_stream *darn_stream_take(void);
void darn_stream_give(struct darn_stream *stream);

/* The thread has no stream: nothing of it will be recorded. */
void darn_stream_missed(void);

/* At the end: the file is told what all threads have lost. */
void darn_streams_tell(void);

/* Says, with a stamp of now, that accesses are left out from here on. False when the thread is in
 * the middle of an event: nothing may be left out yet. */
bool darn_stream_thins(struct darn_thread *thread);

/* Writes an event; it is lost when there is no room, and counted. */
void darn_stream_put(struct darn_thread *thread, struct darn_stream *stream,
                     const struct darn_coded *coded);

/* The same with a stamp of now. */
void darn_stream_stamp(struct darn_thread *thread, struct darn_stream *stream,
                       struct darn_coded *coded);

/* Whether the same access was recorded since the last stamp: then it says nothing new. */
bool darn_stream_repeats(struct darn_stream *stream, uintptr_t address, uint32_t where);

/* An access that may synchronize. `unseen`: nobody will see what orders the thread with others
 * afterwards. */
void darn_stream_synchronize(struct darn_thread *thread, struct darn_stream *stream,
                             struct darn_coded *coded, bool unseen);

/* Before any other event: the read that was kept back has happened by now. */
void darn_stream_settle(struct darn_thread *thread, struct darn_stream *stream);

/* Edges of order that are not those of other events (runtime/order/edges.h), if they say anything
 * new. */
void darn_stream_release(struct darn_thread *thread, uint64_t object);
void darn_stream_acquire(struct darn_thread *thread, uint64_t object);
void darn_stream_acquire_all(struct darn_thread *thread);

/* Lets who reads the trace while it is written come nearer. Nobody waits who has taken a stamp: the
 * reader waits for its event. */
void darn_stream_wait(struct darn_stream *stream);

/* False: nothing is recorded, or this is a handler that has come in between. */
static inline bool darn_stream_begin(struct darn_stream *stream)
{
    if (!stream || stream->busy)
        return false;
    stream->busy_at = (uintptr_t)__builtin_frame_address(0);
    stream->busy = true;
    return true;
}

#endif
