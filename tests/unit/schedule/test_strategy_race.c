/* RACE, on the programs of the paper (Sen 2008, figures 1 and 2) and on what its algorithm says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "strategy_stage.h"

enum { X = 1, Y, Z, L };

static void run(const struct sim_program *program, uint64_t first, uint64_t second, uint64_t order,
                uint64_t seed)
{
    struct darn_plan plan = {
        .kind = DARN_STRATEGY_RACE, .seed = seed, .first = order, .aim_count = 2};

    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = first};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = second};
    sim_run(s, program, &plan, NULL, NULL);
}

/* Whatever is met is a pair of the two places, on the same memory, one of which writes. */
static void assert_real_races(uint64_t first, uint64_t second)
{
    for (uint32_t i = 0; i < s->met_count; i++) {
        const struct sim_met *met = &s->mets[i];

        assert_int_equal(met->met.kind, DARN_MET_RACE);
        assert_int_equal(met->a.place, first);
        assert_int_equal(met->b.place, second);
        assert_int_equal(met->a.object, met->b.object);
        assert_true(met->a.op == DARN_STEP_WRITE || met->b.op == DARN_STEP_WRITE);
        assert_int_not_equal(met->a.thread, met->b.thread);
        assert_true(met->picked == met->a.thread || met->picked == met->b.thread);
    }
}

/* ---- figure 1 ---- */

static const struct sim_program figure_1 = {
    .bodies = {{PUT(X, 1), LOCK(L), PUT(Y, 1), UNLOCK(L), GET(Z), UNLESS(1, 1), FAIL},
               {PUT(Z, 1), LOCK(L), GET(Y), UNLESS(1, 3), GET(X), UNLESS(0, 1), FAIL, UNLOCK(L)}},
    .starts = {0, 1},
    .count = 2,
};

static void figure_1_the_race_on_z_is_always_met(void **state)
{
    uint32_t failed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        run(&figure_1, SIM_PLACE(0, 4), SIM_PLACE(1, 0), 0, seed);
        assert_int_equal(s->met_count, 1);
        assert_real_races(SIM_PLACE(0, 4), SIM_PLACE(1, 0));
        failed += s->failed;
    }
    assert_in_range(failed, 430, 570); /* ERROR1, when the write goes first */
}

static void figure_1_the_pair_on_x_is_never_met(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        run(&figure_1, SIM_PLACE(0, 0), SIM_PLACE(1, 4), 0, seed);
        assert_int_equal(s->met_count, 0);
        assert_int_equal(s->memory[X], 1);
        assert_false(s->deadlock);
    }
}

/* ---- an order under a lock ---- */

static const struct sim_program two_sections = {
    .bodies = {{LOCK(L), PUT(X, 1), UNLOCK(L)}, {LOCK(L), GET(X), UNLESS(0, 1), FAIL, UNLOCK(L)}},
    .starts = {0, 1},
    .count = 2,
};

static void aim_at_sections(uint32_t kind, uint64_t first, uint64_t seed)
{
    struct darn_plan plan = {
        .kind = kind, .seed = seed, .first = first, .depth = first == 2, .aim_count = 2};

    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = SIM_PLACE(0, 0)};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = SIM_PLACE(1, 0)};
    sim_run(s, &two_sections, &plan, NULL, NULL);
}

/* The read fails if it comes before the write; the two take one lock, and do not race. */
static void an_order_is_turned_round_where_both_take_the_lock(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        for (uint64_t first = 1; first <= 2; first++) {
            aim_at_sections(DARN_STRATEGY_ORDER, first, seed);
            assert_int_equal(s->met_count, 1);
            assert_int_equal(s->mets[0].met.kind, DARN_MET_ORDER);
            assert_int_equal(s->failed, first == 2);
        }
        aim_at_sections(DARN_STRATEGY_RACE, 0, seed);
        assert_int_equal(s->met_count, 0);
    }
}

/* ---- figure 2 ---- */

static void make_figure_2(struct sim_program *program, uint32_t work)
{
    static const struct sim_op tail[] = {UNLOCK(L), GET(X), UNLESS(0, 1), FAIL};
    static const struct sim_op other[] = {PUT(X, 1), LOCK(L), GET(Y), UNLOCK(L)};
    uint32_t at = 0;

    memset(program, 0, sizeof(*program));
    program->bodies[0][at++] = (struct sim_op)LOCK(L);
    while (at <= work)
        program->bodies[0][at++] = (struct sim_op)GET(Z);
    memcpy(&program->bodies[0][at], tail, sizeof(tail));
    program->bodies[0][at + 1].place = 8;
    memcpy(program->bodies[1], other, sizeof(other));
    program->bodies[1][0].place = 10;
    program->starts[1] = 1;
    program->count = 2;
}

static void figure_2_is_met_in_every_trial_and_fails_in_half(void **state)
{
    struct sim_program program;

    (void)state;
    for (uint32_t work = 0; work <= 70; work += 35) {
        uint32_t failed = 0;

        make_figure_2(&program, work);
        for (uint64_t seed = 0; seed < 1000; seed++) {
            run(&program, 8, 10, 0, seed);
            assert_int_equal(s->met_count, 1);
            assert_real_races(8, 10);
            failed += s->failed;
        }
        assert_in_range(failed, 430, 570);
    }
}

static void the_order_can_be_asked_for(void **state)
{
    struct sim_program program;

    (void)state;
    make_figure_2(&program, 5);
    for (uint64_t seed = 0; seed < 100; seed++) {
        run(&program, 8, 10, 1, seed); /* the read goes first */
        assert_true(s->failed);
        assert_int_equal(s->mets[0].picked, 0);
        run(&program, 8, 10, 2, seed);
        assert_false(s->failed);
        assert_int_equal(s->mets[0].picked, 1);
        run(&program, 10, 8, 1, seed); /* the write */
        assert_false(s->failed);
        assert_int_equal(s->mets[0].a.thread, 1);
    }
}

