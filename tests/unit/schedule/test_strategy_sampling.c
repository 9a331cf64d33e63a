/* PCT, POS and SURW: how likely they make what they promise. The seeds are fixed, so the numbers
 * are the same each time; the limits are several deviations away from what is expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "strategy_stage.h"

enum { X = 1, Y, Z };

/* ---- PCT ---- */

static uint32_t failures(const struct sim_program *program, uint32_t depth, uint64_t length,
                         uint64_t seeds)
{
    uint32_t failed = 0;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct darn_plan plan = {
            .kind = DARN_STRATEGY_PCT, .seed = seed, .depth = depth, .length = length};

        sim_run(s, program, &plan, NULL, NULL);
        failed += s->failed;
    }
    return failed;
}

/* The second thread has to come between two steps of the first one: 2 threads, 20 steps. */
static void pct_finds_a_bug_of_depth_2_as_often_as_promised(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(Y), GET(Y), GET(Y), GET(Y), PUT(X, 1), GET(X), UNLESS(2, 1), FAIL, GET(Y),
                    GET(Y), GET(Y)},
                   {GET(Z), GET(Z), GET(Z), GET(Z), PUT(X, 2), GET(Z), GET(Z), GET(Z), GET(Z)}},
        .starts = {0, 1},
        .count = 2,
    };

    (void)state;
    assert_int_equal(failures(&program, 1, 20, 2000), 0);
    assert_true(failures(&program, 2, 20, 4000) > 4000 / (2 * 20) - 25);
}

/* The second thread comes in, gets half way, and the first one goes on: of the two that have fallen
 * the first one must be the higher one. And the other way round. */
static void pct_finds_bugs_of_depth_3_in_both_orders(void **state)
{
    static const struct sim_program resumes = {
        .bodies = {{PUT(X, 1), GET(X), UNLESS(2, 1), FAIL, GET(Y), GET(Y)},
                   {GET(Z), PUT(X, 2), PUT(X, 3), GET(Z)}},
        .starts = {0, 1},
        .count = 2,
    };
    /* A gives way after its first step, B after it has seen that; when C has seen both, B must go
     * on before A does. */
    static const struct sim_program stays = {
        .bodies = {{PUT(X, 1), PUT(X, 2)},
                   {GET(X), UNLESS(1, 6), PUT(Y, 1), GET(Z), UNLESS(1, 3), GET(X), UNLESS(1, 1),
                    FAIL},
                   {GET(Y), UNLESS(1, 1), PUT(Z, 1)}},
        .starts = {0, 1, 2},
        .count = 3,
    };

    (void)state;
    assert_int_equal(failures(&resumes, 2, 8, 2000), 0);
    assert_true(failures(&resumes, 3, 8, 4000) > 4000 / (2 * 8 * 8) - 12);
    assert_int_equal(failures(&stays, 2, 11, 2000), 0);
    assert_true(failures(&stays, 3, 11, 6000) > 6000 / (3 * 11 * 11) - 10);
}

/* ---- POS ---- */

/* In how many of 10000 runs thread 0 comes last. */
static uint32_t comes_last(const struct sim_program *program, enum darn_strategy_kind kind)
{
    uint32_t times = 0;

    for (uint64_t seed = 0; seed < 10000; seed++) {
        struct darn_plan plan = {.kind = (uint32_t)kind, .seed = seed};
        uint32_t first = 0, last = 0;

        sim_run(s, program, &plan, NULL, NULL);
        for (uint32_t i = 0; i < s->step_count; i++) {
            if (s->steps[i].op == DARN_STEP_WRITE) {
                if (s->steps[i].thread == 0)
                    first = i;
                else
                    last = i;
            }
        }
        times += first > last;
    }
    return times;
}

static void pos_draws_again_only_for_steps_that_conflict(void **state)
{
    static const struct sim_program conflicting = {
        .bodies = {{PUT(X, 1)}, {PUT(X, 2), PUT(X, 2), PUT(X, 2), PUT(X, 2), PUT(X, 2)}},
        .starts = {0, 1},
        .count = 2,
    };
    static const struct sim_program apart = {
        .bodies = {{PUT(X, 1)}, {PUT(Y, 2), PUT(Y, 2), PUT(Y, 2), PUT(Y, 2), PUT(Y, 2)}},
        .starts = {0, 1},
        .count = 2,
    };

    (void)state;
    /* Fresh priorities five times: 1/32. One priority against five others: 1/6. */
    assert_in_range(comes_last(&conflicting, DARN_STRATEGY_POS), 250, 380);
    assert_in_range(comes_last(&apart, DARN_STRATEGY_POS), 1550, 1790);
    assert_in_range(comes_last(&apart, DARN_STRATEGY_RANDOM), 250, 380);
}

/* ---- SURW ---- */

/* The threads of the steps on X, in their order, as bits; the first one is the highest. */
static uint32_t interleaving(void)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].object == SIM_ADDRESS(X))
            bits = bits << 1 | s->steps[i].thread;
    return bits;
}

