/* AIM and TRIPLE: who is held back, what is brought about by that, and that it never is in a
 * program in which it cannot be. */
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
}

/* In how many of the runs the program fails. */
static uint32_t failures(const struct sim_program *program, const struct darn_plan *plan,
                         uint64_t seeds)
{
    uint32_t failed = 0;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        run(program, plan, seed);
        failed += s->failed;
    }
    return failed;
}

/* The step at which the place comes, or UINT32_MAX. */
static uint32_t when(uint64_t place)
{
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].place == place)
            return i;
    return UINT32_MAX;
}

/* ---- holds ---- */

static void a_held_place_comes_last(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), PUT(X, 2)}, {GET(Y), GET(Y), GET(Y), GET(Y)}},
        .starts = {0, 1, 1, 1},
        .count = 4,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_HOLD, .place = SIM_PLACE(0, 1)};
    for (uint64_t seed = 0; seed < 50; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(when(SIM_PLACE(0, 1)), s->step_count - 2);
    }
}

/* The shape of `reorder` with 100 threads: setters make a 1 and then b 1; the checker fails if it
 * sees one without the other. POS alone hardly ever gets a checker between them. */
static void one_hold_reorders_a_hundred_threads(void **state)
{
    static struct sim_program program = {
        .bodies = {{PUT(X, 1), PUT(Y, 1)}, {GET(X), UNLESS(1, 3), GET(Y), UNLESS(0, 1), FAIL}},
        .starts = {1},
        .count = 100,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};
    uint32_t alone;

    (void)state;
    alone = failures(&program, &(struct darn_plan){.kind = DARN_STRATEGY_POS}, 40);
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_HOLD, .place = SIM_PLACE(0, 1)};
    assert_true(failures(&program, &plan, 40) > 15);
    assert_true(alone < 5);
}

static void holding_those_with_a_lock_closes_the_cycle(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), LOCK(M), UNLOCK(M), UNLOCK(L)},
                   {LOCK(M), LOCK(L), UNLOCK(L), UNLOCK(M)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 2};

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_HOLD_LOCKED, .place = SIM_PLACE(0, 1)};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_HOLD_LOCKED, .place = SIM_PLACE(1, 1)};
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_true(s->deadlock);
        assert_int_equal(s->locked, 2);
    }
}

/* At a place where the thread holds nothing yet, it is not held back. */
static void without_a_lock_nobody_is_held_locked(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), UNLOCK(L)}, {GET(Y), GET(Y), GET(Y), GET(Y), GET(Y)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};
    uint32_t early = 0;

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_HOLD_LOCKED, .place = SIM_PLACE(0, 0)};
    for (uint64_t seed = 0; seed < 100; seed++) {
        run(&program, &plan, seed);
        early += when(SIM_PLACE(0, 0)) == 0;
    }
    assert_in_range(early, 30, 70);
}

static void one_thread_can_be_held(void **state)
{
    static const struct sim_program program = {
        .bodies = {{PUT(X, 1), GET(Y)}},
        .starts = {0, 0, 0},
        .count = 3,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};

    (void)state;
    plan.aims[0] =
        (struct darn_aim){.kind = DARN_AIM_HOLD_ONE, .place = SIM_PLACE(0, 0), .other = 1};
    for (uint64_t seed = 0; seed < 50; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->steps[s->step_count - 3].thread, 1);
        assert_int_equal(s->steps[s->step_count - 3].op, DARN_STEP_WRITE);
    }
}

/* Two threads with three steps each at the place, and nobody else: each step is a release. */
static void a_hold_ends_after_so_many_releases(void **state)
{
    static const struct sim_program program = {
        .bodies = {{{SIM_PUT, X, 1, 0, 9}, {SIM_PUT, X, 1, 0, 9}, {SIM_PUT, X, 1, 0, 9}}},
        .starts = {0, 0},
        .count = 2,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .depth = 2, .aim_count = 1};

    (void)state;
    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_HOLD, .place = 9};
    for (uint64_t seed = 0; seed < 50; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->strategy->released, 2);
    }
    plan.depth = 0;
    run(&program, &plan, 1);
    assert_int_equal(s->strategy->released, 6);
}

/* ---- reads-from ---- */

/* A reader among writers; each write has a place of its own. */
static const struct sim_program writers = {
    .bodies = {{GET(Y), GET(X)}, {PUT(X, 1), PUT(X, 2), PUT(X, 3)}, {PUT(X, 4), PUT(X, 5)}},
    .starts = {0, 1, 2, 2},
    .count = 4,
};

/* The place of the last write before the read. */
static uint64_t seen_by(uint64_t read)
{
    uint64_t write = 0;

    for (uint32_t i = 0; i < s->step_count && s->steps[i].place != read; i++)
        if (s->steps[i].op == DARN_STEP_WRITE && s->steps[i].object == SIM_ADDRESS(X))
            write = s->steps[i].place;
    return write;
}

