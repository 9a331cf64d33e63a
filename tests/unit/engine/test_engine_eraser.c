/* Eraser: its states, its read-write locks, what it misses and where it is wrong, and the same
 * answers as the slow version on thousands of random traces. */
#include "slow_locksets.h"

#define TRACES 6000

#define X UINT64_C(0x1000)
#define L UINT64_C(0x8000)
#define M UINT64_C(0x8040)

#define RACES(...) RACES_OF(&darn_engine_eraser, __VA_ARGS__)

#define LOCK(who, which, ...)   EVENT(who, ACQUIRE, which, ##__VA_ARGS__)
#define UNLOCK(who, which, ...) EVENT(who, RELEASE, which, ##__VA_ARGS__)

static void a_variable_of_one_thread_is_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(1, WRITE, X), ACCESS(1, READ, X), ACCESS(1, WRITE, X)), 0);
}

static void what_is_written_once_and_read_by_all_is_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, READ, X), ACCESS(2, READ, X)), 0);
}

static void a_write_of_a_second_thread_without_a_lock_is_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, WRITE, X)), 1);
    assert_int_equal(RACES(ACCESS(0, READ, X), ACCESS(1, READ, X), ACCESS(0, WRITE, X)), 1);
}

static void locked_counter_is_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), LOCK(1, L), ACCESS(1, READ, X), ACCESS(1, WRITE, X),
                           UNLOCK(1, L), LOCK(2, L), ACCESS(2, READ, X), ACCESS(2, WRITE, X),
                           UNLOCK(2, L)),
                     0);
}

static void two_locks_are_no_protection_if_each_thread_has_its_own(void **state)
{
    (void)state;
    assert_int_equal(RACES(LOCK(1, L), ACCESS(1, WRITE, X), UNLOCK(1, L), LOCK(2, M),
                           ACCESS(2, WRITE, X), UNLOCK(2, M), LOCK(1, L), ACCESS(1, WRITE, X),
                           UNLOCK(1, L)),
                     1);
}

static void readers_and_writers_of_a_read_write_lock_are_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(LOCK(0, L, .lock = DARN_EVENT_WRLOCK), ACCESS(0, WRITE, X), UNLOCK(0, L),
                           LOCK(1, L, .lock = DARN_EVENT_RDLOCK), ACCESS(1, READ, X), UNLOCK(1, L),
                           LOCK(2, L, .lock = DARN_EVENT_WRLOCK), ACCESS(2, WRITE, X),
                           UNLOCK(2, L)),
                     0);
}

static void a_write_under_a_lock_that_is_held_for_reading_is_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(LOCK(0, L, .lock = DARN_EVENT_WRLOCK), ACCESS(0, WRITE, X), UNLOCK(0, L),
                           LOCK(1, L, .lock = DARN_EVENT_RDLOCK), ACCESS(1, WRITE, X)),
                     1);
}

static void memory_that_is_allocated_anew_has_no_past(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, ALLOC, X, .extra = 16), ACCESS(0, WRITE, X + 8),
                           EVENT(0, FREE, X, .extra = 16), EVENT(1, ALLOC, X, .extra = 16),
                           ACCESS(1, WRITE, X + 8)),
                     0);
}

static void neighbours_are_different_variables(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), ACCESS(1, WRITE, X + 4)), 0);
}

static void synchronization_is_no_variable_unless_it_is_ignored(void **state)
{
    static const struct darn_engine_config plain = {.ignore_sync = true, .ignore_atomic = true};
    struct trial trial = start(&darn_engine_eraser, NULL), ignoring;
    struct darn_event events[] = {
        ACCESS(0, WRITE, X, .flags = DARN_EVENT_SYNC),
        ACCESS(1, WRITE, X, .flags = DARN_EVENT_SYNC),
        ACCESS(0, WRITE, X + 8, .flags = DARN_EVENT_ATOMIC),
        ACCESS(1, UPDATE, X + 8, .flags = DARN_EVENT_ATOMIC),
    };

    (void)state;
    ignoring = start(&darn_engine_eraser, &plain);
    for (size_t i = 0; i < 4; i++) {
        events[i].site = (uint32_t)i + 1;
        give(&trial, events[i]);
        give(&ignoring, events[i]);
    }
    finish(&trial);
    finish(&ignoring);
    assert_int_equal(trial.count, 0);
    assert_int_equal(ignoring.count, 2);
    stop(&trial);
    stop(&ignoring);
}

/* The access that leaves no lock, and the one of another thread that has none in common with it. */
static void both_sides_are_named_with_their_locks(void **state)
{
    struct trial trial = start(&darn_engine_eraser, NULL);
    uint32_t lock, first, second;

    (void)state;
    give(&trial, EVENT(0, FORK, 1));
    lock = __LINE__ + 1;
    give(&trial, EVENT(1, ACQUIRE, L, .stack = 77));
    first = __LINE__ + 1;
    give(&trial, ACCESS(1, WRITE, X, .stack = 78));
    give(&trial, EVENT(1, RELEASE, L));
    second = __LINE__ + 1;
    give(&trial, ACCESS(0, READ, X));
    finish(&trial);
    assert_int_equal(trial.count, 0);
    give(&trial, ACCESS(0, WRITE, X));
    second = __LINE__ - 1;
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_true(names_pair(&trial, first, second));
    assert_int_equal(trial.predictions[0].target, X);
    assert_int_equal(trial.predictions[0].steps[0].event.stack, 78);
    assert_int_equal(trial.predictions[0].steps[0].event.target, X);
    assert_int_equal(trial.predictions[0].steps[0].lock_count, 1);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].lock, L);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].site, lock);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].stack, 77);
    assert_int_equal(trial.predictions[0].steps[1].lock_count, 0);
    stop(&trial);
}

