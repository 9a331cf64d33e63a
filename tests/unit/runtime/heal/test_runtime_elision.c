/*
 * What is left to the program's own locks, and when that ends. The test plays all threads: what
 * they hold, where they come by, and what the guards of the sites say then.
 */
#include "elision_stage.h"

/* ---- what is left to a lock ---- */

static void what_is_always_under_one_lock_is_left_to_it(void **state)
{
    struct section section;
    uint32_t visits;

    (void)state;
    add_section(&section, "always", 0);
    expect_levels(&section, DARN_LEVEL_HEAL);
    visits = go_until_elided(&section);
    assert_in_range(visits, 100, ENOUGH - 1); /* a few times may be chance */
    expect_levels(&section, DARN_LEVEL_ELIDED);
    darn_own_add(&lock, false, false);
    assert_int_equal(visit(section.entry, &x, true), DARN_ELISION_FULL);
    assert_int_equal(visit(section.entry, &x, false), DARN_ELISION_NOT); /* in another section */
    darn_own_remove(&lock);
}

static void what_is_under_no_lock_is_not(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "never", 0);
    for (uint32_t i = 0; i < ENOUGH; i++)
        assert_int_equal(go_through(&section, NULL, &x), DARN_ELISION_NOT);
    expect_levels(&section, DARN_LEVEL_HEAL);
}

static void one_visit_without_the_lock_begins_the_count_anew(void **state)
{
    struct section section;
    uint32_t visits;

    (void)state;
    add_section(&section, "anew", 0);
    visits = go_until_elided(&section);
    add_section(&section, "anew_again", 0);
    for (uint32_t i = 0; i < 20; i++) {
        for (uint32_t j = 0; j < visits - 2; j++)
            go_through(&section, &lock, &x);
        go_through(&section, NULL, &x);
        assert_false(darn_elision_is_on(&section.rule));
    }
}

static void a_lock_for_reading_counts_for_who_only_reads(void **state)
{
    struct section section;
    struct darn_site *first, *last;
    struct darn_role roles[2];

    (void)state;
    add_section(&section, "written", 0);
    for (uint32_t i = 0; i < ENOUGH; i++) {
        darn_own_add(&lock, true, false);
        visit(section.entry, &x, true);
        visit(section.end, &x, false);
        darn_own_remove(&lock);
    }
    assert_false(darn_elision_is_on(&section.rule));

    section.rule = (struct darn_rule){
        .kind = DARN_SECTION_TEST_USE, .cure = &cure, .ops = DARN_ALLOW_READ, .allows = 0};
    first = site_of(DARN_SITE_READ, "only_read");
    last = site_of(DARN_SITE_READ, "only_read");
    roles[0] = (struct darn_role){.rule = &section.rule, .site = first, .role = DARN_ROLE_ENTRY};
    roles[1] = (struct darn_role){.rule = &section.rule, .site = last, .role = DARN_ROLE_END};
    darn_elision_add(first, (struct darn_roles){&roles[0], 1});
    darn_elision_add(last, (struct darn_roles){&roles[1], 1});
    for (uint32_t i = 0; i < ENOUGH && !darn_elision_is_on(&section.rule); i++) {
        darn_own_add(&lock, true, false);
        visit(first, &y, true);
        visit(last, &y, false);
        darn_own_remove(&lock);
    }
    assert_true(darn_elision_is_on(&section.rule));
}

static void a_lock_of_several_counts_that_is_always_among_them(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "nested", 0);
    for (uint32_t i = 0; i < ENOUGH && !darn_elision_is_on(&section.rule); i++) {
        if (i % 2)
            darn_own_add(&second_lock, false, false);
        go_through(&section, &lock, &x);
        if (i % 2)
            darn_own_remove(&second_lock);
    }
    assert_true(darn_elision_is_on(&section.rule));
}

static void different_locks_at_one_address_are_never_elided(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "two_locks", 0);
    for (uint32_t i = 0; i < ENOUGH; i++)
        go_through(&section, i % 2 ? &lock : &second_lock, &x);
    assert_false(darn_elision_is_on(&section.rule));
    /* Nor later: it is known by now that they are not kept apart by one. */
    assert_int_equal(go_until_elided(&section), ENOUGH);
}

static void each_variable_may_have_a_lock_of_its_own(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "accounts", 0);
    for (uint32_t i = 0; i < ENOUGH && !darn_elision_is_on(&section.rule); i++)
        go_through(&section, i % 2 ? &lock : &second_lock, i % 2 ? &x : &y);
    assert_true(darn_elision_is_on(&section.rule));
}

static void a_section_that_may_give_its_lock_back_goes_on_calling(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "may_release", DARN_SECTION_UNKNOWN);
    assert_true(darn_elision_may_release(&section.rule));
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    expect_levels(&section, DARN_LEVEL_HEAL);
    darn_own_add(&lock, false, false);
    assert_int_equal(visit(section.entry, &x, true), DARN_ELISION_TENTATIVE);
    darn_own_remove(&lock);
}

