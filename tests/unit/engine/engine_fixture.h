/*
 * What the tests of the race engines share: events are handed to an engine one by one, and what it
 * predicts is read back as pairs of lines or sites.
 */
#ifndef DARN_TESTS_ENGINE_FIXTURE_H
#define DARN_TESTS_ENGINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/common/engine.h"
#include "trace/trace.h"

/* One run of an engine. */
struct trial {
    const struct darn_engine *engine;
    void *state;
    const struct darn_prediction *predictions;
    size_t count;
};

static inline struct trial start(const struct darn_engine *engine,
                                 const struct darn_engine_config *config)
{
    static const struct darn_engine_config defaults;
    struct trial trial = {.engine = engine};

    trial.state = engine->create(config ? config : &defaults);
    assert_non_null(trial.state);
    return trial;
}

static inline void give(struct trial *trial, struct darn_event event)
{
    trial->engine->event(trial->state, &event);
}

static inline void finish(struct trial *trial)
{
    trial->engine->finish(trial->state);
    trial->predictions = trial->engine->predictions(trial->state, &trial->count);
}

static inline void stop(struct trial *trial)
{
    trial->engine->destroy(trial->state);
}

/* Events by hand. The site is the line of the test. */
#define EVENT(who, what, where, ...)                                                               \
    ((struct darn_event){.thread = (who),                                                          \
                         .kind = DARN_EVENT_##what,                                                \
                         .target = (where),                                                        \
                         .site = __LINE__,                                                         \
                         ##__VA_ARGS__})
#define ACCESS(who, what, where, ...) EVENT(who, what, where, .size = 4, ##__VA_ARGS__)

static inline struct darn_event at_site(uint32_t site, struct darn_event event)
{
    event.site = site;
    return event;
}

/* The number of races in some events that a function gives. */
static inline size_t races_in(const struct darn_engine *engine, void (*events)(struct trial *trial),
                              const struct darn_engine_config *config)
{
    struct trial trial = start(engine, config);
    size_t count;

    events(&trial);
    finish(&trial);
    count = trial.count;
    stop(&trial);
    return count;
}

/* The lines of all pairs that an engine predicts for a file of tests/traces, smaller first, sorted:
 * "1-10 5-7". */
static inline const char *lines_of(const struct darn_engine *engine, const char *file)
{
    static char text[1024];
    char path[512], error[256] = "";
    struct trial trial = start(engine, NULL);
    struct darn_trace *trace;
    struct darn_event event;
    uint32_t found[64][2];
    size_t length = 0;

    snprintf(path, sizeof(path), "%s/tests/traces/%s", DARN_SOURCE_DIR, file);
    trace = darn_trace_open(path, false, error, sizeof(error));
    if (!trace)
        fail_msg("%s", error);
    while (darn_trace_next(trace, &event) > 0)
        give(&trial, event);
    finish(&trial);
    assert_true(trial.count < 64);
    for (size_t i = 0; i < trial.count; i++) {
        uint32_t a = darn_trace_site(trace, trial.predictions[i].steps[0].event.site)->line;
        uint32_t b = darn_trace_site(trace, trial.predictions[i].steps[1].event.site)->line;
        size_t at = i;

        for (; at && found[at - 1][0] > (a < b ? a : b); at--)
            memcpy(found[at], found[at - 1], sizeof(found[0]));
        found[at][0] = a < b ? a : b;
        found[at][1] = a < b ? b : a;
    }
    text[0] = '\0';
    for (size_t i = 0; i < trial.count; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u-%u", i ? " " : "",
                                   found[i][0], found[i][1]);
    darn_trace_close(trace);
    stop(&trial);
    return text;
}

#endif
