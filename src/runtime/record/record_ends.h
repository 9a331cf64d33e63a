/*
 * The end of memory and of objects, and the use of objects, for all who want to know: the clocks of
 * a run that is watched (order/ends.h), or the trace.
 */
#ifndef DARN_RUNTIME_RECORD_ENDS_H
#define DARN_RUNTIME_RECORD_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/order/ends.h"
#include "runtime/record/record.h"

/* Whether a trace wants to know. While there is one thread, the next one comes after all of it. */
static inline bool darn_ends_recorded(const struct darn_thread *thread)
{
    return __builtin_expect(darn_recording && darn_ordering && !darn_clocks_kept, 0) && thread &&
           thread->stream;
}

/* Whether anybody wants to know what is used. */
static inline bool darn_uses_wanted(void)
{
    return __builtin_expect(darn_clocks_kept ? darn_remembering : darn_recording && darn_ordering,
                            0);
}

/* A call uses an object, or a file descriptor. `frame` is that of the interceptor, here and below.
 */
void darn_use_object(struct darn_thread *thread, uintptr_t address, enum darn_touch_object object,
                     const void *frame);
void darn_use_file(struct darn_thread *thread, int fd, const void *frame);

/* A call ends it; and the number is that of a new file. */
void darn_end_object(struct darn_thread *thread, uintptr_t address, uint64_t size,
                     enum darn_touch_object object, const void *frame);
void darn_end_file(struct darn_thread *thread, int fd, const void *frame);
void darn_begin_file(int fd);

/* In a trace: the thread ends, and its stack, which was recorded down to `deepest` (0: not). */
void darn_record_end_stack(struct darn_thread *thread, uintptr_t deepest);

#endif
