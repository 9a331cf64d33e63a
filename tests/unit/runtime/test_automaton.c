/* The automaton of a section (AtomRace, figure 3), without anybody who watches or heals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/section/automaton.h"

static long x[2];
static const char frame, other_frame;

static struct darn_rule rule, other_rule;
static struct darn_rule_point point;
static struct darn_role role;
static struct darn_roles roles = {&role, 1};
static struct darn_site site;
static struct darn_stay stay;
static struct darn_touch touch;

static int begin(void **state)
{
    (void)state;
    rule = (struct darn_rule){.kind = DARN_SECTION_LOAD_STORE};
    point = (struct darn_rule_point){.allow = DARN_ALLOW_READ};
    role = (struct darn_role){.rule = &rule, .point = &point, .role = DARN_ROLE_END, .copy = 1};
    site = (struct darn_site){.kind = DARN_SITE_WRITE};
    touch = (struct darn_touch){
        .address = (uintptr_t)x, .size = sizeof(x[0]), .op = DARN_OP_WRITE, .site = &site};
    stay = (struct darn_stay){.rule = &rule,
                              .frame = &frame,
                              .address = (uintptr_t)x,
                              .size = sizeof(x[0]),
                              .copy = 1,
                              .entry_kind = DARN_SITE_READ,
                              .has_entry = true};
    return 0;
}

static enum darn_stay_step step_from(const void *caller)
{
    const struct darn_role *found;

    return darn_stay_step(&stay, &touch, &roles, caller, &found);
}

static void its_end_ends_it_and_what_it_is_no_point_of_does_not(void **state)
{
    (void)state;
    assert_int_equal(step_from(&frame), DARN_STAY_END);
    assert_int_equal(step_from(&other_frame), DARN_STAY_NONE);
    rule.inside = DARN_SECTION_ACROSS;
    assert_int_equal(step_from(&other_frame), DARN_STAY_END);
    role.rule = &other_rule;
    assert_int_equal(step_from(&frame), DARN_STAY_NONE);
}

static void the_end_for_other_memory_or_of_another_copy_leads_out(void **state)
{
    (void)state;
    touch.address = (uintptr_t)&x[1];
    assert_int_equal(step_from(&frame), DARN_STAY_OUT);
    touch.address = (uintptr_t)x;
    role.copy = 2;
    assert_int_equal(step_from(&frame), DARN_STAY_OUT);
}

static void what_was_learned_is_of_its_memory_wherever_it_is(void **state)
{
    (void)state;
    rule.kind = DARN_SECTION_LEARNED;
    assert_int_equal(step_from(&other_frame), DARN_STAY_END);
    role.role = DARN_ROLE_ENTRY;
    assert_int_equal(step_from(&other_frame), DARN_STAY_OUT);
    touch.address = (uintptr_t)&x[1];
    assert_int_equal(step_from(&other_frame), DARN_STAY_NONE);
}

static void behind_a_call_only_the_entry_counts(void **state)
{
    (void)state;
    stay.has_entry = false;
    assert_int_equal(step_from(&frame), DARN_STAY_NONE);
    role.role = DARN_ROLE_ENTRY;
    assert_int_equal(step_from(&other_frame), DARN_STAY_ENTRY);
    darn_stay_enter(&stay, &touch, &role);
    assert_true(stay.has_entry);
    assert_int_equal(stay.entry_kind, DARN_SITE_WRITE);
    rule.has_call = true;
    assert_false(darn_stay_begins(&role));
    rule.has_call = false;
    assert_true(darn_stay_begins(&role));
}

static void freed_memory_leads_out(void **state)
{
    (void)state;
    touch.op = DARN_OP_FREE;
    touch.site = NULL;
    roles.count = 0;
    assert_int_equal(step_from(&frame), DARN_STAY_OUT);
    stay.rule = NULL;
    assert_int_equal(step_from(&frame), DARN_STAY_OUT);
    touch.address = (uintptr_t)&x[1];
    assert_int_equal(step_from(&frame), DARN_STAY_NONE);
    roles.count = 1;
}

static void an_annotation_begins_anew_with_each_access(void **state)
{
    (void)state;
    stay.rule = NULL;
    stay.has_entry = false;
    assert_int_equal(step_from(&frame), DARN_STAY_ENTRY);
    darn_stay_enter(&stay, &touch, NULL);
    assert_int_equal(step_from(&other_frame), DARN_STAY_NEXT);
    assert_int_equal(darn_stay_allows(&stay, &touch, NULL), DARN_ALLOW_WRITE);
    site.flags = DARN_SITE_COVERS; /* it reads first */
    assert_int_equal(darn_stay_allows(&stay, &touch, NULL), DARN_ALLOW_READ);
    touch.size = DARN_STAY_LONGEST + 1;
    assert_int_equal(step_from(&frame), DARN_STAY_NONE);
}

