/* Interned sets of sites: one number for each set, and a clear no when it cannot be had. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/record/sets.h"
#include "memory_stage.h"

#define THREADS 4
#define SETS    2000

static uint32_t seen[512], seen_count;

static void visit(uint32_t site)
{
    assert_true(seen_count < 512);
    seen[seen_count++] = site;
}

/* How often the set names the site. */
static uint32_t times(uint32_t set, uint32_t site)
{
    uint32_t count = 0;

    seen_count = 0;
    darn_set_each(set, visit);
    for (uint32_t i = 0; i < seen_count; i++)
        count += seen[i] == site;
    return count;
}

/* The first one: nothing is mapped yet. */
static void without_memory_there_is_no_set(void **state)
{
    (void)state;
    has_no_memory = true;
    assert_int_equal(darn_set_with(0, 1), DARN_SET_NONE);
    assert_int_equal(times(0, 1), 0);
    has_no_memory = false;
    assert_int_not_equal(darn_set_with(0, 1), DARN_SET_NONE);
}

static void a_set_has_its_sites_and_no_others(void **state)
{
    uint32_t set = 0;

    (void)state;
    for (uint32_t i = 10; i < 20; i++)
        set = darn_set_with(set, i);
    for (uint32_t i = 5; i < 25; i++)
        assert_int_equal(times(set, i), i >= 10 && i < 20);
}

static void a_site_that_is_in_the_set_changes_nothing(void **state)
{
    uint32_t set = darn_set_with(darn_set_with(darn_set_with(0, 0), 31), 32);

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(darn_set_with(set, 0), set);
        assert_int_equal(darn_set_with(set, 31), set);
        assert_int_equal(darn_set_with(set, 32), set);
    }
}

static void the_order_in_which_a_set_has_grown_does_not_matter(void **state)
{
    uint32_t up = 0, down = 0;

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        up = darn_set_with(up, 1000 + i);
        down = darn_set_with(down, 1099 - i);
        if (i < 99)
            assert_int_not_equal(up, down);
    }
    assert_int_equal(up, down);
    assert_int_not_equal(up, darn_set_with(up, 1));
}

static void a_set_that_would_be_too_large_is_not_made(void **state)
{
    uint32_t set = 0, count = 0, next;

    (void)state;
    while (count < 1000 && (next = darn_set_with(set, 5000 + count)) != DARN_SET_NONE) {
        set = next;
        count++;
    }
    assert_int_equal(count, 255);
    assert_int_equal(darn_set_with(set, 5000), set);
    assert_int_equal(darn_set_with(set, 7000), DARN_SET_NONE);
}

static void a_site_whose_number_does_not_fit_is_in_no_set(void **state)
{
    uint32_t set;

    (void)state;
    assert_int_equal(darn_set_with(0, 1 << 24), DARN_SET_NONE);
    assert_int_equal(darn_set_with(0, UINT32_MAX), DARN_SET_NONE);
    set = darn_set_with(0, (1 << 24) - 1);
    assert_int_not_equal(set, DARN_SET_NONE);
    assert_int_equal(times(set, (1 << 24) - 1), 1);
}

/* Each thread makes the same sets in an order of its own. */
static uint32_t made[THREADS][SETS];

static void *make(void *argument)
{
    uint32_t self = (uint32_t)(uintptr_t)argument;

    for (uint32_t i = 0; i < SETS; i++) {
        uint32_t set = 0;

        for (uint32_t j = 0; j < 4; j++)
            set = darn_set_with(set, 10000 + i / 4 + (j + self) % 4 * (7 + i % 4));
        made[self][i] = set;
    }
    return NULL;
}

static void threads_that_make_the_same_sets_get_the_same_numbers(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < SETS; i++) {
        for (uint32_t j = 1; j < THREADS; j++)
            assert_int_equal(made[j][i], made[0][i]);
        seen_count = 0;
        darn_set_each(made[0][i], visit);
        assert_int_equal(seen_count, 4);
    }
}

/* The last one: no new set can be made after it. */
static void too_many_sets_are_refused_and_the_old_ones_stay(void **state)
{
    uint32_t known = darn_set_with(0, 1), first = 0, refused = 0;

    (void)state;
    for (uint32_t i = 0; i < 1100; i++) {
        first = darn_set_with(0, 20000 + i);
        if (first == DARN_SET_NONE)
            break;
        for (uint32_t j = 0; j < 1000; j++)
            refused += darn_set_with(first, 30000 + j) == DARN_SET_NONE;
    }
    assert_true(refused > 0 || first == DARN_SET_NONE);
    /* Which one finds no place depends on the numbers that the threads before have got. */
    assert_int_equal(darn_set_with(0, 1), known);
    assert_int_equal(times(known, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_there_is_no_set),
        cmocka_unit_test(a_set_has_its_sites_and_no_others),
        cmocka_unit_test(a_site_that_is_in_the_set_changes_nothing),
        cmocka_unit_test(the_order_in_which_a_set_has_grown_does_not_matter),
        cmocka_unit_test(a_set_that_would_be_too_large_is_not_made),
        cmocka_unit_test(a_site_whose_number_does_not_fit_is_in_no_set),
        cmocka_unit_test(threads_that_make_the_same_sets_get_the_same_numbers),
        cmocka_unit_test(too_many_sets_are_refused_and_the_old_ones_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
