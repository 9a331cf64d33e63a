/* Eraser+: ownership and join sets, and the same answers as the slow version on thousands of random
 * traces. */
#include "slow_locksets.h"

#include "engine/race/teams.h"

#define TRACES 8000

#define X UINT64_C(0x1000)
#define L UINT64_C(0x8000)

#define RACES(...) RACES_OF(&darn_engine_eraser_plus, __VA_ARGS__)

static void an_object_that_is_handed_over_once_is_never_reported(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser_plus, "letko-owner.std"), "");
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, WRITE, X), ACCESS(1, READ, X)), 0);
}

/* Letko: the price of ownership. */
static void a_race_of_two_threads_with_one_access_each_is_missed(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(1, WRITE, X), ACCESS(2, WRITE, X)), 0);
}

static void the_first_thread_is_the_third_one_when_it_comes_back(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, WRITE, X), ACCESS(0, WRITE, X)), 1);
}

static void a_third_thread_without_a_lock_is_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, WRITE, X), ACCESS(2, WRITE, X)), 1);
}

static void a_result_that_is_read_after_all_joins_is_never_reported(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser_plus, "letko-join.std"), "");
}

static void joins_are_inherited_through_the_joined_thread(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, READ, X), ACCESS(2, READ, X),
                           EVENT(1, JOIN, 2), EVENT(0, JOIN, 1), ACCESS(0, WRITE, X)),
                     0);
}

static void a_join_of_only_some_does_not_help(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, READ, X), ACCESS(2, READ, X),
                           EVENT(0, JOIN, 1), ACCESS(0, WRITE, X)),
                     1);
}

static void a_join_counts_for_the_next_access_of_the_same_thread(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, READ, X), ACCESS(0, READ, X),
                           EVENT(0, JOIN, 1), ACCESS(0, READ, X), ACCESS(0, WRITE, X)),
                     0);
}

/* Before the joins there is one race, after them there is another. */
static void a_variable_can_be_reported_again_in_its_next_life(void **state)
{
    struct trial trial = start(&darn_engine_eraser_plus, NULL);

    (void)state;
    give(&trial, ACCESS(0, WRITE, X));
    give(&trial, ACCESS(1, WRITE, X));
    give(&trial, ACCESS(2, WRITE, X));
    give(&trial, EVENT(0, JOIN, 1));
    give(&trial, EVENT(0, JOIN, 2));
    give(&trial, ACCESS(0, WRITE, X));
    give(&trial, ACCESS(3, WRITE, X));
    finish(&trial);
    assert_int_equal(trial.count, 2);
    stop(&trial);
}

static void locked_counter_is_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(1, ACQUIRE, L), ACCESS(1, WRITE, X),
                           EVENT(1, RELEASE, L), EVENT(2, ACQUIRE, L), ACCESS(2, WRITE, X),
                           EVENT(2, RELEASE, L), EVENT(3, ACQUIRE, L), ACCESS(3, READ, X)),
                     0);
}

/* t3 is the second thread, becomes the owner of x, and its read does not count: o2 is left. */
static void figure_4_of_wang_and_stoller_depends_on_who_comes_first(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser_plus, "wang-stoller-figure4-t3-t2-t1.std"),
                        "");
    assert_string_equal(lines_of(&darn_engine_eraser_plus, "wang-stoller-figure4-t3-t2-t4.std"),
                        "21-43");
}

enum slow_state { VIRGIN, EXCLUSIVE, EXCLUSIVE2, SHARED, SHARED_MODIFIED };

struct variable {
    enum slow_state state;
    uint32_t owner;
    uint32_t candidates;
    uint32_t threads; /* T(v), as bits */
    bool reported;
};

/* S(t): all that were joined, by those who were joined before they were, and so on. */
static uint32_t joined_by(const struct slow *slow, size_t at, uint32_t thread)
{
    uint32_t joined = 0;

    for (size_t i = 0; i < at; i++) {
        const struct darn_event *event = &slow->events[i];

        if (event->kind == DARN_EVENT_JOIN && event->thread == thread)
            joined |= 1u << event->target | joined_by(slow, i, (uint32_t)event->target);
    }
    return joined;
}

/* Letko 4.1, line by line. */
static bool slow_eraser_plus(const struct slow *slow, struct variable *variable, size_t at,
                             uint64_t byte)
{
    const struct darn_event *event = &slow->events[at];
    bool writes = darn_event_writes(event);
    uint32_t self = 1u << event->thread;

    if (renews(event, byte))
        *variable = (struct variable){0};
    if (!counts(slow, at, byte))
        return false;
    if (variable->state == VIRGIN) {
        *variable = (struct variable){EXCLUSIVE, event->thread, ALL_LOCKS, self, false};
        return false;
    }
    if (variable->state == EXCLUSIVE && variable->owner == event->thread)
        return false;
    if (!(variable->threads & ~(joined_by(slow, at, event->thread) | self))) {
        *variable = (struct variable){EXCLUSIVE2, event->thread, ALL_LOCKS, self, false};
        return false;
    }
    variable->threads |= self;
    if (variable->state == EXCLUSIVE) {
        variable->state = EXCLUSIVE2;
        variable->owner = event->thread;
        return false;
    }
    if (variable->state == EXCLUSIVE2 && variable->owner == event->thread)
        return false;
    if (writes)
        variable->state = SHARED_MODIFIED;
    else if (variable->state == EXCLUSIVE2)
        variable->state = SHARED;
    variable->candidates &= held_at(slow, at, writes);
    if (variable->state != SHARED_MODIFIED || variable->candidates || variable->reported)
        return false;
    variable->reported = true;
    return true;
}

