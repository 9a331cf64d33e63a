/*
 * The recorder: what becomes an event of the trace, and what of it says nothing new. How events are
 * written is in stream.h.
 */
#ifndef DARN_RUNTIME_RECORD_H
#define DARN_RUNTIME_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/ordering.h"
#include "runtime/record/record_profile.h"
#include "runtime/thread/thread.h"
#include "site/site.h"
#include "trace/codec.h"
#include "trace/event.h"

/* Whether a trace is being written. Read by every hook and interceptor. */
extern bool darn_recording;

/* Whether anybody wants to know what synchronizes: the trace, or the clocks (ordering.h). */
static inline bool darn_events_wanted(void)
{
    return __builtin_expect(darn_recording | darn_ordering, 0);
}

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

/* The thread jumps to the stack pointer `to`, perhaps out of a handler that has come in between. */
void darn_record_jump(struct darn_thread *thread, uintptr_t to);

/* Any other event of the trace, with a stamp. */
void darn_record_put(struct darn_thread *thread, const struct darn_event *event,
                     const struct darn_site *site, const void *frame);

/* The same for all who want to know. */
static inline void darn_record_event(struct darn_thread *thread, const struct darn_event *event,
                                     const struct darn_site *site, const void *frame)
{
    if (darn_ordering)
        darn_order_event(thread, event, frame);
    if (thread->stream)
        darn_record_put(thread, event, site, frame);
}

/* What an access has stored at `at` is recorded if it may be a pointer that hands out memory; 0: it
 * is given to a new thread. `frame` is that of the hook or interceptor. */
void darn_record_pointer(struct darn_thread *thread, uintptr_t at, uint64_t value,
                         const void *frame);
void darn_record_block(uintptr_t start, uint64_t size); /* pointers may point there */
void darn_record_stack(struct darn_thread *thread);

/* A use of an object, which needs no stamp. */
void darn_record_use(struct darn_thread *thread, const struct darn_event *event, const void *frame);

/* A block of memory: after it was allocated, before it is freed. It may have some bytes more behind
 * its size. `stays`: its next owner will be known. */
void darn_record_alloc(const void *block, uint64_t size, uint64_t behind, const void *frame);
void darn_record_free(const void *block, uint64_t size, bool stays, const void *frame);

/* For the interceptors. */
static inline void darn_record(struct darn_thread *thread, enum darn_event_kind kind,
                               const volatile void *target, const volatile void *extra,
                               unsigned flags, const void *frame)
{
    if (darn_events_wanted() && thread) {
        struct darn_event event = {.kind = (uint8_t)kind,
                                   .target = (uintptr_t)target,
                                   .extra = (uintptr_t)extra,
                                   .flags = (uint16_t)flags};

        darn_record_event(thread, &event, NULL, frame);
    }
}

#endif
