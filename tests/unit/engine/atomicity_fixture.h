/*
 * What the tests of the atomicity engines share: a trace as STD text, and what an engine says about
 * it as text.
 */
#ifndef DARN_TESTS_ATOMICITY_FIXTURE_H
#define DARN_TESTS_ATOMICITY_FIXTURE_H

#include "engine_fixture.h"

static inline char letter_of(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_READ ? 'r' : event->kind == DARN_EVENT_WRITE ? 'w' : 'a';
}

static inline int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* All predictions, sorted, one after the other: "r12 w20 r14; ..." are the steps of one with their
 * lines, "deadlock" stands for one, and what reduction says begins with "not reducible". */
static inline const char *said_of(const struct darn_engine *engine, const char *text,
                                  const struct darn_engine_config *config)
{
    static char said[4096], lines[64][128];
    char error[256] = "", *sorted[64];
    struct darn_trace *trace =
        darn_trace_open_memory("test.std", text, strlen(text), false, error, sizeof(error));
    struct trial trial = start(engine, config);
    struct darn_event event;
    size_t length = 0;

    if (!trace)
        fail_msg("%s", error);
    while (darn_trace_next(trace, &event) > 0)
        give(&trial, event);
    if (*darn_trace_error(trace))
        fail_msg("%s", darn_trace_error(trace));
    finish(&trial);
    assert_true(trial.count < 64);
    for (size_t i = 0; i < trial.count; i++) {
        const struct darn_prediction *found = &trial.predictions[i];
        char *line = lines[i];

        sorted[i] = line;
        *line = '\0';
        if (found->kind == DARN_PREDICTS_DEADLOCK)
            strcpy(line, "deadlock");
        if (found->kind == DARN_PREDICTS_IRREDUCIBLE)
            strcpy(line, "not reducible:");
        for (size_t j = 0; found->kind != DARN_PREDICTS_DEADLOCK && j < found->step_count; j++) {
            const struct darn_event *step = &found->steps[j].event;

            sprintf(line + strlen(line), "%s%c%u", *line ? " " : "", letter_of(step),
                    darn_trace_site(trace, step->site)->line);
        }
    }
    qsort(sorted, trial.count, sizeof(*sorted), compare_texts);
    said[0] = '\0';
    for (size_t i = 0; i < trial.count; i++)
        length += (size_t)snprintf(said + length, sizeof(said) - length, "%s%s", i ? "; " : "",
                                   sorted[i]);
    darn_trace_close(trace);
    stop(&trial);
    return said;
}

#endif
