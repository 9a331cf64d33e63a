/* The plain strategies, what conflicts and what races, and that nothing goes on for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "strategy_stage.h"

enum { X = 1, Y, Z, M };

static void run(const struct sim_program *program, enum darn_strategy_kind kind, uint64_t seed)
{
    struct darn_plan plan = {.kind = (uint32_t)kind, .seed = seed, .depth = 3, .length = 30};

    sim_run(s, program, &plan, NULL, NULL);
}

/* ---- what conflicts ---- */

static struct darn_choice access(uint32_t thread, enum darn_step_op op, uint64_t at, uint32_t size)
{
    return (struct darn_choice){
        .thread = thread, .op = (uint8_t)op, .object = at, .size = size, .atomic = false};
}

static bool race(struct darn_choice a, struct darn_choice b)
{
    bool answer = darn_choices_race(&a, &b);

    assert_int_equal(answer, darn_choices_race(&b, &a));
    return answer;
}

static bool conflict(struct darn_choice a, struct darn_choice b)
{
    bool answer = darn_choices_conflict(&a, &b);

    assert_int_equal(answer, darn_choices_conflict(&b, &a));
    return answer;
}

static void accesses_race_when_they_overlap_and_one_writes(void **state)
{
    (void)state;
    assert_true(race(access(1, DARN_STEP_WRITE, 100, 4), access(2, DARN_STEP_READ, 100, 4)));
    assert_true(race(access(1, DARN_STEP_WRITE, 100, 4), access(2, DARN_STEP_WRITE, 103, 1)));
    assert_true(race(access(1, DARN_STEP_READ, 96, 8), access(2, DARN_STEP_UPDATE, 100, 4)));
    assert_false(race(access(1, DARN_STEP_READ, 100, 4), access(2, DARN_STEP_READ, 100, 4)));
    assert_false(race(access(1, DARN_STEP_WRITE, 100, 4), access(2, DARN_STEP_WRITE, 104, 4)));
    assert_false(race(access(1, DARN_STEP_WRITE, 100, 4), access(2, DARN_STEP_WRITE, 96, 4)));
    assert_false(race(access(1, DARN_STEP_WRITE, 100, 4), access(1, DARN_STEP_WRITE, 100, 4)));
}

static void atomics_race_only_with_plain_accesses(void **state)
{
    struct darn_choice atomic = access(1, DARN_STEP_UPDATE, 100, 4);
    struct darn_choice other = access(2, DARN_STEP_WRITE, 100, 4);

    (void)state;
    atomic.atomic = true;
    assert_true(race(atomic, other));
    other.atomic = true;
    assert_false(race(atomic, other));
    assert_true(conflict(atomic, other));
}

static void a_free_races_with_accesses_to_its_block(void **state)
{
    (void)state;
    assert_true(race(access(1, DARN_STEP_FREE, 100, 32), access(2, DARN_STEP_READ, 120, 4)));
    assert_false(race(access(1, DARN_STEP_FREE, 100, 32), access(2, DARN_STEP_READ, 132, 4)));
}

static struct darn_choice call(uint32_t thread, enum darn_step_op op, uint64_t object,
                               uint64_t used)
{
    struct darn_choice choice = access(thread, op, object, 8);

    choice.used = used;
    return choice;
}

