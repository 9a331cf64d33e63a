/*
 * The deadlock engine against the truth, on small random programs whose threads do the same in
 * every schedule: all schedules are gone through, and the deadlocks in which they end are
 * collected. The engine sees the trace of one schedule.
 *
 * What is claimed, and what is not, is in docs/engine-deadlock.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "lock_program.h"

#define EVENTS 256
#define STATES (1u << 20)

struct explorer {
    const struct program *program;
    struct program_keys *found;
    uint8_t *seen; /* by number of the state */
    struct program_state *stack;
    uint32_t depth;
    uint32_t path[PROGRAM_THREADS];
};

/* Threads that wait for each other in a circle, from the last of the path on; none of them waits
 * for another one of the circle than the next. */
static void follow(struct explorer *explorer, const struct program_state *state, uint32_t count)
{
    const struct program *program = explorer->program;
    uint32_t site, last = explorer->path[count - 1];

    if (count > 1 && program_waits(program, state, last, explorer->path[0], &site)) {
        struct program_key key = {.count = count};

        for (uint32_t i = 0; i < count; i++) {
            uint32_t thread = explorer->path[i];

            key.steps[i].asks = program->ops[thread][state->at[thread]].site;
            program_waits(program, state, explorer->path[(i + count - 1) % count], thread,
                          &key.steps[i].holds);
        }
        program_add(explorer->found, key);
        return;
    }
    for (uint32_t next = explorer->path[0] + 1; next < program->thread_count; next++) {
        bool fits = program_waits(program, state, last, next, &site);

        for (uint32_t i = 0; fits && i < count; i++)
            fits = explorer->path[i] != next &&
                   (i + 1 == count ||
                    !program_waits(program, state, explorer->path[i], next, &site)) &&
                   (i == 0 || !program_waits(program, state, next, explorer->path[i], &site));
        if (!fits)
            continue;
        explorer->path[count] = next;
        follow(explorer, state, count + 1);
    }
}

static uint32_t number_of(const struct program *program, const struct program_state *state)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < program->thread_count; i++)
        number = number * (program->counts[i] + 1) + state->at[i];
    return number;
}

static void visit(struct explorer *explorer, const struct program_state *state)
{
    uint32_t number = number_of(explorer->program, state);

    if (explorer->seen[number / 8] & 1 << number % 8)
        return;
    explorer->seen[number / 8] |= (uint8_t)(1 << number % 8);
    explorer->stack[explorer->depth++] = *state;
}

/* All deadlocks of all schedules; false when there are too many states. */
static bool explore(const struct program *program, struct program_keys *found)
{
    static uint8_t seen[STATES / 8];
    static struct program_state stack[STATES];
    struct explorer explorer = {program, found, seen, stack, 0, {0}};
    struct program_state state = {0};
    uint64_t states = 1;

    found->count = 0;
    for (uint32_t i = 0; i < program->thread_count; i++)
        states *= program->counts[i] + 1;
    if (states > STATES)
        return false;
    memset(seen, 0, sizeof(seen));
    visit(&explorer, &state);
    while (explorer.depth) {
        bool goes_on = false;

        state = stack[--explorer.depth];
        for (uint32_t i = 0; i < program->thread_count; i++) {
            struct program_state next = state;

            if (!program_can_go(program, &state, i))
                continue;
            goes_on = true;
            next.at[i]++;
            visit(&explorer, &next);
        }
        for (uint32_t i = 0; !goes_on && i < program->thread_count; i++) {
            explorer.path[0] = i;
            follow(&explorer, &state, 1);
        }
    }
    return true;
}

struct tally {
    uint32_t programs;
    uint32_t real, missed;          /* deadlocks; of which not predicted */
    uint32_t predicted, unreal;     /* predictions; of which no schedule ends there */
    uint32_t alarmed, false_alarms; /* programs with predictions; of which have no deadlock */
};

static void say(const char *title, const struct program *program)
{
    static const char *const words[] = {"acq", "try", "rel", "fork", "join", "barrier"};

    fprintf(stderr, "%s\n", title);
    for (uint32_t i = 0; i < program->thread_count; i++) {
        fprintf(stderr, "  T%u:", i);
        for (uint32_t j = 0; j < program->counts[i]; j++)
            fprintf(stderr, " %s%s(%u)", program->ops[i][j].reads ? "r" : "",
                    words[program->ops[i][j].kind], program->ops[i][j].what);
        fprintf(stderr, "\n");
    }
}

