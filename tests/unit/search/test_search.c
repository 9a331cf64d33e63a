/*
 * The searches as a whole, over programs of the simulator: what is promised of each kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "search_outcomes.h"
#include "search_programs.h"

static struct sim sim;

static struct darn_search *start(enum darn_search_kind kind, uint64_t seed, uint32_t bound)
{
    struct darn_search_options options = {.kind = kind, .seed = seed, .bound = bound};
    struct darn_search *search = darn_search_new(&options);

    assert_non_null(search);
    return search;
}

static void every_kind_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int kind = 0; kind < DARN_SEARCHES; kind++) {
        assert_non_null(darn_search_name(kind));
        for (int other = 0; other < kind; other++)
            assert_string_not_equal(darn_search_name(kind), darn_search_name(other));
    }
    assert_null(darn_search_name(DARN_SEARCHES));
}

/* A hash of the steps of all runs. */
static uint64_t story(enum darn_search_kind kind, uint64_t seed)
{
    struct sim_program program = {"bluetooth", bluetooth, 2};
    struct darn_search *search = start(kind, seed, 0);
    uint64_t hash = 0;

    for (int i = 0; i < 200 && search_once(search, &sim, &program); i++) {
        for (uint64_t k = 0; k < sim.result.steps; k++)
            hash = darn_mix_two(hash, sim.steps[k].thread);
    }
    darn_search_free(search);
    return hash;
}

static void the_same_seed_makes_the_same_runs_and_another_one_others(void **state)
{
    (void)state;
    for (int kind = 0; kind < DARN_SEARCHES; kind++) {
        assert_int_equal(story(kind, 7), story(kind, 7));
        assert_int_not_equal(story(kind, 7), story(kind, 8));
    }
}

/* All outcomes that the search shows until it is at its end. */
static void search_outcomes(enum darn_search_kind kind, const struct sim_program *program,
                            struct darn_map *outcomes, size_t *runs)
{
    struct darn_search *search = start(kind, 1, 0);
    struct darn_search_stats stats;

    while (search_once(search, &sim, program))
        note_outcome(outcomes, &sim);
    darn_search_stats(search, &stats);
    assert_true(stats.exhausted);
    *runs = stats.schedules;
    darn_search_free(search);
}

static void assert_same(const struct darn_map *expected, const struct darn_map *shown)
{
    for (size_t i = 0; i < expected->count; i++)
        assert_int_equal(darn_map_get(shown, expected->entries[i].key, 0), 1);
    assert_int_equal(expected->count, shown->count);
}

/* Against all schedules, of random programs with memory, atomics, locks and deadlocks. */
static void check_outcomes(enum darn_search_kind kind)
{
    struct sim_program program = {"made", made, 0};
    size_t all = 0, tried = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct darn_map expected = {0}, shown = {0};
        size_t runs;

        make_program(seed);
        all += all_outcomes(&sim, &program, &expected);
        search_outcomes(kind, &program, &shown, &runs);
        tried += runs;
        assert_same(&expected, &shown);
        darn_map_free(&expected);
        darn_map_free(&shown);
    }
    assert_true(tried < all);
}

static void chess_shows_every_outcome_and_knows_when_it_has(void **state)
{
    (void)state;
    check_outcomes(DARN_SEARCH_CHESS);
}

static void states_shows_every_outcome_in_the_end(void **state)
{
    (void)state;
    check_outcomes(DARN_SEARCH_STATES);
}

/* Three wait; signals wake one after the other. */
static void wake_waiter(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(A);
    ADD(C, 1);
    WAIT(B, A);
    RELOCK(A);
    LOAD(t->v[0], D);
    STORE(D, t->number);
    UNLOCK(A);
    END;
}

static void wake_order(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (t->v[0] = 0; t->v[0] < 3; t->v[0]++)
        START(wake_waiter, 0);
    for (t->v[0] = 0; t->v[0] < 3; t->v[0]++) {
        do {
            LOCK(A);
            LOAD(t->v[1], C);
            UNLOCK(A);
            if (t->v[1] < 3)
                YIELD;
        } while (t->v[1] < 3);
        LOCK(A);
        SIGNAL(B);
        UNLOCK(A);
    }
    for (t->v[0] = 1; t->v[0] <= 3; t->v[0]++)
        JOIN(t->v[0]);
    END;
}

