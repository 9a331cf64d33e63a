/* The hybrid engine: the example of the paper, and the same pairs as the slow version on thousands
 * of random traces. */
#include "engine_fixture.h"
#include "random_trace.h"
#include "slow_races.h"

#define TRACES 6000

/* RaceFuzzer 3.1: (5, 7) is real, (1, 10) a false alarm of this technique; y is protected. */
static void figure_1_of_racefuzzer_has_its_two_pairs(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hybrid, "racefuzzer-figure1.std"), "1-10 5-7");
}

/* RaceFuzzer 3.2: whichever thread takes the lock first. */
static void figure_2_of_racefuzzer_has_its_pair_in_either_order(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hybrid, "racefuzzer-figure2.std"), "8-10");
    assert_string_equal(lines_of(&darn_engine_hybrid, "racefuzzer-figure2-late.std"), "8-10");
}

#define X UINT64_C(0x1000)
#define Y UINT64_C(0x1100)
#define L UINT64_C(0x2000)
#define M UINT64_C(0x2100)

static void under_locks(struct trial *trial, uint8_t first, uint8_t second)
{
    give(trial, EVENT(1, ACQUIRE, L, .lock = first));
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, RELEASE, L, .lock = first));
    give(trial, EVENT(2, ACQUIRE, L, .lock = second));
    give(trial, ACCESS(2, WRITE, X));
    give(trial, EVENT(2, RELEASE, L, .lock = second));
}

static void both_read(struct trial *trial)
{
    under_locks(trial, DARN_EVENT_RDLOCK, DARN_EVENT_RDLOCK);
}

static void one_reads(struct trial *trial)
{
    under_locks(trial, DARN_EVENT_WRLOCK, DARN_EVENT_RDLOCK);
}

static void a_read_lock_held_by_both_protects_no_write(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hybrid, both_read, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hybrid, one_reads, NULL), 0);
}

static uint64_t told_by; /* the target of the message */

static void told(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, 0x100));
    give(trial, EVENT(1, SEND, told_by));
    give(trial, EVENT(2, RECEIVE, told_by));
    give(trial, ACCESS(2, WRITE, 0x100));
}

static void after_all(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, 0x100));
    give(trial, EVENT(2, AFTER_ALL, 0));
    give(trial, ACCESS(2, WRITE, 0x100));
}

/* The answer of a server to one client is no order with what it does for the next one. */
static void what_only_may_order_hides_nothing(void **state)
{
    const struct darn_engine_config suspecting = {.suspect = true};
    static const uint64_t of_anybody[] = {DARN_EVENT_OUTSIDE, DARN_EVENT_POLLED, DARN_EVENT_SOCKETS,
                                          DARN_EVENT_SOCKET_ROOM};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        told_by = of_anybody[i];
        assert_int_equal(races_in(&darn_engine_hybrid, told, &suspecting), 1);
        assert_int_equal(races_in(&darn_engine_hybrid, told, NULL), 0);
        assert_int_equal(races_in(&darn_engine_hb, told, &suspecting), 0);
    }
    told_by = 0x300;
    assert_int_equal(races_in(&darn_engine_hybrid, told, &suspecting), 0);
    assert_int_equal(races_in(&darn_engine_hybrid, after_all, &suspecting), 1);
    assert_int_equal(races_in(&darn_engine_hybrid, after_all, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, after_all, &suspecting), 0);
}

/* What one thread does under no lock after what it did under one is remembered beside it. */
static void two_locksets_at_one_site(struct trial *trial)
{
    for (int round = 0; round < 2; round++) {
        if (!round)
            give(trial, EVENT(1, ACQUIRE, L));
        give(trial, ACCESS(1, WRITE, X));
        give(trial, EVENT(1, RELEASE, L));
    }
    give(trial, EVENT(2, ACQUIRE, L));
    give(trial, ACCESS(2, WRITE, X));
}

static void an_access_that_was_once_protected_is_not_always(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hybrid, two_locksets_at_one_site, NULL), 1);
}

static void both_sides_are_named_with_their_locks(void **state)
{
    struct trial trial = start(&darn_engine_hybrid, NULL);
    const struct darn_prediction *race;

    (void)state;
    give(&trial, EVENT(1, ACQUIRE, L, .stack = 11));
    give(&trial, ACCESS(1, WRITE, X, .stack = 12));
    give(&trial, EVENT(1, RELEASE, L));
    give(&trial, EVENT(2, ACQUIRE, L));
    give(&trial, EVENT(2, RELEASE, L));
    give(&trial, EVENT(2, ACQUIRE, M, .stack = 13));
    give(&trial, ACCESS(2, UPDATE, X, .stack = 14));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    race = trial.predictions;
    assert_int_equal(race->steps[0].event.thread, 1);
    assert_int_equal(race->steps[0].event.stack, 12);
    assert_int_equal(race->steps[0].lock_count, 1);
    assert_int_equal(race->steps[0].locks[0].lock, L);
    assert_int_equal(race->steps[0].locks[0].stack, 11);
    assert_int_equal(race->steps[1].event.kind, DARN_EVENT_UPDATE);
    assert_int_equal(race->steps[1].lock_count, 1);
    assert_int_equal(race->steps[1].locks[0].lock, M);
    assert_int_equal(race->steps[1].locks[0].stack, 13);
    stop(&trial);
}

/* Each round has sites of its own: more than a cell remembers in the end. */
static struct trial rounds_of_a_barrier(uint32_t rounds, bool with_barrier)
{
    struct trial trial = start(&darn_engine_hybrid, NULL);

