/*
 * The parts of a search, each by itself: tables, trails, states, what is known of a program, and
 * the scripts that are made from it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "search/coverage.h"
#include "search/guess.h"
#include "search/search_hold.h"
#include "search/know.h"
#include "search/orders.h"
#include "search/park.h"
#include "search/rff.h"
#include "search/search_state.h"
#include "search/trail.h"
#include "search/walk.h"
#include "search_lockfree.h"
#include "search_programs.h"

static struct sim sim;
static struct darn_trail trail;

/* Runs the program under the script and reads its trail. */
static void run(sim_body *body, long size, struct darn_switch *switches, uint32_t count)
{
    struct sim_program program = {"", body, size};
    struct darn_task task = {.plan = {.kind = DARN_STRATEGY_SCRIPT, .switch_count = count},
                             .switches = switches};
    struct darn_outcome outcome = {.task = &task, .result = &sim.result, .steps = sim.steps};

    sim_run(&sim, &program, &task);
    assert_true(darn_trail_read(&trail, &outcome));
}

static int free_trail(void **state)
{
    (void)state;
    darn_trail_free(&trail);
    trail = (struct darn_trail){0};
    return 0;
}

static void a_table_keeps_its_keys_when_it_grows_and_none_when_cleared(void **state)
{
    struct darn_map table = {0};
    bool added;

    (void)state;
    assert_int_equal(darn_map_get(&table, 5, 9), 9);
    for (uint32_t i = 0; i < 10000; i++) {
        *darn_map_at(&table, (uint64_t)i << 40, &added) = i;
        assert_true(added);
    }
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(*darn_map_at(&table, (uint64_t)i << 40, &added), i);
    assert_false(added);
    assert_int_equal(table.count, 10000);
    darn_map_clear(&table);
    assert_int_equal(table.count, 0);
    assert_int_equal(darn_map_get(&table, 1, 9), 9);
    assert_int_equal(*darn_map_at(&table, 1, &added), 0);
    assert_true(added);
    darn_map_free(&table);
}

static void an_array_grows_zeroed(void **state)
{
    struct darn_array array = {0};

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t *element = darn_array_add(&array, sizeof(*element));

        assert_int_equal(*element, 0);
        *element = i;
    }
    array.count = 50;
    darn_array_reach(&array, 200, sizeof(uint32_t));
    assert_int_equal(((uint32_t *)array.at)[49], 49);
    assert_int_equal(((uint32_t *)array.at)[50], 0);
    assert_int_equal(((uint32_t *)array.at)[199], 0);
    darn_array_free(&array);
}

static void a_trail_numbers_the_steps_of_each_thread(void **state)
{
    uint32_t made[8] = {0};

    (void)state;
    run(counter, 3, NULL, 0);
    assert_int_equal(trail.count, sim.result.steps);
    assert_int_equal(trail.threads, 4);
    assert_int_equal(trail.slots, 4);
    for (uint32_t i = 0; i < trail.count; i++) {
        const struct darn_step *after = darn_trail_after(&trail, i);

        assert_int_equal(trail.own[i], made[trail.steps[i].thread]++);
        if (after) {
            assert_int_equal(after->thread, trail.steps[i].thread);
            assert_int_equal(trail.own[after - trail.steps], trail.own[i] + 1);
        } else {
            assert_int_equal(trail.steps[i].op, DARN_STEP_EXIT);
        }
    }
}

static void a_slot_may_have_one_thread_after_another(void **state)
{
    static struct darn_result result = {.steps = 4};
    static const struct darn_step steps[] = {
        {.thread = 1, .op = DARN_STEP_START, .slot = 1},
        {.thread = 1, .op = DARN_STEP_EXIT, .slot = 1},
        {.thread = 2, .op = DARN_STEP_START, .slot = 1},
        {.thread = 2, .op = DARN_STEP_EXIT, .slot = 1},
    };
    struct darn_outcome outcome = {.result = &result, .steps = steps};

    (void)state;
    assert_true(darn_trail_read(&trail, &outcome));
    assert_int_equal(trail.first[1], 1);
    assert_ptr_equal(darn_trail_after(&trail, 0), &steps[1]);
    assert_null(darn_trail_after(&trail, 1));
    assert_int_equal(trail.next[1], 3);
    assert_int_equal(trail.own[3], 1);
}

/* The state at the end of a run. */
static uint64_t state_after(enum darn_state_grade grade)
{
    struct darn_search_state state = {0};
    uint64_t now;

    darn_state_begin(&state, grade, &trail);
    for (uint32_t i = 0; i < trail.count; i++)
        darn_state_step(&state, &trail, i);
    now = darn_state_now(&state);
    darn_state_free(&state);
    return now;
}

