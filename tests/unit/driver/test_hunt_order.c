/* What a hunt does first, and how long it may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/hunt/hunt.h"

static struct darn_target target_of(enum darn_target_kind kind, struct darn_finding *finding)
{
    struct darn_target target = {.kind = kind, .finding = finding};

    return target;
}

static void what_was_seen_comes_first_and_then_what_was_not_ordered(void **state)
{
    struct darn_finding eraser = {.engine = "eraser"}, hb = {.engine = "hb"};
    struct darn_finding both = {.engine = "hybrid, hb"}, hybrid = {.engine = "hybrid"};
    struct darn_finding circle = {.engine = "deadlock"};
    struct darn_finding seen = {.engine = "atomrace", .certainty = "observed"};
    struct darn_target targets[] = {
        target_of(DARN_TARGET_RACE, &eraser), target_of(DARN_TARGET_DEADLOCK, &circle),
        target_of(DARN_TARGET_RACE, &hb),     target_of(DARN_TARGET_RACE, &hybrid),
        target_of(DARN_TARGET_RACE, &both),   target_of(DARN_TARGET_RACE, &seen),
    };
    const struct darn_finding *const expected[] = {&seen, &hb, &both, &eraser, &circle, &hybrid};

    (void)state;
    darn_hunt_sort(targets, 6);
    for (int i = 0; i < 6; i++)
        assert_ptr_equal(targets[i].finding, expected[i]);
}

static void a_name_that_only_begins_like_it_is_another_engine(void **state)
{
    struct darn_finding other = {.engine = "hbx"}, none = {.engine = NULL}, hb = {.engine = "hb"};
    struct darn_target targets[] = {
        target_of(DARN_TARGET_RACE, &other),
        target_of(DARN_TARGET_RACE, &none),
        target_of(DARN_TARGET_RACE, &hb),
    };

    (void)state;
    darn_hunt_sort(targets, 3);
    assert_ptr_equal(targets[0].finding, &hb);
    assert_ptr_equal(targets[1].finding, &other);
    darn_hunt_sort(NULL, 0);
}

static void it_ends_when_nothing_came_for_as_long_as_it_took_to_get_there(void **state)
{
    (void)state;
    assert_true(darn_hunt_is_barren(100, 101, 103, 10000));
    assert_false(darn_hunt_is_barren(100, 102, 103, 1000000)); /* it took two seconds */
    assert_false(darn_hunt_is_barren(100, 101, 103, 9999));    /* few schedules, in a short time */
    assert_true(darn_hunt_is_barren(100, 101, 112, 3));        /* a slow program */
    assert_false(darn_hunt_is_barren(100, 120, 131, 3));
}

static void a_share_of_the_time_is_for_shrinking(void **state)
{
    double with = darn_hunt_work_ends(100, 160, true);

    (void)state;
    assert_true(with >= 150 && with <= 157);
    assert_true(darn_hunt_work_ends(100, 160, false) == 160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_seen_comes_first_and_then_what_was_not_ordered),
        cmocka_unit_test(a_name_that_only_begins_like_it_is_another_engine),
        cmocka_unit_test(it_ends_when_nothing_came_for_as_long_as_it_took_to_get_there),
        cmocka_unit_test(a_share_of_the_time_is_for_shrinking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