static void chess_tries_whom_a_signal_wakes(void **state)
{
    struct sim_program program = {"wake order", wake_order, 0};
    struct darn_search *search = start(DARN_SEARCH_CHESS, 1, 0);
    bool woken[4] = {false};

    (void)state;
    for (int i = 0; i < 3000 && search_once(search, &sim, &program); i++) {
        for (uint64_t k = 0; k < sim.result.steps; k++) {
            const struct darn_step *step = &sim.steps[k];

            if (step->op == DARN_STEP_WAKE && __builtin_popcountll(step->enabled) == 3)
                woken[step->thread] = true;
        }
    }
    assert_true(woken[1] && woken[2] && woken[3]);
    darn_search_free(search);
}

static size_t failures_of(enum darn_search_kind kind, uint32_t bound, sim_body *body, long size,
                          struct darn_search_stats *stats)
{
    struct sim_program program = {"", body, size};
    struct darn_search *search = start(kind, 1, bound);
    size_t failures = 0;

    for (int i = 0; i < 20000 && search_once(search, &sim, &program); i++)
        failures += sim.failed;
    darn_search_stats(search, stats);
    darn_search_free(search);
    return failures;
}

static void chess_keeps_to_its_bound_and_ends(void **state)
{
    struct darn_search_stats one, two, all;

    (void)state;
    assert_int_equal(failures_of(DARN_SEARCH_CHESS, 1, needle, 1, &one), 0);
    assert_true(failures_of(DARN_SEARCH_CHESS, 2, needle, 1, &two) > 0);
    assert_true(failures_of(DARN_SEARCH_CHESS, 0, needle, 1, &all) > 0);
    assert_true(one.exhausted && two.exhausted && all.exhausted);
    assert_true(one.schedules < two.schedules && two.schedules < all.schedules);
}

/* A loop that waits with a yield must not keep a systematic search for ever. */
static void wait_for_it(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    for (;;) {
        LOAD(t->v[0], A);
        if (t->v[0])
            break;
        YIELD;
    }
    LOAD(t->v[1], B);
    END;
}

static void say_it(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    STORE(B, 1);
    STORE(A, 1);
    STORE(B, 2);
    END;
}

static void wait_and_say(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(wait_for_it, 0);
    START(wait_for_it, 0);
    START(say_it, 0);
    JOIN(1);
    JOIN(2);
    JOIN(3);
    END;
}

static void a_loop_that_waits_does_not_keep_chess_from_its_end(void **state)
{
    struct darn_search_stats stats;

    (void)state;
    failures_of(DARN_SEARCH_CHESS, 0, wait_and_say, 0, &stats);
    assert_true(stats.exhausted);
    assert_true(stats.schedules > 4);
}

static void a_systematic_search_says_later_while_runs_are_under_way(void **state)
{
    struct sim_program program = {"counter", counter, 2};
    struct darn_search *search = start(DARN_SEARCH_CHESS, 1, 0);
    struct darn_task first, second;
    struct darn_outcome outcome = {
        .task = &first, .result = &sim.result, .steps = sim.steps, .reads = sim.reads};
    bool later;

    (void)state;
    assert_true(darn_search_next(search, &first, &later));
    assert_false(darn_search_next(search, &second, &later));
    assert_true(later);
    sim_run(&sim, &program, &first);
    darn_search_tell(search, &outcome);
    assert_true(darn_search_next(search, &second, &later));
    free(second.switches);
    darn_search_free(search);
}

static void sites_that_are_armed_later_start_a_systematic_search_anew(void **state)
{
    struct sim_program program = {"bluetooth", bluetooth, 2};
    struct darn_search *search = start(DARN_SEARCH_CHESS, 1, 0);
    struct darn_search_stats stats;
    struct darn_task old, task;
    struct darn_outcome outcome = {
        .task = &task, .result = &sim.result, .steps = sim.steps, .reads = sim.reads};
    size_t failures = 0;
    bool later;

    (void)state;
    assert_true(search_once(search, &sim, &program));
    assert_true(darn_search_next(search, &old, &later));
    assert_true(darn_search_next(search, &task, &later));
    sim_run(&sim, &program, &task);
    sim.result.new_shared = 1;
    darn_search_tell(search, &outcome);
    free(task.switches);
    /* A run of before is told afterwards: it says nothing any more. */
    sim_run(&sim, &program, &old);
    outcome.task = &old;
    darn_search_tell(search, &outcome);
    free(old.switches);
    /* From the plain run on. */
    assert_true(darn_search_next(search, &task, &later));
    assert_int_equal(task.plan.switch_count, 0);
    sim_run(&sim, &program, &task);
    outcome.task = &task;
    darn_search_tell(search, &outcome);
    while (search_once(search, &sim, &program))
        failures += sim.failed;
    darn_search_stats(search, &stats);
    assert_true(stats.exhausted);
    assert_true(failures > 0);
    darn_search_free(search);
}

