/* Delta debugging over switches: the result fails, and nothing in it can be left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "search/ddmin.h"

#define MOST 200

/* A bug that shows when all switches of a set are there: switches are told apart by `own`. */
struct bug {
    bool is_needed[MOST];
    size_t needed;
    size_t asked;
    size_t patience; /* so many questions, then stop; 0: no limit */
    bool out_of_order;
};

static enum darn_ddmin_answer ask(void *context, const struct darn_switch *switches, size_t count)
{
    struct bug *bug = context;
    size_t there = 0;

    if (bug->patience && bug->asked == bug->patience)
        return DARN_DDMIN_STOP;
    bug->asked++;
    for (size_t i = 0; i < count; i++) {
        there += bug->is_needed[switches[i].own];
        bug->out_of_order |= i && switches[i].own <= switches[i - 1].own;
    }
    return there == bug->needed ? DARN_DDMIN_FAILS : DARN_DDMIN_PASSES;
}

static void fill(struct darn_switch *switches, size_t count)
{
    memset(switches, 0, count * sizeof(*switches));
    for (size_t i = 0; i < count; i++)
        switches[i].own = (uint32_t)i;
}

static void need(struct bug *bug, size_t which)
{
    bug->needed += !bug->is_needed[which];
    bug->is_needed[which] = true;
}

static void finds_exactly(struct bug *bug, size_t count)
{
    struct darn_switch switches[MOST];
    size_t left;

    fill(switches, count);
    left = darn_ddmin(switches, count, ask, bug);
    assert_int_equal(left, bug->needed);
    for (size_t i = 0; i < left; i++)
        assert_true(bug->is_needed[switches[i].own]);
    assert_false(bug->out_of_order);
}

static void every_single_switch_is_found(void **state)
{
    (void)state;
    for (size_t count = 1; count < 20; count++) {
        for (size_t which = 0; which < count; which++) {
            struct bug bug = {0};

            need(&bug, which);
            finds_exactly(&bug, count);
        }
    }
}

static void every_set_of_switches_is_found(void **state)
{
    (void)state;
    for (unsigned set = 0; set < 1u << 9; set++) {
        struct bug bug = {0};

        for (size_t which = 0; which < 9; which++)
            if (set >> which & 1)
                need(&bug, which);
        finds_exactly(&bug, 9);
    }
}

static void few_of_many_take_few_questions(void **state)
{
    struct bug bug = {0};

    (void)state;
    need(&bug, 3);
    need(&bug, 90);
    need(&bug, 198);
    finds_exactly(&bug, MOST);
    assert_in_range(bug.asked, 1, MOST);
}

static void no_switch_needed_is_one_question(void **state)
{
    struct bug bug = {0};

    (void)state;
    finds_exactly(&bug, MOST);
    assert_int_equal(bug.asked, 1);
}

static void an_empty_list_is_not_asked_about(void **state)
{
    struct bug bug = {0};

    (void)state;
    assert_int_equal(darn_ddmin(NULL, 0, ask, &bug), 0);
    assert_int_equal(bug.asked, 0);
}

/* Whenever it is stopped, the list still has all that the bug needs. */
static void stopped_at_any_time_the_result_fails(void **state)
{
    size_t shorter = 0;

    (void)state;
    for (size_t patience = 1; patience < 60; patience++) {
        struct bug bug = {.patience = patience};
        struct darn_switch switches[64];
        size_t left, there = 0;

        fill(switches, 64);
        need(&bug, 7);
        need(&bug, 40);
        left = darn_ddmin(switches, 64, ask, &bug);
        for (size_t i = 0; i < left; i++)
            there += bug.is_needed[switches[i].own];
        assert_int_equal(there, 2);
        assert_true(bug.asked <= patience);
        shorter += left < 64;
    }
    assert_true(shorter > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_single_switch_is_found),
        cmocka_unit_test(every_set_of_switches_is_found),
        cmocka_unit_test(few_of_many_take_few_questions),
        cmocka_unit_test(no_switch_needed_is_one_question),
        cmocka_unit_test(an_empty_list_is_not_asked_about),
        cmocka_unit_test(stopped_at_any_time_the_result_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
