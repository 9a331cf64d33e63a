/* Steps that are about no memory of their own: which orders of them lead to different states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "search/search_state.h"
#include "search/trail.h"

#define WORLD 0x7000

/* The exact state after the steps, made in the order of the list; all start in slots that are their
 * numbers. What each step would lead to is seen before it is made. */
static uint64_t state_after(const struct darn_step *steps, uint32_t count)
{
    static struct darn_result result;
    struct darn_outcome outcome = {.result = &result, .steps = steps};
    struct darn_trail trail = {0};
    struct darn_search_state state = {0};
    uint64_t now;

    result.steps = count;
    assert_true(darn_trail_read(&trail, &outcome));
    darn_state_begin(&state, DARN_STATE_EXACT, &trail);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t ahead = darn_state_glance(&state, &steps[i]).rest;

        darn_state_step(&state, &trail, i);
        assert_int_equal(darn_state_now(&state), ahead);
    }
    now = darn_state_now(&state);
    darn_state_free(&state);
    darn_trail_free(&trail);
    return now;
}

/* Whether it makes no difference which of the two comes first. Both threads have started. */
static bool commute(struct darn_step a, struct darn_step b)
{
    struct darn_step steps[] = {
        {.thread = 1, .slot = 1, .op = DARN_STEP_START},
        {.thread = 2, .slot = 2, .op = DARN_STEP_START},
        a,
        b,
    };
    uint64_t one = state_after(steps, 4);

    steps[2] = b;
    steps[3] = a;
    return state_after(steps, 4) == one;
}

static struct darn_step step(uint32_t thread, enum darn_step_op op, uint64_t object)
{
    return (struct darn_step){.thread = thread,
                              .slot = (uint16_t)thread,
                              .op = (uint8_t)op,
                              .object = object,
                              .place = 0x400000 + thread};
}

static void calls_to_the_outside_do_not_commute(void **state)
{
    (void)state;
    assert_false(commute(step(1, DARN_STEP_CALL, WORLD), step(2, DARN_STEP_CALL, WORLD)));
    assert_true(commute(step(1, DARN_STEP_CALL, WORLD), step(2, DARN_STEP_WRITE, 0x8000)));
}

static void who_is_cancelled_notices_it_at_any_step(void **state)
{
    (void)state;
    assert_false(commute(step(1, DARN_STEP_CANCEL, 2), step(2, DARN_STEP_SLEEP, 0)));
    assert_false(commute(step(1, DARN_STEP_CANCEL, 2), step(2, DARN_STEP_CALL, WORLD)));
    assert_false(commute(step(2, DARN_STEP_CANCEL, 1), step(1, DARN_STEP_WAIT, 0x8000)));
    /* Another thread is cancelled, or one that has made no step. */
    assert_true(commute(step(1, DARN_STEP_CANCEL, 3), step(2, DARN_STEP_SLEEP, 0)));
    assert_true(commute(step(1, DARN_STEP_CANCEL, 0), step(2, DARN_STEP_SLEEP, 0)));
}

static void parts_of_a_word_are_one_object_whatever_is_done_with_them(void **state)
{
    (void)state;
    assert_false(commute(step(1, DARN_STEP_WRITE, 0x8004), step(2, DARN_STEP_SPIN, 0x8004)));
    assert_false(commute(step(1, DARN_STEP_WRITE, 0x8000), step(2, DARN_STEP_CALL, 0x8004)));
    assert_true(commute(step(1, DARN_STEP_WRITE, 0x8008), step(2, DARN_STEP_SPIN, 0x8004)));
}

static void a_trail_knows_who_is_cancelled(void **state)
{
    struct darn_step steps[] = {
        step(0, DARN_STEP_CREATE, 0x9000), step(1, DARN_STEP_START, 0),
        step(0, DARN_STEP_CANCEL, 1),      step(0, DARN_STEP_CANCEL, 77),
        step(1, DARN_STEP_EXIT, 0),
    };
    static struct darn_result result = {.steps = 5};
    struct darn_outcome outcome = {.result = &result, .steps = steps};
    struct darn_trail trail = {0};

    (void)state;
    assert_true(darn_trail_read(&trail, &outcome));
    assert_false(trail.cancelled[0]);
    assert_true(trail.cancelled[1]);
    result.steps = 2;
    assert_true(darn_trail_read(&trail, &outcome));
    assert_false(trail.cancelled[1]);
    darn_trail_free(&trail);
}

static void a_search_that_is_made_again_begins_anew(void **state)
{
    struct darn_search_options systematic = {.kind = DARN_SEARCH_STATES};
    struct darn_search_options endless = {.kind = DARN_SEARCH_RANDOM};
    struct darn_search *search = darn_search_new(&systematic);
    struct darn_search_stats stats;
    struct darn_result result = {.steps = 1};
    struct darn_step steps[] = {step(0, DARN_STEP_EXIT, 0)};
    struct darn_task task;
    bool later = false;

    (void)state;
    while (darn_search_next(search, &task, &later)) {
        struct darn_outcome outcome = {.task = &task, .result = &result, .steps = steps};

        darn_search_tell(search, &outcome);
        free(task.switches);
    }
    darn_search_stats(search, &stats);
    assert_true(stats.exhausted);
    assert_true(darn_search_again(search));
    darn_search_stats(search, &stats);
    assert_false(stats.exhausted);
    assert_true(darn_search_next(search, &task, &later));
    free(task.switches);
    darn_search_free(search);
    search = darn_search_new(&endless);
    assert_false(darn_search_again(search));
    darn_search_free(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_to_the_outside_do_not_commute),
        cmocka_unit_test(who_is_cancelled_notices_it_at_any_step),
        cmocka_unit_test(parts_of_a_word_are_one_object_whatever_is_done_with_them),
        cmocka_unit_test(a_trail_knows_who_is_cancelled),
        cmocka_unit_test(a_search_that_is_made_again_begins_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
