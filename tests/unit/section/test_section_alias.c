/* Which names may stand for the same memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "section/alias.h"

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

static void what_a_name_can_stand_for(void **state)
{
    (void)state;
    assert_int_equal(darn_variable_class("acct->balance"), DARN_VARIABLE_MEMBER);
    assert_int_equal(darn_variable_class("row.balance"), DARN_VARIABLE_MEMBER);
    assert_int_equal(darn_variable_class("tab[].balance"), DARN_VARIABLE_MEMBER);
    assert_int_equal(darn_variable_class("tab[].balance[]"), DARN_VARIABLE_ANY); /* or a pointer */
    assert_int_equal(darn_variable_class("this->@16"), DARN_VARIABLE_MEMBER);
    assert_int_equal(darn_variable_class("*acct->owner"), DARN_VARIABLE_POINTEE);
    assert_int_equal(darn_variable_class("*tab[].owner"), DARN_VARIABLE_POINTEE);
    assert_int_equal(darn_variable_class("balance"), DARN_VARIABLE_ANY);
    assert_int_equal(darn_variable_class("*balance"), DARN_VARIABLE_ANY);
    assert_int_equal(darn_variable_class("tab[]"), DARN_VARIABLE_ANY);
    assert_int_equal(darn_variable_class("bank.account()"), DARN_VARIABLE_ANY);
    assert_int_equal(darn_variable_class(""), DARN_VARIABLE_ANY);
}

static void a_member_is_not_what_it_points_to(void **state)
{
    (void)state;
    assert_false(darn_variable_same("*a->p", "a->p"));
    assert_false(darn_variable_same("b.p", "*a->p"));
    assert_true(darn_variable_same("*a->p", "*b.p"));
    assert_true(darn_variable_same("*a->p", "a->p[]"));
    assert_true(darn_variable_same("a->p", "a->p[]"));
    assert_true(darn_variable_same("*a->p", "p"));
    assert_true(darn_variable_same("*p", "a->p"));
    assert_false(darn_variable_same("this->@16", "this->@8"));
}

static void a_type_that_is_not_known_may_be_any(void **state)
{
    (void)state;
    assert_true(darn_type_may_be("account", "account"));
    assert_false(darn_type_may_be("account", "accounts"));
    assert_true(darn_type_may_be("account", ""));
    assert_true(darn_type_may_be(NULL, "account"));
    assert_true(darn_type_may_be("", NULL));
    assert_true(darn_type_may_be(NULL, NULL));
}

static void c_has_the_last_part_of_a_name_of_cplusplus(void **state)
{
    static const char *const none[] = {"account",
                                       "_ZTS",
                                       "_ZTS0",
                                       "_ZTS9account",
                                       "_ZTS7accountE",
                                       "_ZTS5QueueIlE",
                                       "_ZTSN5outer5innerEx",
                                       "_ZTSN5outer5inner",
                                       "_ZTSNE",
                                       "_ZTSN5outerUt_E",
                                       "_ZTSZ1mvE5inner",
                                       "_ZTS99999999999999999999a",
                                       ""};
    uint32_t length;

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_null(darn_type_in_c(none[i], &length));
    assert_string_equal(darn_type_in_c("_ZTS7account", &length), "account");
    assert_int_equal(length, 7);
    assert_string_equal(darn_type_in_c("_ZTSN5outer10inner_partE", &length), "inner_partE");
    assert_int_equal(length, 10);
    assert_true(darn_type_may_be("account", "_ZTS7account"));
    assert_true(darn_type_may_be("_ZTSN5outer5innerE", "inner"));
    assert_false(darn_type_may_be("_ZTSN5outer5innerE", "outer"));
    assert_false(darn_type_may_be("_ZTSN5outer5innerE", "inn"));
    assert_false(darn_type_may_be("_ZTSN5outer5innerE", "innerE"));
    assert_false(darn_type_may_be("_ZTSN7company7accountE", "_ZTS7account"));
    assert_false(darn_type_may_be("_ZTS5QueueIlE", "Queue"));
}

static void what_has_no_name_may_be_any_variable(void **state)
{
    (void)state;
    assert_true(darn_variable_may_be("*to", "total"));
    assert_true(darn_variable_may_be("bank.account()", "total"));
    assert_true(darn_variable_same("(*all)[3]", "all[]"));
    assert_false(darn_variable_same("all[3]", "some[3]"));
    assert_true(darn_variable_may_be("total", "**to"));
    assert_true(darn_variable_may_be("", "total"));
    assert_true(darn_variable_may_be("", ""));
    assert_true(darn_variable_may_be("account->balance", "the_account.balance"));
    assert_false(darn_variable_may_be("total", "fees"));
    assert_false(darn_variable_may_be("*acct->owner", "total")); /* it is what the owner is */
    assert_false(darn_variable_may_be("to[]", "total"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_part_of_a_name_counts),
        cmocka_unit_test(what_a_name_can_stand_for),
        cmocka_unit_test(a_member_is_not_what_it_points_to),
        cmocka_unit_test(a_type_that_is_not_known_may_be_any),
        cmocka_unit_test(c_has_the_last_part_of_a_name_of_cplusplus),
        cmocka_unit_test(what_has_no_name_may_be_any_variable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