static void a_block_has_its_bytes_from_the_beginning(void **state)
{
    (void)state;
    stay = (struct darn_stay){.address = (uintptr_t)x, .size = sizeof(x), .is_block = true};
    touch.address = (uintptr_t)&x[1];
    assert_int_equal(step_from(&frame), DARN_STAY_ENTRY);
    darn_stay_enter(&stay, &touch, NULL);
    assert_int_equal(stay.size, sizeof(x));
}

static void bytes_that_are_not_touched_do_not_meet(void **state)
{
    (void)state;
    touch.gaps = 0xf0;
    stay.size = 4;
    assert_false(darn_stay_meets(&stay, &touch));
    stay.size = 5;
    assert_true(darn_stay_meets(&stay, &touch));
}

static void at_the_entry_again_it_begins_anew_and_in_recursion_goes_on(void **state)
{
    (void)state;
    assert_int_equal(darn_stay_again(&stay, &rule, &frame), DARN_STAY_ANEW);
    assert_int_equal(darn_stay_again(&stay, &rule, &other_frame), DARN_STAY_OUTER);
    assert_int_equal(darn_stay_again(&stay, &other_rule, &frame), DARN_STAY_OTHER);
    rule.kind = DARN_SECTION_LEARNED;
    assert_int_equal(darn_stay_again(&stay, &rule, &other_frame), DARN_STAY_ANEW);
}

static void a_way_out_is_that_of_its_own_call(void **state)
{
    (void)state;
    assert_false(darn_stay_is_left(&stay, &roles, &frame));
    role.role = DARN_ROLE_LEAVE;
    assert_true(darn_stay_is_left(&stay, &roles, &frame));
    assert_false(darn_stay_is_left(&stay, &roles, &other_frame));
}

static void what_others_do_is_compared_with_what_the_end_allows(void **state)
{
    (void)state;
    assert_int_equal(darn_stay_allows(&stay, &touch, &role), DARN_ALLOW_READ);
    assert_int_equal(darn_stay_ops(&touch), DARN_ALLOW_WRITE);
    assert_int_equal(darn_stay_forbids(DARN_ALLOW_READ, darn_stay_ops(&touch)), DARN_ALLOW_WRITE);
    assert_int_equal(darn_stay_forbids(DARN_ALLOW_WRITE, darn_stay_ops(&touch)), 0);
    site.flags = DARN_SITE_COVERS; /* a write that stands for a read, too */
    assert_int_equal(darn_stay_forbids(DARN_ALLOW_WRITE, darn_stay_ops(&touch)), DARN_ALLOW_READ);
    site.flags = 0;
    touch.op = DARN_OP_UPDATE;
    assert_int_equal(darn_stay_ops(&touch), DARN_ALLOW_ALL);
    touch.op = DARN_OP_READ;
    assert_int_equal(darn_stay_ops(&touch), DARN_ALLOW_READ);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(its_end_ends_it_and_what_it_is_no_point_of_does_not),
        TEST(the_end_for_other_memory_or_of_another_copy_leads_out),
        TEST(what_was_learned_is_of_its_memory_wherever_it_is),
        TEST(behind_a_call_only_the_entry_counts),
        TEST(freed_memory_leads_out),
        TEST(an_annotation_begins_anew_with_each_access),
        TEST(a_block_has_its_bytes_from_the_beginning),
        TEST(bytes_that_are_not_touched_do_not_meet),
        TEST(at_the_entry_again_it_begins_anew_and_in_recursion_goes_on),
        TEST(a_way_out_is_that_of_its_own_call),
        TEST(what_others_do_is_compared_with_what_the_end_allows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