static void a_read_sees_the_write_that_it_shall(void **state)
{
    static const uint64_t writes[] = {SIM_PLACE(1, 0), SIM_PLACE(1, 1), SIM_PLACE(1, 2),
                                      SIM_PLACE(2, 0), SIM_PLACE(2, 1)};
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};

    (void)state;
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        plan.aims[0] = (struct darn_aim){DARN_AIM_READS, 0, SIM_PLACE(0, 1), writes[i]};
        for (uint64_t seed = 0; seed < 200; seed++) {
            run(&writers, &plan, seed);
            assert_int_equal(seen_by(SIM_PLACE(0, 1)), writes[i]);
        }
    }
}

/* What a lock forbids does not come, and the run goes on all the same. */
static void a_read_that_cannot_see_the_write_does_not_hang(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), GET(X), UNLOCK(L)}, {LOCK(L), PUT(X, 1), PUT(X, 2), UNLOCK(L)}},
        .starts = {0, 1, 1},
        .count = 3,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};

    (void)state;
    plan.aims[0] = (struct darn_aim){DARN_AIM_READS, 0, SIM_PLACE(0, 1), SIM_PLACE(1, 1)};
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_false(s->deadlock);
        assert_int_not_equal(seen_by(SIM_PLACE(0, 1)), SIM_PLACE(1, 1));
    }
}

static void a_read_of_the_initial_state_is_guarded(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(X), GET(Y)}, {PUT(X, 1), PUT(X, 2)}},
        .starts = {0, 1, 1, 1},
        .count = 4,
    };
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 1};

    (void)state;
    plan.aims[0] = (struct darn_aim){DARN_AIM_READS, 0, SIM_PLACE(0, 0), 0};
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(when(SIM_PLACE(0, 0)), 0);
    }
}

static void a_read_does_not_see_the_write_that_it_shall_not(void **state)
{
    struct darn_plan plan = {.kind = DARN_STRATEGY_AIM, .aim_count = 2};

    (void)state;
    plan.aims[0] = (struct darn_aim){DARN_AIM_READS_NOT, 0, SIM_PLACE(0, 1), 0};
    plan.aims[1] = (struct darn_aim){DARN_AIM_READS_NOT, 0, SIM_PLACE(0, 1), SIM_PLACE(1, 0)};
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&writers, &plan, seed);
        assert_int_not_equal(seen_by(SIM_PLACE(0, 1)), 0);
        assert_int_not_equal(seen_by(SIM_PLACE(0, 1)), SIM_PLACE(1, 0));
    }
}

/* ---- triples ---- */

static struct darn_plan triple(uint64_t first, uint64_t second, uint64_t third)
{
    struct darn_plan plan = {.kind = DARN_STRATEGY_TRIPLE, .aim_count = 3};

    plan.aims[0] = (struct darn_aim){.kind = DARN_AIM_FIRST, .place = first};
    plan.aims[1] = (struct darn_aim){.kind = DARN_AIM_SECOND, .place = second};
    plan.aims[2] = (struct darn_aim){.kind = DARN_AIM_THIRD, .place = third};
    return plan;
}

static void the_remote_access_is_forced_between(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(Z), GET(X), GET(Z), GET(Z), ADD(X, 1), GET(Z)},
                   {GET(Y), GET(Y), GET(Y), PUT(X, 5), GET(Y)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = triple(SIM_PLACE(0, 1), SIM_PLACE(1, 3), SIM_PLACE(0, 4));
    uint32_t at_once = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, 1);
        assert_int_equal(s->mets[0].met.kind, DARN_MET_TRIPLE);
        assert_int_equal(s->mets[0].a.place, SIM_PLACE(0, 4));
        assert_int_equal(s->mets[0].met.thread, 1);
        assert_int_equal(s->steps[s->mets[0].met.step].place, SIM_PLACE(1, 3));
        assert_int_equal(s->memory[X], 1);
        at_once += when(SIM_PLACE(0, 4)) == when(SIM_PLACE(1, 3)) + 1;
    }
    assert_in_range(at_once, 70, 130); /* then nobody is held any more */
}

/* `n++` in all threads: the remote write is made by the same code as the local one. */
static void an_increment_is_lost_in_every_run(void **state)
{
    static const struct sim_program program = {
        .bodies = {{GET(Y), GET(X), ADD(X, 1)}},
        .starts = {0, 0, 0},
        .count = 3,
    };
    struct darn_plan plan = triple(SIM_PLACE(0, 1), SIM_PLACE(0, 2), SIM_PLACE(0, 2));

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_true(sim_mets(s, DARN_MET_TRIPLE) >= 1);
        assert_true(s->memory[X] < 3);
    }
}

/* Each access has the lock, but the two are in sections of their own: nobody can stand at the
 * second one while the other thread is at the remote one. */
static void a_triple_across_two_sections_is_met(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), GET(X), UNLOCK(L), LOCK(L), ADD(X, 1), UNLOCK(L)},
                   {GET(Y), LOCK(L), PUT(X, 5), UNLOCK(L)}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = triple(SIM_PLACE(0, 1), SIM_PLACE(1, 2), SIM_PLACE(0, 4));
    uint32_t met = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, s->memory[X] == 1);
        if (!s->met_count)
            continue;
        met++;
        assert_int_equal(s->mets[0].met.kind, DARN_MET_TRIPLE);
        assert_int_equal(s->mets[0].a.place, SIM_PLACE(0, 4));
        assert_int_equal(s->mets[0].met.thread, 1);
        assert_int_equal(s->steps[s->mets[0].met.step].place, SIM_PLACE(1, 2));
    }
    /* Unless the remote thread has the lock first. */
    assert_true(met > 100);
}

