/*
 * The searches over parameters, on functions whose best point is known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "search/tuning/tuner.h"

static const struct darn_tuning_space space = {
    .parameters = {{1000, 100, true}, {4, 0, false}, {20, 3, true}, {3, 0, false}, {100, 0, true}},
    .count = 5,
};

/* One hill: the nearer to 700, 2, 15, 1, 40, the better; 5 is the best. */
static double hill(const struct darn_tuning_point *point)
{
    double far0 = point->at[0] > 700 ? point->at[0] - 700 : 700 - point->at[0];
    double far2 = point->at[2] > 15 ? point->at[2] - 15 : 15 - point->at[2];
    double far4 = point->at[4] > 40 ? point->at[4] - 40 : 40 - point->at[4];

    return 1 - far0 / 700 + (point->at[1] == 2) + 1 - far2 / 15 + (point->at[3] == 1) + 1 -
           far4 / 60;
}

/* The mean over the last quarter of so many rounds. */
static double settle(enum darn_tuner_kind kind, uint64_t seed,
                     double (*worth)(const struct darn_tuning_point *), unsigned rounds)
{
    struct darn_tuner *tuner = darn_tuner_new(kind, &space, seed);
    double sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        struct darn_tuning_point point;
        enum darn_tuner_kind by = darn_tuner_choose(tuner, &point);
        double gain = worth(&point);

        for (unsigned p = 0; p < space.count; p++)
            assert_true(point.at[p] < space.parameters[p].count);
        darn_tuner_tell(tuner, &point, by, gain, 1);
        if (i >= rounds - rounds / 4)
            sum += gain;
    }
    darn_tuner_free(tuner);
    return sum / (rounds / 4);
}

static double mean(enum darn_tuner_kind kind, double (*worth)(const struct darn_tuning_point *))
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= 20; seed++)
        sum += settle(kind, seed, worth, 400);
    return sum / 20;
}

static void every_search_beats_random_on_a_hill(void **state)
{
    double random = mean(DARN_TUNER_RANDOM, hill);

    (void)state;
    assert_true(random > 1 && random < 3);
    for (int kind = DARN_TUNER_CLIMB; kind < DARN_TUNERS; kind++)
        assert_true(mean((enum darn_tuner_kind)kind, hill) > random + 0.8);
    assert_true(mean(DARN_TUNER_PORTFOLIO, hill) > random + 0.4);
}

static void fixed_is_always_the_initial_point(void **state)
{
    struct darn_tuner *tuner = darn_tuner_new(DARN_TUNER_FIXED, &space, 7);
    struct darn_tuning_point point;

    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(darn_tuner_choose(tuner, &point), DARN_TUNER_FIXED);
        for (unsigned p = 0; p < space.count; p++)
            assert_int_equal(point.at[p], space.parameters[p].initial);
        darn_tuner_tell(tuner, &point, DARN_TUNER_FIXED, i, 1);
    }
    darn_tuner_free(tuner);
}

static void same_seed_same_choices_and_another_seed_others(void **state)
{
    (void)state;
    for (int kind = 0; kind < DARN_TUNERS; kind++) {
        struct darn_tuner *a = darn_tuner_new((enum darn_tuner_kind)kind, &space, 3);
        struct darn_tuner *b = darn_tuner_new((enum darn_tuner_kind)kind, &space, 3);
        struct darn_tuner *c = darn_tuner_new((enum darn_tuner_kind)kind, &space, 4);
        unsigned others = 0;

        for (int i = 0; i < 200; i++) {
            struct darn_tuning_point p, q, r;
            enum darn_tuner_kind by = darn_tuner_choose(a, &p);

            assert_int_equal(darn_tuner_choose(b, &q), by);
            assert_memory_equal(&p, &q, sizeof(p));
            darn_tuner_tell(a, &p, by, hill(&p), 1);
            darn_tuner_tell(b, &q, by, hill(&q), 1);
            by = darn_tuner_choose(c, &r);
            darn_tuner_tell(c, &r, by, hill(&r), 1);
            others += memcmp(&p, &r, sizeof(p)) != 0;
        }
        assert_true(kind == DARN_TUNER_FIXED ? others == 0 : others > 50);
        darn_tuner_free(a);
        darn_tuner_free(b);
        darn_tuner_free(c);
    }
}

/* What was worth most is worth nothing from round 200 on; something else is. */
static unsigned round_now;

static double moves(const struct darn_tuning_point *point)
{
    return point->at[1] == (round_now++ < 200 ? 1u : 3u);
}

static void what_is_worth_nothing_any_more_is_left(void **state)
{
    (void)state;
    for (int kind = DARN_TUNER_CLIMB; kind < DARN_TUNERS; kind++) {
        double sum = 0;

        for (uint64_t seed = 1; seed <= 20; seed++) {
            round_now = 0;
            sum += settle((enum darn_tuner_kind)kind, seed, moves, 600);
        }
        assert_true(sum / 20 > 0.45); /* by chance: 0.25 */
    }
}

static double needs_initial(const struct darn_tuning_point *point)
{
    for (unsigned i = 0; i < space.count; i++)
        if (point->at[i] != space.parameters[i].initial)
            return 0;
    return 1;
}

