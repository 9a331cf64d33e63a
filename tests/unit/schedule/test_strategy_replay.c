/* FOLLOW and SCRIPT bring back any run of any strategy, on random programs; and what happens when
 * they cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "strategy_stage.h"

#define PROGRAMS 300

enum { X = 1, Y, C, M };

static struct sim *again;
static struct sim_program program;
static struct darn_switch switches[SIM_STEPS];

static int set_up_two(void **state)
{
    again = sim_new();
    return again ? set_up(state) : -1;
}

static int tear_down_two(void **state)
{
    sim_free(again);
    return tear_down(state);
}

/* ---- random programs ---- */

static uint64_t dice;

static uint32_t roll(uint32_t sides)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(dice >> 33) % sides;
}

static struct sim_op random_op(uint32_t body)
{
    static const uint8_t kinds[] = {SIM_GET,    SIM_GET,    SIM_PUT,    SIM_ADD,
                                    SIM_LOCK,   SIM_LOCK,   SIM_UNLOCK, SIM_YIELD,
                                    SIM_SIGNAL, SIM_CREATE, SIM_UNLESS};
    struct sim_op op = {.kind = kinds[roll(sizeof(kinds))]};

    op.object = (uint8_t)(X + roll(3));
    op.value = (int)roll(3);
    if (op.kind == SIM_LOCK || op.kind == SIM_UNLOCK)
        op.object = (uint8_t)(M + roll(2));
    else if (op.kind == SIM_CREATE)
        op.value = (int)(body + 1); /* a later one: there is no end otherwise */
    else if (op.kind == SIM_UNLESS)
        op.skip = (int)roll(2);
    else if (op.kind == SIM_YIELD)
        op.object = 0;
    return op;
}

/* Locks are given back by whoever does it, and threads wait for signals that may not come: the runs
 * end well, in a deadlock, or with waiting threads. */
static void make_program(uint64_t seed)
{
    uint32_t bodies = 2;

    dice = seed * 2 + 1;
    roll(2);
    bodies += roll(4);
    memset(&program, 0, sizeof(program));
    for (uint32_t body = 0; body < bodies; body++) {
        uint32_t count = 3 + roll(10), at = 0;

        for (uint32_t i = 0; i < count; i++) {
            struct sim_op op = random_op(body);

            if (op.kind == SIM_CREATE && body + 1 >= bodies)
                op = (struct sim_op){SIM_JOIN, 0, 1, 0, 0};
            program.bodies[body][at++] = op;
            if (op.kind == SIM_LOCK && roll(3) == 0)
                program.bodies[body][at++] = (struct sim_op){SIM_WAIT, C, op.object, 0, 0};
        }
        program.starts[program.count++] = body;
    }
}

static void make_plan(struct darn_plan *plan, uint32_t kind, uint64_t seed)
{
    memset(plan, 0, sizeof(*plan));
    plan->kind = kind;
    plan->seed = seed;
    plan->depth = 1 + roll(4);
    plan->length = 10 + roll(40);
    plan->aim_count = roll(6);
    for (uint32_t i = 0; i < plan->aim_count; i++) {
        plan->aims[i].kind = DARN_AIM_HOLD + roll(DARN_AIM_BACK);
        plan->aims[i].place = SIM_PLACE(roll(3), roll(8));
        plan->aims[i].other = roll(2) ? roll(3) : SIM_PLACE(roll(3), roll(8));
    }
    for (uint32_t i = 0; i < 4; i++)
        plan->expected[i] = roll(20);
}

static const uint32_t kinds[] = {
    DARN_STRATEGY_STRAIGHT, DARN_STRATEGY_RANDOM, DARN_STRATEGY_PCT,  DARN_STRATEGY_POS,
    DARN_STRATEGY_SURW,     DARN_STRATEGY_AIM,    DARN_STRATEGY_RACE, DARN_STRATEGY_TRIPLE,
    DARN_STRATEGY_QUAD,     DARN_STRATEGY_DELAY,
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void assert_same_run(void)
{
    assert_int_equal(again->step_count, s->step_count);
    for (uint32_t i = 0; i < s->step_count; i++) {
        assert_int_equal(again->steps[i].thread, s->steps[i].thread);
        assert_int_equal(again->steps[i].op, s->steps[i].op);
        assert_int_equal(again->steps[i].place, s->steps[i].place);
    }
    assert_memory_equal(again->memory, s->memory, sizeof(s->memory));
    assert_int_equal(again->deadlock, s->deadlock);
    assert_int_equal(again->locked, s->locked);
}

static bool has_wakes(void)
{
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].op == DARN_STEP_WAKE)
            return true;
    return false;
}

