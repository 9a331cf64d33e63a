/* What every trace is put through: all events, all tables, and once more from the beginning. */
#ifndef DARN_TESTS_FUZZ_WALK_H
#define DARN_TESTS_FUZZ_WALK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format.h"
#include "trace/std_write.h"
#include "trace/trace.h"

static inline void check(int holds)
{
    if (!holds)
        abort();
}

static inline size_t touch_text(const char *text)
{
    return text ? strlen(text) : 0;
}

static inline void touch_counter(void *to, uint64_t value, const char *text)
{
    *(uint64_t *)to += value + touch_text(text);
}

static inline size_t touch_tables(const struct darn_trace *trace)
{
    const struct darn_trace_sync *syncs;
    size_t count = darn_trace_syncs(trace, &syncs),
           sum = touch_text(darn_trace_about(trace).program);
    uint64_t counters = 0;

    for (size_t i = 0; i < count; i++)
        check(darn_trace_site(trace, syncs[i].reader) && darn_trace_site(trace, syncs[i].writer));
    for (uint32_t id = 0; id <= darn_trace_site_count(trace) + 1; id++) {
        const struct darn_trace_site *site = darn_trace_site(trace, id);

        if (site)
            sum += touch_text(site->file) + touch_text(site->dir) + touch_text(site->function) +
                   touch_text(site->variable);
    }
    for (uint32_t id = 0; id <= darn_trace_stack_count(trace) + 1; id++) {
        const struct darn_trace_stack *stack = darn_trace_stack(trace, id);

        for (uint32_t i = 0; stack && i < stack->depth; i++)
            sum += darn_trace_module(trace, stack->pcs[i]) != NULL;
    }
    for (uint32_t number = 0; number < 16; number++) {
        const struct darn_trace_thread *thread = darn_trace_thread(trace, number);

        if (thread)
            sum += touch_text(thread->name);
    }
    darn_trace_counters(trace, touch_counter, &counters);
    return sum + (size_t)counters;
}

static inline uint64_t walk_events(struct darn_trace *trace, uint64_t *count)
{
    struct darn_event event;
    uint64_t sum = 0;
    static FILE *nowhere;
    int result;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");

    *count = 0;
    while ((result = darn_trace_next(trace, &event)) > 0) {
        check(event.kind > DARN_EVENT_NONE && event.kind < DARN_EVENT_KINDS);
        check(event.thread < DARN_TRACE_THREADS);
        check(!event.site || darn_trace_site(trace, event.site));
        check(!event.stack || darn_trace_stack(trace, event.stack));
        if (*count < 1000)
            darn_std_write_event(nowhere, trace, &event);
        sum = sum * 31 + event.target + event.kind;
        ++*count;
    }
    check(darn_trace_next(trace, &event) == result);
    check(result == 0 || *darn_trace_error(trace));
    return sum;
}

/* A copy of its own, so that ASan knows where it ends. */
static inline void walk(const uint8_t *bytes, size_t length, bool prefix)
{
    char error[512] = "";
    uint8_t *copy = malloc(length ? length : 1);
    struct darn_trace *trace;

    check(copy != NULL);
    memcpy(copy, bytes, length);
    trace = darn_trace_open_memory("fuzz", copy, length, prefix, error, sizeof(error));
    check(trace || error[0]);
    check(!strchr(error, '\n'));
    if (trace) {
        uint64_t first, second, count, again;

        first = walk_events(trace, &count);
        touch_tables(trace);
        check(darn_trace_about(trace).cut_at <= length);
        darn_trace_rewind(trace);
        second = walk_events(trace, &again);
        check(first == second && count == again);
        darn_trace_close(trace);
    }
    free(copy);
}

#endif