static struct random_trace trace;
static struct slow slow;
static struct variable variables[TRACE_BYTES];

static bool is_reported(const struct slow *slow, uint32_t byte, size_t at)
{
    return slow_eraser_plus(slow, &variables[byte], at, TRACE_MEMORY + byte);
}

static size_t compare(uint64_t seed, const struct darn_engine_config *config)
{
    memset(variables, 0, sizeof(variables));
    return compare_with_slow(&darn_engine_eraser_plus, config, &slow, &trace, seed, is_reported);
}

static void the_reports_are_those_of_the_slow_version(void **state)
{
    (void)state;
    assert_true(compare_traces(&trace, TRACES, compare) > TRACES / 2);
}

/* Many threads, all of which touch one variable and are joined. */
static void a_thousand_threads_and_their_joins_are_remembered(void **state)
{
    struct trial trial = start(&darn_engine_eraser_plus, NULL);

    (void)state;
    give(&trial, ACCESS(0, WRITE, X));
    for (uint32_t i = 1; i <= 1000; i++) {
        give(&trial, EVENT(i, ACQUIRE, L));
        give(&trial, ACCESS(i, WRITE, X));
        give(&trial, EVENT(i, RELEASE, L));
    }
    for (uint32_t i = 1000; i >= 1; i--)
        give(&trial, EVENT(0, JOIN, i));
    give(&trial, ACCESS(0, WRITE, X));
    finish(&trial);
    assert_int_equal(trial.count, 0);
    stop(&trial);
}

/* More threads than a team has room for: that they were all joined is not noticed any more, and
 * counted. */
static void a_crowd_is_never_joined(void **state)
{
    struct trial trial = start(&darn_engine_eraser_plus, NULL);

    (void)state;
    for (uint32_t i = 0; i <= DARN_TEAM_MOST + 10; i++) {
        give(&trial, EVENT(i, ACQUIRE, L));
        give(&trial, ACCESS(i, WRITE, X));
        give(&trial, EVENT(i, RELEASE, L));
    }
    for (uint32_t i = 1; i <= DARN_TEAM_MOST + 10; i++)
        give(&trial, EVENT(0, JOIN, i));
    give(&trial, ACCESS(0, WRITE, X));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.engine->cost(trial.state).dropped, 1);
    stop(&trial);
}

/* Threads that are joined one after the other leave nothing behind in T(v). */
static void memory_is_bounded_by_the_threads_that_are_alive(void **state)
{
    struct trial trial = start(&darn_engine_eraser_plus, NULL);

    (void)state;
    for (uint32_t i = 1; i <= 60000; i++) {
        give(&trial, EVENT(0, FORK, i));
        give(&trial, EVENT(i, ACQUIRE, L));
        give(&trial, ACCESS(i, WRITE, X));
        give(&trial, EVENT(i, RELEASE, L));
        give(&trial, EVENT(i, EXIT, i));
        give(&trial, EVENT(0, JOIN, i));
    }
    finish(&trial);
    assert_int_equal(trial.count, 0);
    assert_int_equal(trial.engine->cost(trial.state).dropped, 0);
    assert_true(trial.engine->cost(trial.state).peak < 60000 * 100);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_that_is_handed_over_once_is_never_reported),
        cmocka_unit_test(a_race_of_two_threads_with_one_access_each_is_missed),
        cmocka_unit_test(the_first_thread_is_the_third_one_when_it_comes_back),
        cmocka_unit_test(a_third_thread_without_a_lock_is_reported),
        cmocka_unit_test(a_result_that_is_read_after_all_joins_is_never_reported),
        cmocka_unit_test(joins_are_inherited_through_the_joined_thread),
        cmocka_unit_test(a_join_of_only_some_does_not_help),
        cmocka_unit_test(a_join_counts_for_the_next_access_of_the_same_thread),
        cmocka_unit_test(a_variable_can_be_reported_again_in_its_next_life),
        cmocka_unit_test(locked_counter_is_never_reported),
        cmocka_unit_test(figure_4_of_wang_and_stoller_depends_on_who_comes_first),
        cmocka_unit_test(the_reports_are_those_of_the_slow_version),
        cmocka_unit_test(a_thousand_threads_and_their_joins_are_remembered),
        cmocka_unit_test(a_crowd_is_never_joined),
        cmocka_unit_test(memory_is_bounded_by_the_threads_that_are_alive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
