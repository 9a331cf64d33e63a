/* QUAD: four accesses of two threads come about in the order of the aims, in either of its two
 * forms, and are never told of where they are not two conflicts in opposite directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "strategy_stage.h"

enum { X = 1, Y, Z, L, M };

static void run(const struct sim_program *program, const struct darn_plan *base, uint64_t seed)
{
    struct darn_plan plan = *base;

    plan.seed = seed;
    sim_run(s, program, &plan, NULL, NULL);
    assert_false(s->too_long);
    assert_false(s->deadlock);
}

static uint32_t when(uint64_t place)
{
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].place == place)
            return i;
    return UINT32_MAX;
}

/* `third` is DARN_AIM_THIRD or DARN_AIM_BACK. */
static struct darn_plan quad(enum darn_aim_kind third, const uint64_t places[4])
{
    const enum darn_aim_kind kinds[4] = {DARN_AIM_FIRST, DARN_AIM_SECOND, third, DARN_AIM_FOURTH};
    struct darn_plan plan = {.kind = DARN_STRATEGY_QUAD, .aim_count = 4};

    for (int i = 0; i < 4; i++)
        plan.aims[i] = (struct darn_aim){.kind = kinds[i], .place = places[i]};
    return plan;
}

/* The places came in this order, and were told of with the last one. */
static void assert_met(const uint64_t places[4], uint32_t slot)
{
    assert_int_equal(s->met_count, 1);
    assert_int_equal(s->mets[0].met.kind, DARN_MET_QUAD);
    assert_int_equal(s->mets[0].a.place, places[3]);
    assert_int_equal(s->mets[0].met.thread, slot);
    for (int i = 0; i < 3; i++)
        assert_true(when(places[i]) < when(places[i + 1]));
}

/* The range whose ends are set one after the other, and read together. */
static const struct sim_program torn = {
    .bodies = {{GET(Z), LOCK(L), PUT(X, 1), UNLOCK(L), GET(Z), LOCK(L), PUT(Y, 1), UNLOCK(L)},
               {GET(Z), LOCK(L), GET(X), GET(Y), UNLOCK(L)}},
    .starts = {0, 1},
    .count = 2,
};

static void a_reader_comes_between_two_writes(void **state)
{
    const uint64_t places[] = {SIM_PLACE(0, 2), SIM_PLACE(1, 2), SIM_PLACE(1, 3), SIM_PLACE(0, 6)};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places);
    uint32_t met = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&torn, &plan, seed);
        /* Unless the reader has the lock first. */
        if (!s->met_count)
            assert_true(when(places[1]) < when(places[0]));
        else
            assert_met(places, 0);
        met += s->met_count;
    }
    assert_true(met > 100);
}

static void both_in_one_section_each_are_never_met(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), PUT(X, 1), GET(Z), PUT(Y, 1), UNLOCK(L)},
                   {LOCK(L), GET(X), GET(Y), UNLOCK(L)}},
        .starts = {0, 1, 0, 1},
        .count = 4,
    };
    const uint64_t places[] = {SIM_PLACE(0, 1), SIM_PLACE(1, 1), SIM_PLACE(1, 2), SIM_PLACE(0, 3)};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places);

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, 0);
    }
}

/* One function reads, one writes, whichever variable it is: `get(x); set(y)` and `set(y); get(x)`.
 * The writes are in one order, and two reads are in none: first one thread, then the other. */
static void two_reads_are_no_conflict(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(X), GET(Z), PUT(Y, 1)}, {PUT(Y, 2), GET(Z), GET(X)}},
        .starts = {0, 1},
        .count = 2,
    };
    const uint64_t places[] = {SIM_PLACE(0, 0), SIM_PLACE(1, 0), SIM_PLACE(1, 2), SIM_PLACE(0, 2)};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places);
    uint32_t came = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        came += when(places[0]) < when(places[1]) && when(places[2]) < when(places[3]);
        assert_int_equal(s->met_count, 0);
    }
    assert_true(came > 0);
}

/* The threads come to the two variables in opposite orders. */
static const struct sim_program crossed = {
    .bodies = {{GET(Z), LOCK(L), PUT(X, 1), GET(Z), UNLOCK(L), GET(Z), LOCK(M), PUT(Y, 1),
                UNLOCK(M)},
               {GET(Z), LOCK(M), GET(Y), UNLOCK(M), GET(Z), LOCK(L), GET(X), UNLOCK(L)}},
    .starts = {0, 1},
    .count = 2,
};