static void the_end_of_an_object_races_with_its_use(void **state)
{
    struct darn_choice lock = call(2, DARN_STEP_LOCK, 100, 100);
    struct darn_choice waiting = call(2, DARN_STEP_BARRIER, 100, 0);

    (void)state;
    assert_true(race(call(1, DARN_STEP_DESTROY, 100, 100), lock));
    assert_true(race(access(1, DARN_STEP_FREE, 64, 64), lock));
    assert_false(race(access(1, DARN_STEP_FREE, 64, 36), lock));
    assert_false(race(call(1, DARN_STEP_DESTROY, 108, 108), lock));
    assert_false(race(call(1, DARN_STEP_DESTROY, 100, 100), waiting));
    assert_false(race(call(1, DARN_STEP_DESTROY, 100, 100), call(2, DARN_STEP_DESTROY, 100, 100)));
    assert_false(race(access(1, DARN_STEP_WRITE, 100, 8), lock));
    assert_true(race(call(1, DARN_STEP_CLOSE, 200, 200), call(2, DARN_STEP_USE, 200, 200)));
    assert_true(race(call(1, DARN_STEP_CLOSE, 200, 200), call(2, DARN_STEP_CLOSE, 200, 200)));
    assert_false(race(call(1, DARN_STEP_USE, 200, 200), call(2, DARN_STEP_USE, 200, 200)));
    assert_false(conflict(call(1, DARN_STEP_USE, 200, 200), call(2, DARN_STEP_USE, 200, 200)));
}

/* The object of all of them is the world. */
static void file_descriptors_are_told_apart(void **state)
{
    struct darn_choice sends = call(2, DARN_STEP_CALL, 8, 160);

    (void)state;
    assert_true(race(call(1, DARN_STEP_CLOSE, 8, 160), sends));
    assert_false(race(call(1, DARN_STEP_CLOSE, 8, 176), sends));
    assert_false(race(call(1, DARN_STEP_CLOSE, 8, 160), call(2, DARN_STEP_CLOSE, 8, 160)));
    assert_true(conflict(call(1, DARN_STEP_CLOSE, 8, 176), sends));
}

static void synchronization_conflicts_but_never_races(void **state)
{
    (void)state;
    assert_true(conflict(access(1, DARN_STEP_LOCK, 100, 0), access(2, DARN_STEP_LOCK, 100, 0)));
    assert_true(conflict(access(1, DARN_STEP_EXIT, 100, 0), access(2, DARN_STEP_JOIN, 100, 0)));
    assert_false(race(access(1, DARN_STEP_LOCK, 100, 0), access(2, DARN_STEP_LOCK, 100, 0)));
    assert_false(conflict(access(1, DARN_STEP_LOCK, 100, 0), access(2, DARN_STEP_LOCK, 101, 0)));
    assert_false(conflict(access(1, DARN_STEP_JOIN, 100, 0), access(2, DARN_STEP_JOIN, 100, 0)));
    assert_false(conflict(access(1, DARN_STEP_YIELD, 0, 0), access(2, DARN_STEP_YIELD, 0, 0)));
}

/* ---- the walks ---- */

static void straight_never_preempts(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), LOCK(M), PUT(X, 2), UNLOCK(M), PUT(X, 3)},
                   {LOCK(M), PUT(Y, 1), CREATE(0), PUT(Y, 2), UNLOCK(M)}},
        .starts = {1, 0, 1},
        .count = 3,
    };
    static const uint32_t threads[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};

    (void)state;
    run(&program, DARN_STRATEGY_STRAIGHT, 1);
    assert_false(s->deadlock);
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
        assert_int_equal(s->steps[i].thread, threads[i]);
}

static void random_walk_is_uniform(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1)}},
        .starts = {0, 0, 0, 0, 0},
        .count = 5,
    };
    uint32_t first[5] = {0}, second[5] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 10000; seed++) {
        run(&program, DARN_STRATEGY_RANDOM, seed);
        first[s->steps[0].thread]++;
        second[s->steps[1].thread]++;
    }
    for (int i = 0; i < 5; i++) { /* 2000 are expected, with a deviation of 40 */
        assert_in_range(first[i], 1840, 2160);
        assert_in_range(second[i], 1840, 2160);
    }
}