/* ---- the properties ---- */

static void same_seed_same_run(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < PROGRAMS / 3; number++) {
        for (size_t k = 0; k < KINDS; k++) {
            struct darn_plan plan;

            make_program(number);
            make_plan(&plan, kinds[k], number + 1);
            sim_run(s, &program, &plan, NULL, NULL);
            sim_run(again, &program, &plan, NULL, NULL);
            assert_same_run();
            assert_int_equal(again->met_count, s->met_count);
        }
    }
}

static void follow_brings_back_every_run(void **state)
{
    uint32_t deadlocks = 0, wakes = 0, ends = 0;

    (void)state;
    for (uint64_t number = 0; number < PROGRAMS; number++) {
        for (size_t k = 0; k < KINDS; k++) {
            struct darn_plan plan, follow = {.kind = DARN_STRATEGY_FOLLOW};

            make_program(number);
            make_plan(&plan, kinds[k], number + 1);
            sim_run(s, &program, &plan, NULL, NULL);
            assert_false(s->too_long);
            follow.step_count = s->step_count;
            sim_run(again, &program, &follow, s->steps, NULL);
            assert_int_equal(again->met_count, 0);
            assert_same_run();
            deadlocks += s->deadlock;
            ends += !s->deadlock;
            wakes += has_wakes();
        }
    }
    /* The programs are worth it. */
    assert_true(deadlocks > 100 && ends > 100 && wakes > 100);
}

/* Each decision as a switch, whether STRAIGHT would have made it or not. */
static uint32_t write_script(void)
{
    uint32_t count = 0, last = 0, own = 0;

    for (uint32_t i = 0; i < s->step_count; i++) {
        bool wakes = s->steps[i].op == DARN_STEP_WAKE;

        if (i > 0)
            switches[count++] = (struct darn_switch){
                .thread = last, .own = own + !wakes, .to = s->steps[i].thread, .wakes = wakes};
        else
            /* The first decision is that of T0, which has not run yet. */
            switches[count++] = (struct darn_switch){.to = s->steps[i].thread};
        if (!wakes) {
            last = s->steps[i].thread;
            own = s->owns[i];
        }
    }
    return count;
}

/* In the order of time, or in any other. */
static void shuffle(uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = roll(i);
        struct darn_switch kept = switches[i - 1];

        switches[i - 1] = switches[other];
        switches[other] = kept;
    }
}

static void script_brings_back_every_run(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < PROGRAMS; number++) {
        for (size_t k = 0; k < KINDS; k++) {
            struct darn_plan plan, script = {.kind = DARN_STRATEGY_SCRIPT};

            make_program(number);
            make_plan(&plan, kinds[k], number + 1);
            sim_run(s, &program, &plan, NULL, NULL);
            if (s->step_count == 0 || s->steps[0].thread != 0)
                continue; /* nobody ran before, so nobody gives way */
            script.switch_count = write_script();
            if (number % 2)
                shuffle(script.switch_count);
            sim_run(again, &program, &script, NULL, switches);
            assert_same_run();
        }
    }
}

static void script_without_switches_goes_straight(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 50; number++) {
        struct darn_plan straight = {.kind = DARN_STRATEGY_STRAIGHT};
        struct darn_plan script = {.kind = DARN_STRATEGY_SCRIPT};

        make_program(number);
        sim_run(s, &program, &straight, NULL, NULL);
        sim_run(again, &program, &script, NULL, NULL);
        assert_same_run();
    }
}

