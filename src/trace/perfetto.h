/*
 * Tracks for trace viewers: Chrome's trace events in JSON, which ui.perfetto.dev and
 * chrome://tracing read.
 *
 * Neither traces nor schedules have times, only an order: each event is ten microseconds after the
 * one before it. Times never go back, and every slice that is opened is closed. Slices of one track
 * must nest, and locks need not: to close one that is not the innermost, those inside of it are
 * closed, too, and opened again.
 */
#ifndef DARN_TRACE_PERFETTO_H
#define DARN_TRACE_PERFETTO_H

#include <stdint.h>
#include <stdio.h>

#include "base/json_file.h"

#define DARN_PERFETTO_TICK 10

struct darn_perfetto_track;

struct darn_perfetto {
    FILE *out;
    struct darn_json json;
    uint64_t now; /* microseconds */
    struct darn_perfetto_track *tracks;
    size_t count, room;
};

void darn_perfetto_begin(struct darn_perfetto *to, FILE *out, const char *program);
/* Closes what is open. */
void darn_perfetto_end(struct darn_perfetto *to);

/* What comes next happens at the event of this number. */
void darn_perfetto_at(struct darn_perfetto *to, uint64_t event);

/* Names a thread, and opens the slice that is around all others; again, nothing happens. */
void darn_perfetto_thread(struct darn_perfetto *to, uint32_t thread, const char *name);
/* Closes the slices of the thread. */
void darn_perfetto_exit(struct darn_perfetto *to, uint32_t thread);

/* A slice that is closed by its key; `place` may be NULL. */
void darn_perfetto_open(struct darn_perfetto *to, uint32_t thread, uint64_t key, const char *name,
                        const char *place);
void darn_perfetto_close(struct darn_perfetto *to, uint32_t thread, uint64_t key);

/* Something that takes no time, and something that takes one tick, from which arrows can begin. */
void darn_perfetto_instant(struct darn_perfetto *to, uint32_t thread, const char *name,
                           const char *place);
void darn_perfetto_slice(struct darn_perfetto *to, uint32_t thread, const char *name,
                         const char *place);

/* One end of an arrow. Each number has one start and one end. */
void darn_perfetto_arrow(struct darn_perfetto *to, uint32_t thread, uint64_t number, bool ends);

#endif
