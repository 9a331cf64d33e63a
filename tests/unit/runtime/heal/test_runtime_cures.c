/* What an entry of a repository means in a program, and what it does not: exact, moved, or none. */
#include "cures_stage.h"

/* ---- for certain ---- */

static void entry_and_ends_at_their_places_are_an_exact_match(void)
{
    const struct darn_rule *rule;
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_MATCH_EXACT, 1);
    rule = darn_rules();
    assert_ptr_equal(rule->cure, cure);
    assert_int_equal(rule->count, 2);
    assert_int_equal(rule->ops, DARN_ALLOW_ALL); /* it reads and writes */
    assert_int_equal(rule->allows, DARN_ALLOW_READ);
    assert_false(rule->companion);
    assert_null(cure->wanted.why);
}

static void another_variable_or_function_is_another_section(void)
{
    ADD(LOAD_STORE, "deposit", "acct->total", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "withdraw", "acct->balances", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    expect_match(heal(DEPOSIT), DARN_MATCH_NONE, 0);
}

static void a_member_of_another_struct_is_another_variable(void)
{
    struct place places[] = {{10, R, 0}, {12, W, DARN_ALLOW_READ}, {0}};

    add_in("bank.c", DARN_SECTION_LOAD_STORE, "deposit", "acct->balance", "scale", places);
    expect_match(heal("{\"variable\": \"acct->balance\", \"type\": \"account\", \"function\": "
                      "\"deposit\", \"file\": \"bank.c\", \"kind\": \"load-and-store\", \"entry\": "
                      "\"10:5 read\", \"ends\": [\"12:5 write allow=read\"]}"),
                 DARN_MATCH_NONE, 0);
}

static void all_ends_have_to_be_there(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    expect_match(heal(SECTION("load-and-store", "deposit", "acct->balance", "10:5 read",
                              "\"12:5 write allow=read\", \"14:5 read allow=read\"")),
                 DARN_MATCH_NONE, 0);
}

static void what_the_repository_allows_counts(void)
{
    struct darn_cure *cure;

    ADD(TEST_USE, "look", "x", {10, R, 0}, {12, R, DARN_ALLOW_READ}, {14, R, DARN_ALLOW_READ});
    cure = heal(SECTION("test-and-use", "look", "x", "10:5 read",
                        "\"12:5 read allow=read,write\", \"14:5 read allow=none\""));
    expect_match(cure, DARN_MATCH_EXACT, 1);
    assert_int_equal(darn_rules()->allows, 0); /* what all of them allow */
    assert_int_equal(darn_rules()->ops, DARN_ALLOW_READ);
}

static void a_function_that_is_there_twice_is_one_rule(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    expect_match(heal(DEPOSIT), DARN_MATCH_EXACT, 1);
    resolve(); /* nor is it another one in another module */
    assert_int_equal(count_rules(), 1);
}

static void records_of_another_version_are_left_alone(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ})->version++;
    expect_match(heal(DEPOSIT), DARN_MATCH_NONE, 0);
}

/* ---- by its shape ---- */

static void a_section_that_has_moved_is_found_by_its_shape(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {110, R, 0}, {113, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_MATCH_MOVED, 1);
    assert_int_equal(darn_rules()->points[0].at, 110);
}

static void a_file_in_another_directory_is_the_same(void)
{
    struct place places[] = {{10, R, 0}, {12, W, DARN_ALLOW_READ}, {0}};

    add_in("../src/bank.c", DARN_SECTION_LOAD_STORE, "deposit", "acct->balance", "", places);
    expect_match(heal(DEPOSIT), DARN_MATCH_MOVED, 1);
}

static void another_shape_is_another_section(void)
{
    ADD(LOAD_STORE, "deposit", "acct->balance", {20, W, 0}, {22, W, DARN_ALLOW_WRITE});
    ADD(TEST_USE, "deposit", "acct->balance", {30, R, 0}, {32, W, DARN_ALLOW_READ});
    expect_match(heal(DEPOSIT), DARN_MATCH_NONE, 0);
}

static void of_two_with_the_same_shape_neither_is_meant(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "deposit", "acct->balance", {30, R, 0}, {32, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_MATCH_NONE, 0);
    assert_non_null(cure->wanted.why);
}

static void as_many_as_the_repository_has_are_taken_in_their_order(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {30, R, 0}, {32, W, 0});
    ADD(LOAD_STORE, "deposit", "acct->balance", {20, R, 0}, {22, W, 0});
    cure = heal(DEPOSIT ",\n" SECTION("load-and-store", "deposit", "acct->balance", "14:5 read",
                                      "\"16:5 write allow=read\""));
    expect_match(cure, DARN_MATCH_MOVED, 2);
    assert_int_equal(cure->next->wanted.how, DARN_MATCH_MOVED);
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next)
        assert_int_equal(rule->points[0].at, rule->cure == cure ? 20 : 30);
}

static void what_one_entry_means_for_certain_no_other_one_means(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "deposit", "acct->balance", {40, R, 0}, {42, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT ",\n" SECTION("load-and-store", "deposit", "acct->balance", "30:5 read",
                                      "\"32:5 write allow=read\""));
    expect_match(cure, DARN_MATCH_EXACT, 2);
    assert_int_equal(cure->next->wanted.how, DARN_MATCH_MOVED);
}

/* ---- over lines ---- */

static void a_section_over_lines_means_all_that_begin_and_end_there(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "withdraw", "acct->balance", {18, R, 0}, {20, W, DARN_ALLOW_READ});
    ADD(TEST_USE, "look", "acct->balance", {19, R, 0}, {25, R, DARN_ALLOW_READ}); /* ends later */
    ADD(LOAD_STORE, "rename", "acct->owner", {11, R, 0}, {13, W, DARN_ALLOW_READ});
    cure = heal("\"bank.c:10-20 balance\"");
    expect_match(cure, DARN_MATCH_EXACT, 2);
}

static void ends_behind_its_lines_do_not_count(void)
{
    ADD(TEST_USE, "look", "x", {10, R, 0}, {12, R, DARN_ALLOW_READ}, {30, R, 0});
    expect_match(heal("\"bank.c:10-20 x allow=read\""), DARN_MATCH_EXACT, 1);
    assert_int_equal(darn_rules()->allows, DARN_ALLOW_READ);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(entry_and_ends_at_their_places_are_an_exact_match),
        TEST(another_variable_or_function_is_another_section),
        TEST(a_member_of_another_struct_is_another_variable),
        TEST(all_ends_have_to_be_there),
        TEST(what_the_repository_allows_counts),
        TEST(a_function_that_is_there_twice_is_one_rule),
        TEST(records_of_another_version_are_left_alone),
        TEST(a_section_that_has_moved_is_found_by_its_shape),
        TEST(a_file_in_another_directory_is_the_same),
        TEST(another_shape_is_another_section),
        TEST(of_two_with_the_same_shape_neither_is_meant),
        TEST(as_many_as_the_repository_has_are_taken_in_their_order),
        TEST(what_one_entry_means_for_certain_no_other_one_means),
        TEST(a_section_over_lines_means_all_that_begin_and_end_there),
        TEST(ends_behind_its_lines_do_not_count),
    };
    int result;

    close(mkstemp(path));
    result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
