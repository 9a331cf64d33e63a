/* The clocks of barriers: who met is ordered; what a fast thread does before it comes back is not
 * ordered with what a slow one does after it left; and where tickets may be wrong, all is ordered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runtime/order/barriers.h"

enum { THREADS = 3 };

static struct darn_thread_order *orders; /* [THREADS] */

static int start(void **state)
{
    (void)state;
    if (!darn_clocks_open())
        return 1;
    orders = calloc(THREADS, sizeof(*orders));
    for (int i = 0; i < THREADS; i++)
        darn_clock_begin(&orders[i].clock);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (int i = 0; i < THREADS; i++)
        darn_clock_end(&orders[i].clock);
    free(orders);
    return 0;
}

/* The thread does something; whether another comes after that. */
static uint32_t act(int thread)
{
    return darn_clock_now(&orders[thread].clock);
}

static bool knows(int thread, int other, uint32_t time)
{
    return darn_clock_knows(&orders[thread].clock, orders[other].clock.slot, time);
}

static void those_who_met_are_ordered(void **state)
{
    uint32_t times[2];

    (void)state;
    darn_barrier_init(0x1000, 2);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 2; i++) {
            times[i] = act(i);
            darn_barrier_arrive(&orders[i], 0x1000);
        }
        for (int i = 0; i < 2; i++)
            darn_barrier_depart(&orders[i], 0x1000);
        assert_true(knows(0, 1, times[1]));
        assert_true(knows(1, 0, times[0]));
    }
}

static void a_fast_thread_is_not_ordered_with_a_slow_one(void **state)
{
    (void)state;
    darn_barrier_init(0x2000, 2);
    for (int round = 0; round < 5; round++) {
        uint32_t before, between;

        before = act(0);
        darn_barrier_arrive(&orders[0], 0x2000);
        darn_barrier_arrive(&orders[1], 0x2000);
        darn_barrier_depart(&orders[0], 0x2000);
        between = act(0);
        darn_barrier_arrive(&orders[0], 0x2000); /* for the next time */
        darn_barrier_depart(&orders[1], 0x2000); /* from the first */
        assert_true(knows(1, 0, before));
        assert_false(knows(1, 0, between));
        darn_barrier_arrive(&orders[1], 0x2000);
        darn_barrier_depart(&orders[1], 0x2000);
        darn_barrier_depart(&orders[0], 0x2000);
        assert_true(knows(1, 0, between));
    }
}

/* The third takes the last ticket, but really comes before the second: who leaves with it knows it.
 */
static void one_thread_too_many_is_ordered_with_all(void **state)
{
    uint32_t time;

    (void)state;
    darn_barrier_init(0x3000, 2);
    darn_barrier_arrive(&orders[0], 0x3000);
    darn_barrier_arrive(&orders[1], 0x3000);
    time = act(2);
    darn_barrier_arrive(&orders[2], 0x3000);
    darn_barrier_depart(&orders[0], 0x3000);
    assert_true(knows(0, 2, time));
}

/* It has no clock yet when it comes: the tickets of others do not add up. */
static void who_comes_without_a_ticket_is_noticed(void **state)
{
    uint32_t time;

    (void)state;
    darn_barrier_init(0x4000, 2);
    darn_barrier_arrive(&orders[0], 0x4000); /* and another one */
    darn_barrier_depart(&orders[0], 0x4000);
    time = act(0);
    darn_barrier_arrive(&orders[0], 0x4000);
    darn_barrier_arrive(&orders[1], 0x4000);
    darn_barrier_depart(&orders[1], 0x4000);
    assert_true(knows(1, 0, time));
}

static void one_that_nobody_has_made_orders_all(void **state)
{
    uint32_t time = act(0);

    (void)state;
    for (int i = 0; i < 2; i++)
        darn_barrier_arrive(&orders[i], 0x5000);
    darn_barrier_depart(&orders[1], 0x5000);
    assert_true(knows(1, 0, time));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(those_who_met_are_ordered, start, stop),
        cmocka_unit_test_setup_teardown(a_fast_thread_is_not_ordered_with_a_slow_one, start, stop),
        cmocka_unit_test_setup_teardown(one_thread_too_many_is_ordered_with_all, start, stop),
        cmocka_unit_test_setup_teardown(who_comes_without_a_ticket_is_noticed, start, stop),
        cmocka_unit_test_setup_teardown(one_that_nobody_has_made_orders_all, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
