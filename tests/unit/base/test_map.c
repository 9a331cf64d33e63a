/* The map from word to word: what was put in comes out, however many there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/map.h"

static struct darn_map map;

static int clear(void **state)
{
    (void)state;
    darn_map_free(&map);
    return 0;
}

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    assert_int_equal(darn_map_get(&map, 1, 7), 7);
    assert_int_equal(map.count, 0);
}

static void a_key_has_the_value_that_was_put_last(void **state)
{
    (void)state;
    darn_map_put(&map, 5, 1);
    darn_map_put(&map, 6, 2);
    darn_map_put(&map, 5, 3);
    assert_int_equal(darn_map_get(&map, 5, 0), 3);
    assert_int_equal(darn_map_get(&map, 6, 0), 2);
    assert_int_equal(map.count, 2);
}

static void a_value_of_zero_is_a_value(void **state)
{
    (void)state;
    darn_map_put(&map, 9, 0);
    assert_int_equal(darn_map_get(&map, 9, 1), 0);
    assert_int_equal(darn_map_get(&map, 8, 1), 1);
}

static void the_largest_words_are_keys_and_values(void **state)
{
    (void)state;
    darn_map_put(&map, UINTPTR_MAX, UINTPTR_MAX);
    assert_true(darn_map_get(&map, UINTPTR_MAX, 0) == UINTPTR_MAX);
    assert_true(darn_map_get(&map, UINTPTR_MAX - 1, 1) == 1);
}

/* Pointers of one arena, small numbers, and words that differ in their upper half only: all of them
 * stay apart while the map grows. */
static void many_keys_stay_apart(void **state)
{
    static const struct {
        uintptr_t first, step, count;
    } runs[] = {{UINT64_C(0x7f0012345670), 16, 20000},
                {1, 1, 20000},
                {UINT64_C(1) << 40, UINT64_C(1) << 40, 1000}};

    for (size_t run = 0; run < sizeof(runs) / sizeof(runs[0]); run++) {
        uintptr_t first = runs[run].first, step = runs[run].step, count = runs[run].count;

        for (uintptr_t i = 0; i < count; i++)
            darn_map_put(&map, first + i * step, i);
        assert_int_equal(map.count, count);
        for (uintptr_t i = 0; i < count; i++)
            assert_int_equal(darn_map_get(&map, first + i * step, count), i);
        assert_int_equal(darn_map_get(&map, first + count * step, count), count);
        clear(state);
    }
}

/* However full the map is: an endless search would be noticed by the time limit of the test. */
static void a_search_for_what_is_not_there_ends(void **state)
{
    (void)state;
    for (uintptr_t i = 1; i <= 300; i++) {
        darn_map_put(&map, i, i);
        assert_int_equal(darn_map_get(&map, i + 1, 0), 0);
        assert_int_equal(darn_map_get(&map, i + 5000, 0), 0);
    }
}

static void a_freed_map_is_empty_and_can_be_used_again(void **state)
{
    darn_map_put(&map, 3, 4);
    clear(state);
    assert_int_equal(darn_map_get(&map, 3, 0), 0);
    darn_map_put(&map, 3, 5);
    assert_int_equal(darn_map_get(&map, 3, 0), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_empty_map_has_nothing, clear),
        cmocka_unit_test_teardown(a_key_has_the_value_that_was_put_last, clear),
        cmocka_unit_test_teardown(a_value_of_zero_is_a_value, clear),
        cmocka_unit_test_teardown(the_largest_words_are_keys_and_values, clear),
        cmocka_unit_test_teardown(many_keys_stay_apart, clear),
        cmocka_unit_test_teardown(a_search_for_what_is_not_there_ends, clear),
        cmocka_unit_test_teardown(a_freed_map_is_empty_and_can_be_used_again, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
