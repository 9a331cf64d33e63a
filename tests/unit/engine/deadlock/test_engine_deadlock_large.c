/* The deadlock engine on large traces: what it costs must not grow with the length of the trace,
 * nor with the number of threads that do the same; and a search that is too long is cut off, and
 * says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/common/engine.h"

struct run {
    void *state;
    size_t count;
    const struct darn_prediction *predictions;
    struct darn_engine_cost cost;
};

static struct run begin(void)
{
    static const struct darn_engine_config config;
    struct run run = {.state = darn_engine_deadlock.create(&config)};

    assert_non_null(run.state);
    return run;
}

static void step(struct run *run, uint8_t kind, uint32_t thread, uint64_t target, uint32_t site)
{
    struct darn_event event = {.kind = kind, .thread = thread, .target = target, .site = site};

    darn_engine_deadlock.event(run->state, &event);
}

static void finish(struct run *run)
{
    darn_engine_deadlock.finish(run->state);
    run->predictions = darn_engine_deadlock.predictions(run->state, &run->count);
    run->cost = darn_engine_deadlock.cost(run->state);
}

static void end(struct run *run)
{
    darn_engine_deadlock.destroy(run->state);
}

static uint64_t lock(uint32_t number)
{
    return 0x100000 + 64 * (uint64_t)number;
}

/* Sites: two of its own for each nesting. */
static void nest(struct run *run, uint32_t thread, uint32_t outer, uint32_t inner, uint32_t site)
{
    step(run, DARN_EVENT_ACQUIRE, thread, lock(outer), site);
    step(run, DARN_EVENT_ACQUIRE, thread, lock(inner), site + 1);
    step(run, DARN_EVENT_RELEASE, thread, lock(inner), site + 2);
    step(run, DARN_EVENT_RELEASE, thread, lock(outer), site + 3);
}

static void fork_threads(struct run *run, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++)
        step(run, DARN_EVENT_FORK, 0, i, 1);
}

static size_t memory_of_transfers(uint32_t rounds)
{
    struct run run = begin();
    uint64_t seed = 1;
    size_t memory;

    fork_threads(&run, 8);
    for (uint32_t i = 0; i < rounds; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        nest(&run, 1 + i % 8, (uint32_t)(seed >> 40) % 10, 10 + (uint32_t)(seed >> 50) % 10, 100);
    }
    finish(&run);
    assert_int_equal(run.count, 0);
    assert_int_equal(run.cost.dropped, 0);
    memory = run.cost.memory;
    end(&run);
    return memory;
}

static void memory_does_not_grow_with_the_trace(void **state)
{
    (void)state;
    assert_int_equal(memory_of_transfers(20000), memory_of_transfers(400000));
}

static void hundreds_of_threads_between_hundreds_of_locks_are_one_deadlock(void **state)
{
    struct run run = begin();

    (void)state;
    fork_threads(&run, 300);
    for (uint32_t i = 1; i <= 300; i++) {
        for (uint32_t j = 0; j < 100; j++)
            nest(&run, i, (i * 7 + j) % 100, (i * 7 + j + 1 + i * j % 99) % 100, 10);
    }
    finish(&run);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.predictions[0].step_count, 2);
    assert_true(run.predictions[0].count > 1000);
    assert_int_equal(run.cost.dropped, 0);
    end(&run);
}

static void the_one_thread_of_hundreds_that_is_different_is_found(void **state)
{
    struct run run = begin();

    (void)state;
    fork_threads(&run, 500);
    for (uint32_t i = 1; i <= 500; i++)
        nest(&run, i, i == 250, i != 250, i == 250 ? 20 : 10);
    finish(&run);
    assert_int_equal(run.count, 1);
    assert_int_equal(run.predictions[0].step_count, 2);
    assert_int_equal(run.predictions[0].steps[1].event.thread, 250);
    end(&run);
}

