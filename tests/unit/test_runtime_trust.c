/*
 * What is left to the program's own locks, and when that ends. The test plays all threads: what
 * they hold, where they come by, and what the guards of the sites say then.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/hold.h"
#include "runtime/os.h"
#include "runtime/own.h"
#include "runtime/state.h"
#include "runtime/trust.h"
#include "site/armed.h"
#include "sites_fixture.h"

/* So many visits are enough for anything. */
#define ENOUGH 40000

/* Milliseconds. */
#define SHORT 20
#define LONG  5000

struct darn_state darn_state;
__thread struct darn_thread *darn_thread_record;
const char darn_production[] = "a program that is built to be healed";

static struct darn_healer healer, other_healer;
static struct darn_thread self = {.number = 1, .healer = &healer};
static struct darn_thread other = {.number = 2, .healer = &other_healer};
static struct darn_own other_own;
static uint32_t alive;

static struct sites_fixture fixture;
static struct darn_cure cure;
static pthread_mutex_t lock, second_lock;
static long x, y;

/* ---- stand-ins ---- */

struct darn_thread *darn_thread_attach(void)
{
    return NULL;
}

uint32_t darn_threads_alive(void)
{
    return alive;
}

uint32_t darn_threads_list(struct darn_thread **list, uint32_t most)
{
    assert_true(most >= 2);
    list[0] = &self;
    list[1] = &other;
    return 2;
}

struct darn_roles darn_rules_of(const struct darn_site *site)
{
    (void)site;
    return (struct darn_roles){NULL, 7}; /* a mark: nobody has asked us before */
}

/* ---- the program ---- */

/* `n = x; … x = n + 1`, in a function of its own. */
struct section {
    struct darn_rule rule;
    struct darn_role roles[2];
    struct darn_site *entry, *end;
};

static struct darn_site *site_of(enum darn_site_kind kind, const char *variable)
{
    static uint32_t line;

    return fixture_add(&fixture, kind, ++line, fixture_text(&fixture, "bank.c"),
                       fixture_text(&fixture, "f"), fixture_text(&fixture, variable));
}

static void add_section(struct section *section, const char *variable, uint16_t inside)
{
    *section = (struct section){.rule = {.kind = DARN_SECTION_LOAD_STORE,
                                         .inside = inside,
                                         .cure = &cure,
                                         .with = DARN_HEAL_BLOCK,
                                         .ops = DARN_ALLOW_ALL,
                                         .allows = DARN_ALLOW_READ}};
    section->entry = site_of(DARN_SITE_READ, variable);
    section->end = site_of(DARN_SITE_WRITE, variable);
    section->roles[0] =
        (struct darn_role){.rule = &section->rule, .site = section->entry, .role = DARN_ROLE_ENTRY};
    section->roles[1] =
        (struct darn_role){.rule = &section->rule, .site = section->end, .role = DARN_ROLE_END};
    darn_trust_add(section->entry, (struct darn_roles){&section->roles[0], 1});
    darn_trust_add(section->end, (struct darn_roles){&section->roles[1], 1});
}

/* One that is no point of anything. */
static struct darn_site *add_stray(enum darn_site_kind kind, const char *variable)
{
    struct darn_site *site = site_of(kind, variable);

    darn_trust_add(site, (struct darn_roles){NULL, 0});
    return site;
}

static enum darn_trust visit(struct darn_site *site, long *where, bool idle)
{
    struct darn_touch touch = {
        .address = (uintptr_t)where, .size = sizeof(*where), .site = site, .op = site->kind};
    struct darn_roles roles;

    return darn_trust_visit(&self, &touch, idle, &roles);
}

/* Goes through the section under the lock, or NULL: under none. What the entry was told. */
static enum darn_trust go_through(struct section *section, pthread_mutex_t *under, long *where)
{
    enum darn_trust found;

    if (under)
        darn_own_add(under, false, false);
    found = visit(section->entry, where, true);
    darn_trust_enter(&section->rule, (uintptr_t)where, sizeof(*where));
    visit(section->end, where, false);
    if (under)
        darn_own_remove(under);
    return found;
}

