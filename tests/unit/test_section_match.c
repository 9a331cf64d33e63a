/* Which sections a repository means when lines have moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "section/match.h"

static void the_last_part_of_a_name_counts(void **state)
{
    (void)state;
    assert_true(darn_variable_same("balance", "balance"));
    assert_true(darn_variable_same("acct->balance", "a.balance"));
    assert_true(darn_variable_same("tab[].next", "p->next"));
    assert_true(darn_variable_same("tab[]", "tab"));
    assert_true(darn_variable_same("*p", "p"));
    assert_false(darn_variable_same("balance", "rebalance"));
    assert_false(darn_variable_same("acct->balance", "acct->name"));
    assert_false(darn_variable_same("", ""));
    assert_false(darn_variable_same("[]", ""));
}

static struct darn_section section = {.variable = "acct->balance",
                                      .file = "src/bank.c",
                                      .function = "deposit",
                                      .kind = DARN_SECTION_LOAD_STORE,
                                      .count = 3,
                                      .points = {
                                          {.role = DARN_ROLE_ENTRY, .kind = DARN_SITE_READ},
                                          {.role = DARN_ROLE_END, .kind = DARN_SITE_WRITE},
                                          {.role = DARN_ROLE_LEAVE, .kind = DARN_SITE_LEAVE},
                                      }};

static void a_shape_stays_when_lines_move(void **state)
{
    struct darn_shape wanted = darn_shape_of_section(&section), found = wanted;

    (void)state;
    assert_int_equal(wanted.entry, DARN_SITE_READ);
    assert_int_equal(wanted.ends, 1 << DARN_SITE_WRITE);
    assert_true(darn_shape_means(&wanted, &found));
    found.file = "/elsewhere/bank.c";
    assert_true(darn_shape_means(&wanted, &found));
    found.file = "tank.c";
    assert_false(darn_shape_means(&wanted, &found));
    found = wanted;
    found.variable = "acct->limit";
    assert_false(darn_shape_means(&wanted, &found));
    found = wanted;
    found.function = "withdraw";
    assert_false(darn_shape_means(&wanted, &found));
    found = wanted;
    found.ends |= 1 << DARN_SITE_READ;
    assert_false(darn_shape_means(&wanted, &found));
    found = wanted;
    found.kind = DARN_SECTION_TEST_USE;
    assert_false(darn_shape_means(&wanted, &found));
    wanted.kind = DARN_SECTION_HAND; /* people do not say how the compiler sees it */
    assert_true(darn_shape_means(&wanted, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_part_of_a_name_counts),
        cmocka_unit_test(a_shape_stays_when_lines_move),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
