/* What an entry of a repository takes along, what is named access by access, and who is armed. */
#include "cures_stage.h"

/* ---- what goes with it ---- */

static void a_test_takes_along_the_update_that_it_leads_to(void)
{
    struct darn_cure *cure;

    ADD(TEST_USE, "take", "seats", {10, R, 0}, {12, R, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "take", "seats", {12, R, 0}, {14, W, DARN_ALLOW_READ});
    cure = heal(SECTION("test-and-use", "take", "seats", "10:5 read", "\"12:5 read allow=read\""));
    expect_match(cure, DARN_MATCH_EXACT, 2);
    for (const struct darn_rule *rule = darn_rules(); rule; rule = rule->next) {
        assert_ptr_equal(rule->cure, cure);
        assert_int_not_equal(rule->ops & DARN_ALLOW_WRITE, 0); /* two must not both go on */
        assert_false(rule->companion);
    }
}

static void updates_of_the_same_name_are_its_companions(void)
{
    struct darn_cure *cure;
    const struct darn_rule *rule;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "withdraw", "tab[].balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});
    ADD(LOAD_STORE, "rename", "acct->owner", {30, R, 0}, {32, W, DARN_ALLOW_READ});
    ADD(TEST_USE, "look", "acct->balance", {40, R, 0}, {42, R, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_MATCH_EXACT, 2);
    assert_true(cure->has_companion);
    rule = darn_rules();
    assert_false(rule->companion);
    rule = rule->next;
    assert_true(rule->companion);
    assert_string_equal(rule->function, "withdraw");
    assert_ptr_equal(rule->cure, cure);
}

static void without_a_section_of_its_own_there_are_no_companions(void)
{
    struct darn_cure *cure;

    ADD(LOAD_STORE, "withdraw", "acct->balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});
    cure = heal(DEPOSIT);
    expect_match(cure, DARN_MATCH_NONE, 0);
    assert_false(cure->has_companion);
}

/* ---- accesses that are named one by one ---- */

#define RACE(entry)                                                                                \
    "{\"variable\": \"flag\", \"function\": \"stop\", \"file\": \"bank.c\", \"kind\": \"race\", "  \
    "\"entry\": \"" entry "\"}"

static void a_race_is_the_access_at_its_place(void)
{
    add_site(W, 10, "stop", "flag");
    expect_match(heal(RACE("10:5 write")), DARN_MATCH_EXACT, 1);
    assert_int_equal(darn_rules()->ops, DARN_ALLOW_WRITE);
    assert_int_equal(darn_rules()->allows, 0);
}

static void a_race_that_reads_lets_others_read(void)
{
    add_site(R, 10, "stop", "flag");
    expect_match(heal(RACE("10:5 read")), DARN_MATCH_EXACT, 1);
    assert_int_equal(darn_rules()->allows, DARN_ALLOW_READ);
}

static void a_race_that_has_moved_is_the_only_such_access_of_its_function(void)
{
    add_site(R, 20, "stop", "flag");
    add_site(W, 30, "stop", "flag");
    add_site(W, 40, "start", "flag");
    add_site(W, 50, "stop", "flags");
    expect_match(heal(RACE("10:5 write")), DARN_MATCH_MOVED, 1);
    assert_int_equal(darn_rules()->points[0].key, darn_site_key(&fixture.sites[1]));
}

static void of_two_such_accesses_neither_is_meant(void)
{
    add_site(W, 30, "stop", "flag");
    add_site(W, 31, "stop", "flag");
    expect_match(heal(RACE("10:5 write")), DARN_MATCH_NONE, 0);
}

#define LEARNED                                                                                    \
    SECTION("learned", "deposit", "acct->balance", "10:5 read", "\"12:5 write allow=read\"")

static void a_learned_section_needs_all_of_its_sites(void)
{
    struct darn_cure *cure;

    add_site(R, 10, "deposit", "acct->balance");
    cure = heal(LEARNED);
    expect_match(cure, DARN_MATCH_NONE, 0);
    add_site(W, 12, "deposit", "acct->owner"); /* there, but of another variable */
    resolve();
    expect_match(cure, DARN_MATCH_NONE, 0);
    add_site(W, 12, "deposit", "acct->balance");
    resolve();
    expect_match(cure, DARN_MATCH_EXACT, 1);
}

static void what_the_compiler_finds_is_not_looked_for_by_sites(void)
{
    add_site(R, 10, "deposit", "acct->balance");
    add_site(W, 12, "deposit", "acct->balance");
    expect_match(heal(DEPOSIT), DARN_MATCH_NONE, 0);
}

/* ---- how, and who is armed ---- */

static void what_synchronizes_inside_holds_no_lock_meanwhile(void)
{
    darn_state.options.heal_with = DARN_HEAL_LOCK;
    assert_int_equal(darn_cures_way(0), DARN_HEAL_LOCK);
    assert_int_equal(darn_cures_way(DARN_SECTION_LOOPS | DARN_SECTION_CALLS), DARN_HEAL_LOCK);
    assert_int_equal(darn_cures_way(DARN_SECTION_SYNC), DARN_HEAL_BLOCK);
    assert_int_equal(darn_cures_way(DARN_SECTION_UNKNOWN), DARN_HEAL_BLOCK);
    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ})->inside =
        DARN_SECTION_SYNC;
    expect_match(heal(DEPOSIT), DARN_MATCH_EXACT, 1); /* whatever the repository says of it */
    assert_int_equal(darn_rules()->with, DARN_HEAL_BLOCK);
    assert_int_equal(darn_cures()->with, DARN_HEAL_BLOCK);
}

static void points_and_all_who_may_touch_the_variable_are_armed(void)
{
    struct darn_site *named, *stranger, *pointee;

    ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    named = add_site(W, 40, "pay", "other->balance");
    stranger = add_site(W, 41, "pay", "other->owner");
    pointee = add_site(W, 42, "pay", "*acct->balance");
    point = add_site(R, 43, "pay", "unnamed"); /* a point of a rule, by whatever name */
    add_site(DARN_SITE_LEAVE, 44, "pay", "acct->balance");
    heal(DEPOSIT);
    darn_cures_arm(fixture.sites, fixture.sites + fixture.count);
    assert_int_equal(darn_armed(named), DARN_ARMED_HEAL);
    assert_int_equal(darn_armed(point), DARN_ARMED_HEAL);
    assert_int_equal(darn_armed(stranger), 0);
    assert_int_equal(darn_armed(pointee), 0);
    assert_int_equal(darn_armed(&fixture.sites[4]), 0); /* a way out of somebody else's */
    assert_int_equal(elided, 2);
}

static void who_touches_the_variable_by_the_name_that_the_program_has_is_armed(void)
{
    struct darn_site *named, *stranger;

    ADD(LOAD_STORE, "add", "total", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    named = add_site(W, 40, "set", "total");
    stranger = add_site(W, 41, "set", "other");
    expect_match(
        heal(SECTION("load-and-store", "add", "*to", "10:5 read", "\"12:5 write allow=read\"")),
        DARN_MATCH_EXACT, 1);
    darn_cures_arm(fixture.sites, fixture.sites + fixture.count);
    assert_int_equal(darn_armed(named), DARN_ARMED_HEAL);
    assert_int_equal(darn_armed(stranger), 0);
}

static void modules_are_remembered_and_replaced_where_they_lay(void)
{
    uint32_t count = 0;

    add_site(W, 10, "stop", "flag");
    heal(DEPOSIT);
    resolve();
    for (const struct darn_section_module *module = darn_cures_modules(); module;
         module = module->next)
        count++;
    assert_int_equal(count, 1);
}

static void a_section_is_known_when_an_entry_means_it_for_certain(void)
{
    const struct darn_section_record *known =
        ADD(LOAD_STORE, "deposit", "acct->balance", {10, R, 0}, {12, W, DARN_ALLOW_READ});
    const struct darn_section_record *unknown =
        ADD(LOAD_STORE, "withdraw", "acct->balance", {20, R, 0}, {22, W, DARN_ALLOW_READ});

    heal(DEPOSIT);
    assert_true(darn_cures_have(known));
    assert_false(darn_cures_have(unknown));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_test_takes_along_the_update_that_it_leads_to),
        TEST(updates_of_the_same_name_are_its_companions),
        TEST(without_a_section_of_its_own_there_are_no_companions),
        TEST(a_race_is_the_access_at_its_place),
        TEST(a_race_that_reads_lets_others_read),
        TEST(a_race_that_has_moved_is_the_only_such_access_of_its_function),
        TEST(of_two_such_accesses_neither_is_meant),
        TEST(a_learned_section_needs_all_of_its_sites),
        TEST(what_the_compiler_finds_is_not_looked_for_by_sites),
        TEST(what_synchronizes_inside_holds_no_lock_meanwhile),
        TEST(points_and_all_who_may_touch_the_variable_are_armed),
        TEST(who_touches_the_variable_by_the_name_that_the_program_has_is_armed),
        TEST(modules_are_remembered_and_replaced_where_they_lay),
        TEST(a_section_is_known_when_an_entry_means_it_for_certain),
    };
    int result;

    close(mkstemp(path));
    result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
