/* What two lists have in common: as much as possible, in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/differ.h"
#include "base/random.h"

#define MOST 40

struct lists {
    size_t before[3000], after[3000];
};

static bool is_same(const struct darn_differ *differ, size_t before, size_t after)
{
    const struct lists *lists = differ->context;

    return lists->before[before] == lists->after[after];
}

/* The length of the longest common subsequence, by the table that everybody knows. */
static size_t longest(const struct lists *lists, size_t before, size_t after)
{
    size_t table[MOST + 1][MOST + 1] = {{0}};

    for (size_t i = 1; i <= before; i++)
        for (size_t j = 1; j <= after; j++) {
            size_t up = table[i - 1][j], left = table[i][j - 1];

            table[i][j] = lists->before[i - 1] == lists->after[j - 1] ? table[i - 1][j - 1] + 1
                          : up > left                                 ? up
                                                                      : left;
        }
    return table[before][after];
}

/* What is left of both lists is the same. Returns how much that is. */
static size_t compare(const struct lists *lists, size_t before, size_t after)
{
    struct darn_differ differ = {
        .before = before, .after = after, .is_same = is_same, .context = lists};
    size_t kept = 0, y = 0;

    darn_differ(&differ);
    for (size_t x = 0; x < before; x++) {
        if (differ.gone[x])
            continue;
        while (y < after && differ.added[y])
            y++;
        assert_true(y < after);
        assert_int_equal(lists->before[x], lists->after[y]);
        y++;
        kept++;
    }
    while (y < after)
        assert_true(differ.added[y++]);
    free(differ.gone);
    free(differ.added);
    return kept;
}

static void as_much_as_possible_is_kept(void **state)
{
    static struct lists lists;
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        size_t before = darn_random(&random) % (MOST + 1),
               after = darn_random(&random) % (MOST + 1);
        size_t kinds = 1 + darn_random(&random) % 6;

        for (size_t i = 0; i < MOST; i++) {
            lists.before[i] = darn_random(&random) % kinds;
            lists.after[i] = darn_random(&random) % kinds;
        }
        assert_int_equal(compare(&lists, before, after), longest(&lists, before, after));
    }
}

static void lists_that_differ_a_lot_have_nothing_in_common(void **state)
{
    static struct lists lists;

    (void)state;
    for (size_t i = 0; i < 3000; i++) {
        lists.before[i] = 2 * i;
        lists.after[i] = i % 10 ? 2 * i + 1 : 2 * i;
    }
    assert_int_equal(compare(&lists, 500, 500), 50);
    assert_int_equal(compare(&lists, 3000, 3000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_as_possible_is_kept),
        cmocka_unit_test(lists_that_differ_a_lot_have_nothing_in_common),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
