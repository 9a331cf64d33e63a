/* What is kept in quarantine, and that it is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runtime/heal/quarantine.h"

static uint32_t given;
static void *last;

static void give_block(void *block)
{
    given++;
    last = block;
    free(block);
}

static int give_pages(void *block, size_t size)
{
    (void)size;
    given++;
    last = block;
    return 0;
}

static void the_oldest_are_given_back_for_the_new(void **state)
{
    void *first = malloc(16);

    (void)state;
    assert_true(darn_quarantine_block(first, give_block));
    for (uint32_t i = 1; i < DARN_QUARANTINE_BLOCKS; i++)
        assert_true(darn_quarantine_block(malloc(16), give_block));
    assert_int_equal(given, 0);
    assert_true(darn_quarantine_block(malloc(16), give_block));
    assert_int_equal(given, 1);
    assert_ptr_equal(last, first);
}

static void large_pieces_take_the_place_of_many(void **state)
{
    static char pages[1];

    (void)state;
    assert_false(darn_quarantine_pages(pages, DARN_QUARANTINE_BYTES + 1, give_pages));
    assert_true(darn_quarantine_pages(pages, DARN_QUARANTINE_BYTES, give_pages));
    assert_int_equal(given, 1 + DARN_QUARANTINE_BLOCKS);
    assert_true(darn_quarantine_block(malloc(16), give_block));
    assert_ptr_equal(last, pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_are_given_back_for_the_new),
        cmocka_unit_test(large_pieces_take_the_place_of_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