static void which_sections_may_give_a_lock_back(void **state)
{
    struct darn_rule rule = {.kind = DARN_SECTION_LOAD_STORE};

    (void)state;
    rule.inside = DARN_SECTION_LOOPS | DARN_SECTION_CALLS;
    assert_false(darn_elision_may_release(&rule));
    rule.inside = DARN_SECTION_SYNC;
    assert_true(darn_elision_may_release(&rule));
    rule.inside = DARN_SECTION_ACROSS;
    assert_true(darn_elision_may_release(&rule));
    rule.inside = 0;
    rule.has_call = true;
    assert_true(darn_elision_may_release(&rule));
    rule.has_call = false;
    rule.kind = DARN_SECTION_LEARNED;
    assert_true(darn_elision_may_release(&rule));
}

static void a_site_that_is_seldom_seen_goes_on_calling_until_it_is_known(void **state)
{
    struct section section, seldom;

    (void)state;
    add_section(&section, "seldom", 0);
    add_section(&seldom, "seldom", 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    expect_levels(&section, DARN_LEVEL_ELIDED);
    expect_levels(&seldom, DARN_LEVEL_HEAL);
    for (uint32_t i = 0; i < 100; i++)
        go_through(&seldom, &lock, &x);
    expect_levels(&seldom, DARN_LEVEL_ELIDED);
}

/* As a constructor does: who follows at the same address is under the same lock. */
static void a_site_that_comes_to_new_memory_alone_becomes_known_by_who_follows(void **state)
{
    static long nodes[ENOUGH];
    struct section section;
    struct darn_site *maker;
    uint32_t revoked = 0;

    (void)state;
    add_section(&section, "node->count", 0);
    maker = add_stray(DARN_SITE_WRITE, "made.count");
    for (uint32_t i = 0; i < ENOUGH; i++) {
        bool was_on = darn_elision_is_on(&section.rule);

        darn_own_add(&lock, false, false);
        visit(maker, &nodes[i], true);
        revoked += was_on && !darn_elision_is_on(&section.rule);
        visit(section.entry, &nodes[i], true);
        visit(section.end, &nodes[i], false);
        darn_own_remove(&lock);
    }
    assert_int_equal(revoked, 0); /* it was known before the group was elided */
    assert_true(darn_elision_is_on(&section.rule));
    assert_int_equal(darn_armed(maker), DARN_LEVEL_ELIDED);
}

/* Several members at once, as a constructor clears them. */
static void what_is_written_with_others_is_known_by_its_own_address(void **state)
{
    static long nodes[ENOUGH][2];
    struct section section;
    struct darn_roles roles;
    struct darn_site *maker;

    (void)state;
    add_section(&section, "node->last", 0);
    maker = add_stray(DARN_SITE_WRITE, "node.last");
    for (uint32_t i = 0; i < ENOUGH; i++) {
        struct darn_touch both = {.address = (uintptr_t)nodes[i],
                                  .size = sizeof(nodes[i]),
                                  .site = maker,
                                  .op = DARN_OP_WRITE};

        darn_own_add(&lock, false, false);
        darn_elision_visit(&self, &both, true, &roles);
        visit(section.entry, &nodes[i][1], true);
        visit(section.end, &nodes[i][1], false);
        darn_own_remove(&lock);
    }
    assert_true(darn_elision_is_on(&section.rule));
    assert_int_equal(darn_armed(maker), DARN_LEVEL_ELIDED);
    darn_own_add(&lock, false, false);
    visit(maker, &nodes[0][0], true);
    darn_own_remove(&lock);
    assert_true(darn_elision_is_on(&section.rule));
}

static void who_is_followed_under_another_lock_does_not_become_known(void **state)
{
    static long nodes[100];
    struct section section;
    struct darn_site *maker;

    (void)state;
    add_section(&section, "part->size", 0);
    maker = add_stray(DARN_SITE_WRITE, "made.size");
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    for (uint32_t i = 0; i < 100; i++) {
        darn_own_add(&second_lock, false, false);
        visit(maker, &nodes[i], true);
        darn_own_remove(&second_lock);
        go_through(&section, &lock, &nodes[i]);
    }
    assert_int_equal(darn_armed(maker), DARN_LEVEL_HEAL);
}

static void with_very_many_threads_nothing_is_elided(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "crowd", 0);
    alive = 1000;
    assert_int_equal(go_until_elided(&section), ENOUGH);
    alive = 2;
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
}

/* ---- who shares it ---- */

