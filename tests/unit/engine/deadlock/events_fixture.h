/*
 * Events written as text, one to a line, in the manner of STD traces but with all kinds that the
 * deadlock and notify engines know; and what an engine predicts, as text again.
 *
 *   T1|acq(A)|12      at site 12; |@12 is stack 12, and |- is not known
 *
 *   acq rel req(L)  racq rrel rreq wacq wreq(L): a read-write lock  try rtry(L): trylock
 *   fork join(T)  exit()  arr dep(B)  wait(C,M) twait(C,M): with a timeout  wake(C,M)
 *   sig bcast(C)  free(L): the block that the lock is in
 */
#ifndef DARN_TESTS_EVENTS_FIXTURE_H
#define DARN_TESTS_EVENTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/common/engine.h"

#define FIXTURE_NAMES 64

struct fixture {
    char names[FIXTURE_NAMES][16];
    size_t name_count;
    char said[65536];
    uint64_t dynamic;
    struct darn_engine_cost cost;
};

static const struct {
    const char *name;
    uint8_t kind, lock;
    uint16_t flags;
} fixture_kinds[] = {
    {"acq", DARN_EVENT_ACQUIRE, DARN_EVENT_MUTEX, 0},
    {"rel", DARN_EVENT_RELEASE, DARN_EVENT_MUTEX, 0},
    {"req", DARN_EVENT_REQUEST, DARN_EVENT_MUTEX, 0},
    {"try", DARN_EVENT_ACQUIRE, DARN_EVENT_MUTEX, DARN_EVENT_TRY},
    {"treq", DARN_EVENT_REQUEST, DARN_EVENT_MUTEX, DARN_EVENT_TRY},
    {"racq", DARN_EVENT_ACQUIRE, DARN_EVENT_RDLOCK, 0},
    {"rrel", DARN_EVENT_RELEASE, DARN_EVENT_RDLOCK, 0},
    {"rreq", DARN_EVENT_REQUEST, DARN_EVENT_RDLOCK, 0},
    {"rtry", DARN_EVENT_ACQUIRE, DARN_EVENT_RDLOCK, DARN_EVENT_TRY},
    {"wacq", DARN_EVENT_ACQUIRE, DARN_EVENT_WRLOCK, 0},
    {"wreq", DARN_EVENT_REQUEST, DARN_EVENT_WRLOCK, 0},
    {"fork", DARN_EVENT_FORK, 0, 0},
    {"join", DARN_EVENT_JOIN, 0, 0},
    {"exit", DARN_EVENT_EXIT, 0, 0},
    {"arr", DARN_EVENT_ARRIVE, 0, 0},
    {"dep", DARN_EVENT_DEPART, 0, 0},
    {"wait", DARN_EVENT_WAIT, 0, 0},
    {"twait", DARN_EVENT_WAIT, 0, DARN_EVENT_TRY},
    {"wake", DARN_EVENT_WAKE, 0, 0},
    {"late", DARN_EVENT_WAKE, 0, DARN_EVENT_TIMEOUT},
    {"sig", DARN_EVENT_SIGNAL, 0, 0},
    {"bcast", DARN_EVENT_BROADCAST, 0, 0},
    {"free", DARN_EVENT_FREE, 0, 0},
    {"r", DARN_EVENT_READ, 0, 0},
    {"w", DARN_EVENT_WRITE, 0, 0},
    {"sem_post", DARN_EVENT_POST, 0, 0},
};

/* Names are 256 bytes apart in memory. */
static inline uint64_t fixture_address(struct fixture *fixture, const char *name, size_t length)
{
    size_t i;

    for (i = 0; i < fixture->name_count; i++) {
        if (strlen(fixture->names[i]) == length && memcmp(fixture->names[i], name, length) == 0)
            return 0x10000 + 256 * i;
    }
    assert_true(i < FIXTURE_NAMES && length < sizeof(fixture->names[0]));
    memcpy(fixture->names[i], name, length);
    fixture->name_count++;
    return 0x10000 + 256 * i;
}

static inline const char *fixture_name(const struct fixture *fixture, uint64_t address)
{
    size_t i = (address - 0x10000) / 256;

    assert_true(address >= 0x10000 && i < fixture->name_count);
    return fixture->names[i];
}

