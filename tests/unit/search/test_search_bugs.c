/*
 * How many schedules it takes to the first bug, for the well-known shapes of bugs. The limits are
 * generous: they shall tell when a search has stopped to work, not when it has become a bit slower
 * or faster.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "search_lockfree.h"
#include "search_outcomes.h"
#include "search_programs.h"

#define SEEDS 10

static struct sim sim;

struct limit {
    struct sim_program program;
    size_t most; /* with any seed */
};

static void check(enum darn_search_kind kind, const struct limit *limits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct darn_search_options options = {.kind = kind, .seed = seed};
            size_t found =
                first_failure(&options, &sim, &limits[i].program, 20 * limits[i].most + 1000);

            if (found == 0 || found > limits[i].most)
                fail_msg("%s, seed %d: %zu schedules to the first bug, not %zu at most",
                         limits[i].program.name, (int)seed, found, limits[i].most);
        }
    }
}

static void the_portfolio_finds_common_bugs_at_once(void **state)
{
    static const struct limit limits[] = {
        {{"reorder, 3 threads", reorder, 3}, 5},
        {{"reorder, 10 threads", reorder, 10}, 5},
        {{"twostage, 2 threads", twostage, 2}, 5},
        {{"twostage, 20 threads", twostage, 20}, 5},
        {{"philosophers, 2", philosophers, 2}, 5},
        {{"philosophers, 9", philosophers, 9}, 5},
        {{"counter, 2 threads", counter, 2}, 5},
        {{"counter, 8 threads", counter, 8}, 5},
        {{"stale value, 2 threads", stale, 2}, 5},
        {{"wrong lock, 2 threads", wronglock, 1}, 15},
        {{"wrong lock, 8 threads", wronglock, 7}, 15},
        {{"bluetooth, 2 threads", bluetooth, 1}, 10},
        {{"bluetooth, 4 threads", bluetooth, 3}, 10},
        {{"lost wake-up", lost_wakeup, 0}, 10},
        {{"use after free", freed, 1}, 10},
        {{"use after free, 10 rounds", freed, 10}, 15},
        {{"token ring", ring, 1}, 5},
        {{"bounded buffer", buffer, 5}, 10},
        {{"initialization too late", late_init, 0}, 5},
        {{"one cell, 4 threads", one_cell, 2}, 20},
        {{"work stealing", worksteal, 4}, 10},
        {{"stack with ABA", aba, 2}, 30},
    };

    (void)state;
    check(DARN_SEARCH_PORTFOLIO, limits, sizeof(limits) / sizeof(*limits));
}

/* The fuzzer RFF takes 6 and 56 schedules for these. */
static void a_hundred_threads_are_no_harder(void **state)
{
    static const struct limit limits[] = {
        {{"reorder, 100 threads", reorder, 100}, 5},
        {{"twostage, 100 threads", twostage, 100}, 5},
    };

    (void)state;
    check(DARN_SEARCH_PORTFOLIO, limits, sizeof(limits) / sizeof(*limits));
}

/* Each step has to come at the right moment, several times in a row. */
static void the_portfolio_finds_what_needs_many_preemptions(void **state)
{
    static const struct limit limits[] = {
        {{"needle, 1 round", needle, 1}, 40},
        {{"needle, 2 rounds", needle, 2}, 300},
        {{"needle, 5 rounds", needle, 5}, 500},
    };

    (void)state;
    check(DARN_SEARCH_PORTFOLIO, limits, sizeof(limits) / sizeof(*limits));
}

static void every_kind_finds_a_lost_update(void **state)
{
    static const struct limit limits[] = {{{"counter", counter, 2}, 500},
                                          {{"stale value", stale, 2}, 500},
                                          {{"philosophers", philosophers, 2}, 500}};

    (void)state;
    for (int kind = 0; kind < DARN_SEARCHES; kind++)
        check(kind, limits, sizeof(limits) / sizeof(*limits));
}

/* Holding threads back at a place does not care how many threads there are. */
static void hold_finds_bugs_between_two_steps_of_many_threads(void **state)
{
    static const struct limit limits[] = {
        {{"reorder, 50 threads", reorder, 50}, 10},
        {{"philosophers, 20", philosophers, 20}, 10},
    };

    (void)state;
    check(DARN_SEARCH_HOLD, limits, sizeof(limits) / sizeof(*limits));
}

/* Eight preemptions: no random search comes upon it in a million runs. */
static void rough_states_lead_to_the_bug_of_the_safe_stack(void **state)
{
    struct sim_program program = {"safe stack", safestack, 3};
    struct darn_search_options options = {.kind = DARN_SEARCH_STATES, .seed = 1};
    size_t found = first_failure(&options, &sim, &program, 60000);

    (void)state;
    assert_true(found > 0);
    options.kind = DARN_SEARCH_PORTFOLIO;
    found = first_failure(&options, &sim, &program, 100000);
    assert_true(found > 0);
}

/* Of what there is no schedule to none is found: the counter with a lock around. */
static void locked_add(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    LOCK(B);
    LOAD(t->v[0], A);
    STORE(A, t->v[0] + 1);
    UNLOCK(B);
    END;
}

static void locked_counter(struct sim *s, struct sim_thread *t)
{
    BEGIN;
    START(locked_add, 0);
    START(locked_add, 0);
    JOIN(1);
    JOIN(2);
    LOAD(t->v[0], A);
    ASSERT(t->v[0] == 2);
    END;
}

static void a_program_without_the_bug_never_fails(void **state)
{
    struct sim_program program = {"locked counter", locked_counter, 0};

    (void)state;
    for (int kind = 0; kind < DARN_SEARCHES; kind++) {
        struct darn_search_options options = {.kind = kind, .seed = 1};

        assert_int_equal(first_failure(&options, &sim, &program, 1000), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_portfolio_finds_common_bugs_at_once),
        cmocka_unit_test(a_hundred_threads_are_no_harder),
        cmocka_unit_test(the_portfolio_finds_what_needs_many_preemptions),
        cmocka_unit_test(every_kind_finds_a_lost_update),
        cmocka_unit_test(hold_finds_bugs_between_two_steps_of_many_threads),
        cmocka_unit_test(rough_states_lead_to_the_bug_of_the_safe_stack),
        cmocka_unit_test(a_program_without_the_bug_never_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