/* How often it takes until the section is left to the lock; ENOUGH: it never is. */
static uint32_t go_until_trusted(struct section *section)
{
    for (uint32_t i = 0; i < ENOUGH; i++) {
        if (darn_trust_has(&section->rule))
            return i;
        go_through(section, &lock, &x);
    }
    return ENOUGH;
}

static void expect_levels(const struct section *section, enum darn_level level)
{
    assert_int_equal(darn_armed(section->entry), level);
    assert_int_equal(darn_armed(section->end), level);
}

/* Groups stay for ever: each test has a name of its own. */
static int start(void **state)
{
    (void)state;
    darn_state = (struct darn_state){.ready = true, .mode = DARN_MODE_HEAL};
    darn_state.options.heal_trust = true;
    darn_state.options.heal_bound = LONG;
    alive = 2;
    darn_thread_record = &self;
    darn_own_begin(&self);
    other_own = (struct darn_own){.all = DARN_OWN_NONE};
    other.own = &other_own;
    other.wait.kind = DARN_WAIT_NONE;
    healer = (struct darn_healer){.thread = &self};
    other_healer = (struct darn_healer){.thread = &other};
    return 0;
}

/* ---- what is left to a lock ---- */

static void what_is_always_under_one_lock_is_left_to_it(void **state)
{
    struct section section;
    uint32_t visits;

    (void)state;
    add_section(&section, "always", 0);
    expect_levels(&section, DARN_LEVEL_HEAL);
    visits = go_until_trusted(&section);
    assert_in_range(visits, 100, ENOUGH - 1); /* a few times may be chance */
    expect_levels(&section, DARN_LEVEL_TRUST);
    darn_own_add(&lock, false, false);
    assert_int_equal(visit(section.entry, &x, true), DARN_TRUST_FULL);
    assert_int_equal(visit(section.entry, &x, false), DARN_TRUST_NOT); /* in another section */
    darn_own_remove(&lock);
}

static void what_is_under_no_lock_is_not(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "never", 0);
    for (uint32_t i = 0; i < ENOUGH; i++)
        assert_int_equal(go_through(&section, NULL, &x), DARN_TRUST_NOT);
    expect_levels(&section, DARN_LEVEL_HEAL);
}

static void one_visit_without_the_lock_begins_the_count_anew(void **state)
{
    struct section section;
    uint32_t visits;

    (void)state;
    add_section(&section, "anew", 0);
    visits = go_until_trusted(&section);
    add_section(&section, "anew_again", 0);
    for (uint32_t i = 0; i < 20; i++) {
        for (uint32_t j = 0; j < visits - 2; j++)
            go_through(&section, &lock, &x);
        go_through(&section, NULL, &x);
        assert_false(darn_trust_has(&section.rule));
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
    assert_false(darn_trust_has(&section.rule));

    section.rule = (struct darn_rule){
        .kind = DARN_SECTION_TEST_USE, .cure = &cure, .ops = DARN_ALLOW_READ, .allows = 0};
    first = site_of(DARN_SITE_READ, "only_read");
    last = site_of(DARN_SITE_READ, "only_read");
    roles[0] = (struct darn_role){.rule = &section.rule, .site = first, .role = DARN_ROLE_ENTRY};
    roles[1] = (struct darn_role){.rule = &section.rule, .site = last, .role = DARN_ROLE_END};
    darn_trust_add(first, (struct darn_roles){&roles[0], 1});
    darn_trust_add(last, (struct darn_roles){&roles[1], 1});
    for (uint32_t i = 0; i < ENOUGH && !darn_trust_has(&section.rule); i++) {
        darn_own_add(&lock, true, false);
        visit(first, &y, true);
        visit(last, &y, false);
        darn_own_remove(&lock);
    }
    assert_true(darn_trust_has(&section.rule));
}

static void a_lock_of_several_counts_that_is_always_among_them(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "nested", 0);
    for (uint32_t i = 0; i < ENOUGH && !darn_trust_has(&section.rule); i++) {
        if (i % 2)
            darn_own_add(&second_lock, false, false);
        go_through(&section, &lock, &x);
        if (i % 2)
            darn_own_remove(&second_lock);
    }
    assert_true(darn_trust_has(&section.rule));
}

