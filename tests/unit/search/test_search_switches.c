/* A run becomes a script: each switch of threads has its place among the steps of its thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "search/switches.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct darn_step step(uint32_t thread, enum darn_step_op op, uint8_t flags)
{
    return (struct darn_step){.thread = thread, .op = (uint8_t)op, .flags = flags};
}

static void is_switch(const struct darn_switch *one, uint32_t thread, uint32_t own, uint32_t to,
                      uint32_t wakes)
{
    assert_int_equal(one->thread, thread);
    assert_int_equal(one->own, own);
    assert_int_equal(one->to, to);
    assert_int_equal(one->wakes, wakes);
}

static void preemptions_come_first_and_own_steps_are_counted(void **state)
{
    struct darn_step steps[] = {
        step(0, DARN_STEP_CREATE, 0),
        step(0, DARN_STEP_JOIN, 0),
        step(1, DARN_STEP_START, 0), /* the main thread waits: no preemption */
        step(1, DARN_STEP_WRITE, 0),
        step(2, DARN_STEP_START, DARN_STEP_PREEMPTS),
        step(1, DARN_STEP_EXIT, DARN_STEP_PREEMPTS),
        step(2, DARN_STEP_EXIT, 0),
    };
    size_t count;
    struct darn_switch *list = darn_switches_of(steps, COUNT(steps), &count);
    struct darn_switch_count counted = darn_switches_count(steps, COUNT(steps));

    (void)state;
    assert_int_equal(count, 4);
    is_switch(&list[0], 1, 2, 2, 0);
    is_switch(&list[1], 2, 1, 1, 0);
    is_switch(&list[2], 0, 2, 1, 0);
    is_switch(&list[3], 1, 3, 2, 0);
    assert_int_equal(counted.switches, 4);
    assert_int_equal(counted.preemptions, 2);
    free(list);
}

/* Who is woken does not run by that: it is no switch of threads, but a decision. */
static void a_wake_belongs_to_the_signal_before_it(void **state)
{
    struct darn_step steps[] = {
        step(3, DARN_STEP_LOCK, 0),
        step(3, DARN_STEP_SIGNAL, 0),
        step(7, DARN_STEP_WAKE, 0),
        step(3, DARN_STEP_UNLOCK, 0),
        step(7, DARN_STEP_RELOCK, DARN_STEP_PREEMPTS),
    };
    size_t count;
    struct darn_switch *list = darn_switches_of(steps, COUNT(steps), &count);
    struct darn_switch_count counted = darn_switches_count(steps, COUNT(steps));

    (void)state;
    assert_int_equal(count, 2);
    is_switch(&list[0], 3, 3, 7, 0);
    is_switch(&list[1], 3, 1, 7, 1);
    assert_int_equal(counted.switches, 1);
    assert_int_equal(counted.preemptions, 1);
    free(list);
}

/* Left to itself, a script would have another thread go on after a yield. */
static void to_go_on_after_giving_way_is_a_decision(void **state)
{
    struct darn_step steps[] = {
        step(0, DARN_STEP_LOCK, 0),
        step(0, DARN_STEP_YIELD, 0),
        step(0, DARN_STEP_UNLOCK, 0),
        step(0, DARN_STEP_WRITE, 0),
        step(0, DARN_STEP_SLEEP, DARN_STEP_ALONE), /* nobody else was there */
    };
    size_t count;
    struct darn_switch *list = darn_switches_of(steps, COUNT(steps), &count);

    (void)state;
    assert_int_equal(count, 2);
    is_switch(&list[0], 0, 1, 0, 0);
    is_switch(&list[1], 0, 2, 0, 0);
    assert_int_equal(darn_switches_count(steps, COUNT(steps)).switches, 0);
    free(list);
}

static void a_run_of_one_thread_has_no_switch(void **state)
{
    struct darn_step steps[] = {step(0, DARN_STEP_LOCK, 0), step(0, DARN_STEP_UNLOCK, 0)};
    size_t count = 7;

    (void)state;
    assert_null(darn_switches_of(steps, COUNT(steps), &count));
    assert_int_equal(count, 0);
    assert_null(darn_switches_of(NULL, 0, &count));
    assert_int_equal(darn_switches_count(NULL, 0).switches, 0);
}

static void fewer_preemptions_are_easier_than_fewer_switches(void **state)
{
    struct darn_switch_count few = {9, 1}, many = {3, 2}, more = {10, 1};

    (void)state;
    assert_true(darn_switch_count_less(few, many));
    assert_false(darn_switch_count_less(many, few));
    assert_true(darn_switch_count_less(few, more));
    assert_false(darn_switch_count_less(few, few));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preemptions_come_first_and_own_steps_are_counted),
        cmocka_unit_test(a_wake_belongs_to_the_signal_before_it),
        cmocka_unit_test(to_go_on_after_giving_way_is_a_decision),
        cmocka_unit_test(a_run_of_one_thread_has_no_switch),
        cmocka_unit_test(fewer_preemptions_are_easier_than_fewer_switches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