/* The situation is made by hand: who has yielded must wait for the others. */
static void random_walk_is_uniform_among_those_that_did_not_yield(void **state)
{
    struct darn_choice choices[4] = {{.thread = 0, .slot = 0},
                                     {.thread = 1, .slot = 1, .yielded = true},
                                     {.thread = 2, .slot = 2},
                                     {.thread = 3, .slot = 3}};
    struct darn_situation now = {.choices = choices, .count = 4, .current = 1};
    struct darn_plan plan = {.kind = DARN_STRATEGY_RANDOM, .seed = 7};
    static struct darn_strategy strategy;
    struct darn_met met;
    uint32_t times[4] = {0};

    (void)state;
    darn_strategy_start(&strategy, &plan, NULL, NULL);
    for (int i = 0; i < 6000; i++)
        times[darn_strategy_pick(&strategy, &now, &met)]++;
    assert_int_equal(times[1], 0);
    for (int i = 0; i < 4; i++)
        if (i != 1)
            assert_in_range(times[i], 1850, 2150);
    for (int i = 0; i < 4; i++) {
        choices[i].yielded = true;
        times[i] = 0;
    }
    for (int i = 0; i < 8000; i++)
        times[darn_strategy_pick(&strategy, &now, &met)]++;
    for (int i = 0; i < 4; i++)
        assert_in_range(times[i], 1850, 2150);
}

/* A loop whose accesses are thinned makes ever fewer steps: counted one by one its thread would go
 * on for twice as long each time. */
static void steps_that_stand_for_many_accesses_wear_patience_out(void **state)
{
    static struct darn_strategy strategy;
    struct darn_choice choices[2] = {{.thread = 0, .slot = 0, .op = DARN_STEP_READ},
                                     {.thread = 1, .slot = 1, .op = DARN_STEP_READ}};
    struct darn_plan plan = {.kind = DARN_STRATEGY_STRAIGHT};
    uint32_t picks[2] = {0, 0};

    (void)state;
    for (uint32_t way = 0; way < 2; way++) {
        struct darn_situation now = {.choices = choices, .count = 2, .thinned = way ? 10 : 0};
        struct darn_met met;

        memset(&strategy, 0, sizeof(strategy));
        darn_strategy_start(&strategy, &plan, NULL, NULL);
        while (darn_strategy_pick(&strategy, &now, &met) == 0)
            picks[way]++;
    }
    assert_true(picks[0] > 5000);
    assert_in_range(picks[1], picks[0] / 1024, picks[0] / 1024 + 1);
}

/* ---- delays ---- */

static void a_delayed_run_loses_an_update(void **state)
{
    static const struct sim_program program = {
        .bodies = {{CREATE(1), CREATE(1), CREATE(1), JOIN(1), JOIN(2), JOIN(3)},
                   {GET(X), ADD(X, 1)}},
        .starts = {0},
        .count = 1,
    };

    (void)state;
    run(&program, DARN_STRATEGY_STRAIGHT, 1);
    assert_int_equal(s->memory[X], 3);
    run(&program, DARN_STRATEGY_DELAY, 1);
    assert_int_equal(s->memory[X], 1);
}

static void a_delayed_run_comes_between_two_critical_sections(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(M), GET(X), UNLOCK(M), LOCK(M), ADD(X, 1), UNLOCK(M)}},
        .starts = {0, 0},
        .count = 2,
    };

    (void)state;
    run(&program, DARN_STRATEGY_STRAIGHT, 1);
    assert_int_equal(s->memory[X], 2);
    run(&program, DARN_STRATEGY_DELAY, 1);
    assert_int_equal(s->memory[X], 1);
}

static void a_delayed_run_deadlocks_where_it_can(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(M), LOCK(X), UNLOCK(X), UNLOCK(M)},
                   {LOCK(X), LOCK(M), UNLOCK(M), UNLOCK(X)}},
        .starts = {0, 1},
        .count = 2,
    };

    (void)state;
    run(&program, DARN_STRATEGY_DELAY, 1);
    assert_true(s->deadlock);
}

/* A loop is not interrupted in each round. */
static void a_delayed_run_waits_once_at_each_place(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(X), ADD(X, 1), GET(X), UNLESS(30, -3)}},
        .starts = {0, 0},
        .count = 2,
    };
    uint32_t switches = 0;

    (void)state;
    run(&program, DARN_STRATEGY_DELAY, 1);
    for (uint32_t i = 1; i < s->step_count; i++)
        switches += s->steps[i].thread != s->steps[i - 1].thread;
    assert_in_range(switches, 2, 8);
}

