/* Thread periods: Wang & Stoller's figure 2, barriers, and the same answers as a search through all
 * events on thousands of random traces. */
#include "slow_locksets.h"

#include "engine/common/periods.h"

#define TRACES 4000

static struct darn_periods *periods;

static int open_periods(void **state)
{
    (void)state;
    periods = darn_periods_create();
    return periods ? 0 : -1;
}

static int close_periods(void **state)
{
    (void)state;
    darn_periods_destroy(periods);
    return 0;
}

static void pass(struct darn_event event)
{
    darn_periods_event(periods, &event);
}

#define BARRIER UINT64_C(0x4000)

/* pid1 happens before pid2; pid1' and pid2 are concurrent; all of them happen before pid1''. */
static void figure_2_of_wang_and_stoller_has_its_order(void **state)
{
    uint32_t pid1, pid1b, pid1c, pid2;

    (void)state;
    pid1 = darn_periods_keep(periods, 1);
    pass(EVENT(1, FORK, 2));
    pid1b = darn_periods_keep(periods, 1);
    pid2 = darn_periods_keep(periods, 2);
    pass(EVENT(1, JOIN, 2));
    pid1c = darn_periods_keep(periods, 1);
    assert_true(darn_periods_before(periods, pid1, pid2));
    assert_true(darn_periods_before(periods, pid1, pid1b));
    assert_true(darn_periods_concurrent(periods, pid1b, pid2));
    assert_true(darn_periods_before(periods, pid1, pid1c));
    assert_true(darn_periods_before(periods, pid1b, pid1c));
    assert_true(darn_periods_before(periods, pid2, pid1c));
    assert_false(darn_periods_before(periods, pid1c, pid2));
    assert_false(darn_periods_concurrent(periods, pid1, pid2));
    assert_false(darn_periods_concurrent(periods, pid1, pid1));
    assert_false(darn_periods_before(periods, pid1, pid1));
}

static void a_period_lasts_from_one_event_to_the_next(void **state)
{
    struct darn_period first = darn_periods_now(periods, 0);

    (void)state;
    assert_int_not_equal(first.index, 0);
    pass(EVENT(0, ACQUIRE, 0x10));
    pass(EVENT(0, RELEASE, 0x10));
    assert_true(darn_period_equal(darn_periods_now(periods, 0), first));
    pass(EVENT(0, FORK, 1));
    assert_false(darn_period_equal(darn_periods_now(periods, 0), first));
    assert_true(darn_periods_before_now(periods, first, 0));
    assert_true(darn_periods_before_now(periods, first, 1));
}

static void threads_that_nobody_forked_are_concurrent_with_all(void **state)
{
    struct darn_period one = darn_periods_now(periods, 1);

    (void)state;
    assert_false(darn_periods_before_now(periods, one, 2));
    pass(EVENT(1, FORK, 3));
    assert_false(darn_periods_before_now(periods, one, UINT32_MAX));
    assert_true(darn_periods_before_now(periods, one, 3));
}

static void what_is_before_a_barrier_happens_before_what_is_after_it(void **state)
{
    struct darn_period one = darn_periods_now(periods, 1), two = darn_periods_now(periods, 2);
    struct darn_period other = darn_periods_now(periods, 3);

    (void)state;
    pass(EVENT(1, ARRIVE, BARRIER));
    pass(EVENT(2, ARRIVE, BARRIER));
    pass(EVENT(1, DEPART, BARRIER));
    pass(EVENT(2, DEPART, BARRIER));
    assert_true(darn_periods_before_now(periods, one, 2));
    assert_true(darn_periods_before_now(periods, two, 1));
    assert_false(darn_periods_before_now(periods, other, 1));
    assert_false(darn_periods_before_now(periods, darn_periods_now(periods, 1), 2));
}

/* Thread 1 is at the next round of the barrier before thread 2 has left the first. */
static void a_fast_thread_that_arrives_again_is_of_the_next_round(void **state)
{
    struct darn_period between;

    (void)state;
    pass(EVENT(1, ARRIVE, BARRIER));
    pass(EVENT(2, ARRIVE, BARRIER));
    pass(EVENT(1, DEPART, BARRIER));
    between = darn_periods_now(periods, 1);
    pass(EVENT(1, ARRIVE, BARRIER));
    pass(EVENT(2, DEPART, BARRIER));
    assert_false(darn_periods_before_now(periods, between, 2));
    pass(EVENT(2, ARRIVE, BARRIER));
    pass(EVENT(2, DEPART, BARRIER));
    assert_true(darn_periods_before_now(periods, between, 2));
}

static void a_thread_can_be_joined_by_several(void **state)
{
    struct darn_period child, parent;

    (void)state;
    parent = darn_periods_now(periods, 1);
    pass(EVENT(1, FORK, 5));
    child = darn_periods_now(periods, 5);
    pass(EVENT(5, EXIT, 5));
    pass(EVENT(1, JOIN, 5));
    pass(EVENT(1, FORK, 6)); /* may have the slot of 5 */
    pass(EVENT(2, JOIN, 5));
    assert_true(darn_periods_before_now(periods, child, 2));
    assert_true(darn_periods_before_now(periods, parent, 2));
    assert_false(darn_periods_before_now(periods, darn_periods_now(periods, 6), 2));
}