static inline struct darn_event fixture_event(struct fixture *fixture, const char *line)
{
    char thread[16], kind[16], first[16] = "", second[16] = "", where[16];
    struct darn_event event = {0};
    size_t i = 0;

    if (sscanf(line, "%15[^|]|%15[a-z_](%15[^),],%15[^)])|%15s", thread, kind, first, second,
               where) != 5 &&
        (*second = 0,
         sscanf(line, "%15[^|]|%15[a-z_](%15[^)])|%15s", thread, kind, first, where)) != 4 &&
        sscanf(line, "%15[^|]|%15[a-z_]()|%15s", thread, kind, where) != 3)
        fail_msg("not an event: %s", line);
    while (i < sizeof(fixture_kinds) / sizeof(fixture_kinds[0]) &&
           strcmp(fixture_kinds[i].name, kind) != 0)
        i++;
    if (i == sizeof(fixture_kinds) / sizeof(fixture_kinds[0]))
        fail_msg("no such kind: %s", line);
    event.thread = (uint32_t)atoi(thread + 1);
    event.kind = fixture_kinds[i].kind;
    event.lock = fixture_kinds[i].lock;
    event.flags = fixture_kinds[i].flags;
    if (event.kind == DARN_EVENT_FORK || event.kind == DARN_EVENT_JOIN)
        event.target = (uint64_t)atoi(first + 1);
    else if (*first)
        event.target = fixture_address(fixture, first, strlen(first));
    if (*second)
        event.extra = fixture_address(fixture, second, strlen(second));
    if (event.kind == DARN_EVENT_FREE)
        event.extra = 256;
    if (*where == '@')
        event.stack = (uint32_t)atoi(where + 1);
    else
        event.site = (uint32_t)atoi(where);
    return event;
}

static inline void fixture_say(struct fixture *fixture, const char *format, ...)
{
    size_t length = strlen(fixture->said);
    va_list args;

    va_start(args, format);
    vsnprintf(fixture->said + length, sizeof(fixture->said) - length, format, args);
    va_end(args);
}

static inline void fixture_say_where(struct fixture *fixture, uint32_t site, uint32_t stack)
{
    if (site)
        fixture_say(fixture, "%u", site);
    else if (stack)
        fixture_say(fixture, "@%u", stack);
    else
        fixture_say(fixture, "-");
}

/* T1:B:12[A:11 C:13]: T1 asks for B at 12, and has A from 11 and C from 13. */
static inline void fixture_say_step(struct fixture *fixture,
                                    const struct darn_prediction_step *step)
{
    static const char *const words[DARN_EVENT_KINDS] = {
        [DARN_EVENT_REQUEST] = "!",        [DARN_EVENT_JOIN] = "join ",
        [DARN_EVENT_WAIT] = "wait ",       [DARN_EVENT_SIGNAL] = "sig ",
        [DARN_EVENT_BROADCAST] = "bcast ",
    };
    const char *word = words[step->event.kind];

    fixture_say(fixture, "T%u:%s", step->event.thread, word ? word : "");
    if (step->event.kind == DARN_EVENT_JOIN)
        fixture_say(fixture, "T%u:", (unsigned)step->event.target);
    else
        fixture_say(fixture, "%s:", fixture_name(fixture, step->event.target));
    fixture_say_where(fixture, step->event.site, step->event.stack);
    fixture_say(fixture, "[");
    for (uint32_t i = 0; i < step->lock_count; i++) {
        fixture_say(fixture, "%s%s:", i ? " " : "", fixture_name(fixture, step->locks[i].lock));
        fixture_say_where(fixture, step->locks[i].site, step->locks[i].stack);
    }
    fixture_say(fixture, "]");
}

/* All predictions, one to a line, with the count in front. */
static inline const char *fixture_run(struct fixture *fixture, const struct darn_engine *engine,
                                      const struct darn_engine_config *config, const char *text)
{
    static const struct darn_engine_config defaults;
    void *state = engine->create(config ? config : &defaults);
    const struct darn_prediction *predictions;
    size_t count;

    assert_non_null(state);
    memset(fixture, 0, sizeof(*fixture));
    while (*text) {
        struct darn_event event = fixture_event(fixture, text);

        engine->event(state, &event);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    engine->finish(state);
    predictions = engine->predictions(state, &count);
    for (size_t i = 0; i < count; i++) {
        fixture_say(fixture, "%u", (unsigned)predictions[i].count);
        for (uint32_t j = 0; j < predictions[i].step_count; j++) {
            fixture_say(fixture, " ");
            fixture_say_step(fixture, &predictions[i].steps[j]);
        }
        fixture_say(fixture, "\n");
    }
    fixture->dynamic = engine->dynamic(state);
    fixture->cost = engine->cost(state);
    engine->destroy(state);
    return fixture->said;
}

/* The same for a file of tests/traces. */
static inline const char *fixture_run_file(struct fixture *fixture,
                                           const struct darn_engine *engine, const char *name)
{
    char path[1024], text[16384];
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/traces/%s", DARN_SOURCE_DIR, name);
    file = fopen(path, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = 0;
    fclose(file);
    return fixture_run(fixture, engine, NULL, text);
}

#endif