static void two_that_overlap_are_met(void **state)
{
    const uint64_t places[] = {SIM_PLACE(0, 2), SIM_PLACE(1, 2), SIM_PLACE(0, 7), SIM_PLACE(1, 6)};
    struct darn_plan plan = quad(DARN_AIM_BACK, places);
    uint32_t met = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&crossed, &plan, seed);
        if (s->met_count)
            assert_met(places, 0);
        met += s->met_count;
    }
    assert_true(met > 180);
}

/* A: x y, B: x y, in the order x x y y: both conflicts have one direction. */
static void an_overlap_in_one_direction_is_no_quad(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(Z), PUT(X, 1), GET(Z), PUT(Y, 1)}, {GET(Z), GET(X), GET(Z), GET(Y)}},
        .starts = {0, 1},
        .count = 2,
    };
    const uint64_t places[] = {SIM_PLACE(0, 1), SIM_PLACE(1, 1), SIM_PLACE(0, 3), SIM_PLACE(1, 3)};
    struct darn_plan plan = quad(DARN_AIM_BACK, places);

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, 0);
    }
}

/* The same places, other memory. */
static void a_quad_is_about_the_same_memory(void **state)
{
    static const struct sim_program program = {
        .bodies = {{{SIM_PUT, X, 1, 0, 1}, {SIM_PUT, Y, 1, 0, 4}},
                   {{SIM_GET, X, 0, 0, 2}, {SIM_GET, Z, 0, 0, 3}}},
        .starts = {0, 1},
        .count = 2,
    };
    const uint64_t places[] = {1, 2, 3, 4};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places);

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, 0);
    }
}

/* All threads run the same code: the first and the second access are one place, and so are the
 * third and the fourth. */
static void threads_with_the_same_code_are_met(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(Z), PUT(X, 1), GET(Z), PUT(Y, 1), GET(Z)}},
        .starts = {0, 0, 0},
        .count = 3,
    };
    const uint64_t places[] = {SIM_PLACE(0, 1), SIM_PLACE(0, 1), SIM_PLACE(0, 3), SIM_PLACE(0, 3)};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places);

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_true(sim_mets(s, DARN_MET_QUAD) >= 1);
    }
}

/* The schedule of a run that has met it, followed with its aims, meets it again; and so tells a
 * plan with another strategy whose run happens to have it. */
static void a_replay_tells_of_it(void **state)
{
    static struct darn_step steps[SIM_STEPS];
    const uint64_t places[] = {SIM_PLACE(0, 2), SIM_PLACE(1, 2), SIM_PLACE(1, 3), SIM_PLACE(0, 6)};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places), random = plan;
    uint32_t met = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t count;

        run(&torn, &plan, seed);
        count = s->step_count;
        if (!s->met_count)
            continue;
        memcpy(steps, s->steps, count * sizeof(*steps));
        plan.kind = DARN_STRATEGY_FOLLOW;
        plan.step_count = count;
        sim_run(s, &torn, &plan, steps, NULL);
        assert_met(places, 0);
        plan.kind = DARN_STRATEGY_QUAD;
    }
    random.kind = DARN_STRATEGY_RANDOM;
    for (uint64_t seed = 0; seed < 500; seed++) {
        run(&torn, &random, seed);
        met += s->met_count;
    }
    assert_true(met > 10 && met < 490);
}

/* Threads that only wait for one that is held: it is let go. */
static void who_waits_for_a_held_thread_is_no_deadlock(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), PUT(Z, 1), PUT(Y, 1)},
                   {GET(Z), UNLESS(1, 1), JUMP(2), YIELD, JUMP(-5), GET(X), GET(Y)}},
        .starts = {0, 1},
        .count = 2,
    };
    const uint64_t places[] = {SIM_PLACE(0, 0), SIM_PLACE(1, 5), SIM_PLACE(1, 6), SIM_PLACE(0, 2)};
    struct darn_plan plan = quad(DARN_AIM_THIRD, places);

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        run(&program, &plan, seed);
        assert_met(places, 0);
    }
}

static struct darn_choice step_of(uint32_t thread, uint64_t place, uint64_t object)
{
    static uint32_t number;

    return (struct darn_choice){.thread = thread,
                                .slot = thread,
                                .own = ++number,
                                .op = DARN_STEP_WRITE,
                                .size = 4,
                                .object = object,
                                .place = place};
}

