/* What the tests of traces share: files in a directory of their own, and reading all of a trace. */
#ifndef DARN_TESTS_TRACE_FIXTURE_H
#define DARN_TESTS_TRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "trace/trace.h"
#include "trace_image.h"

struct read_back {
    struct darn_event *events;
    size_t count;
    int result; /* of the last darn_trace_next */
};

static char error[512];

static inline struct darn_trace *must_open(const char *path)
{
    struct darn_trace *trace = darn_trace_open(path, false, error, sizeof(error));

    if (!trace)
        fail_msg("%s", error);
    return trace;
}

static inline struct darn_trace *must_open_memory(const void *bytes, size_t length, bool prefix)
{
    struct darn_trace *trace =
        darn_trace_open_memory("t.trace", bytes, length, prefix, error, sizeof(error));

    if (!trace)
        fail_msg("%s", error);
    return trace;
}

static inline struct read_back read_all(struct darn_trace *trace)
{
    struct read_back back = {NULL, 0, 0};
    struct darn_event event;
    size_t room = 0;

    while ((back.result = darn_trace_next(trace, &event)) > 0) {
        if (back.count == room) {
            room = room ? 2 * room : 64;
            back.events = realloc(back.events, room * sizeof(event));
            assert_non_null(back.events);
        }
        back.events[back.count++] = event;
    }
    assert_int_equal(darn_trace_next(trace, &event), back.result);
    return back;
}

static inline void expect_same_event(const struct darn_event *got, const struct darn_event *want)
{
    if (!same_event(got, want))
        fail_msg(
            "T%u kind %u target %llx extra %llx size %u site %u stack %u flags %x lock %u, not "
            "T%u kind %u target %llx extra %llx size %u site %u stack %u flags %x lock %u",
            got->thread, got->kind, (unsigned long long)got->target, (unsigned long long)got->extra,
            got->size, got->site, got->stack, got->flags, got->lock, want->thread, want->kind,
            (unsigned long long)want->target, (unsigned long long)want->extra, want->size,
            want->site, want->stack, want->flags, want->lock);
}

static inline void expect_part_of(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

/* A path in a directory that the whole program has for itself; it is emptied at the end. */
static char directory[64];

static inline int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/darn-trace-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static inline const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
    return path;
}

static inline int remove_directory(void **state)
{
    static const char *const names[] = {"a", "b", "c", "t.trace"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(names[i]));
    return rmdir(directory);
}

static inline void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* The caller frees it. */
static inline uint8_t *read_bytes(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 22);

    assert_non_null(file);
    assert_non_null(bytes);
    *length = fread(bytes, 1, 1 << 22, file);
    assert_true(*length < 1 << 22);
    fclose(file);
    return bytes;
}

#endif