static void keeping_one_period_twice_gives_one_id(void **state)
{
    uint32_t first = darn_periods_keep(periods, 1), other;

    (void)state;
    assert_int_equal(darn_periods_keep(periods, 1), first);
    assert_true(darn_period_equal(darn_periods_kept(periods, first), darn_periods_now(periods, 1)));
    darn_periods_drop(periods, first);
    assert_int_equal(darn_periods_keep(periods, 1), first);
    pass(EVENT(1, FORK, 2));
    other = darn_periods_keep(periods, 1);
    assert_int_not_equal(other, first);
    darn_periods_drop(periods, other);
    other = darn_periods_keep(periods, 2);
    assert_true(darn_period_equal(darn_periods_kept(periods, other), darn_periods_now(periods, 2)));
    assert_true(darn_periods_before(periods, first, other));
}

static void the_thread_of_a_period_is_known_after_its_end(void **state)
{
    struct darn_period child[100];

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        pass(EVENT(0, FORK, 10 + i));
        child[i] = darn_periods_now(periods, 10 + i);
        pass(EVENT(0, JOIN, 10 + i));
    }
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(darn_periods_thread(periods, child[i]), 10 + i);
}

static void memory_does_not_grow_with_the_number_of_periods(void **state)
{
    size_t memory = 0;

    (void)state;
    for (uint32_t i = 1; i <= 4; i++)
        pass(EVENT(0, FORK, i));
    for (uint32_t round = 0; round < 100000; round++) {
        for (uint32_t i = 1; i <= 4; i++)
            pass(EVENT(i, ARRIVE, BARRIER));
        for (uint32_t i = 1; i <= 4; i++)
            pass(EVENT(i, DEPART, BARRIER));
        if (round == 100)
            memory = darn_periods_memory(periods);
    }
    assert_int_equal(darn_periods_memory(periods), memory);
}

/* One after the other: each takes up a few bytes for its number, and no clock. Text traces have no
 * EXIT. */
static void memory_of_threads_that_were_joined_is_used_again(void **state)
{
    uint32_t widest = 0;

    (void)state;
    for (uint32_t i = 1; i <= 60000; i++) {
        pass(EVENT(0, FORK, i));
        if (darn_periods_now(periods, i).slot > widest)
            widest = darn_periods_now(periods, i).slot;
        if (i % 2)
            pass(EVENT(i, EXIT, i));
        pass(EVENT(0, JOIN, i));
    }
    assert_int_equal(widest, 1);
    assert_true(darn_periods_memory(periods) < 60000 * 100);
    assert_true(darn_periods_now(periods, 0).index > 60000);
}

static struct random_trace trace;
static struct slow slow;

static bool cuts(const struct darn_event *event)
{
    return event->kind == DARN_EVENT_FORK || event->kind == DARN_EVENT_JOIN ||
           event->kind == DARN_EVENT_ARRIVE || event->kind == DARN_EVENT_DEPART ||
           event->kind == DARN_EVENT_START;
}

/* No FORK, JOIN, ARRIVE or DEPART of the thread in between. */
static bool is_one_period(size_t i, size_t j)
{
    if (trace.events[i].thread != trace.events[j].thread)
        return false;
    for (size_t k = i + 1; k < j; k++) {
        if (trace.events[k].thread == trace.events[i].thread && cuts(&trace.events[k]) &&
            trace.events[k].kind != DARN_EVENT_START)
            return false;
    }
    return true;
}

static void compare(uint64_t seed)
{
    static struct darn_period found[TRACE_EVENTS];
    static uint32_t kept[TRACE_EVENTS];
    static const struct darn_engine_config config;

    slow_open(&slow, &trace, &config);
    slow_periods(&slow);
    for (size_t j = 0; j < trace.count; j++) {
        uint32_t thread = trace.events[j].thread;

        if (!cuts(&trace.events[j])) {
            found[j] = darn_periods_now(periods, thread);
            kept[j] = darn_periods_keep(periods, thread);
            for (size_t i = 0; i < j; i++) {
                if (!cuts(&trace.events[i]) && darn_periods_before_now(periods, found[i], thread) !=
                                                   happens_before(&slow, i, j))
                    fail_msg("seed %llu: %zu and %zu", (unsigned long long)seed, i, j);
            }
        }
        pass(trace.events[j]);
    }
    for (size_t j = 0; j < trace.count; j++) {
        for (size_t i = 0; i < j; i++) {
            bool same = is_one_period(i, j), before = happens_before(&slow, i, j);

            if (cuts(&trace.events[i]) || cuts(&trace.events[j]))
                continue;
            assert_int_equal(darn_period_equal(found[i], found[j]), same);
            assert_int_equal(kept[i] == kept[j], same);
            assert_int_equal(darn_periods_before(periods, kept[i], kept[j]), before && !same);
            assert_int_equal(darn_periods_concurrent(periods, kept[i], kept[j]), !before);
            assert_false(darn_periods_before(periods, kept[j], kept[i]));
        }
    }
}

static void the_order_is_that_of_a_search_through_all_events(void **state)
{
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        make_trace(&trace, seed);
        open_periods(state);
        compare(seed);
        close_periods(state);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_periods, close_periods)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(figure_2_of_wang_and_stoller_has_its_order),
        TEST(a_period_lasts_from_one_event_to_the_next),
        TEST(threads_that_nobody_forked_are_concurrent_with_all),
        TEST(what_is_before_a_barrier_happens_before_what_is_after_it),
        TEST(a_fast_thread_that_arrives_again_is_of_the_next_round),
        TEST(a_thread_can_be_joined_by_several),
        TEST(keeping_one_period_twice_gives_one_id),
        TEST(the_thread_of_a_period_is_known_after_its_end),
        TEST(memory_does_not_grow_with_the_number_of_periods),
        TEST(memory_of_threads_that_were_joined_is_used_again),
        cmocka_unit_test(the_order_is_that_of_a_search_through_all_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
