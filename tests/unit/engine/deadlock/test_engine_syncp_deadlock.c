/* Sync-preserving deadlocks against a search through all correct reorderings of small traces, and
 * the traces of the engine `deadlock`. */
#include "engine_fixture.h"

#include "reorderings.h"

static uint64_t states[STATES];

static const struct darn_engine *const engine = &darn_engine_syncp_deadlock;

struct tally {
    uint64_t predictable, preserving, found;
};

static void compare(uint64_t seed, uint32_t length, struct tally *tally)
{
    static struct reorderings any, keeping;
    bool found[SMALL_EVENTS][SMALL_EVENTS] = {{false}};
    struct trial trial = start(engine, NULL);
    struct small_trace trace;

    make_small(&trace, seed, length, 12);
    find_reorderings(&any, &trace, false, states);
    assert_true(any.state_count < STATES / 2);
    find_reorderings(&keeping, &trace, true, states);
    for (uint32_t i = 0; i < trace.count; i++)
        give(&trial, trace.events[i]);
    finish(&trial);
    for (size_t i = 0; i < trial.count; i++) {
        assert_int_equal(trial.predictions[i].step_count, 2);
        found[trial.predictions[i].steps[0].event.site - 1]
             [trial.predictions[i].steps[1].event.site - 1] = true;
    }
    stop(&trial);
    for (uint32_t i = 0; i < trace.count; i++) {
        for (uint32_t j = i + 1; j < trace.count; j++) {
            if (found[i][j] != keeping.stuck[i][j])
                fail_msg("trace %lu: events %u and %u: engine %d, all reorderings %d",
                         (unsigned long)seed, i + 1, j + 1, found[i][j], keeping.stuck[i][j]);
            assert_true(!found[i][j] || any.stuck[i][j]);
            tally->predictable += any.stuck[i][j];
            tally->preserving += keeping.stuck[i][j];
            tally->found += found[i][j];
        }
    }
}

static void
what_is_predicted_can_happen_and_all_that_keeps_the_order_of_locks_is_predicted(void **state)
{
    const char *more = getenv("DARN_TEST_TRACES");
    uint64_t count = more ? strtoull(more, NULL, 10) : 6000;
    struct tally tally = {0};

    (void)state;
    for (uint64_t seed = 0; seed < count; seed++)
        compare(seed, SMALL_EVENTS - 2 - (uint32_t)(seed % 4), &tally);
    print_message("%lu predictable, %lu keep the order, %lu found\n",
                  (unsigned long)tally.predictable, (unsigned long)tally.preserving,
                  (unsigned long)tally.found);
    /* Worth having: more than three in four. */
    assert_true(tally.found > 50 && tally.found * 4 > tally.predictable * 3);
}

static void two_locks_in_two_orders(void **state)
{
    (void)state;
    assert_string_not_equal(lines_of(engine, "deadlock-two-locks.std"), "");
    assert_string_equal(lines_of(engine, "deadlock-gate-lock.std"), "");
    assert_string_equal(lines_of(engine, "deadlock-ordered-by-join.std"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            what_is_predicted_can_happen_and_all_that_keeps_the_order_of_locks_is_predicted),
        cmocka_unit_test(two_locks_in_two_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
