/* Sync-preserving races against a search through all correct reorderings of small traces. */
#include "engine_fixture.h"

#include "reorderings.h"

static uint64_t states[STATES];

struct tally {
    uint64_t predictable, preserving, found, hb, hb_alone, hb_false;
};

static void find_with(const struct darn_engine *engine, const struct small_trace *trace,
                      bool found[SMALL_EVENTS][SMALL_EVENTS])
{
    struct trial trial = start(engine, NULL);

    memset(found, 0, SMALL_EVENTS * sizeof(found[0]));
    for (uint32_t i = 0; i < trace->count; i++)
        give(&trial, trace->events[i]);
    finish(&trial);
    for (size_t i = 0; i < trial.count; i++) {
        uint32_t a = trial.predictions[i].steps[0].event.site - 1;
        uint32_t b = trial.predictions[i].steps[1].event.site - 1;

        found[a < b ? a : b][a < b ? b : a] = true;
    }
    assert_int_equal(trial.engine->cost(trial.state).dropped, 0);
    stop(&trial);
}

static void compare(uint64_t seed, uint32_t length, struct tally *tally)
{
    static struct reorderings any, keeping;
    bool found[SMALL_EVENTS][SMALL_EVENTS], hb[SMALL_EVENTS][SMALL_EVENTS];
    struct small_trace trace;

    make_small(&trace, seed, length, 7);
    find_reorderings(&any, &trace, false, states);
    assert_true(any.state_count < STATES / 2);
    find_reorderings(&keeping, &trace, true, states);
    find_with(&darn_engine_syncp, &trace, found);
    find_with(&darn_engine_hb, &trace, hb);
    for (uint32_t i = 0; i < trace.count; i++) {
        for (uint32_t j = i + 1; j < trace.count; j++) {
            if (found[i][j] != keeping.races[i][j])
                fail_msg("trace %lu: events %u and %u: engine %d, all reorderings %d",
                         (unsigned long)seed, i + 1, j + 1, found[i][j], keeping.races[i][j]);
            assert_true(!found[i][j] || any.races[i][j]);
            tally->predictable += any.races[i][j];
            tally->preserving += keeping.races[i][j];
            tally->found += found[i][j];
            tally->hb += hb[i][j];
            tally->hb_alone += hb[i][j] && !found[i][j];
            tally->hb_false += hb[i][j] && !any.races[i][j];
        }
    }
}

static void
what_is_predicted_can_happen_and_all_that_keeps_the_order_of_locks_is_predicted(void **state)
{
    const char *more = getenv("DARN_TEST_TRACES");
    uint64_t count = more ? strtoull(more, NULL, 10) : 3000;
    struct tally tally = {0};

    (void)state;
    for (uint64_t seed = 0; seed < count; seed++)
        compare(seed, 8 + (uint32_t)(seed % (SMALL_EVENTS - 8)), &tally);
    print_message("%lu predictable, %lu keep the order, %lu found; hb %lu: %lu not by syncp, %lu "
                  "cannot happen\n",
                  (unsigned long)tally.predictable, (unsigned long)tally.preserving,
                  (unsigned long)tally.found, (unsigned long)tally.hb,
                  (unsigned long)tally.hb_alone, (unsigned long)tally.hb_false);
    /* Worth having: more than nine in ten, and more than happens-before. */
    assert_true(tally.found * 10 > tally.predictable * 9);
    assert_true(tally.found > tally.hb - tally.hb_alone);
    /* What hb has and syncp has not cannot happen, but for a few that need sections the other way
     * round: six of 259,683 in 150,000 traces. */
    assert_true((tally.hb_alone - tally.hb_false) * 1000 < tally.hb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            what_is_predicted_can_happen_and_all_that_keeps_the_order_of_locks_is_predicted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