static uint32_t make(struct darn_strategy *strategy, const struct darn_choice *choice)
{
    struct darn_situation situation = {.choices = choice, .count = 1, .step = choice->own};
    struct darn_met met;

    assert_int_equal(darn_strategy_pick(strategy, &situation, &met), 0);
    return met.kind;
}

/* One step after the other, each the only choice: who, where, and about what. */
static uint32_t make_step(struct darn_strategy *strategy, uint32_t thread, uint64_t place,
                          uint64_t object)
{
    struct darn_choice choice = step_of(thread, place, object);

    return make(strategy, &choice);
}

enum { A_UNIT = 10, B_UNIT, OTHER, TOP = 1000 };

static void enter(struct darn_strategy *strategy, uint32_t thread, uint64_t place)
{
    darn_strategy_begin(strategy, thread, thread, &(struct darn_strategy_scope){place, 0, TOP});
}

static void leave(struct darn_strategy *strategy, uint32_t thread, uint64_t place)
{
    darn_strategy_end(strategy, thread, thread, &(struct darn_strategy_scope){place, 0, TOP});
}

static struct darn_strategy *start(const struct darn_plan *plan)
{
    struct darn_strategy *strategy = calloc(1, sizeof(*strategy));

    assert_non_null(strategy);
    darn_strategy_start(strategy, plan, NULL, NULL);
    return strategy;
}

/* The two accesses of a thread are of one execution of its function. */
static void the_end_of_a_function_ends_what_was_begun(void **state)
{
    const uint64_t places[] = {1, 2, 3, 4};

    (void)state;
    for (int ends = 0; ends < 4; ends++) {
        struct darn_plan plan = quad(DARN_AIM_THIRD, places);
        struct darn_strategy *strategy;

        plan.aims[plan.aim_count++] = (struct darn_aim){DARN_AIM_UNIT, 0, A_UNIT, 0};
        plan.aims[plan.aim_count++] = (struct darn_aim){DARN_AIM_REMOTE_UNIT, 0, B_UNIT, 0};
        strategy = start(&plan);
        assert_true(darn_strategy_wants_ends(strategy));
        enter(strategy, 0, A_UNIT);
        enter(strategy, 1, B_UNIT);
        assert_int_equal(make_step(strategy, 0, 1, 100), DARN_MET_NOTHING);
        assert_int_equal(make_step(strategy, 1, 2, 100), DARN_MET_NOTHING);
        if (ends == 1)
            leave(strategy, 1, B_UNIT);
        leave(strategy, 0, B_UNIT); /* another execution of it */
        assert_int_equal(make_step(strategy, 1, 3, 200), DARN_MET_NOTHING);
        leave(strategy, 1, B_UNIT); /* it has done its part */
        if (ends == 2)
            leave(strategy, 0, A_UNIT);
        if (ends == 3)
            leave(strategy, 1, A_UNIT); /* of another thread */
        assert_int_equal(make_step(strategy, 0, 4, 200),
                         ends == 1 || ends == 2 ? DARN_MET_NOTHING : DARN_MET_QUAD);
        free(strategy);
    }
}

static struct darn_plan triple(enum darn_aim_kind kind, uint64_t place)
{
    return (struct darn_plan){.kind = DARN_STRATEGY_TRIPLE,
                              .aim_count = 4,
                              .aims = {{DARN_AIM_FIRST, 0, 1, 0},
                                       {DARN_AIM_SECOND, 0, 2, 0},
                                       {DARN_AIM_THIRD, 0, 3, 0},
                                       {kind, 0, place, 0}}};
}

