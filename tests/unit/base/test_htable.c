/* The hash table of numbers: what was put in is found under its hash, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "base/htable.h"

static struct darn_htable table;

static int clear(void **state)
{
    (void)state;
    darn_htable_free(&table);
    return 0;
}

static unsigned count_of(uint32_t hash)
{
    size_t at = hash;
    unsigned count = 0;

    while (darn_htable_next(&table, hash, &at))
        count++;
    return count;
}

static bool has(uint32_t hash, uint32_t item)
{
    size_t at = hash;
    uint32_t other;

    while ((other = darn_htable_next(&table, hash, &at)) && other != item)
        continue;
    return other;
}

static void an_empty_table_has_nothing(void **state)
{
    (void)state;
    assert_int_equal(count_of(0), 0);
    assert_int_equal(count_of(UINT32_MAX), 0);
    darn_htable_clear(&table);
    assert_int_equal(darn_htable_memory(&table), 0);
}

static void items_of_one_hash_are_all_found(void **state)
{
    (void)state;
    for (uint32_t item = 1; item <= 100; item++)
        darn_htable_add(&table, 7, item);
    for (uint32_t item = 1; item <= 100; item++)
        assert_true(has(7, item));
    assert_int_equal(count_of(7), 100);
}

/* They lie in one place of the table until it is larger than that. */
static void hashes_that_differ_in_high_bits_stay_apart(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 256; i++)
        darn_htable_add(&table, i << 24 | 5, i + 1);
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(count_of(i << 24 | 5), 1);
        assert_true(has(i << 24 | 5, i + 1));
    }
}

/* Against an array: clusters that begin anywhere, also at the end of the table, lose no other item
 * when one goes. */
static void what_is_removed_takes_no_other_with_it(void **state)
{
    enum { ITEMS = 500 };
    static bool is_in[ITEMS];
    uint64_t random = 1;

    (void)state;
    for (int step = 0; step < 20000; step++) {
        uint32_t item, hash;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        item = (uint32_t)(random >> 33) % ITEMS;
        hash = item * 37 % 61 + UINT32_MAX - 30;
        if (is_in[item])
            darn_htable_remove(&table, hash, item + 1);
        else
            darn_htable_add(&table, hash, item + 1);
        is_in[item] = !is_in[item];
        for (uint32_t i = 0; i < ITEMS && step % 100 == 0; i++)
            assert_int_equal(has(i * 37 % 61 + UINT32_MAX - 30, i + 1), is_in[i]);
    }
}

static void a_cleared_table_is_empty_and_becomes_small_again(void **state)
{
    size_t large;

    (void)state;
    for (uint32_t item = 1; item <= 10000; item++)
        darn_htable_add(&table, item * 2654435761u, item);
    large = darn_htable_memory(&table);
    darn_htable_clear(&table);
    assert_int_equal(table.count, 0);
    assert_int_equal(count_of(2654435761u), 0);
    for (int round = 0; round < 20; round++) {
        darn_htable_add(&table, 3, 9);
        assert_true(has(3, 9));
        darn_htable_clear(&table);
        assert_false(has(3, 9));
    }
    assert_true(darn_htable_memory(&table) < large / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_empty_table_has_nothing, clear),
        cmocka_unit_test_teardown(items_of_one_hash_are_all_found, clear),
        cmocka_unit_test_teardown(hashes_that_differ_in_high_bits_stay_apart, clear),
        cmocka_unit_test_teardown(what_is_removed_takes_no_other_with_it, clear),
        cmocka_unit_test_teardown(a_cleared_table_is_empty_and_becomes_small_again, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