/* ---- nothing goes on for ever ---- */

/* All but the ones that follow somebody else's steps; STRAIGHT stands for those. */
static const enum darn_strategy_kind own_minded[] = {
    DARN_STRATEGY_STRAIGHT, DARN_STRATEGY_RANDOM, DARN_STRATEGY_PCT,   DARN_STRATEGY_POS,
    DARN_STRATEGY_SURW,     DARN_STRATEGY_SCRIPT, DARN_STRATEGY_AIM,   DARN_STRATEGY_RACE,
    DARN_STRATEGY_TRIPLE,   DARN_STRATEGY_QUAD,   DARN_STRATEGY_DELAY,
};

/* Whatever the aims hold back: the write that the others wait for is at PUT_FLAG. */
#define PUT_FLAG SIM_PLACE(1, 5)

static uint32_t longest(const struct sim_program *program, enum darn_strategy_kind kind)
{
    static const enum darn_aim_kind kinds[] = {DARN_AIM_HOLD, DARN_AIM_FIRST, DARN_AIM_SECOND};
    uint32_t most = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct darn_plan plan = {
            .kind = (uint32_t)kind, .seed = seed, .depth = 3, .length = 30, .aim_count = 1};

        plan.aims[0] = (struct darn_aim){.kind = kinds[seed % 3], .place = PUT_FLAG};
        plan.depth = seed % 2 ? 3 : 0;
        sim_run(s, program, &plan, NULL, NULL);
        assert_false(s->too_long);
        assert_false(s->deadlock);
        assert_int_equal(s->memory[X], 1);
        if (s->step_count > most)
            most = s->step_count;
    }
    return most;
}

static void threads_that_yield_let_others_go_on(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(X), UNLESS(1, 1), JUMP(2), YIELD, JUMP(-5)},
                   {GET(Y), GET(Y), GET(Y), GET(Y), GET(Y), PUT(X, 1), GET(Y)}},
        .starts = {0, 0, 1, 0},
        .count = 4,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(own_minded) / sizeof(own_minded[0]); i++)
        assert_true(longest(&program, own_minded[i]) < 1500);
}

/* They do not even yield, and get to know by a lock that they still have to wait. */
static void threads_that_wait_in_a_loop_do_not_wait_for_ever(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(M), GET(X), UNLOCK(M), UNLESS(1, -4)},
                   {GET(Y), GET(Y), GET(Y), GET(Y), GET(Y), PUT(X, 1), GET(Y)}},
        .starts = {0, 1, 0},
        .count = 3,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(own_minded) / sizeof(own_minded[0]); i++)
        assert_true(longest(&program, own_minded[i]) < 35000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_race_when_they_overlap_and_one_writes),
        cmocka_unit_test(atomics_race_only_with_plain_accesses),
        cmocka_unit_test(a_free_races_with_accesses_to_its_block),
        cmocka_unit_test(the_end_of_an_object_races_with_its_use),
        cmocka_unit_test(file_descriptors_are_told_apart),
        cmocka_unit_test(synchronization_conflicts_but_never_races),
        cmocka_unit_test(straight_never_preempts),
        cmocka_unit_test(random_walk_is_uniform),
        cmocka_unit_test(random_walk_is_uniform_among_those_that_did_not_yield),
        cmocka_unit_test(steps_that_stand_for_many_accesses_wear_patience_out),
        cmocka_unit_test(a_delayed_run_loses_an_update),
        cmocka_unit_test(a_delayed_run_comes_between_two_critical_sections),
        cmocka_unit_test(a_delayed_run_deadlocks_where_it_can),
        cmocka_unit_test(a_delayed_run_waits_once_at_each_place),
        cmocka_unit_test(threads_that_yield_let_others_go_on),
        cmocka_unit_test(threads_that_wait_in_a_loop_do_not_wait_for_ever),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