/* The trace is that of the first of some schedules in which all threads come to their end. */
static void compare(const struct program *program, uint64_t *seed, struct tally *tally)
{
    static struct program_keys real, predicted;
    struct darn_event events[EVENTS];
    struct program_state end;
    bool is_done = false;
    uint32_t count;

    for (int i = 0; i < 20 && !is_done; i++)
        is_done = program_run(program, seed, events, &count, &end);
    if (!is_done || !explore(program, &real))
        return;
    program_predict(events, count, &predicted);
    for (uint32_t i = 0; i < real.count; i++) {
        if (program_has(&predicted, &real.keys[i]))
            continue;
        tally->missed++;
        say("missed in", program);
    }
    for (uint32_t i = 0; i < predicted.count; i++)
        tally->unreal += !program_has(&real, &predicted.keys[i]);
    tally->programs++;
    tally->real += real.count;
    tally->predicted += predicted.count;
    tally->alarmed += predicted.count != 0;
    tally->false_alarms += predicted.count && !real.count;
}

/* Over two to four threads, with and without readers, early joins and forks inside of threads. */
static struct tally tally_of(bool is_nested, bool forks_empty, uint32_t rounds)
{
    struct tally tally = {0};
    uint64_t seed = 42;

    for (uint32_t i = 0; i < 24 * rounds; i++) {
        uint32_t threads = 2 + i % 3;
        struct program_options options = {
            .threads = threads,
            .locks = 3 + threads % 2,
            .ops = threads == 4 ? 7 : 12,
            .has_readers = i / 3 & 1,
            .joins_early = i / 6 & 1,
            .has_inner_forks = i / 12 & 1,
            .is_nested = is_nested,
            .forks_empty = forks_empty,
        };
        struct program program;

        program_make(&program, &options, &seed);
        compare(&program, &seed, &tally);
    }
    print_message("programs %u; deadlocks %u, missed %u; predictions %u, unreal %u; programs with "
                  "predictions %u, of them without deadlock %u\n",
                  tally.programs, tally.real, tally.missed, tally.predicted, tally.unreal,
                  tally.alarmed, tally.false_alarms);
    assert_true(tally.programs > 16 * rounds && tally.real > tally.programs);
    return tally;
}

static void every_deadlock_of_every_schedule_is_predicted(void **state)
{
    struct tally tally = tally_of(false, false, 60);

    (void)state;
    assert_int_equal(tally.missed, 0);
    /* Neither locks that are not nested nor forks with locks held make it useless. */
    assert_true(tally.false_alarms * 10 < tally.alarmed);
    assert_true(tally.unreal * 4 < tally.predicted);
}

static void nested_locks_and_a_prediction_mean_that_there_is_a_deadlock(void **state)
{
    struct tally tally = tally_of(true, true, 60);

    (void)state;
    assert_int_equal(tally.missed, 0);
    assert_int_equal(tally.false_alarms, 0);
    assert_true(tally.unreal * 8 < tally.predicted);
}

static void a_run_that_hangs_shows_why(void **state)
{
    struct program_options options = {.threads = 4, .locks = 4, .ops = 12, .has_readers = true};
    uint64_t seed = 7;
    uint32_t hung = 0;

    (void)state;
    for (uint32_t i = 0; i < 2000; i++) {
        static struct program_keys real, predicted;
        struct darn_event events[EVENTS];
        struct explorer explorer = {.found = &real};
        struct program_state end;
        struct program program;
        uint32_t count;

        program_make(&program, &options, &seed);
        if (program_run(&program, &seed, events, &count, &end))
            continue;
        real.count = 0;
        explorer.program = &program;
        for (uint32_t j = 0; j < program.thread_count; j++) {
            explorer.path[0] = j;
            follow(&explorer, &end, 1);
        }
        program_predict(events, count, &predicted);
        for (uint32_t j = 0; j < real.count; j++)
            assert_true(program_has(&predicted, &real.keys[j]));
        hung += real.count != 0;
    }
    assert_true(hung > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_deadlock_of_every_schedule_is_predicted),
        cmocka_unit_test(nested_locks_and_a_prediction_mean_that_there_is_a_deadlock),
        cmocka_unit_test(a_run_that_hangs_shows_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
