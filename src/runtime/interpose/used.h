/*
 * What calls use and end, for all who want to know: who decides in a controlled run who goes on, or
 * the clocks and the trace (record_ends.h). `frame` is that of the interceptor.
 */
#ifndef DARN_RUNTIME_USED_H
#define DARN_RUNTIME_USED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/control/turn.h"
#include "runtime/record/record_ends.h"

static inline bool darn_used_is_wanted(void)
{
    return __builtin_expect(darn_turns, 0) || darn_uses_wanted();
}

static inline bool darn_ended_is_wanted(void)
{
    return darn_ordering || darn_turns;
}

void darn_used_object(struct darn_thread *thread, uintptr_t address, enum darn_touch_object object,
                      const void *frame);
void darn_used_file(struct darn_thread *thread, int fd, const void *frame);
void darn_ended_object(struct darn_thread *thread, uintptr_t address, uint64_t size,
                       enum darn_touch_object object, const void *frame);
void darn_ended_file(struct darn_thread *thread, int fd, const void *frame);

/* The open file that has this number, as others know it; 0: there is none. */
uintptr_t darn_used_file_of(int fd);

#endif