static void a_thread_for_each_request_costs_nothing(void **state)
{
    size_t memory[2];

    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        struct run run = begin();
        uint32_t threads = round ? 40000 : 2000;

        for (uint32_t i = 1; i <= threads; i++) {
            step(&run, DARN_EVENT_FORK, 0, i, 1);
            nest(&run, i, i % 2, 1 - i % 2, 10 + 10 * (i % 2));
            step(&run, DARN_EVENT_EXIT, i, 0, 0);
            step(&run, DARN_EVENT_JOIN, 0, i, 2);
        }
        finish(&run);
        assert_int_equal(run.count, 0);
        memory[round] = run.cost.memory;
        end(&run);
    }
    /* What is kept of a thread that has ended is a few words. */
    assert_true(memory[1] < memory[0] + 38000 * 512);
}

/* Threads 1 and 2 pass a barrier again and again. In round `meet`, thread 2 turns the order round,
 * and in all others neither does thread 1 nest its locks in that order, nor thread 2 in the other.
 */
static size_t predictions_of_rounds(uint32_t rounds, uint32_t meet, size_t *memory)
{
    struct run run = begin();
    size_t count;

    fork_threads(&run, 2);
    for (uint32_t i = 0; i < rounds; i++) {
        nest(&run, 1, 0, 1, 10);
        if (i == meet)
            nest(&run, 2, 1, 0, 20);
        for (uint32_t thread = 1; thread <= 2; thread++)
            step(&run, DARN_EVENT_ARRIVE, thread, lock(99), 30);
        for (uint32_t thread = 1; thread <= 2; thread++)
            step(&run, DARN_EVENT_DEPART, thread, lock(99), 30);
    }
    finish(&run);
    count = run.count;
    *memory = run.cost.memory;
    end(&run);
    return count;
}

static void rounds_of_a_barrier_are_kept_when_something_new_happens(void **state)
{
    size_t few, many;

    (void)state;
    assert_int_equal(predictions_of_rounds(10, 5, &few), 1);
    assert_int_equal(predictions_of_rounds(1000, 0, &few), 1);
    assert_int_equal(predictions_of_rounds(1000, 500, &few), 1);
    assert_int_equal(predictions_of_rounds(1000, 999, &few), 1);
    assert_int_equal(predictions_of_rounds(50000, 30000, &many), 1);
    assert_true(many < few + 4096);
}

static void a_search_without_end_is_cut_off_and_counted(void **state)
{
    struct run run = begin();
    uint32_t site = 10;

    (void)state;
    /* Each nesting at a place of its own: more cycles than there are atoms. */
    fork_threads(&run, 30);
    for (uint32_t i = 0; i < 30; i++) {
        for (uint32_t j = 0; j < 30; j++, site += 4) {
            if (i != j)
                nest(&run, 1 + i, i, j, site);
        }
    }
    finish(&run);
    assert_true(run.count >= 435); /* all those of two */
    assert_true(run.count <= 1024);
    assert_true(run.cost.dropped > 0);
    end(&run);
}

static void a_long_circle_is_found_up_to_the_limit(void **state)
{
    (void)state;
    for (uint32_t length = 2; length <= DARN_PREDICTION_STEPS + 1; length++) {
        struct run run = begin();

        fork_threads(&run, length);
        for (uint32_t i = 0; i < length; i++)
            nest(&run, 1 + i, i, (i + 1) % length, 10 * (i + 1));
        finish(&run);
        assert_int_equal(run.count, length <= DARN_PREDICTION_STEPS);
        assert_int_equal(run.cost.dropped, length > DARN_PREDICTION_STEPS);
        if (run.count)
            assert_int_equal(run.predictions[0].step_count, length);
        end(&run);
    }
}

static void a_step_with_many_locks_names_the_one_that_matters(void **state)
{
    struct run run = begin();
    const struct darn_prediction_step *first;
    bool is_named = false;

    (void)state;
    fork_threads(&run, 2);
    for (uint32_t i = 0; i < 40; i++)
        step(&run, DARN_EVENT_ACQUIRE, 1, lock(i), 100 + i);
    for (uint32_t i = 0; i < 40; i++)
        step(&run, DARN_EVENT_RELEASE, 1, lock(i), 200 + i);
    nest(&run, 2, 39, 0, 10);
    finish(&run);
    assert_int_equal(run.count, 1);
    first = &run.predictions[0].steps[0];
    assert_int_equal(first->event.target, lock(39));
    assert_int_equal(first->lock_count, DARN_PREDICTION_LOCKS);
    for (uint32_t i = 0; i < first->lock_count; i++)
        is_named |= first->locks[i].lock == lock(0) && first->locks[i].site == 100;
    assert_true(is_named);
    end(&run);
}

