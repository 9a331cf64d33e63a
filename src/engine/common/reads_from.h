/*
 * Which write a read has seen: reads-from. For predictions that are never wrong: in a reordering of
 * the run, a read that happens must see what it saw, for nobody knows what the thread would do with
 * another value.
 *
 * The trace has no values: a read is taken to see the last write before it in the trace. Where the
 * two race, this is a guess, and the race is a finding of its own.
 */
#ifndef DARN_ENGINE_READS_FROM_H
#define DARN_ENGINE_READS_FROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/common/clock.h"
#include "trace/event.h"

struct darn_reads_from;

/* NULL when there is no memory. The clocks are the caller's. */
struct darn_reads_from *darn_reads_from_create(struct darn_clocks *clocks);
void darn_reads_from_destroy(struct darn_reads_from *flow);

/* The thread with the clock `now` learns what the writers of the bytes knew. */
void darn_reads_from_read(struct darn_reads_from *flow, struct darn_stamp *now,
                          const struct darn_event *event);

/* It is the writer of the bytes from here on; its next time begins. */
void darn_reads_from_write(struct darn_reads_from *flow, struct darn_stamp *now,
                           const struct darn_event *event);

void darn_reads_from_forget(struct darn_reads_from *flow, uint64_t address, uint64_t size);
size_t darn_reads_from_memory(const struct darn_reads_from *flow);

#endif