static void sites_with_a_name_in_common_are_elided_together(void **state)
{
    struct section section;
    struct darn_site *stray;

    (void)state;
    add_section(&section, "acct->balance", 0);
    stray = add_stray(DARN_SITE_WRITE, "tab[].balance");
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    assert_int_equal(visit(stray, &x, true), DARN_ELISION_NOT); /* without a lock */
    assert_false(darn_elision_is_on(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
}

static void what_a_member_points_to_is_another_variable(void **state)
{
    struct section section;
    struct darn_site *stray;

    (void)state;
    add_section(&section, "list->head", 0);
    stray = add_stray(DARN_SITE_WRITE, "*list->head");
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    visit(stray, &y, true);
    assert_true(darn_elision_is_on(&section.rule));
}

static void one_rule_with_two_names_makes_one_group_of_them(void **state)
{
    struct section section, second;
    struct darn_role role;
    struct darn_site *end;

    (void)state;
    add_section(&section, "one_name", 0);
    add_section(&second, "another_name", 0);
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    end = site_of(DARN_SITE_WRITE, "another_name");
    role = (struct darn_role){.rule = &section.rule, .site = end, .role = DARN_ROLE_END};
    darn_elision_add(end, (struct darn_roles){&role, 1});
    assert_false(darn_elision_is_on(&section.rule)); /* somebody new */
    assert_int_not_equal(go_until_elided(&section), ENOUGH);
    go_through(&second, NULL, &y);
    assert_false(darn_elision_is_on(&section.rule));
}

static void reads_of_others_do_not_call_where_all_sections_allow_them(void **state)
{
    struct section section;
    struct darn_site *reads, *writes;

    (void)state;
    add_section(&section, "looked_at", 0);
    reads = add_stray(DARN_SITE_READ, "looked_at");
    writes = add_stray(DARN_SITE_WRITE, "looked_at");
    assert_int_equal(darn_armed(reads), DARN_LEVEL_NONE);
    assert_int_equal(darn_armed(writes), DARN_LEVEL_HEAL);
    section.rule.allows = 0; /* the next site of the rule tells */
    darn_elision_add(site_of(DARN_SITE_READ, "looked_at"),
                     (struct darn_roles){&section.roles[0], 1});
    assert_int_equal(darn_armed(reads), DARN_LEVEL_HEAL);
}

static void ways_out_are_for_those_who_are_inside(void **state)
{
    struct darn_rule rule = {.kind = DARN_SECTION_LOAD_STORE};
    struct darn_role role = {.rule = &rule, .role = DARN_ROLE_LEAVE};
    struct darn_site *site = site_of(DARN_SITE_LEAVE, "");

    (void)state;
    darn_elision_add(site, (struct darn_roles){&role, 1});
    assert_int_equal(darn_armed(site), DARN_LEVEL_LEAVE);
    rule.inside = DARN_SECTION_SYNC; /* it may not be known to be inside, and leave */
    darn_elision_add(site, (struct darn_roles){&role, 1});
    assert_int_equal(darn_armed(site), DARN_LEVEL_HEAL);
    rule.inside = 0;
    role.role = DARN_ROLE_CALL;
    darn_elision_add(site, (struct darn_roles){&role, 1});
    assert_int_equal(darn_armed(site), DARN_LEVEL_HEAL);
}

static void where_it_is_not_wanted_nobody_touches_the_sites(void **state)
{
    struct section section;

    (void)state;
    darn_state.options.heal_elides = false;
    add_section(&section, "unwanted", 0);
    expect_levels(&section, DARN_LEVEL_NONE);
    assert_int_equal(go_until_elided(&section), ENOUGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_always_under_one_lock_is_left_to_it),
        TEST(what_is_under_no_lock_is_not),
        TEST(one_visit_without_the_lock_begins_the_count_anew),
        TEST(a_lock_for_reading_counts_for_who_only_reads),
        TEST(a_lock_of_several_counts_that_is_always_among_them),
        TEST(different_locks_at_one_address_are_never_elided),
        TEST(each_variable_may_have_a_lock_of_its_own),
        TEST(a_section_that_may_give_its_lock_back_goes_on_calling),
        TEST(which_sections_may_give_a_lock_back),
        TEST(a_site_that_is_seldom_seen_goes_on_calling_until_it_is_known),
        TEST(a_site_that_comes_to_new_memory_alone_becomes_known_by_who_follows),
        TEST(what_is_written_with_others_is_known_by_its_own_address),
        TEST(who_is_followed_under_another_lock_does_not_become_known),
        TEST(with_very_many_threads_nothing_is_elided),
        TEST(sites_with_a_name_in_common_are_elided_together),
        TEST(what_a_member_points_to_is_another_variable),
        TEST(one_rule_with_two_names_makes_one_group_of_them),
        TEST(reads_of_others_do_not_call_where_all_sections_allow_them),
        TEST(ways_out_are_for_those_who_are_inside),
        TEST(where_it_is_not_wanted_nobody_touches_the_sites),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
