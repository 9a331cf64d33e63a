/* How often everything is seen with budget=max: by what it costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/watch/beginning.h"

/* A turn of 10 ms of processor time: so many accesses, of so many nanoseconds each. */
static double pause_of(double accesses, double each, double changes)
{
    const struct darn_beginning_account since = {
        .used = 10e6, .spent = accesses * each, .accesses = accesses, .changes = changes};

    return darn_beginning_pause(&since);
}

static void what_costs_little_is_seen_half_of_the_time(void **state)
{
    (void)state;
    assert_true(pause_of(2e6, 0, 0) == 1);
    assert_true(pause_of(1e5, 2, 0) == 1);
    assert_true(pause_of(0, 0, 0) == 1);
}

/* Half of the turn is spent on 100,000 accesses, 50 ns each, where 2 ns are fair. The other half is
 * the program's own, and has to come 25 times: that is 12 turns more. */
static void what_costs_more_than_is_fair_is_seen_more_seldom(void **state)
{
    double pause = pause_of(1e5, 50, 0);

    (void)state;
    assert_true(pause > 11 && pause < 13);
    assert_true(pause_of(1e5, 25, 0) < pause);
}

static void what_synchronizes_may_cost_more(void **state)
{
    (void)state;
    assert_true(pause_of(1e5, 50, 5e4) == 1);
    assert_true(pause_of(1e5, 50, 1e4) < pause_of(1e5, 50, 0));
}

static void it_is_never_given_up(void **state)
{
    (void)state;
    assert_true(pause_of(10, 5e5, 0) == 32);
}

/* Of 10 ms of processor time. */
static double counts(double accesses, double changes)
{
    const struct darn_beginning_account since = {
        .used = 10e6, .accesses = accesses, .changes = changes};

    return darn_beginning_counts(&since);
}

static void who_does_nothing_uses_up_no_beginning(void **state)
{
    (void)state;
    assert_true(counts(0, 0) == 0);
    assert_true(counts(100, 0) <= 10e6 / 50);
    assert_true(counts(0, 100) <= 10e6 / 50);
}

static void who_is_busy_uses_up_all_of_its_time(void **state)
{
    (void)state;
    assert_true(counts(1e5, 0) == 10e6);
    assert_true(counts(0, 1e5) == 10e6);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_costs_little_is_seen_half_of_the_time),
        TEST(what_costs_more_than_is_fair_is_seen_more_seldom),
        TEST(what_synchronizes_may_cost_more),
        TEST(it_is_never_given_up),
        TEST(who_does_nothing_uses_up_no_beginning),
        TEST(who_is_busy_uses_up_all_of_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
