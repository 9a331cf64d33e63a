/* Which thread a pthread_t stands for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/report/counters.h"
#include "runtime/thread/ids.h"

#define STACK (UINT64_C(8) << 20)

static unsigned long id_of(uint32_t i, uint64_t distance)
{
    return UINT64_C(0x7ffff7d816c0) - i * distance;
}

/* Every distance of stacks, and the places where they begin, make another pattern of ids. */
static void thousands_at_any_distance_are_known(void **state)
{
    enum { THREADS = 1500 };
    uint32_t number, base = 0;

    (void)state;
    for (uint64_t distance = STACK; distance >= STACK / 64;
         distance = distance / 8, base += THREADS) {
        for (uint32_t i = 0; i < THREADS; i++)
            darn_id_name(id_of(i, distance), base + i);
        for (uint32_t i = 0; i < THREADS; i++) {
            assert_true(darn_id_find(id_of(i, distance), &number));
            assert_true(number >= base + i); /* some are ids at the next distance as well */
        }
    }
    assert_int_equal(darn_counter_value(DARN_COUNT_JOINS_UNKNOWN), 0);
}

static void an_id_is_that_of_the_thread_created_last(void **state)
{
    uint32_t number;

    (void)state;
    assert_false(darn_id_find(48, &number));
    assert_false(darn_id_find(0, &number));
    darn_id_name(48, 0); /* the main thread */
    assert_true(darn_id_find(48, &number));
    assert_int_equal(number, 0);
    darn_id_name(48, 100000); /* by the thread itself, and by its creator */
    darn_id_name(48, 100000);
    assert_true(darn_id_find(48, &number));
    assert_int_equal(number, 100000);
}

static void if_it_may_be_one_of_two_it_is_not_known(void **state)
{
    uint32_t number;

    (void)state;
    darn_id_name(64, 7);
    darn_id_name(64, 9);
    darn_id_name(64, 7); /* a creator that was held up since its thread has ended? */
    assert_false(darn_id_find(64, &number));
    darn_id_name(64, 11);
    assert_false(darn_id_find(64, &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_at_any_distance_are_known),
        cmocka_unit_test(an_id_is_that_of_the_thread_created_last),
        cmocka_unit_test(if_it_may_be_one_of_two_it_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
