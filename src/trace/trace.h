/*
 * Reading a trace, binary or STD text: the events in one order (event.h), and what they name.
 *
 * Memory is bounded by the number of threads, sites and stacks, not by the length of the trace.
 */
#ifndef DARN_TRACE_TRACE_H
#define DARN_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

/* A text that is not known is NULL. */
struct darn_trace_site {
    const char *file, *dir, *function, *variable;
    uint64_t key; /* the same in every run and build as long as the source is (profile.h) */
    uint32_t line, column, size;
    uint8_t kind;     /* enum darn_site_kind */
    uint16_t flags;   /* enum darn_site_flag */
    bool has_copy;    /* `inlined` is known; traces did not always say it */
    uint64_t inlined; /* darn_site_inlined: which copy of its function the site is in */
};

struct darn_trace_stack {
    uint32_t depth;
    const uint64_t *pcs; /* the innermost first */
};

struct darn_trace_module {
    uint64_t start, end; /* where it lay in memory */
    uint64_t offset;     /* of `start` in the addresses of the file */
    const char *path;
};

struct darn_trace_thread {
    uint32_t number;
    uint32_t tid;
    uint32_t parent;
    bool has_parent;
    uint32_t stack; /* of its creation; 0: not known */
    const char *name;
};

struct darn_trace_sync {
    uint32_t reader, writer; /* sites */
};

/* How much of it could be read. */
struct darn_trace_about {
    bool is_text;  /* STD */
    bool finished; /* the program has ended in good order */
    bool packed;
    uint32_t version;
    uint32_t pid;
    uint64_t bytes;  /* of the file */
    uint64_t lost;   /* events that are missing: not recorded or, once all were read, after those */
    bool at_least;   /* there are more of them, which nobody could count */
    const char *why; /* there are: `max-size`, `file-limit`, `disk`, `memory`; `full`: not known */
    uint64_t cut_at; /* with `prefix`: the byte from which on nothing could be read, or 0 */
    const char *program;
};

/* `3100000 events are missing, because the disk was full`, for people; NULL when none are. */
const char *darn_trace_missing(const struct darn_trace_about *about, char *text, size_t size);

struct darn_trace;

/* Opens a trace and reads its tables; whether it is binary or text shows from its contents. NULL
 * with one line in `error` that names the file, the position (byte or line) and what is wrong. With
 * `prefix`, what comes before the damage is read and the rest left out. */
struct darn_trace *darn_trace_open(const char *path, bool prefix, char *error, size_t error_size);
/* The same for bytes in memory, which stay the caller's; `name` stands for the path. */
struct darn_trace *darn_trace_open_memory(const char *name, const void *bytes, size_t length,
                                          bool prefix, char *error, size_t error_size);
/* The trace of a program that runs and still writes it: darn_trace_next gives 0 when there is
 * nothing for now, and the tables grow. What was read is taken out of the file (follow.h): it
 * cannot be rewound. The program waits when it is
 * `ahead` so many bytes. NULL while it has not begun, then *error is 0, or a negative errno.
 */
struct darn_trace *darn_trace_follow(const char *path, uint64_t ahead, int *error);
/* Whether that is still the file at the path: a program may have replaced itself. */
bool darn_trace_is_at(const struct darn_trace *trace, const char *path);
/* Nobody writes it any more. */
void darn_trace_has_ended(struct darn_trace *trace);
void darn_trace_close(struct darn_trace *trace);

/* The next event: 1, 0 at the end, -1 when the rest is damaged (darn_trace_error says how). */
int darn_trace_next(struct darn_trace *trace, struct darn_event *event);
const char *darn_trace_error(const struct darn_trace *trace);

/* Starts again at the first event. */
void darn_trace_rewind(struct darn_trace *trace);

struct darn_trace_about darn_trace_about(const struct darn_trace *trace);

/* By id, from 1; NULL when there is none. */
const struct darn_trace_site *darn_trace_site(const struct darn_trace *trace, uint32_t id);
const struct darn_trace_stack *darn_trace_stack(const struct darn_trace *trace, uint32_t id);
const struct darn_trace_thread *darn_trace_thread(const struct darn_trace *trace, uint32_t number);
/* The module at an address of the program's memory; NULL when there is none. */
const struct darn_trace_module *darn_trace_module(const struct darn_trace *trace, uint64_t address);
/* The highest id that is used. Of a text trace, as far as it was read. */
size_t darn_trace_site_count(const struct darn_trace *trace);
size_t darn_trace_stack_count(const struct darn_trace *trace);
/* Threads that have events or a record. Of a text trace, as far as it was read. */
size_t darn_trace_thread_count(const struct darn_trace *trace);
size_t darn_trace_syncs(const struct darn_trace *trace, const struct darn_trace_sync **syncs);

/* The name that a text trace gives to a variable, lock or thread; NULL in a binary one. */
const char *darn_trace_target_name(const struct darn_trace *trace, const struct darn_event *event);
const char *darn_trace_pointee_name(const struct darn_trace *trace, const struct darn_event *event);
const char *darn_trace_thread_name(const struct darn_trace *trace, uint32_t number);

/* What the recorder has counted: calls back with each value and what it means. */
void darn_trace_counters(const struct darn_trace *trace,
                         void (*visit)(void *to, uint64_t value, const char *text), void *to);

#endif