static void portfolio_tries_the_initial_point_first_and_more_when_it_pays(void **state)
{
    struct darn_tuner *tuner = darn_tuner_new(DARN_TUNER_PORTFOLIO, &space, 1);
    struct darn_tuning_point point;

    (void)state;
    assert_int_equal(darn_tuner_choose(tuner, &point), DARN_TUNER_FIXED);
    assert_true(needs_initial(&point) > 0);
    darn_tuner_free(tuner);
    assert_true(mean(DARN_TUNER_PORTFOLIO, needs_initial) > 0.4);
}

static void portfolio_gives_more_to_what_pays(void **state)
{
    struct darn_tuner *tuner = darn_tuner_new(DARN_TUNER_PORTFOLIO, &space, 1);
    unsigned chosen[DARN_TUNERS] = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct darn_tuning_point point;
        enum darn_tuner_kind by = darn_tuner_choose(tuner, &point);

        chosen[by]++;
        darn_tuner_tell(tuner, &point, by, by == DARN_TUNER_GENETIC, 1);
    }
    for (int kind = DARN_TUNER_FIXED; kind < DARN_TUNERS; kind++) {
        assert_true(chosen[kind] >= 20); /* nobody is given up */
        assert_true(kind == DARN_TUNER_GENETIC || chosen[kind] < chosen[DARN_TUNER_GENETIC] / 2);
    }
    darn_tuner_free(tuner);
}

/* Where nothing is new any more. Points take what they like: here those of others ten times longer.
 */
static void portfolio_stays_at_home_for_two_thirds_of_the_time_when_nothing_pays(void **state)
{
    struct darn_tuner *tuner = darn_tuner_new(DARN_TUNER_PORTFOLIO, &space, 1);
    double at_home = 0, all = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct darn_tuning_point point;
        enum darn_tuner_kind by = darn_tuner_choose(tuner, &point);
        double seconds = by == DARN_TUNER_FIXED ? 0.1 : 1;

        darn_tuner_tell(tuner, &point, by, i ? 0 : 100, seconds);
        at_home += by == DARN_TUNER_FIXED ? seconds : 0;
        all += seconds;
        assert_true(i < 200 || at_home > 0.6 * all);
    }
    assert_true(at_home < 0.7 * all);
    darn_tuner_free(tuner);
}

static void many_may_ask_before_they_tell(void **state)
{
    (void)state;
    for (int kind = 0; kind < DARN_TUNERS; kind++) {
        struct darn_tuner *tuner = darn_tuner_new((enum darn_tuner_kind)kind, &space, 5);
        struct darn_tuning_point points[32];
        enum darn_tuner_kind by[32];

        for (int batch = 0; batch < 20; batch++) {
            for (int i = 0; i < 32; i++)
                by[i] = darn_tuner_choose(tuner, &points[i]);
            for (int i = 31; i >= 0; i--)
                darn_tuner_tell(tuner, &points[i], by[i], hill(&points[i]), 1);
        }
        darn_tuner_free(tuner);
    }
}

static void spaces_of_one_point_and_of_none_are_fine(void **state)
{
    static const struct darn_tuning_space one = {.parameters = {{1, 0, true}, {1, 0, false}},
                                                 .count = 2};
    static const struct darn_tuning_space none = {.count = 0};

    (void)state;
    for (int kind = 0; kind < DARN_TUNERS; kind++) {
        const struct darn_tuning_space *small[] = {&one, &none};

        for (int i = 0; i < 2; i++) {
            struct darn_tuner *tuner = darn_tuner_new((enum darn_tuner_kind)kind, small[i], 5);

            for (int n = 0; n < 100; n++) {
                struct darn_tuning_point point;
                enum darn_tuner_kind by = darn_tuner_choose(tuner, &point);

                assert_int_equal(point.at[0] + point.at[1], 0);
                darn_tuner_tell(tuner, &point, by, n % 3, 1);
            }
            darn_tuner_free(tuner);
        }
    }
}

static void names_lead_back_to_their_kinds(void **state)
{
    (void)state;
    for (int kind = 0; kind < DARN_TUNERS; kind++)
        assert_int_equal(darn_tuner_of(darn_tuner_name((enum darn_tuner_kind)kind)), kind);
    assert_int_equal(darn_tuner_of("luck"), DARN_TUNERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_search_beats_random_on_a_hill),
        cmocka_unit_test(fixed_is_always_the_initial_point),
        cmocka_unit_test(same_seed_same_choices_and_another_seed_others),
        cmocka_unit_test(what_is_worth_nothing_any_more_is_left),
        cmocka_unit_test(portfolio_tries_the_initial_point_first_and_more_when_it_pays),
        cmocka_unit_test(portfolio_gives_more_to_what_pays),
        cmocka_unit_test(portfolio_stays_at_home_for_two_thirds_of_the_time_when_nothing_pays),
        cmocka_unit_test(many_may_ask_before_they_tell),
        cmocka_unit_test(spaces_of_one_point_and_of_none_are_fine),
        cmocka_unit_test(names_lead_back_to_their_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
