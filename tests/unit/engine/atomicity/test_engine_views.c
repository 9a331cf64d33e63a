/* High-level data races: the examples of Artho, Havelund, Biere (2003), and the slow way to see
 * them. */
#include "atomicity_fixture.h"

#include "engine/atomicity/view_set.h"

static const char *said(const char *text)
{
    return said_of(&darn_engine_views, text, NULL);
}

#define START   "m|fork(t1)|1\nm|fork(t2)|2\nm|fork(t3)|3\n"
#define SWAP    "t1|acq(l)|10\nt1|w(x)|11\nt1|w(y)|12\nt1|rel(l)|13\n"
#define GET_X   "t2|acq(l)|20\nt2|r(x)|21\nt2|rel(l)|22\n"
#define GET_Y   "t2|acq(l)|23\nt2|r(y)|24\nt2|rel(l)|25\n"
#define GET_ALL "t2|acq(l)|26\nt2|r(x)|27\nt2|r(y)|28\nt2|rel(l)|29\n"

/* The pair of coordinates: one thread sets both, another reads them in two sections. */
static void coordinates_that_are_read_one_by_one_are_a_high_level_race(void **state)
{
    (void)state;
    assert_string_equal(said(START SWAP GET_X GET_Y), "w11 r21 r24 w12");
}

/* The same the other way round, as in the paper: `reset` sets them one by one. */
static void coordinates_that_are_set_one_by_one_are_a_high_level_race(void **state)
{
    (void)state;
    assert_string_equal(said(START "t1|acq(l)|10\nt1|r(x)|11\nt1|r(y)|12\nt1|rel(l)|13\n"
                                   "t2|acq(l)|20\nt2|w(x)|21\nt2|rel(l)|22\n"
                                   "t2|acq(l)|23\nt2|w(y)|24\nt2|rel(l)|25\n"),
                        "r11 w21 w24 r12");
}

/* The paper's other case, of the Remote Agent: a task enters the value of a property, and in
 * another section that it was achieved; the daemon reads both in one. */
static void a_value_and_the_flag_that_it_was_achieved_belong_together(void **state)
{
    (void)state;
    assert_string_equal(said(START "t1|acq(l)|10\nt1|r(achieved)|11\nt1|r(value)|12\nt1|rel(l)|13\n"
                                   "t2|acq(l)|20\nt2|w(value)|21\nt2|rel(l)|22\n"
                                   "t2|acq(l)|23\nt2|w(achieved)|24\nt2|rel(l)|25\n"),
                        "r12 w21 w24 r11");
    /* As it was mended: both in one section. */
    assert_string_equal(said(START
                             "t1|acq(l)|10\nt1|r(achieved)|11\nt1|r(value)|12\nt1|rel(l)|13\n"
                             "t2|acq(l)|20\nt2|w(value)|21\nt2|w(achieved)|24\nt2|rel(l)|25\n"),
                        "");
}

/* Who takes all of it, and one besides, has views that form a chain. */
static void views_that_form_a_chain_are_consistent(void **state)
{
    (void)state;
    assert_string_equal(said(START SWAP GET_ALL GET_X), "");
    assert_string_equal(said(START SWAP GET_X), "");
    /* All and one by one: the two small ones are no chain. */
    assert_string_equal(said(START SWAP GET_ALL GET_X GET_Y), "w11 r21 r24 w12");
}

static void what_nobody_writes_is_never_old(void **state)
{
    (void)state;
    assert_string_equal(
        said(START "t1|acq(l)|10\nt1|w(x)|11\nt1|r(y)|12\nt1|rel(l)|13\n" GET_X GET_Y), "");
}

static void another_lock_has_other_views(void **state)
{
    (void)state;
    assert_string_equal(said(START SWAP GET_X "t2|acq(k)|23\nt2|r(y)|24\nt2|rel(k)|25\n"), "");
}

static void a_lock_around_both_sections_makes_them_one(void **state)
{
    (void)state;
    assert_string_equal(said(START "t1|acq(k)|9\n" SWAP "t1|rel(k)|14\n"
                                   "t2|acq(k)|19\n" GET_X GET_Y "t2|rel(k)|30\n"),
                        "");
}

static void what_is_over_before_the_thread_begins_does_not_count(void **state)
{
    (void)state;
    assert_string_equal(said("m|fork(t1)|1\n" SWAP "m|join(t1)|2\nm|fork(t2)|3\n" GET_X GET_Y), "");
}