/* How often the rarest and the most frequent interleaving came, and how many there were. */
static uint32_t spread(const struct sim_program *program, struct darn_plan *plan, uint64_t seeds,
                       uint32_t *rarest, uint32_t *most)
{
    static uint32_t times[1 << 12];
    uint32_t different = 0;

    memset(times, 0, sizeof(times));
    for (uint64_t seed = 0; seed < seeds; seed++) {
        plan->seed = seed;
        sim_run(s, program, plan, NULL, NULL);
        times[interleaving()]++;
    }
    *rarest = UINT32_MAX;
    *most = 0;
    for (uint32_t i = 0; i < 1 << 12; i++) {
        if (!times[i])
            continue;
        different++;
        *rarest = times[i] < *rarest ? times[i] : *rarest;
        *most = times[i] > *most ? times[i] : *most;
    }
    return different;
}

static void surw_is_uniform_over_interleavings(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), PUT(X, 1), PUT(X, 1), PUT(X, 1), PUT(X, 1), PUT(X, 1)},
                   {PUT(X, 2), PUT(X, 2)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_SURW, .expected = {6, 2}};
    uint32_t rarest, most;

    (void)state;
    /* 28 interleavings, 300 times each. */
    assert_int_equal(spread(&program, &plan, 8400, &rarest, &most), 28);
    assert_true(rarest > 220 && most < 380);
    plan.kind = DARN_STRATEGY_RANDOM; /* for comparison: a half against 1/256 */
    spread(&program, &plan, 8400, &rarest, &most);
    assert_true(rarest < 100 && most > 900);
}

/* With the object and its counts known, what lies between the steps of interest, and how unevenly,
 * makes no difference. */
static void surw_is_uniform_over_the_steps_of_interest(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), GET(Y), GET(Y), GET(Y), PUT(X, 1), GET(Y), PUT(X, 1), GET(Y)},
                   {GET(Z), PUT(X, 2), GET(Z), PUT(X, 2), PUT(X, 2), GET(Z), GET(Z), GET(Z)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_SURW, .expected = {3, 3}, .aim_count = 1};
    uint32_t rarest, most;

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_OBJECT, .place = SIM_ADDRESS(X)};
    /* 20 interleavings, 300 times each. */
    assert_int_equal(spread(&program, &plan, 6000, &rarest, &most), 20);
    assert_true(rarest > 220 && most < 380);
    /* A guess by all steps is still far better than none at all. */
    plan.aim_count = 0;
    plan.expected[0] = plan.expected[1] = 9;
    assert_int_equal(spread(&program, &plan, 6000, &rarest, &most), 20);
    assert_true(rarest > 40 && most < 1200);
    plan.kind = DARN_STRATEGY_RANDOM;
    spread(&program, &plan, 6000, &rarest, &most);
    assert_true(rarest < 20 && most > 1600);
}

/* The weights of threads that do not exist yet are their creator's: it does not linger. */
static void surw_lets_the_creator_stand_for_its_threads(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 0), CREATE(1)},
                   {PUT(X, 1), PUT(X, 1), PUT(X, 1), PUT(X, 1)},
                   {PUT(X, 1)}},
        .starts = {0, 2},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_SURW, .expected = {3, 2, 5}};
    uint32_t first = 0;

    (void)state;
    for (plan.seed = 0; plan.seed < 4000; plan.seed++) {
        sim_run(s, &program, &plan, NULL, NULL);
        first += s->steps[0].thread == 0;
    }
    assert_in_range(first, 3100, 3300); /* 8 of 10 */
}

/* Nearly all draws fall on the first thread, which waits for the other one. */
static void surw_does_not_insist_on_a_thread_that_waits(void **state)
{
    enum { L = 9 };
    static const struct sim_program program = {
        .bodies = {{LOCK(L), GET(Y), UNLOCK(L), UNLESS(1, -4), PUT(X, 1)}, {PUT(X, 2), PUT(Y, 1)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_SURW, .expected = {9999, 1}, .aim_count = 1};

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_OBJECT, .place = SIM_ADDRESS(X)};
    for (plan.seed = 0; plan.seed < 20; plan.seed++) {
        sim_run(s, &program, &plan, NULL, NULL);
        assert_false(s->deadlock);
        assert_true(s->step_count < 2500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pct_finds_a_bug_of_depth_2_as_often_as_promised),
        cmocka_unit_test(pct_finds_bugs_of_depth_3_in_both_orders),
        cmocka_unit_test(pos_draws_again_only_for_steps_that_conflict),
        cmocka_unit_test(surw_is_uniform_over_interleavings),
        cmocka_unit_test(surw_is_uniform_over_the_steps_of_interest),
        cmocka_unit_test(surw_does_not_insist_on_a_thread_that_waits),
        cmocka_unit_test(surw_lets_the_creator_stand_for_its_threads),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