static void a_switch_that_is_not_possible_is_ignored(void **state)
{
    static const struct sim_program two = {
        .bodies = {{PUT(X, 1), PUT(X, 2), PUT(X, 3)}, {PUT(Y, 1), PUT(Y, 2)}},
        .starts = {0, 1},
        .count = 2,
    };
    static const struct darn_switch script[] = {
        {0, 1, 7, 0}, {0, 2, 1, 1}, {1, 9, 0, 0}, {0, 2, 1, 0}, {1, 1, 0, 0}};
    static const uint32_t threads[] = {0, 0, 1, 0, 0, 1, 1};
    struct darn_plan plan = {.kind = DARN_STRATEGY_SCRIPT, .switch_count = 5};

    (void)state;
    sim_run(s, &two, &plan, NULL, script);
    assert_int_equal(s->step_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(s->steps[i].thread, threads[i]);
}

/* ---- when it cannot be followed ---- */

static const struct sim_program before = {
    .bodies = {{PUT(X, 1), PUT(X, 2), PUT(X, 3)}, {PUT(Y, 1), PUT(Y, 2)}},
    .starts = {0, 1},
    .count = 2,
};

static void record(void)
{
    struct darn_plan plan = {.kind = DARN_STRATEGY_RANDOM, .seed = 3};

    sim_run(s, &before, &plan, NULL, NULL);
}

static void follow_notices_another_operation(void **state)
{
    struct darn_plan follow = {.kind = DARN_STRATEGY_FOLLOW};
    struct sim_program changed = before;
    uint32_t at = 0;

    (void)state;
    record();
    follow.step_count = s->step_count;
    changed.bodies[1][1].kind = SIM_GET;
    sim_run(again, &changed, &follow, s->steps, NULL);
    assert_int_equal(sim_mets(again, DARN_MET_DIVERGED), 1);
    while (s->steps[at].place != SIM_PLACE(1, 1))
        at++;
    assert_int_equal(again->mets[0].a.thread, 1);
    assert_int_equal(again->mets[0].picked, 1);
    assert_int_equal(again->steps[at].op, DARN_STEP_READ);
}

static void follow_notices_another_place(void **state)
{
    struct darn_plan follow = {.kind = DARN_STRATEGY_FOLLOW};
    struct sim_program changed = before;

    (void)state;
    record();
    follow.step_count = s->step_count;
    changed.bodies[0][2].place = 4711;
    sim_run(again, &changed, &follow, s->steps, NULL);
    assert_int_equal(sim_mets(again, DARN_MET_DIVERGED), 1);
}

static void follow_notices_a_thread_that_is_not_there(void **state)
{
    struct darn_plan follow = {.kind = DARN_STRATEGY_FOLLOW};
    struct sim_program changed = before;

    (void)state;
    record();
    follow.step_count = s->step_count;
    changed.count = 1;
    sim_run(again, &changed, &follow, s->steps, NULL);
    assert_true(sim_mets(again, DARN_MET_DIVERGED) >= 1);
    assert_false(again->too_long);
}

static void after_the_last_step_follow_goes_straight(void **state)
{
    struct darn_plan follow = {.kind = DARN_STRATEGY_FOLLOW, .step_count = 1};
    static const uint32_t threads[] = {1, 1, 1, 0, 0, 0, 0};
    struct darn_step step = {.thread = 1, .op = DARN_STEP_WRITE, .place = SIM_PLACE(1, 0)};

    (void)state;
    sim_run(s, &before, &follow, &step, NULL);
    assert_int_equal(s->met_count, 0);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(s->steps[i].thread, threads[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_run),
        cmocka_unit_test(follow_brings_back_every_run),
        cmocka_unit_test(script_brings_back_every_run),
        cmocka_unit_test(script_without_switches_goes_straight),
        cmocka_unit_test(a_switch_that_is_not_possible_is_ignored),
        cmocka_unit_test(follow_notices_another_operation),
        cmocka_unit_test(follow_notices_another_place),
        cmocka_unit_test(follow_notices_a_thread_that_is_not_there),
        cmocka_unit_test(after_the_last_step_follow_goes_straight),
    };

    return cmocka_run_group_tests(tests, set_up_two, tear_down_two);
}