static void statistics_count_what_was_told(void **state)
{
    struct sim_program program = {"counter", counter, 2};
    struct darn_search *search = start(DARN_SEARCH_POS, 1, 0);
    struct darn_search_stats stats;
    uint64_t steps = 0, longest = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_true(search_once(search, &sim, &program));
        steps += sim.result.steps;
        longest = sim.result.steps > longest ? sim.result.steps : longest;
    }
    darn_search_stats(search, &stats);
    assert_int_equal(stats.schedules, 100);
    assert_int_equal(stats.steps, steps);
    assert_int_equal(stats.longest, longest);
    /* The load of a thread sees nothing or a store; that of main a store. */
    assert_int_equal(stats.reads, 3);
    /* Both loads before both stores, which come in two orders; or one thread after the other. */
    assert_int_equal(stats.partial_orders, 4);
    assert_false(stats.exhausted);
    darn_search_free(search);
}

static void fill_with_nonsense(uint64_t *random)
{
    static const uint8_t flags[] = {0, DARN_STEP_ALONE, DARN_STEP_PREEMPTS};

    memset(&sim.result, 0, sizeof(sim.result));
    sim.result.steps = darn_random_below(random, 300);
    sim.result.partial_order = darn_random_below(random, 50);
    sim.result.read_count = darn_random_below(random, 20);
    sim.result.new_shared = darn_random_below(random, 50) == 0;
    for (uint64_t i = 0; i < sim.result.steps; i++) {
        sim.steps[i] = (struct darn_step){
            .thread = darn_random_below(random, 150),
            .op = (uint8_t)darn_random_below(random, DARN_STEP_OPS),
            .flags = flags[darn_random_below(random, 3)],
            .slot = (uint16_t)darn_random_below(random, 200),
            .object = darn_random_below(random, 9),
            .place = darn_random_below(random, 40),
            .enabled = darn_random(random),
        };
    }
    for (uint32_t i = 0; i < sim.result.read_count; i++)
        sim.reads[i] =
            (struct darn_block_read){darn_random_below(random, 40), darn_random_below(random, 40)};
}

static void no_run_confuses_a_search(void **state)
{
    enum { AT_ONCE = 3 };
    uint64_t random = 1;

    (void)state;
    for (int kind = 0; kind < DARN_SEARCHES; kind++) {
        struct darn_search *search = start(kind, 3, 0);
        struct darn_task tasks[AT_ONCE];
        bool later;

        for (int round = 0; round < 150; round++) {
            int count = 0;

            while (count < AT_ONCE && darn_search_next(search, &tasks[count], &later)) {
                assert_true(tasks[count].plan.kind < DARN_STRATEGIES);
                assert_true(tasks[count].plan.aim_count <= DARN_AIMS);
                assert_true(!tasks[count].plan.switch_count == !tasks[count].switches);
                count++;
            }
            while (count-- > 0) {
                struct darn_outcome outcome = {.task = &tasks[count],
                                               .result = &sim.result,
                                               .steps = sim.steps,
                                               .reads = sim.reads};

                fill_with_nonsense(&random);
                darn_search_tell(search, &outcome);
                free(tasks[count].switches);
            }
        }
        darn_search_free(search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_name_of_its_own),
        cmocka_unit_test(the_same_seed_makes_the_same_runs_and_another_one_others),
        cmocka_unit_test(chess_shows_every_outcome_and_knows_when_it_has),
        cmocka_unit_test(states_shows_every_outcome_in_the_end),
        cmocka_unit_test(chess_tries_whom_a_signal_wakes),
        cmocka_unit_test(chess_keeps_to_its_bound_and_ends),
        cmocka_unit_test(a_loop_that_waits_does_not_keep_chess_from_its_end),
        cmocka_unit_test(a_systematic_search_says_later_while_runs_are_under_way),
        cmocka_unit_test(sites_that_are_armed_later_start_a_systematic_search_anew),
        cmocka_unit_test(statistics_count_what_was_told),
        cmocka_unit_test(no_run_confuses_a_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