/* Each writes to a word of its own, and then both to one. */
static void writer(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    STORE(CELLS + t->who, 1);
    ADD(A, t->who + 1);
    END;
}

static void writers(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(writer, 0);
    START(writer, 1);
    JOIN(1);
    JOIN(2);
    END;
}

static void exact_states_differ_by_the_order_of_what_conflicts_only(void **state)
{
    /* T2 before T1; T1 stopped before its second step; T1 stopped before its first. */
    struct darn_switch reverse[] = {{0, 3, 2, 0}}, between[] = {{1, 2, 2, 0}, {2, 2, 1, 0}},
                       before[] = {{1, 1, 2, 0}, {2, 2, 1, 0}};
    uint64_t plain, reversed;

    (void)state;
    run(writers, 0, NULL, 0);
    plain = state_after(DARN_STATE_EXACT);
    run(writers, 0, reverse, 1);
    reversed = state_after(DARN_STATE_EXACT);
    assert_int_not_equal(plain, reversed);
    run(writers, 0, between, 2);
    assert_int_equal(state_after(DARN_STATE_EXACT), plain);
    run(writers, 0, before, 2);
    assert_int_equal(state_after(DARN_STATE_EXACT), plain);
}

static void rough_states_do_not_care_which_thread_it_is(void **state)
{
    struct darn_switch reverse[] = {{0, 3, 2, 0}};
    uint64_t rough, exact;

    (void)state;
    run(counter, 2, NULL, 0);
    rough = state_after(DARN_STATE_OF_PLACES);
    exact = state_after(DARN_STATE_EXACT);
    run(counter, 2, reverse, 1);
    assert_int_equal(state_after(DARN_STATE_OF_PLACES), rough);
    assert_int_not_equal(state_after(DARN_STATE_EXACT), exact);
}

static void a_glance_ahead_shows_the_state_after_the_step(void **unused)
{
    (void)unused;
    run(bluetooth, 2, NULL, 0);
    for (int grade = DARN_STATE_OF_PLACES; grade <= DARN_STATE_EXACT; grade++) {
        struct darn_search_state state = {0};

        darn_state_begin(&state, grade, &trail);
        for (uint32_t i = 0; i < trail.count; i++) {
            struct darn_state_glance glance = darn_state_glance(&state, &trail.steps[i]);
            uint64_t expected = glance.rest;

            darn_state_step(&state, &trail, i);
            if (grade != DARN_STATE_EXACT)
                expected += darn_state_share(&state, trail.steps[i].thread);
            assert_int_equal(darn_state_now(&state), expected);
        }
        darn_state_free(&state);
    }
}

static void guesses_are_what_was_noted_and_anything_when_there_are_too_many(void **state)
{
    struct darn_guess guess = {0};

    (void)state;
    assert_null(darn_guess_of(&guess, 1));
    darn_guess_note(&guess, 1, 10);
    darn_guess_note(&guess, 1, 11);
    darn_guess_note(&guess, 1, 10);
    assert_int_equal(darn_guess_of(&guess, 1)->count, 2);
    assert_int_equal(darn_guess_of(&guess, 1)->shares[1], 11);
    for (uint64_t i = 0; i < 100; i++)
        darn_guess_note(&guess, 1, i);
    assert_int_equal(darn_guess_of(&guess, 1)->count, DARN_GUESSES);
    assert_null(darn_guess_of(&guess, 2));
    darn_guess_free(&guess);
}

static const struct darn_known_object *object_at(const struct darn_know *know, uint32_t word)
{
    for (size_t i = 0; i < know->objects.count; i++) {
        if (darn_know_object(know, i)->object == SIM_OBJECT(word))
            return darn_know_object(know, i);
    }
    return NULL;
}

static void it_is_known_who_shares_what_under_which_lock(void **state)
{
    struct darn_know know = {0};

    (void)state;
    run(stale, 2, NULL, 0);
    darn_know_learn(&know, &trail);
    assert_true(darn_know_conflicts(object_at(&know, A)));
    assert_true(object_at(&know, A)->memory);
    assert_int_equal(object_at(&know, A)->write_count, 1);
    /* The main thread reads it without the lock, in the end. */
    assert_int_equal(object_at(&know, A)->lock_count, 0);
    assert_false(object_at(&know, B)->memory);
    darn_know_free(&know);

    know = (struct darn_know){0};
    run(buffer, 2, NULL, 0);
    darn_know_learn(&know, &trail);
    assert_int_equal(object_at(&know, A)->lock_count, 1);
    assert_int_equal(object_at(&know, A)->locks[0], SIM_OBJECT(H));
    darn_know_free(&know);
}