static void different_locks_at_one_address_are_never_trusted(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "two_locks", 0);
    for (uint32_t i = 0; i < ENOUGH; i++)
        go_through(&section, i % 2 ? &lock : &second_lock, &x);
    assert_false(darn_trust_has(&section.rule));
    /* Nor later: it is known by now that they are not kept apart by one. */
    assert_int_equal(go_until_trusted(&section), ENOUGH);
}

static void each_variable_may_have_a_lock_of_its_own(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "accounts", 0);
    for (uint32_t i = 0; i < ENOUGH && !darn_trust_has(&section.rule); i++)
        go_through(&section, i % 2 ? &lock : &second_lock, i % 2 ? &x : &y);
    assert_true(darn_trust_has(&section.rule));
}

static void a_section_that_may_give_its_lock_back_goes_on_calling(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "wary", DARN_SECTION_UNKNOWN);
    assert_true(darn_trust_is_wary(&section.rule));
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    expect_levels(&section, DARN_LEVEL_HEAL);
    darn_own_add(&lock, false, false);
    assert_int_equal(visit(section.entry, &x, true), DARN_TRUST_WARY);
    darn_own_remove(&lock);
}

static void which_sections_may_give_a_lock_back(void **state)
{
    struct darn_rule rule = {.kind = DARN_SECTION_LOAD_STORE};

    (void)state;
    rule.inside = DARN_SECTION_LOOPS | DARN_SECTION_CALLS;
    assert_false(darn_trust_is_wary(&rule));
    rule.inside = DARN_SECTION_SYNC;
    assert_true(darn_trust_is_wary(&rule));
    rule.inside = DARN_SECTION_ACROSS;
    assert_true(darn_trust_is_wary(&rule));
    rule.inside = 0;
    rule.has_call = true;
    assert_true(darn_trust_is_wary(&rule));
    rule.has_call = false;
    rule.kind = DARN_SECTION_LEARNED;
    assert_true(darn_trust_is_wary(&rule));
}

static void a_site_that_is_seldom_seen_goes_on_calling_until_it_is_known(void **state)
{
    struct section section, seldom;

    (void)state;
    add_section(&section, "seldom", 0);
    add_section(&seldom, "seldom", 0);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    expect_levels(&section, DARN_LEVEL_TRUST);
    expect_levels(&seldom, DARN_LEVEL_HEAL);
    for (uint32_t i = 0; i < 100; i++)
        go_through(&seldom, &lock, &x);
    expect_levels(&seldom, DARN_LEVEL_TRUST);
}

static void with_very_many_threads_nothing_is_trusted(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "crowd", 0);
    alive = 1000;
    assert_int_equal(go_until_trusted(&section), ENOUGH);
    alive = 2;
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
}

/* ---- who shares it ---- */

