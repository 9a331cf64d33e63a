/*
 * What the slow versions of the lockset engines share: which accesses count, and which locks were
 * held, as bits, found by going through the trace from its beginning each time.
 */
#ifndef DARN_TESTS_SLOW_LOCKSETS_H
#define DARN_TESTS_SLOW_LOCKSETS_H

#include "engine_fixture.h"
#include "random_trace.h"
#include "slow_races.h"

#define ALL_LOCKS 0xffffu

/* Whether event `at` is an access to the byte that the engine has to look at. */
static inline bool counts(const struct slow *slow, size_t at, uint64_t byte)
{
    return touches(&slow->events[at], byte) && !is_synchronization(slow, &slow->events[at]);
}

/* One bit for each lock; with `exclusive`, only those that are not held for reading. */
static inline uint32_t held_at(const struct slow *slow, size_t at, bool exclusive)
{
    uint32_t locks = locks_at(slow, at), bits = 0;

    for (uint32_t i = 0; i < 16; i++) {
        uint32_t mode = locks >> 2 * i & 3;

        if (mode && (!exclusive || mode & 2))
            bits |= 1u << i;
    }
    return bits;
}

static inline void slow_open(struct slow *slow, const struct random_trace *trace,
                             const struct darn_engine_config *config)
{
    *slow = (struct slow){.events = trace->events, .count = trace->count, .config = *config};
}

/* Happens-before by fork, join and barriers alone. */
static inline void slow_periods(struct slow *slow)
{
    for (size_t j = 0; j < slow->count; j++) {
        const struct darn_event *event = &slow->events[j];

        for (size_t i = 0; i < j; i++) {
            const struct darn_event *other = &slow->events[i];
            bool forks = other->kind == DARN_EVENT_FORK, joins = event->kind == DARN_EVENT_JOIN;

            if (other->thread == event->thread || (forks && other->target == event->thread) ||
                (joins && other->thread == event->target) ||
                (joins && forks && other->target == event->target))
                slow_edge(slow, i, j);
        }
        slow_barrier(slow, j);
        for (size_t i = 0; i < j; i++) {
            for (size_t k = 0; happens_before(slow, i, j) && k < SLOW_WORDS; k++)
                slow->before[j][k] |= slow->before[i][k];
        }
    }
}

/* A prediction names two events that are in the trace as it says, with the locks that were held.
 * For traces in which each event has a site of its own. */
static inline void check_prediction(const struct slow *slow,
                                    const struct darn_prediction *prediction)
{
    const struct darn_prediction_step *steps = prediction->steps;

    assert_int_equal(prediction->kind, DARN_PREDICTS_RACE);
    assert_int_equal(prediction->step_count, 2);
    assert_int_not_equal(steps[0].event.thread, steps[1].event.thread);
    assert_true(darn_event_writes(&steps[0].event) || darn_event_writes(&steps[1].event));
    for (int i = 0; i < 2; i++) {
        size_t at = steps[i].event.site - 1;
        const struct darn_event *event = &slow->events[at];
        uint32_t held = held_at(slow, at, false), exclusive = held_at(slow, at, true);

        assert_true(counts(slow, at, prediction->target));
        assert_int_equal(steps[i].event.thread, event->thread);
        assert_int_equal(steps[i].event.kind, event->kind);
        assert_int_equal(steps[i].event.stack, event->stack);
        assert_int_equal(steps[i].event.target, event->target);
        assert_int_equal(steps[i].event.size, event->size);
        assert_int_equal(steps[i].lock_count, __builtin_popcount(held));
        for (uint32_t l = 0; l < steps[i].lock_count; l++) {
            uint64_t lock = steps[i].locks[l].lock;
            uint32_t bit = (uint32_t)(lock >= TRACE_RWLOCK ? 8 + (lock - TRACE_RWLOCK) / 8
                                                           : (lock - TRACE_LOCK) / 8);

            assert_true(held >> bit & 1);
            assert_int_equal(exclusive >> bit & 1, steps[i].locks[l].kind != DARN_EVENT_RDLOCK);
            assert_int_equal(slow->events[steps[i].locks[l].site - 1].target, lock);
            assert_true(!l || steps[i].locks[l - 1].site < steps[i].locks[l].site);
        }
    }
}

/* Whether the two lines of a test are predicted to race, in this order. */
static inline bool names_pair(const struct trial *trial, uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < trial->count; i++) {
        const struct darn_prediction_step *steps = trial->predictions[i].steps;

        if (steps[0].event.site == first && steps[1].event.site == second)
            return true;
    }
    return false;
}

static inline void check_predictions(const struct slow *slow, const struct random_trace *trace,
                                     struct trial *trial)
{
    finish(trial);
    for (size_t i = 0; !trace->sites && i < trial->count; i++)
        check_prediction(slow, &trial->predictions[i]);
}

/* How often an engine reports something in these events. */
static inline size_t races_of(const struct darn_engine *engine, const struct darn_event *events,
                              size_t count)
{
    struct trial trial = start(engine, NULL);
    size_t found;

    for (size_t i = 0; i < count; i++)
        give(&trial, events[i]);
    finish(&trial);
    found = trial.count;
    stop(&trial);
    return found;
}

#define RACES_OF(engine, ...)                                                                      \
    races_of(engine, (struct darn_event[]){__VA_ARGS__},                                           \
             sizeof((struct darn_event[]){__VA_ARGS__}) / sizeof(struct darn_event))

/* Whether the slow version reports the byte with this number at the event. */
typedef bool slow_report(const struct slow *slow, uint32_t byte, size_t at);

/* The engine reports where the slow version does, at each event of the trace. How often. */
static inline size_t compare_with_slow(const struct darn_engine *engine,
                                       const struct darn_engine_config *config, struct slow *slow,
                                       const struct random_trace *trace, uint64_t seed,
                                       slow_report *expects)
{
    struct trial trial = start(engine, config);
    size_t reports = 0;

    slow_open(slow, trace, config);
    for (size_t j = 0; j < trace->count; j++) {
        uint64_t before = engine->dynamic(trial.state);
        bool expected = false;

        for (uint32_t i = 0; i < TRACE_BYTES; i++)
            expected |= expects(slow, i, j);
        give(&trial, trace->events[j]);
        if (expected != (engine->dynamic(trial.state) > before))
            fail_msg("seed %llu, event %zu: %s", (unsigned long long)seed, j,
                     expected ? "missed" : "false");
        reports += expected;
    }
    check_predictions(slow, trace, &trial);
    stop(&trial);
    return reports;
}

/* The same for so many random traces; `compare` has its variables anew for each. */
static inline size_t compare_traces(struct random_trace *trace, uint64_t traces,
                                    size_t (*compare)(uint64_t seed,
                                                      const struct darn_engine_config *config))
{
    size_t reports = 0;

    for (uint64_t seed = 0; seed < traces; seed++) {
        struct darn_engine_config config = {.ignore_sync = seed % 16 == 1,
                                            .ignore_atomic = seed % 16 == 2};

        make_trace(trace, seed);
        reports += compare(seed, &config);
    }
    return reports;
}

#endif