/* The word and the operation of the step at a place. */
static void assert_place(uint64_t place, enum darn_step_op op, uint32_t word)
{
    for (uint32_t i = 0; i < trail.count; i++) {
        if (trail.steps[i].place == place) {
            assert_int_equal(trail.steps[i].op, op);
            assert_int_equal(trail.steps[i].object, SIM_OBJECT(word));
            return;
        }
    }
    fail_msg("the run does not come to that place");
}

static void hold_begins_between_two_changes(void **state)
{
    struct darn_know know = {0};
    struct darn_search_hold hold = {.random = 1};
    struct darn_task task = {0};

    (void)state;
    assert_false(darn_hold_next(&hold, &know, &task));
    run(reorder, 5, NULL, 0);
    darn_know_learn(&know, &trail);
    assert_true(darn_hold_fresh(&hold, &know));
    assert_true(darn_hold_next(&hold, &know, &task));
    assert_int_equal(task.plan.kind, DARN_STRATEGY_AIM);
    assert_int_equal(task.plan.aim_count, 1);
    assert_int_equal(task.plan.aims[0].kind, DARN_AIM_HOLD);
    assert_place(task.plan.aims[0].place, DARN_STEP_WRITE, B);
    darn_hold_free(&hold);
    darn_know_free(&know);
}

static void hold_never_comes_to_its_end(void **state)
{
    struct darn_know know = {0};
    struct darn_search_hold hold = {.random = 1};

    (void)state;
    run(counter, 2, NULL, 0);
    darn_know_learn(&know, &trail);
    for (int i = 0; i < 100; i++) {
        struct darn_task task = {0};

        assert_true(darn_hold_next(&hold, &know, &task));
        assert_true(task.plan.aim_count > 0 && task.plan.aim_count <= DARN_AIMS);
    }
    assert_false(darn_hold_fresh(&hold, &know));
    darn_hold_free(&hold);
    darn_know_free(&know);
}

static void parked_threads_stand_there_while_the_others_run(void **state)
{
    struct darn_park park = {0};
    struct darn_task task = {0};
    uint64_t place = 0;
    uint32_t first_check = 0, last_store = 0, stores = 0;

    (void)state;
    run(reorder, 5, NULL, 0);
    darn_park_learn(&park, &trail, true);
    for (uint32_t i = 0; i < trail.count; i++) {
        if (trail.steps[i].object == SIM_OBJECT(B) && trail.steps[i].op == DARN_STEP_WRITE)
            place = trail.steps[i].place;
    }
    assert_true(darn_park_give(&park, place, &task));
    run(reorder, 5, task.switches, task.plan.switch_count);
    free(task.switches);
    /* All four have stored to A, none to B, when the fifth looks. */
    assert_true(sim.failed);
    for (uint32_t i = 0; i < trail.count; i++) {
        if (trail.steps[i].op == DARN_STEP_READ && !first_check)
            first_check = i;
        if (trail.steps[i].op == DARN_STEP_WRITE) {
            last_store = i;
            stores++;
        }
    }
    assert_int_equal(stores, 4);
    assert_true(last_store < first_check);
    /* The same script is not given twice. */
    task = (struct darn_task){0};
    assert_false(darn_park_give(&park, place, &task));
    assert_false(darn_park_give(&park, 12345, &task));
    darn_park_free(&park);
}

static int second_locks(const void *data, uint64_t place)
{
    return place == *(const uint64_t *)data;
}

static void threads_that_are_parked_at_places_of_their_own_deadlock(void **state)
{
    struct darn_park park = {0};
    struct darn_task task = {0};
    uint64_t place = 0;

    (void)state;
    run(philosophers, 4, NULL, 0);
    darn_park_learn(&park, &trail, true);
    for (uint32_t i = 0; i + 1 < trail.count; i++) {
        if (trail.steps[i].op == DARN_STEP_LOCK && trail.steps[i + 1].op == DARN_STEP_LOCK)
            place = trail.steps[i + 1].place;
    }
    assert_true(darn_park_mix(&park, second_locks, &place, NULL, &task));
    run(philosophers, 4, task.switches, task.plan.switch_count);
    free(task.switches);
    assert_int_equal(sim.result.end, DARN_END_DEADLOCK);
    darn_park_free(&park);
}

static uint32_t first_of(uint32_t thread)
{
    for (uint32_t i = 0; i < trail.count; i++) {
        if (trail.steps[i].thread == thread)
            return i;
    }
    return UINT32_MAX;
}

