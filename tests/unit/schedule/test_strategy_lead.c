/* The lead of a RACE: what has to happen before two threads can meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "strategy_stage.h"

enum { X = 1, TURN, L };

/* Each thread but the first does its part only if the one before has done its own. The fifth one
 * then writes X. */
static const struct sim_program relay = {
    .bodies = {{LOCK(L), PUT(TURN, 1), UNLOCK(L)},
               {LOCK(L), GET(TURN), UNLESS(1, 1), PUT(TURN, 2), UNLOCK(L)},
               {LOCK(L), GET(TURN), UNLESS(2, 1), PUT(TURN, 3), UNLOCK(L)},
               {LOCK(L), GET(TURN), UNLESS(3, 1), PUT(TURN, 4), UNLOCK(L)},
               {LOCK(L), GET(TURN), UNLOCK(L), UNLESS(4, 3), PUT(X, 1), PUT(X, 1), PUT(X, 1)},
               {PUT(X, 2)}},
    .starts = {0, 1, 2, 3, 4, 5},
    .count = 6,
};

static const uint64_t here = SIM_PLACE(4, 6), there = SIM_PLACE(5, 0);

static const struct darn_step lead[] = {
    {.thread = 0, .op = DARN_STEP_LOCK}, {.thread = 0, .op = DARN_STEP_UNLOCK},
    {.thread = 1, .op = DARN_STEP_LOCK}, {.thread = 1, .op = DARN_STEP_UNLOCK},
    {.thread = 2, .op = DARN_STEP_LOCK}, {.thread = 2, .op = DARN_STEP_UNLOCK},
    {.thread = 3, .op = DARN_STEP_LOCK}, {.thread = 3, .op = DARN_STEP_UNLOCK},
    {.thread = 4, .op = DARN_STEP_LOCK}, {.thread = 4, .op = DARN_STEP_UNLOCK},
    {.thread = 4, .object = 1},          {.thread = 5, .flags = 1, .object = 1},
};

static uint32_t met_in(uint32_t lead_count, const struct darn_step *steps, uint32_t runs)
{
    uint32_t met = 0;

    for (uint64_t seed = 0; seed < runs; seed++) {
        struct darn_plan plan = {.kind = DARN_STRATEGY_RACE,
                                 .seed = seed,
                                 .first = 1 + seed % 2,
                                 .lead_count = lead_count,
                                 .aim_count = 2};

        plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = here};
        plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = there};
        sim_run(s, &relay, &plan, steps, NULL);
        met += s->met_count > 0;
    }
    return met;
}

static void a_lead_comes_there_in_every_run(void **state)
{
    (void)state;
    assert_int_equal(met_in(sizeof(lead) / sizeof(lead[0]), lead, 500), 500);
    assert_true(met_in(0, NULL, 500) < 100);
}

/* The program does something else than it did: the run comes to an end all the same, and by luck
 * shows the race. */
static void a_lead_that_the_program_does_not_follow_is_given_up(void **state)
{
    struct darn_step wrong[sizeof(lead) / sizeof(lead[0])];
    uint32_t met;

    (void)state;
    memcpy(wrong, lead, sizeof(lead));
    wrong[1].op = DARN_STEP_SIGNAL;
    met = met_in(sizeof(lead) / sizeof(lead[0]), wrong, 500);
    assert_true(met > 0 && met < 250);
    memcpy(wrong, lead, sizeof(lead));
    wrong[4].thread = 77; /* there is none */
    met = met_in(sizeof(lead) / sizeof(lead[0]), wrong, 500);
    assert_true(met > 0 && met < 500);
}

/* Who is to come to the place for the second time goes past the first. */
static void visits_are_counted(void **state)
{
    static const struct sim_program loop = {
        .bodies = {{PUT(X, 0), JUMP(1), FAIL, PUT(X, 1), PUT(X, 2)}, {PUT(X, 3)}},
        .starts = {0, 1},
        .count = 2,
    };
    const struct darn_step twice[] = {{.thread = 0, .object = 2}, {.thread = 1, .flags = 1}};
    struct darn_plan plan = {
        .kind = DARN_STRATEGY_RACE, .first = 1, .lead_count = 2, .aim_count = 3};

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = SIM_PLACE(0, 0)};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = SIM_PLACE(0, 3)};
    plan.aims[2] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = SIM_PLACE(1, 0)};
    for (uint64_t seed = 0; seed < 50; seed++) {
        plan.seed = seed;
        sim_run(s, &loop, &plan, twice, NULL);
        assert_int_equal(s->met_count, 1);
        assert_int_equal(s->mets[0].a.place, SIM_PLACE(0, 3));
    }
}

/* It waited in a loop for long; the other one stands at a place already, and is not to go on. */
static void who_has_yielded_goes_on_when_nobody_else_may(void **state)
{
    static const struct sim_program waits = {
        .bodies = {{PUT(X, 1), PUT(X, 2)}, {YIELD, LOCK(L), UNLOCK(L), PUT(X, 3)}},
        .starts = {0, 1},
        .count = 2,
        .greedy = true,
    };
    const struct darn_step second[] = {{.thread = 1, .op = DARN_STEP_LOCK},
                                       {.thread = 1, .op = DARN_STEP_UNLOCK},
                                       {.thread = 0, .object = 2},
                                       {.thread = 1, .flags = 1, .object = 1}};
    struct darn_plan plan = {
        .kind = DARN_STRATEGY_RACE, .first = 1, .lead_count = 4, .aim_count = 3};

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = SIM_PLACE(0, 0)};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = SIM_PLACE(0, 1)};
    plan.aims[2] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = SIM_PLACE(1, 3)};
    for (uint64_t seed = 0; seed < 50; seed++) {
        plan.seed = seed;
        sim_run(s, &waits, &plan, second, NULL);
        assert_int_equal(s->met_count, 1);
        assert_int_equal(s->mets[0].a.place, SIM_PLACE(0, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lead_comes_there_in_every_run),
        cmocka_unit_test(a_lead_that_the_program_does_not_follow_is_given_up),
        cmocka_unit_test(visits_are_counted),
        cmocka_unit_test(who_has_yielded_goes_on_when_nobody_else_may),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