    give(&trial, EVENT(0, FORK, 1));
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t thread = 0; thread < 2; thread++) {
            give(&trial, at_site(1 + 2 * round + thread, ACCESS(thread, WRITE, X)));
            if (with_barrier)
                give(&trial, EVENT(thread, ARRIVE, L));
        }
        for (uint32_t thread = 0; thread < 2 && with_barrier; thread++)
            give(&trial, EVENT(thread, DEPART, L));
    }
    finish(&trial);
    return trial;
}

static void what_is_over_for_all_makes_room(void **state)
{
    struct trial trial = rounds_of_a_barrier(500, true);

    (void)state;
    assert_int_equal(trial.count, 500);
    assert_int_equal(trial.engine->cost(trial.state).dropped, 0);
    /* A thread that nobody has forked might have been there all the time. */
    give(&trial, ACCESS(9, WRITE, X));
    assert_true(trial.engine->cost(trial.state).dropped > 0);
    stop(&trial);
}

static void what_is_left_out_for_want_of_room_is_counted(void **state)
{
    struct trial trial = rounds_of_a_barrier(100, false);

    (void)state;
    assert_true(trial.count > 1000);
    assert_true(trial.engine->cost(trial.state).dropped > 100);
    stop(&trial);
}

static void memory_is_bounded_by_live_variables(void **state)
{
    struct trial trial = start(&darn_engine_hybrid, NULL);
    size_t early = 0;

    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t block = UINT64_C(0x7f0000000000) + i * 64;

        give(&trial, EVENT(1, ALLOC, block, .extra = 64));
        give(&trial, ACCESS(1, WRITE, block));
        give(&trial, ACCESS(2, READ, block));
        give(&trial, ACCESS(2, READ, block));
        give(&trial, EVENT(1, FREE, block, .extra = 64));
        if (i == 20000)
            early = trial.engine->cost(trial.state).memory;
    }
    finish(&trial);
    assert_int_equal(trial.engine->cost(trial.state).memory, early);
    assert_int_equal(trial.count, 2);
    stop(&trial);
}

static struct random_trace trace;
static struct slow slow;

struct pairs {
    size_t count;
    uint32_t sites[TRACE_EVENTS * TRACE_EVENTS / 2][2];
};

static int by_sites(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint32_t[2]));
}

static void add_pair(struct pairs *pairs, uint32_t a, uint32_t b)
{
    pairs->sites[pairs->count][0] = a < b ? a : b;
    pairs->sites[pairs->count++][1] = a < b ? b : a;
}

/* Sorts, and leaves out what is there twice. */
static void settle(struct pairs *pairs)
{
    size_t kept = 0;

    qsort(pairs->sites, pairs->count, sizeof(pairs->sites[0]), by_sites);
    for (size_t i = 0; i < pairs->count; i++) {
        if (!i || memcmp(pairs->sites[i], pairs->sites[kept - 1], sizeof(pairs->sites[0])) != 0)
            memcpy(pairs->sites[kept++], pairs->sites[i], sizeof(pairs->sites[0]));
    }
    pairs->count = kept;
}

/* True if nothing had to be left out. */
static bool compare(uint64_t seed, const struct darn_engine_config *config)
{
    static struct pairs expected, found;
    struct trial trial = start(&darn_engine_hybrid, config);
    bool complete;

    expected.count = found.count = 0;
    find_slowly(&slow, &trace, config, false);
    for (size_t j = 0; j < trace.count; j++) {
        give(&trial, trace.events[j]);
        for (size_t i = 0; i < j; i++) {
            if (slow.races[i][j])
                add_pair(&expected, trace.events[i].site, trace.events[j].site);
        }
    }
    finish(&trial);
    for (size_t i = 0; i < trial.count; i++) {
        const struct darn_prediction *prediction = &trial.predictions[i];

        assert_int_equal(prediction->step_count, 2);
        add_pair(&found, prediction->steps[0].event.site, prediction->steps[1].event.site);
    }
    settle(&expected);
    settle(&found);
    complete = trial.engine->cost(trial.state).dropped == 0;
    if (complete && found.count != expected.count)
        fail_msg("seed %llu: %zu pairs instead of %zu", (unsigned long long)seed, found.count,
                 expected.count);
    for (size_t i = 0; i < found.count; i++) {
        if (!bsearch(found.sites[i], expected.sites, expected.count, sizeof(expected.sites[0]),
                     by_sites))
            fail_msg("seed %llu: %u-%u is no pair", (unsigned long long)seed, found.sites[i][0],
                     found.sites[i][1]);
    }
    assert_int_equal(found.count, trial.count);
    stop(&trial);
    return complete;
}

static void the_pairs_are_those_of_the_slow_version(void **state)
{
    size_t complete = 0;

    (void)state;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        struct darn_engine_config config = {.ignore_sync = seed % 16 == 1,
                                            .ignore_atomic = seed % 16 == 2,
                                            .suspect = seed % 2};

        make_trace(&trace, seed);
        complete += compare(seed, &config);
    }
    assert_true(complete > TRACES * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1_of_racefuzzer_has_its_two_pairs),
        cmocka_unit_test(figure_2_of_racefuzzer_has_its_pair_in_either_order),
        cmocka_unit_test(a_read_lock_held_by_both_protects_no_write),
        cmocka_unit_test(an_access_that_was_once_protected_is_not_always),
        cmocka_unit_test(what_only_may_order_hides_nothing),
        cmocka_unit_test(both_sides_are_named_with_their_locks),
        cmocka_unit_test(what_is_over_for_all_makes_room),
        cmocka_unit_test(what_is_left_out_for_want_of_room_is_counted),
        cmocka_unit_test(memory_is_bounded_by_live_variables),
        cmocka_unit_test(the_pairs_are_those_of_the_slow_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
