/*
 * Writing a trace from a tool: events that already stand in one order become a packed file. What
 * the runtime does instead is in src/runtime.
 */
#ifndef DARN_TEST_TRACE_WRITER_H
#define DARN_TEST_TRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/trace.h"

struct darn_trace_writer;

/* NULL with one line in `error`. */
struct darn_trace_writer *darn_trace_writer_open(const char *path, char *error, size_t error_size);

/* The next event; its site and stack are ids of records, which may come later. What synchronizes is
 * read back in the same order; what stands between two such events of a thread, right after the
 * first. */
void darn_trace_writer_event(struct darn_trace_writer *writer, const struct darn_event *event);

/* Records of the tables. Texts are cut after 4000 bytes, stacks after 1000 frames. */
void darn_trace_writer_program(struct darn_trace_writer *writer, const char *path, uint32_t pid);
void darn_trace_writer_site(struct darn_trace_writer *writer, uint32_t id,
                            const struct darn_trace_site *site);
void darn_trace_writer_stack(struct darn_trace_writer *writer, uint32_t id,
                             const struct darn_trace_stack *stack);
void darn_trace_writer_thread(struct darn_trace_writer *writer,
                              const struct darn_trace_thread *thread);
void darn_trace_writer_module(struct darn_trace_writer *writer, uint32_t id,
                              const struct darn_trace_module *module);

/* 0, or -1 with one line in `error`; there is no file then. */
int darn_trace_writer_close(struct darn_trace_writer *writer, char *error, size_t error_size);

#endif