/* Thread 2 empties C(v) by a read, and all writes are its own: the conflict is with thread 1's
 * read. */
static void a_conflict_is_named_even_if_the_last_access_has_none(void **state)
{
    struct trial trial = start(&darn_engine_eraser, NULL);
    uint32_t read, write;

    (void)state;
    read = __LINE__ + 1;
    give(&trial, ACCESS(1, READ, X));
    give(&trial, EVENT(2, ACQUIRE, L));
    write = __LINE__ + 1;
    give(&trial, ACCESS(2, WRITE, X));
    give(&trial, EVENT(2, RELEASE, L));
    give(&trial, ACCESS(2, READ, X));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_true(names_pair(&trial, read, write));
    stop(&trial);
}

/* Wang & Stoller figure 4: t1, t2 and t3 do not race, and eraser says so. */
static void figure_4_of_wang_and_stoller_is_a_false_alarm(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser, "wang-stoller-figure4-t3-t2-t1.std"),
                        "12-31");
    assert_string_equal(lines_of(&darn_engine_eraser, "wang-stoller-figure4-t3-t2-t4.std"),
                        "31-43");
}

static void a_result_that_is_read_after_all_joins_is_a_false_alarm(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser, "letko-join.std"), "6-21");
}

static void an_object_that_is_handed_over_is_a_false_alarm(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser, "letko-owner.std"), "1-10");
}

/* Wang & Stoller 5.4: initialization is taken to last until a second thread comes. */
static void a_race_with_the_last_access_of_the_first_thread_is_missed(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_eraser, "wang-stoller-second-thread-late.std"), "");
}

enum slow_state { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED };

struct variable {
    enum slow_state state;
    uint32_t owner;
    uint32_t candidates;
    bool reported;
};

/* Whether the byte is reported at event `at`. */
static bool slow_eraser(const struct slow *slow, struct variable *variable, size_t at,
                        uint64_t byte)
{
    const struct darn_event *event = &slow->events[at];
    bool writes = darn_event_writes(event);

    if (renews(event, byte))
        *variable = (struct variable){0};
    if (!counts(slow, at, byte))
        return false;
    switch (variable->state) {
    case VIRGIN:
        *variable = (struct variable){EXCLUSIVE, event->thread, ALL_LOCKS, false};
        break;
    case EXCLUSIVE:
        if (variable->owner != event->thread)
            variable->state = writes ? SHARED_MODIFIED : SHARED;
        break;
    case SHARED:
        if (writes)
            variable->state = SHARED_MODIFIED;
        break;
    case SHARED_MODIFIED:
        break;
    }
    if (variable->state == SHARED || variable->state == SHARED_MODIFIED)
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
    return slow_eraser(slow, &variables[byte], at, TRACE_MEMORY + byte);
}

static size_t compare(uint64_t seed, const struct darn_engine_config *config)
{
    memset(variables, 0, sizeof(variables));
    return compare_with_slow(&darn_engine_eraser, config, &slow, &trace, seed, is_reported);
}

static void the_reports_are_those_of_the_slow_version(void **state)
{
    (void)state;
    assert_true(compare_traces(&trace, TRACES, compare) > TRACES);
}

/* A million blocks, one after the other, of different threads. */
static void memory_is_bounded_by_what_is_live(void **state)
{
    struct trial trial = start(&darn_engine_eraser, NULL);

    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t block = X + i % 1000 * 4096;

        give(&trial, EVENT(i % 7, ALLOC, block, .extra = 64));
        for (uint64_t at = 0; at < 64; at += 8)
            give(&trial, ACCESS(i % 7, WRITE, block + at));
        give(&trial, EVENT(i % 7, FREE, block, .extra = 64));
    }
    finish(&trial);
    assert_true(trial.engine->cost(trial.state).peak < 2000000);
    assert_int_equal(trial.count, 0);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_of_one_thread_is_never_reported),
        cmocka_unit_test(what_is_written_once_and_read_by_all_is_never_reported),
        cmocka_unit_test(a_write_of_a_second_thread_without_a_lock_is_reported),
        cmocka_unit_test(locked_counter_is_never_reported),
        cmocka_unit_test(two_locks_are_no_protection_if_each_thread_has_its_own),
        cmocka_unit_test(readers_and_writers_of_a_read_write_lock_are_never_reported),
        cmocka_unit_test(a_write_under_a_lock_that_is_held_for_reading_is_reported),
        cmocka_unit_test(memory_that_is_allocated_anew_has_no_past),
        cmocka_unit_test(neighbours_are_different_variables),
        cmocka_unit_test(synchronization_is_no_variable_unless_it_is_ignored),
        cmocka_unit_test(both_sides_are_named_with_their_locks),
        cmocka_unit_test(a_conflict_is_named_even_if_the_last_access_has_none),
        cmocka_unit_test(figure_4_of_wang_and_stoller_is_a_false_alarm),
        cmocka_unit_test(a_result_that_is_read_after_all_joins_is_a_false_alarm),
        cmocka_unit_test(an_object_that_is_handed_over_is_a_false_alarm),
        cmocka_unit_test(a_race_with_the_last_access_of_the_first_thread_is_missed),
        cmocka_unit_test(the_reports_are_those_of_the_slow_version),
        cmocka_unit_test(memory_is_bounded_by_what_is_live),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