/* The remote thread, once it has been let between the two sections, comes to another triple, for
 * which a third thread waits all the while. */
static void nobody_gives_up_waiting_as_long_as_a_remote_access_is_of_use(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), GET(X), UNLOCK(L), LOCK(L), ADD(X, 1), UNLOCK(L)},
                   {GET(Z), LOCK(L), PUT(X, 5), UNLOCK(L), {SIM_PUT, Y, 5, 0, SIM_PLACE(1, 2)}},
                   {{SIM_GET, Y, 0, 0, SIM_PLACE(0, 1)}, {SIM_ADD, Y, 1, 0, SIM_PLACE(0, 4)}}},
        .starts = {0, 1, 2},
        .count = 3,
    };
    struct darn_plan plan = triple(SIM_PLACE(0, 1), SIM_PLACE(1, 2), SIM_PLACE(0, 4));
    uint32_t met = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        if (s->memory[X] == 1) { /* the remote access came between the first two */
            met++;
            assert_int_equal(sim_mets(s, DARN_MET_TRIPLE), 2);
        }
    }
    assert_true(met > 100);
}

static void a_triple_in_one_section_is_never_met(void **state)
{
    static const struct sim_program program = {
        .bodies = {{LOCK(L), GET(X), GET(Z), ADD(X, 1), UNLOCK(L)},
                   {LOCK(L), PUT(X, 5), UNLOCK(L)}},
        .starts = {0, 1, 0, 1},
        .count = 4,
    };
    struct darn_plan plan = triple(SIM_PLACE(0, 1), SIM_PLACE(1, 1), SIM_PLACE(0, 3));

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, 0);
        assert_false(s->deadlock);
    }
}

/* The same places, other memory: no triple. */
static void a_triple_is_about_one_object(void **state)
{
    static const struct sim_program program = {
        .bodies = {{{SIM_GET, X, 0, 0, 1}, {SIM_ADD, X, 1, 0, 2}},
                   {{SIM_GET, Y, 0, 0, 1}, {SIM_ADD, Y, 1, 0, 2}},
                   {{SIM_GET, X, 0, 0, 1}, {SIM_ADD, Y, 1, 0, 3}}},
        .starts = {0, 1},
        .count = 2,
    };
    struct darn_plan plan = triple(1, 2, 2);

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run(&program, &plan, seed);
        assert_int_equal(s->met_count, 0);
    }
}

/* More threads between their accesses than are kept account of, and slots that are used again. */
static void a_hundred_threads_between_are_no_harm(void **state)
{
    static struct sim_program program = {
        .bodies = {{GET(X), ADD(X, 1), CREATE(1)}, {GET(X), ADD(X, 1)}},
        .count = 100,
    };
    struct darn_plan plan = triple(SIM_PLACE(0, 0), SIM_PLACE(0, 1), SIM_PLACE(0, 1));

    (void)state;
    plan.aims[plan.aim_count++] = (struct darn_aim){DARN_AIM_FIRST, 0, SIM_PLACE(1, 0), 0};
    plan.aims[plan.aim_count++] = (struct darn_aim){DARN_AIM_THIRD, 0, SIM_PLACE(1, 1), 0};
    for (uint64_t seed = 0; seed < 10; seed++) {
        run(&program, &plan, seed);
        assert_true(sim_mets(s, DARN_MET_TRIPLE) >= 1);
        assert_int_equal(s->made, 200);
        assert_false(s->deadlock);
        for (uint32_t i = 0; i < s->met_count; i++)
            assert_int_equal(s->mets[i].a.object, s->mets[i].b.object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_place_comes_last),
        cmocka_unit_test(one_hold_reorders_a_hundred_threads),
        cmocka_unit_test(holding_those_with_a_lock_closes_the_cycle),
        cmocka_unit_test(without_a_lock_nobody_is_held_locked),
        cmocka_unit_test(one_thread_can_be_held),
        cmocka_unit_test(a_hold_ends_after_so_many_releases),
        cmocka_unit_test(a_read_sees_the_write_that_it_shall),
        cmocka_unit_test(a_read_that_cannot_see_the_write_does_not_hang),
        cmocka_unit_test(a_read_of_the_initial_state_is_guarded),
        cmocka_unit_test(a_read_does_not_see_the_write_that_it_shall_not),
        cmocka_unit_test(the_remote_access_is_forced_between),
        cmocka_unit_test(an_increment_is_lost_in_every_run),
        cmocka_unit_test(a_triple_across_two_sections_is_met),
        cmocka_unit_test(nobody_gives_up_waiting_as_long_as_a_remote_access_is_of_use),
        cmocka_unit_test(a_triple_in_one_section_is_never_met),
        cmocka_unit_test(a_triple_is_about_one_object),
        cmocka_unit_test(a_hundred_threads_between_are_no_harm),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