/* A lock with ever new variables: what is kept of it has an end, and that is said. */
static void many_different_sections_are_bounded_and_counted(void **state)
{
    struct trial trial = start(&darn_engine_views, NULL);
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];
    size_t early = 0;

    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t block = 0x10000 + (uint64_t)i * 64;

        give(&trial, EVENT(1 + i % 2, ALLOC, block, .extra = 64));
        give(&trial, EVENT(1 + i % 2, ACQUIRE, 0x100));
        give(&trial, ACCESS(1 + i % 2, WRITE, block));
        give(&trial, ACCESS(1 + i % 2, WRITE, block + 8));
        give(&trial, EVENT(1 + i % 2, RELEASE, 0x100));
        give(&trial, EVENT(1 + i % 2, FREE, block, .extra = 64));
        if (i == 10000)
            early = darn_engine_views.cost(trial.state).memory;
    }
    assert_true(darn_engine_views.cost(trial.state).memory <= early);
    finish(&trial);
    assert_int_equal(trial.count, 0);
    assert_int_equal(darn_engine_views.facts(trial.state, facts), 2);
    assert_true(facts[1].is_limit);
    assert_int_equal(facts[1].value, 20000 - 2 * DARN_VIEWS_OF_THREAD);
    stop(&trial);
}

/* The slow way: for each thread and each section of one lock a set of eight variables, as bits. */

enum { THREADS = 3, VARIABLES = 6, SECTIONS = 5 };

struct slow_section {
    uint8_t touched, written;
};

static bool is_part(uint8_t a, uint8_t b)
{
    return !(a & ~b);
}

static bool has_high_level_race(struct slow_section all[THREADS][SECTIONS])
{
    for (int t = 0; t < THREADS; t++)
        for (int m = 0; m < SECTIONS; m++)
            for (int u = 0; u < THREADS; u++)
                for (int i = 0; i < SECTIONS && u != t; i++)
                    for (int j = 0; j < SECTIONS; j++) {
                        uint8_t large = all[t][m].touched, written = 0, a, b;
                        bool is_maximal = true;
                        uint8_t by_a = 0, by_b = 0;

                        for (int k = 0; k < SECTIONS; k++) {
                            is_maximal &=
                                all[t][k].touched == large || !is_part(large, all[t][k].touched);
                            written |= all[t][k].touched == large ? all[t][k].written : 0;
                            by_a |= all[u][k].touched == all[u][i].touched ? all[u][k].written : 0;
                            by_b |= all[u][k].touched == all[u][j].touched ? all[u][k].written : 0;
                        }
                        a = large & all[u][i].touched;
                        b = large & all[u][j].touched;
                        if (is_maximal && (a & ~b & (written | by_a)) &&
                            (b & ~a & (written | by_b)))
                            return true;
                    }
    return false;
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void random_sections_are_judged_as_the_definition_does(void **state)
{
    uint32_t found = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        struct slow_section all[THREADS][SECTIONS];
        struct trial trial = start(&darn_engine_views, NULL);
        uint32_t writes = 1 + draw(&random, 6), dense = 2 + draw(&random, 4);

        for (int s = 0; s < SECTIONS; s++) {
            for (uint32_t t = 0; t < THREADS; t++) {
                all[t][s] = (struct slow_section){0, 0};
                give(&trial, EVENT(t, ACQUIRE, 0x1000));
                for (uint32_t v = 0; v < VARIABLES; v++) {
                    bool is_write = !draw(&random, writes);

                    if (draw(&random, dense))
                        continue;
                    all[t][s].touched |= (uint8_t)(1 << v);
                    all[t][s].written |= (uint8_t)(is_write << v);
                    give(&trial, is_write ? ACCESS(t, WRITE, 0x100 + 8 * v)
                                          : ACCESS(t, READ, 0x100 + 8 * v));
                }
                give(&trial, EVENT(t, RELEASE, 0x1000));
            }
        }
        finish(&trial);
        assert_int_equal(trial.count > 0, has_high_level_race(all));
        found += trial.count > 0;
        stop(&trial);
    }
    assert_in_range(found, 500, 4500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_that_are_read_one_by_one_are_a_high_level_race),
        cmocka_unit_test(coordinates_that_are_set_one_by_one_are_a_high_level_race),
        cmocka_unit_test(a_value_and_the_flag_that_it_was_achieved_belong_together),
        cmocka_unit_test(views_that_form_a_chain_are_consistent),
        cmocka_unit_test(what_nobody_writes_is_never_old),
        cmocka_unit_test(another_lock_has_other_views),
        cmocka_unit_test(a_lock_around_both_sections_makes_them_one),
        cmocka_unit_test(what_is_over_before_the_thread_begins_does_not_count),
        cmocka_unit_test(many_different_sections_are_bounded_and_counted),
        cmocka_unit_test(random_sections_are_judged_as_the_definition_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
