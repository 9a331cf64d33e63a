/* When elision is revoked, and whom that waits for. */
#include "elision_stage.h"

/* ---- when it ends ---- */

static void who_comes_without_a_lock_ends_it(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "ends", 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    assert_int_equal(go_through(&section, NULL, &x), DARN_ELISION_NOT);
    assert_false(darn_elision_is_on(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
}

static void a_section_that_has_given_its_lock_back_is_never_elided_again(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "given_back", 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    darn_elision_forbid(&section.rule);
    assert_false(darn_elision_is_on(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
    assert_int_equal(go_until_elided(&section), ENOUGH);
}

static void somebody_new_ends_it(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "new_one", 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    add_stray(DARN_SITE_WRITE, "new_one");
    assert_false(darn_elision_is_on(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
}

static void the_sites_of_a_module_that_is_gone_are_not_known(void **state)
{
    struct section section;
    struct darn_roles roles;
    struct darn_touch touch = {.address = (uintptr_t)&x, .size = sizeof(x)};

    (void)state;
    add_section(&section, "unloaded", 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    darn_elision_forget(section.entry, section.end + 1);
    touch.site = section.entry;
    darn_own_add(&lock, false, false);
    assert_int_equal(darn_elision_visit(&self, &touch, true, &roles), DARN_ELISION_NOT);
    darn_own_remove(&lock);
    assert_int_equal(roles.count, 7); /* those that the rules have */
    /* Loaded again, at the same place. */
    darn_elision_add(section.entry, (struct darn_roles){&section.roles[0], 1});
    darn_elision_add(section.end, (struct darn_roles){&section.roles[1], 1});
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
}

/* ---- others who are in the section, unseen or not ---- */

static void nothing_is_elided_while_another_is_inside_without_the_lock(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "outside", 0);
    other_own.sections = 1;
    other_own.outside = DARN_OUTSIDE_ANY;
    assert_int_equal(go_until_elided(&section), ENOUGH);
    other_own.outside = section.rule.elision;
    assert_int_equal(go_until_elided(&section), ENOUGH);
    other_own.outside = NULL; /* it is in one, under the lock */
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
}

static void nor_while_another_is_in_a_hook(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "hook", 0);
    other_healer.busy = &section;
    assert_int_equal(go_until_elided(&section), ENOUGH);
    other_healer.busy = NULL;
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
}

static void who_goes_in_without_the_lock_says_where_it_is(void **state)
{
    struct section section, second;

    (void)state;
    add_section(&section, "says", 0);
    add_section(&second, "says_too", 0);
    visit(section.entry, &x, true);
    assert_ptr_equal(darn_own_here.outside, section.rule.elision);
    visit(second.entry, &y, false); /* inside of the first */
    assert_ptr_equal(darn_own_here.outside, DARN_OUTSIDE_ANY);
    visit(section.entry, &x, true);
    darn_own_add(&lock, false, false);
    visit(second.entry, &y, true); /* seen for the first time: it may be anybody's */
    visit(second.entry, &y, true);
    assert_null(darn_own_here.outside);
    darn_own_remove(&lock);
}

/* How long the first visit without a lock takes, in milliseconds, after the revocation. */
static uint64_t time_to_end(const char *variable, uint32_t bound)
{
    struct section section;
    uint64_t began;

    darn_state.options.heal_bound = bound;
    add_section(&section, variable, 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    began = darn_os_now();
    visit(section.entry, &x, true);
    assert_false(healer.awaits);
    return (darn_os_now() - began) / 1000000;
}

static void who_ends_it_waits_for_those_inside_and_not_for_ever(void **state)
{
    (void)state;
    other_own.all = DARN_OWN_ONE; /* between a lock and an unlock, and nobody sees what it does */
    assert_in_range(time_to_end("bounded", SHORT), SHORT - 1, LONG - 1);
}

static void it_does_not_wait_for_one_who_holds_nothing(void **state)
{
    (void)state;
    assert_in_range(time_to_end("free", LONG), 0, LONG - 1);
}

static void nor_for_one_who_waits_itself(void **state)
{
    (void)state;
    other_own.all = DARN_OWN_ONE;
    other.wait.kind = DARN_WAIT_MUTEX;
    assert_in_range(time_to_end("waits", LONG), 0, LONG - 1);
    other.wait.kind = DARN_WAIT_NONE;
    other_healer.awaits = true; /* here as well */
    assert_in_range(time_to_end("awaits", LONG), 0, LONG - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_comes_without_a_lock_ends_it),
        TEST(a_section_that_has_given_its_lock_back_is_never_elided_again),
        TEST(somebody_new_ends_it),
        TEST(the_sites_of_a_module_that_is_gone_are_not_known),
        TEST(nothing_is_elided_while_another_is_inside_without_the_lock),
        TEST(nor_while_another_is_in_a_hook),
        TEST(who_goes_in_without_the_lock_says_where_it_is),
        TEST(who_ends_it_waits_for_those_inside_and_not_for_ever),
        TEST(it_does_not_wait_for_one_who_holds_nothing),
        TEST(nor_for_one_who_waits_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