/* What a thread does in a function, or around it, between the first access and the last one. */
static void a_triple_is_of_one_execution(void **state)
{
    static const struct {
        const char *before, *between; /* see below */
        bool is_met;
    } cases[] = {
        {"(", "", true},     {"", "", false},   {"", "(", false},   {"(", ")", false},
        {"()", "", false},   {"(", "(", false}, {"(", ")(", false}, {"(", "[]", true},
        {"([]", "", true},   {"(", "[", true},  {"([", "]", true},  {"([", "])", false},
        {"(", "[])", false}, {"[", "(", false}, {"(", "o", true},   {"(", "w", false},
        {"(", "r", false},   {"(", "x", true},  {"x(", "", true},   {"w(", "", true},
        {"(", "b", false},   {"(", "j", false}, {"(", "c", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct darn_plan plan = triple(DARN_AIM_UNIT, A_UNIT);
        struct darn_strategy *strategy = start(&plan);

        for (int part = 0; part < 2; part++) {
            for (const char *at = part ? cases[i].between : cases[i].before; *at; at++) {
                struct darn_strategy_scope scope = {A_UNIT, 0, *at == '[' ? TOP - 64 : TOP};
                struct darn_choice other = step_of(0, OTHER, 0);

                other.op = *at == 'w'   ? DARN_STEP_TAKE
                           : *at == 'b' ? DARN_STEP_BARRIER
                           : *at == 'j' ? DARN_STEP_JOIN
                           : *at == 'c' ? DARN_STEP_CREATE
                                        : DARN_STEP_UNLOCK;
                other.received = *at == 'r';
                if (*at == '(' || *at == '[') /* recursion is deeper in the stack */
                    darn_strategy_begin(strategy, 0, 0, &scope);
                else if (*at == ')' || *at == ']')
                    darn_strategy_end(strategy, 0, 0, &scope);
                else if (*at == 'x') /* another function */
                    leave(strategy, 0, OTHER);
                else
                    (void)make(strategy, &other);
            }
            if (!part)
                (void)make_step(strategy, 0, 1, 100);
        }
        (void)make_step(strategy, 1, 2, 100);
        if (make_step(strategy, 0, 3, 100) !=
            (cases[i].is_met ? DARN_MET_TRIPLE : DARN_MET_NOTHING))
            fail_msg("case %zu", i);
        free(strategy);
    }
}

/* The record where a block ends is not that of its beginning; but it names the variable. */
static void a_block_ends_by_its_variable(void **state)
{
    (void)state;
    for (uint64_t variable = 7; variable < 9; variable++) {
        struct darn_plan plan = triple(DARN_AIM_UNIT, A_UNIT);
        struct darn_strategy *strategy = start(&plan);

        darn_strategy_begin(strategy, 0, 0, &(struct darn_strategy_scope){A_UNIT, 7, TOP});
        (void)make_step(strategy, 0, 1, 100);
        darn_strategy_end(strategy, 0, 0, &(struct darn_strategy_scope){OTHER, variable, TOP});
        (void)make_step(strategy, 1, 2, 100);
        assert_int_equal(make_step(strategy, 0, 3, 100),
                         variable == 7 ? DARN_MET_NOTHING : DARN_MET_TRIPLE);
        free(strategy);
    }
}

/* A critical section is over when no lock is held any more. */
static void a_section_ends_with_its_last_lock(void **state)
{
    (void)state;
    for (uint8_t held = 0; held < 3; held++) {
        for (uint8_t later = 0; later < 2; later++) {
            struct darn_plan plan = triple(DARN_AIM_SECTION, 1);
            struct darn_strategy *strategy = start(&plan);
            struct darn_choice choice = step_of(0, 1, 100);

            choice.locks = held;
            (void)make(strategy, &choice);
            choice = step_of(0, OTHER, 0);
            choice.op = DARN_STEP_LOCK;
            choice.locks = later;
            (void)make(strategy, &choice);
            (void)make_step(strategy, 1, 2, 100);
            choice = step_of(0, 3, 100);
            choice.locks = 1;
            assert_int_equal(make(strategy, &choice),
                             held && later ? DARN_MET_TRIPLE : DARN_MET_NOTHING);
            free(strategy);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_comes_between_two_writes),
        cmocka_unit_test(both_in_one_section_each_are_never_met),
        cmocka_unit_test(two_that_overlap_are_met),
        cmocka_unit_test(two_reads_are_no_conflict),
        cmocka_unit_test(an_overlap_in_one_direction_is_no_quad),
        cmocka_unit_test(a_quad_is_about_the_same_memory),
        cmocka_unit_test(threads_with_the_same_code_are_met),
        cmocka_unit_test(a_replay_tells_of_it),
        cmocka_unit_test(the_end_of_a_function_ends_what_was_begun),
        cmocka_unit_test(a_triple_is_of_one_execution),
        cmocka_unit_test(a_block_ends_by_its_variable),
        cmocka_unit_test(a_section_ends_with_its_last_lock),
        cmocka_unit_test(who_waits_for_a_held_thread_is_no_deadlock),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