/* ---- more than two threads, one place, other memory ---- */

static void a_site_races_with_itself(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(Y), PUT(X, 1)}},
        .starts = {0, 0, 0},
        .count = 3,
    };
    uint64_t place = SIM_PLACE(0, 1);

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, place, place, 1, seed);
        assert_true(s->met_count >= 1);
        for (uint32_t i = 0; i < s->met_count; i++) {
            assert_true(s->mets[i].a.thread < s->mets[i].b.thread);
            assert_int_equal(s->mets[i].picked, s->mets[i].a.thread);
        }
        run(&program, place, place, 2, seed);
        assert_true(s->met_count >= 1);
        for (uint32_t i = 0; i < s->met_count; i++)
            assert_int_equal(s->mets[i].picked, s->mets[i].b.thread);
    }
}

/* Lines 15 to 18 of algorithm 1: if the readers win, they go one after the other. */
static void all_readers_go_before_the_writer_or_none(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(X)}, {GET(Y), GET(Y), GET(Y), GET(Y), GET(Y), PUT(X, 1)}},
        .starts = {0, 0, 0, 1},
        .count = 4,
    };
    uint32_t together = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        uint32_t at = 0;

        run(&program, SIM_PLACE(0, 0), SIM_PLACE(1, 5), 1, seed);
        assert_real_races(SIM_PLACE(0, 0), SIM_PLACE(1, 5));
        assert_true(s->met_count >= 1);
        if (s->met_count < 3 || s->mets[0].picked == 3)
            continue;
        while (s->steps[at].op != DARN_STEP_READ || s->steps[at].object != SIM_ADDRESS(X))
            at++;
        together +=
            s->steps[at + 1].object == SIM_ADDRESS(X) && s->steps[at + 1].op == DARN_STEP_READ &&
            s->steps[at + 2].object == SIM_ADDRESS(X) && s->steps[at + 2].op == DARN_STEP_READ;
    }
    assert_true(together > 50);
}

/* The same places, but each thread has memory of its own. */
static void other_memory_is_no_race(void **state)
{
    static const struct sim_program program = {
        .bodies = {{{SIM_PUT, X, 1, 0, 77}, GET(Z)}, {{SIM_PUT, Y, 1, 0, 77}, GET(Z)}},
        .starts = {0, 1},
        .count = 2,
    };

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run(&program, 77, 77, 0, seed);
        assert_int_equal(s->met_count, 0);
        assert_false(s->deadlock);
    }
}

static void a_common_lock_prevents_it(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), GET(X), ADD(X, 1), UNLOCK(L)}},
        .starts = {0, 0, 0},
        .count = 3,
    };

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, SIM_PLACE(0, 1), SIM_PLACE(0, 2), 0, seed);
        assert_int_equal(s->met_count, 0);
        assert_int_equal(s->memory[X], 3);
    }
}

/* Sixty-four threads wait at the place before the one that they race with comes. */
static void many_threads_wait_for_the_last_one(void **state)
{
    static struct sim_program program = {
        .bodies = {{GET(Y), GET(X)}, {GET(Y), PUT(X, 1)}},
        .starts = {1},
        .count = 101,
    };

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        run(&program, SIM_PLACE(0, 1), SIM_PLACE(1, 1), 0, seed);
        assert_true(s->met_count >= 1);
        assert_real_races(SIM_PLACE(0, 1), SIM_PLACE(1, 1));
        assert_false(s->deadlock);
    }
}

/* The other side sleeps first: whoever waits for it is not let go for that. */
static void a_sleeping_thread_is_waited_for(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1)}, {YIELD, YIELD, YIELD, GET(X)}},
        .starts = {0, 1},
        .count = 2,
    };

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run(&program, SIM_PLACE(0, 0), SIM_PLACE(1, 3), 0, seed);
        assert_int_equal(s->met_count, 1);
    }
}

/* It yields without end: whoever is held is let go, and later the more patience the plan has. */
static void patience_is_how_long_others_may_yield(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), PUT(Y, 1)}, {YIELD, GET(Y), UNLESS(1, -3)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_RACE, .aim_count = 2};
    uint64_t steps[2];

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = SIM_PLACE(0, 0)};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = SIM_PLACE(1, 7)};
    for (int i = 0; i < 2; i++) {
        plan.patience = i ? 300 : 0;
        sim_run(s, &program, &plan, NULL, NULL);
        assert_false(s->deadlock);
        steps[i] = s->step_count;
    }
    assert_in_range(steps[0], 64, 300);
    assert_in_range(steps[1], steps[0] + 300, steps[0] + 1300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_the_race_on_z_is_always_met),
        cmocka_unit_test(figure_1_the_pair_on_x_is_never_met),
        cmocka_unit_test(an_order_is_turned_round_where_both_take_the_lock),
        cmocka_unit_test(figure_2_is_met_in_every_trial_and_fails_in_half),
        cmocka_unit_test(the_order_can_be_asked_for),
        cmocka_unit_test(a_site_races_with_itself),
        cmocka_unit_test(all_readers_go_before_the_writer_or_none),
        cmocka_unit_test(other_memory_is_no_race),
        cmocka_unit_test(a_common_lock_prevents_it),
        cmocka_unit_test(many_threads_wait_for_the_last_one),
        cmocka_unit_test(a_sleeping_thread_is_waited_for),
        cmocka_unit_test(patience_is_how_long_others_may_yield),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