static void two_locks_that_are_used_everywhere_do_not_fill_the_report(void **state)
{
    struct run run = begin();

    (void)state;
    fork_threads(&run, 2);
    for (uint32_t i = 0; i < 50; i++) {
        nest(&run, 1, 0, 1, 1000 + 4 * i);
        nest(&run, 2, 1, 0, 2000 + 4 * i);
    }
    nest(&run, 1, 2, 3, 3000);
    nest(&run, 2, 3, 2, 3004);
    finish(&run);
    assert_true(run.count <= 65);
    assert_int_equal(run.predictions[run.count - 1].steps[0].event.target, lock(3));
    assert_int_equal(run.cost.dropped, 1);
    end(&run);
}

static void blocks_that_come_and_go_take_no_more_memory(void **state)
{
    size_t memory[2];

    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        struct run run = begin();

        fork_threads(&run, 2);
        for (uint32_t i = 0; i < (round ? 100000u : 1000u); i++) {
            struct darn_event gone = {.kind = DARN_EVENT_FREE, .thread = 1, .extra = 64};

            nest(&run, 1 + i % 2, 0, 1 + i % 10, 10);
            gone.target = lock(1 + i % 10);
            darn_engine_deadlock.event(run.state, &gone);
        }
        finish(&run);
        assert_int_equal(run.count, 0);
        assert_true(run.cost.dropped > 0);
        memory[round] = run.cost.memory;
        end(&run);
    }
    assert_int_equal(memory[0], memory[1]);
}

/* A damaged trace is not the engine's to judge, but must not bring it down. */
static void nonsense_is_endured(void **state)
{
    static const struct darn_engine *const engines[] = {&darn_engine_deadlock, &darn_engine_notify};
    static const struct darn_engine_config config;
    uint64_t seed = 3;

    (void)state;
    for (uint32_t round = 0; round < 400; round++) {
        const struct darn_engine *engine = engines[round % 2];
        void *made = engine->create(&config);
        size_t count;

        for (uint32_t i = 0; i < 300; i++) {
            uint32_t word[4];
            struct darn_event event;

            for (uint32_t j = 0; j < 4; j++) {
                seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                word[j] = (uint32_t)(seed >> 32);
            }
            event = (struct darn_event){.kind = (uint8_t)(word[0] % (DARN_EVENT_KINDS + 2)),
                                        .lock = (uint8_t)(word[0] >> 16 & 3),
                                        .flags = (uint16_t)(word[0] >> 24),
                                        .thread = word[1] % 100 ? word[1] % 5 : word[1],
                                        .target = word[2] % 50 ? word[2] % 9 : seed,
                                        .extra = word[3] % 50 ? word[3] % 9 : seed,
                                        .site = word[3] >> 8 & 7,
                                        .stack = word[3] >> 11 & 7};
            engine->event(made, &event);
        }
        engine->finish(made);
        engine->predictions(made, &count);
        engine->destroy(made);
    }
}

static void an_empty_trace_has_no_deadlock(void **state)
{
    struct run run = begin();

    (void)state;
    finish(&run);
    assert_int_equal(run.count, 0);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
        cmocka_unit_test(hundreds_of_threads_between_hundreds_of_locks_are_one_deadlock),
        cmocka_unit_test(the_one_thread_of_hundreds_that_is_different_is_found),
        cmocka_unit_test(a_thread_for_each_request_costs_nothing),
        cmocka_unit_test(rounds_of_a_barrier_are_kept_when_something_new_happens),
        cmocka_unit_test(a_search_without_end_is_cut_off_and_counted),
        cmocka_unit_test(a_long_circle_is_found_up_to_the_limit),
        cmocka_unit_test(a_step_with_many_locks_names_the_one_that_matters),
        cmocka_unit_test(two_locks_that_are_used_everywhere_do_not_fill_the_report),
        cmocka_unit_test(blocks_that_come_and_go_take_no_more_memory),
        cmocka_unit_test(nonsense_is_endured),
        cmocka_unit_test(an_empty_trace_has_no_deadlock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