static void sites_with_a_name_in_common_are_trusted_together(void **state)
{
    struct section section;
    struct darn_site *stray;

    (void)state;
    add_section(&section, "acct->balance", 0);
    stray = add_stray(DARN_SITE_WRITE, "tab[].balance");
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    assert_int_equal(visit(stray, &x, true), DARN_TRUST_NOT); /* without a lock */
    assert_false(darn_trust_has(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
}

static void what_a_member_points_to_is_another_variable(void **state)
{
    struct section section;
    struct darn_site *stray;

    (void)state;
    add_section(&section, "list->head", 0);
    stray = add_stray(DARN_SITE_WRITE, "*list->head");
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    visit(stray, &y, true);
    assert_true(darn_trust_has(&section.rule));
}

static void one_rule_with_two_names_makes_one_group_of_them(void **state)
{
    struct section section, second;
    struct darn_role role;
    struct darn_site *end;

    (void)state;
    add_section(&section, "one_name", 0);
    add_section(&second, "another_name", 0);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    end = site_of(DARN_SITE_WRITE, "another_name");
    role = (struct darn_role){.rule = &section.rule, .site = end, .role = DARN_ROLE_END};
    darn_trust_add(end, (struct darn_roles){&role, 1});
    assert_false(darn_trust_has(&section.rule)); /* somebody new */
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    go_through(&second, NULL, &y);
    assert_false(darn_trust_has(&section.rule));
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
    darn_trust_add(site_of(DARN_SITE_READ, "looked_at"), (struct darn_roles){&section.roles[0], 1});
    assert_int_equal(darn_armed(reads), DARN_LEVEL_HEAL);
}

static void ways_out_are_for_those_who_are_inside(void **state)
{
    struct darn_rule rule = {.kind = DARN_SECTION_LOAD_STORE};
    struct darn_role role = {.rule = &rule, .role = DARN_ROLE_LEAVE};
    struct darn_site *site = site_of(DARN_SITE_LEAVE, "");

    (void)state;
    darn_trust_add(site, (struct darn_roles){&role, 1});
    assert_int_equal(darn_armed(site), DARN_LEVEL_LEAVE);
    rule.inside = DARN_SECTION_SYNC; /* it may not be known to be inside, and leave */
    darn_trust_add(site, (struct darn_roles){&role, 1});
    assert_int_equal(darn_armed(site), DARN_LEVEL_HEAL);
    rule.inside = 0;
    role.role = DARN_ROLE_CALL;
    darn_trust_add(site, (struct darn_roles){&role, 1});
    assert_int_equal(darn_armed(site), DARN_LEVEL_HEAL);
}

static void where_it_is_not_wanted_nobody_touches_the_sites(void **state)
{
    struct section section;

    (void)state;
    darn_state.options.heal_trust = false;
    add_section(&section, "unwanted", 0);
    expect_levels(&section, DARN_LEVEL_NONE);
    assert_int_equal(go_until_trusted(&section), ENOUGH);
}

/* ---- when it ends ---- */

static void who_comes_without_a_lock_ends_it_and_next_time_it_takes_longer(void **state)
{
    struct section section;
    uint32_t first, second;

    (void)state;
    add_section(&section, "ends", 0);
    first = go_until_trusted(&section);
    assert_int_equal(go_through(&section, NULL, &x), DARN_TRUST_NOT);
    assert_false(darn_trust_has(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
    second = go_until_trusted(&section);
    assert_in_range(second, first + first / 2, ENOUGH - 1);
}

static void a_section_that_has_given_its_lock_back_is_never_trusted_again(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "given_back", 0);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    darn_trust_lose(&section.rule);
    assert_false(darn_trust_has(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
    assert_int_equal(go_until_trusted(&section), ENOUGH);
}

static void somebody_new_ends_it(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "new_one", 0);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    add_stray(DARN_SITE_WRITE, "new_one");
    assert_false(darn_trust_has(&section.rule));
    expect_levels(&section, DARN_LEVEL_HEAL);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
}

static void the_sites_of_a_module_that_is_gone_are_not_known(void **state)
{
    struct section section;
    struct darn_roles roles;
    struct darn_touch touch = {.address = (uintptr_t)&x, .size = sizeof(x)};

    (void)state;
    add_section(&section, "unloaded", 0);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
    darn_trust_forget(section.entry, section.end + 1);
    touch.site = section.entry;
    darn_own_add(&lock, false, false);
    assert_int_equal(darn_trust_visit(&self, &touch, true, &roles), DARN_TRUST_NOT);
    darn_own_remove(&lock);
    assert_int_equal(roles.count, 7); /* those that the rules have */
    /* Loaded again, at the same place. */
    darn_trust_add(section.entry, (struct darn_roles){&section.roles[0], 1});
    darn_trust_add(section.end, (struct darn_roles){&section.roles[1], 1});
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
}

/* ---- others who are in the section, unseen or not ---- */

static void nothing_is_trusted_while_another_is_inside_without_the_lock(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "outside", 0);
    other_own.sections = 1;
    other_own.outside = DARN_OUTSIDE_ANY;
    assert_int_equal(go_until_trusted(&section), ENOUGH);
    other_own.outside = section.rule.trust;
    assert_int_equal(go_until_trusted(&section), ENOUGH);
    other_own.outside = NULL; /* it is in one, under the lock */
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
}

static void nor_while_another_is_in_a_hook(void **state)
{
    struct section section;

    (void)state;
    add_section(&section, "hook", 0);
    other_healer.busy = &section;
    assert_int_equal(go_until_trusted(&section), ENOUGH);
    other_healer.busy = NULL;
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
}

static void who_goes_in_without_the_lock_says_where_it_is(void **state)
{
    struct section section, second;

    (void)state;
    add_section(&section, "says", 0);
    add_section(&second, "says_too", 0);
    visit(section.entry, &x, true);
    assert_ptr_equal(darn_own_here.outside, section.rule.trust);
    visit(second.entry, &y, false); /* inside of the first */
    assert_ptr_equal(darn_own_here.outside, DARN_OUTSIDE_ANY);
    visit(section.entry, &x, true);
    darn_own_add(&lock, false, false);
    visit(second.entry, &y, true); /* seen for the first time: it may be anybody's */
    visit(second.entry, &y, true);
    assert_null(darn_own_here.outside);
    darn_own_remove(&lock);
}

/* How long the first visit without a lock takes, in milliseconds, after the trust has ended. */
static uint64_t time_to_end(const char *variable, uint32_t bound)
{
    struct section section;
    uint64_t began;

    darn_state.options.heal_bound = bound;
    add_section(&section, variable, 0);
    assert_int_not_equal(go_until_trusted(&section), ENOUGH);
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

/* ---- sites that have nothing but a name in common ---- */

static void a_site_that_is_far_from_all_sections_does_not_call(void **state)
{
    struct section section;
    struct darn_site *stray;
    uint32_t visits = 0;
    static long far_away;

    (void)state;
    add_section(&section, "size", 0);
    stray = add_stray(DARN_SITE_WRITE, "other->size");
    while (darn_armed(stray) && visits < ENOUGH) {
        visit(stray, &far_away, true);
        visits++;
    }
    assert_in_range(visits, 100, ENOUGH - 1);
    assert_int_equal(darn_armed(stray), DARN_LEVEL_NONE);
    /* As soon as a section is entered it is looked at again. */
    go_through(&section, NULL, &x);
    assert_int_equal(darn_armed(stray), DARN_LEVEL_HEAL);
}

static void a_site_that_comes_where_sections_are_goes_on_calling(void **state)
{
    struct section section;
    struct darn_site *stray;
    static long near_by;

    (void)state;
    add_section(&section, "length", 0);
    stray = add_stray(DARN_SITE_WRITE, "other->length");
    go_through(&section, NULL, &near_by);
    for (uint32_t i = 0; i < ENOUGH; i++)
        visit(stray, &near_by, true);
    assert_int_equal(darn_armed(stray), DARN_LEVEL_HEAL);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_always_under_one_lock_is_left_to_it),
        TEST(what_is_under_no_lock_is_not),
        TEST(one_visit_without_the_lock_begins_the_count_anew),
        TEST(a_lock_for_reading_counts_for_who_only_reads),
        TEST(a_lock_of_several_counts_that_is_always_among_them),
        TEST(different_locks_at_one_address_are_never_trusted),
        TEST(each_variable_may_have_a_lock_of_its_own),
        TEST(a_section_that_may_give_its_lock_back_goes_on_calling),
        TEST(which_sections_may_give_a_lock_back),
        TEST(a_site_that_is_seldom_seen_goes_on_calling_until_it_is_known),
        TEST(with_very_many_threads_nothing_is_trusted),
        TEST(sites_with_a_name_in_common_are_trusted_together),
        TEST(what_a_member_points_to_is_another_variable),
        TEST(one_rule_with_two_names_makes_one_group_of_them),
        TEST(reads_of_others_do_not_call_where_all_sections_allow_them),
        TEST(ways_out_are_for_those_who_are_inside),
        TEST(where_it_is_not_wanted_nobody_touches_the_sites),
        TEST(who_comes_without_a_lock_ends_it_and_next_time_it_takes_longer),
        TEST(a_section_that_has_given_its_lock_back_is_never_trusted_again),
        TEST(somebody_new_ends_it),
        TEST(the_sites_of_a_module_that_is_gone_are_not_known),
        TEST(nothing_is_trusted_while_another_is_inside_without_the_lock),
        TEST(nor_while_another_is_in_a_hook),
        TEST(who_goes_in_without_the_lock_says_where_it_is),
        TEST(who_ends_it_waits_for_those_inside_and_not_for_ever),
        TEST(it_does_not_wait_for_one_who_holds_nothing),
        TEST(nor_for_one_who_waits_itself),
        TEST(a_site_that_is_far_from_all_sections_does_not_call),
        TEST(a_site_that_comes_where_sections_are_goes_on_calling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