static void orders_run_the_youngest_first_or_each_at_once(void **state)
{
    struct darn_orders orders = {0};
    struct darn_task reverse = {0}, eager = {0};

    (void)state;
    assert_false(darn_orders_give(&orders.reverse, &reverse));
    run(counter, 4, NULL, 0);
    assert_true(first_of(1) < first_of(2) && first_of(2) < first_of(4));
    darn_orders_learn(&orders, &trail);
    assert_true(darn_orders_give(&orders.reverse, &reverse));
    assert_true(darn_orders_give(&orders.eager, &eager));
    run(counter, 4, reverse.switches, reverse.plan.switch_count);
    assert_true(first_of(4) < first_of(3) && first_of(3) < first_of(2) &&
                first_of(2) < first_of(1));
    run(counter, 4, eager.switches, eager.plan.switch_count);
    /* T1 has ended before T2 is made. */
    assert_int_equal(trail.steps[first_of(2) - 1].op, DARN_STEP_CREATE);
    assert_int_equal(trail.steps[first_of(2) - 2].op, DARN_STEP_EXIT);
    free(reverse.switches);
    free(eager.switches);
    darn_orders_free(&orders);
}

static void rff_wishes_for_pairs_that_no_run_has_shown(void **state)
{
    struct darn_know know = {0};
    struct darn_coverage coverage = {0};
    struct darn_rff rff = {.random = 1};
    struct darn_task plain = {.strategy = DARN_SEARCH_RFF}, task = {0};
    struct darn_outcome outcome = {.task = &plain, .result = &sim.result, .reads = sim.reads};

    (void)state;
    assert_false(darn_rff_next(&rff, &know, &coverage, &task));
    run(late_init, 0, NULL, 0);
    darn_coverage_add(&coverage, &outcome);
    darn_know_learn(&know, &trail);
    darn_rff_tell(&rff, &coverage, &plain);
    assert_true(darn_rff_next(&rff, &know, &coverage, &task));
    /* The load has seen the store; that it sees nothing of it is what is left. */
    assert_int_equal(task.plan.kind, DARN_STRATEGY_AIM);
    assert_int_equal(task.plan.aim_count, 1);
    assert_int_equal(task.plan.aims[0].kind, DARN_AIM_READS);
    assert_int_equal(task.plan.aims[0].other, 0);
    assert_place(task.plan.aims[0].place, DARN_STEP_READ, A);
    for (int i = 0; i < 200; i++) {
        task = (struct darn_task){0};
        assert_true(darn_rff_next(&rff, &know, &coverage, &task));
        assert_true(task.plan.aim_count <= DARN_AIMS);
    }
    darn_rff_free(&rff);
    darn_coverage_free(&coverage);
    darn_know_free(&know);
}

static void surw_counts_the_steps_on_its_object(void **state)
{
    struct darn_walk walk = {.random = 1};
    bool named = false, whole = false;

    (void)state;
    run(counter, 2, NULL, 0);
    darn_walk_learn(&walk, &sim.result, &trail);
    for (int i = 0; i < 50; i++) {
        struct darn_task task = {0};

        darn_walk_surw(&walk, &task);
        assert_int_equal(task.plan.kind, DARN_STRATEGY_SURW);
        if (task.plan.aim_count) {
            assert_int_equal(task.plan.aims[0].kind, DARN_AIM_OBJECT);
            assert_int_equal(task.plan.aims[0].place, SIM_OBJECT(A));
            /* A load and a store; the load of main. */
            assert_int_equal(task.plan.expected[1], 2);
            assert_int_equal(task.plan.expected[0], 1);
            named = true;
        } else {
            assert_int_equal(task.plan.expected[1], sim.result.steps_of[1]);
            whole = true;
        }
    }
    assert_true(named && whole);
    darn_walk_free(&walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_keeps_its_keys_when_it_grows_and_none_when_cleared),
        cmocka_unit_test(an_array_grows_zeroed),
        cmocka_unit_test(a_trail_numbers_the_steps_of_each_thread),
        cmocka_unit_test(a_slot_may_have_one_thread_after_another),
        cmocka_unit_test(exact_states_differ_by_the_order_of_what_conflicts_only),
        cmocka_unit_test(rough_states_do_not_care_which_thread_it_is),
        cmocka_unit_test(a_glance_ahead_shows_the_state_after_the_step),
        cmocka_unit_test(guesses_are_what_was_noted_and_anything_when_there_are_too_many),
        cmocka_unit_test(it_is_known_who_shares_what_under_which_lock),
        cmocka_unit_test(hold_begins_between_two_changes),
        cmocka_unit_test(hold_never_comes_to_its_end),
        cmocka_unit_test(parked_threads_stand_there_while_the_others_run),
        cmocka_unit_test(threads_that_are_parked_at_places_of_their_own_deadlock),
        cmocka_unit_test(orders_run_the_youngest_first_or_each_at_once),
        cmocka_unit_test(rff_wishes_for_pairs_that_no_run_has_shown),
        cmocka_unit_test(surw_counts_the_steps_on_its_object),
    };

    return cmocka_run_group_tests(tests, NULL, free_trail);
}
