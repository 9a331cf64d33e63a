/*
 * The recorder: the events of each thread go into blocks of its own of the trace file
 * (src/trace/format.h), without locks.
 *
 * What synchronizes carries a stamp from one counter. A stamp must be taken before the program
 * releases something to others, and after it has acquired it. A hook stands before its access: a
 * store is stamped at once, but a read that may acquire something (an atomic, a volatile one, a
 * spin) is kept back and stamped when the thread comes to its next event, for then it has really
 * happened. An atomic update is both, and makes two events.
 */
#ifndef DARN_RUNTIME_RECORD_H
#define DARN_RUNTIME_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/profile.h"
#include "runtime/thread.h"
#include "site/site.h"
#include "trace/codec.h"
#include "trace/event.h"

/* Whether a trace is being written. Read by every hook and interceptor. */
extern bool darn_recording;

#define DARN_WHERE_CACHE 512
#define DARN_REPEATS     256

/* What a thread needs to write its events. */
struct darn_stream {
    uint8_t *at, *limit; /* room for one event is left before `limit` */
    struct darn_block_header *block;
    struct darn_codec codec;
    uint32_t sequence; /* of the next block */
    uint32_t segment;  /* counts the stamps: accesses in between have the same meaning */
    bool busy;         /* a signal handler that comes in between records nothing */
    bool pending;      /* `late` waits for its stamp */
    struct darn_coded late;
    uint32_t last_alloc, alike; /* where the last allocation was, and how many there were */
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
        uintptr_t address;
        uint32_t where;
    } reads[DARN_REPEATS]; /* recorded before */
    struct {
        uintptr_t address;
        uint64_t version; /* all stores up to this version are acquired, */
        uint64_t seen;    /* or were at least read */
    } known[DARN_REPEATS];
    struct darn_stream *next; /* in the list of unused ones */
};

/* Starts to record if the options say so. 0, or an exit status after a message. */
int darn_record_open(void);
void darn_record_finish(void);
void darn_record_after_fork(void); /* in the child, which records nothing */

void darn_record_thread_start(struct darn_thread *thread);
void darn_record_thread_end(struct darn_thread *thread);

/* An access that is about to happen. `frame` is that of the hook; `sync`: a store to an address
 * that somebody spins on. */
void darn_record_access(struct darn_thread *thread, uintptr_t address, uint64_t size,
                        const struct darn_site *site, bool sync, const void *frame);

/* Any other event, with a stamp. */
void darn_record_event(struct darn_thread *thread, const struct darn_event *event,
                       const struct darn_site *site, const void *frame);

/* A block of memory: after it was allocated, before it is freed. */
void darn_record_alloc(const void *block, uint64_t size, const void *frame);
void darn_record_free(const void *block, uint64_t size, const void *frame);

/* For the interceptors. */
static inline void darn_record(struct darn_thread *thread, enum darn_event_kind kind,
                               const volatile void *target, const volatile void *extra,
                               unsigned flags, const void *frame)
{
    if (__builtin_expect(darn_recording, 0) && thread) {
        struct darn_event event = {.kind = (uint8_t)kind,
                                   .target = (uintptr_t)target,
                                   .extra = (uintptr_t)extra,
                                   .flags = (uint16_t)flags};

        darn_record_event(thread, &event, NULL, frame);
    }
}

#endif
