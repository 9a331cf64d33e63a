/* How often hot sites are recorded again: by what it has cost the last time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/record/heat.h"

#define MS UINT64_C(1000000)

static void what_was_not_seen_has_cost_nothing(void **state)
{
    (void)state;
    assert_int_equal(darn_heat_pause(0), 0);
}

/* A hundred hot sites of two threads, a hundred accesses each: 2 ms, of 8. */
static void a_small_program_has_a_burst_each_time(void **state)
{
    (void)state;
    assert_int_equal(darn_heat_pause(UINT64_C(100) * 2 * 100), 8 * MS);
}

static void a_large_one_works_most_of_the_time(void **state)
{
    (void)state;
    assert_in_range(darn_heat_pause(UINT64_C(2000) * 3 * 100), 200 * MS, 250 * MS);
}

/* Atomic operations are always seen, and may be all that a program does. */
static void there_is_another_burst_after_a_quarter_of_a_second(void **state)
{
    (void)state;
    assert_int_equal(darn_heat_pause(UINT64_C(1) << 40), 250 * MS);
    assert_int_equal(darn_heat_pause(UINT64_MAX), 250 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_seen_has_cost_nothing),
        cmocka_unit_test(a_small_program_has_a_burst_each_time),
        cmocka_unit_test(a_large_one_works_most_of_the_time),
        cmocka_unit_test(there_is_another_burst_after_a_quarter_of_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
