/* The multilockset engine: Wang & Stoller's examples, phases and escape. */
#include "slow_locksets.h"

#define X UINT64_C(0x1000)
#define L UINT64_C(0x8000)
#define M UINT64_C(0x8040)
#define N UINT64_C(0x8080)

#define RACES(...) RACES_OF(&darn_engine_multilockset, __VA_ARGS__)

#define LOCKED(who, what, which)                                                                   \
    EVENT(who, ACQUIRE, which), ACCESS(who, what, X), EVENT(who, RELEASE, which)

/* In the order t3, t2, t1: all pairs of accesses have a lock in common. */
static void figure_4_of_wang_and_stoller_has_no_race(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-figure4-t3-t2-t1.std"),
                        "");
}

/* In the order t3, t2, t4: the paper calls this one a false alarm, and makes it, too. */
static void figure_4_of_wang_and_stoller_has_its_false_alarm(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-figure4-t3-t2-t4.std"),
                        "21-43");
}

static void a_race_with_the_last_access_of_the_first_thread_is_found(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-second-thread-late.std"),
                        "10-20");
}

/* a and c are in order; b is written by both in concurrent periods. */
static void only_concurrent_periods_of_figure_2_race(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "wang-stoller-figure2.std"), "4-11");
}

static void a_result_that_is_read_after_all_joins_is_never_reported(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_multilockset, "letko-join.std"), "");
    assert_string_equal(lines_of(&darn_engine_multilockset, "letko-owner.std"), "");
}

static void locked_counter_is_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(0, FORK, 1), EVENT(0, FORK, 2),
                           LOCKED(1, WRITE, L), LOCKED(2, WRITE, L), LOCKED(0, READ, L)),
                     0);
}

static void an_unlocked_counter_is_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(0, FORK, 1), EVENT(0, FORK, 2),
                           LOCKED(1, WRITE, L), ACCESS(2, WRITE, X)),
                     1);
}

/* A thread that was there before: it is concurrent with what was set up before the others. */
static void a_late_comer_races_with_what_an_older_phase_did(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, FORK, 1), ACCESS(0, WRITE, X), EVENT(0, FORK, 2),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     1);
    assert_int_equal(RACES(EVENT(0, FORK, 1), LOCKED(0, WRITE, L), EVENT(0, FORK, 2),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     0);
}

/* Thread 1's write has a lock in common with the other write, but not with the read before it. */
static void a_late_comer_races_with_what_an_older_phase_only_read(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, FORK, 1), ACCESS(0, READ, X), EVENT(0, FORK, 2),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     1);
    assert_int_equal(RACES(EVENT(0, FORK, 1), ACCESS(0, WRITE, X), EVENT(0, FORK, 2),
                           LOCKED(2, READ, L), LOCKED(1, READ, L)),
                     1);
}

/* The first read says no more than the second one, and may be forgotten; the write between them may
 * not. */
static void an_older_phase_stays_when_an_even_older_one_goes(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(0, FORK, 9), ACCESS(0, READ, X), EVENT(0, FORK, 1),
                           LOCKED(0, WRITE, L), EVENT(0, FORK, 2), ACCESS(0, READ, X),
                           EVENT(0, FORK, 3), LOCKED(0, READ, M), EVENT(0, FORK, 4),
                           LOCKED(0, READ, N), ACCESS(9, READ, X)),
                     1);
}

static void what_barriers_separate_is_never_reported(void **state)
{
    const uint64_t barrier = 0x4000;

    (void)state;
    assert_int_equal(
        RACES(ACCESS(1, WRITE, X), EVENT(1, ARRIVE, barrier), EVENT(2, ARRIVE, barrier),
              EVENT(1, DEPART, barrier), EVENT(2, DEPART, barrier), ACCESS(2, READ, X),
              ACCESS(1, READ, X), EVENT(1, ARRIVE, barrier), EVENT(2, ARRIVE, barrier),
              EVENT(2, DEPART, barrier), EVENT(1, DEPART, barrier), ACCESS(2, WRITE, X)),
        0);
}

static void what_a_thread_does_with_its_own_new_block_does_not_count(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ALLOC, X - 8, .extra = 64), ACCESS(1, WRITE, X),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     0);
    assert_int_equal(RACES(ACCESS(1, WRITE, X), LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)), 1);
    assert_int_equal(RACES(EVENT(3, ALLOC, X - 8, .extra = 64), ACCESS(1, WRITE, X),
                           LOCKED(2, WRITE, L), LOCKED(1, WRITE, L)),
                     1);
}

static void a_block_that_has_escaped_stays_so(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ALLOC, X, .extra = 8), ACCESS(1, WRITE, X), ACCESS(2, READ, X),
                           ACCESS(1, WRITE, X)),
                     1);
}

static void readers_and_writers_of_a_read_write_lock_are_never_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK), ACCESS(1, READ, X),
                           EVENT(1, RELEASE, L), EVENT(2, ACQUIRE, L, .lock = DARN_EVENT_WRLOCK),
                           ACCESS(2, WRITE, X), EVENT(2, RELEASE, L)),
                     0);
}

static void writes_under_a_lock_that_is_held_for_reading_are_reported(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK), ACCESS(1, WRITE, X),
                           EVENT(1, RELEASE, L), EVENT(2, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK),
                           ACCESS(2, WRITE, X), EVENT(2, RELEASE, L)),
                     1);
}

/* Each two have a lock in common, all three have none: WriteSet is empty, as the paper has it. */
static void three_writers_with_three_locks_are_a_false_alarm(void **state)
{
    (void)state;
    assert_int_equal(RACES(EVENT(1, ACQUIRE, L), LOCKED(1, WRITE, M), EVENT(1, RELEASE, L),
                           EVENT(2, ACQUIRE, M), LOCKED(2, WRITE, N), EVENT(2, RELEASE, M),
                           EVENT(3, ACQUIRE, N), LOCKED(3, WRITE, L), EVENT(3, RELEASE, N)),
                     1);
}

static void memory_that_is_allocated_anew_has_no_past(void **state)
{
    (void)state;
    assert_int_equal(RACES(ACCESS(0, WRITE, X), EVENT(1, FREE, X, .extra = 16),
                           EVENT(1, ALLOC, X, .extra = 16), ACCESS(2, WRITE, X)),
                     0);
}

static void both_sides_are_named_with_their_locks(void **state)
{
    struct trial trial = start(&darn_engine_multilockset, NULL);
    uint32_t lock, first, second;

    (void)state;
    lock = __LINE__ + 1;
    give(&trial, EVENT(1, ACQUIRE, L, .stack = 77));
    first = __LINE__ + 1;
    give(&trial, ACCESS(1, WRITE, X, .stack = 78));
    give(&trial, EVENT(1, RELEASE, L));
    second = __LINE__ + 1;
    give(&trial, ACCESS(2, READ, X));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_true(names_pair(&trial, first, second));
    assert_int_equal(trial.predictions[0].target, X);
    assert_int_equal(trial.predictions[0].steps[0].event.thread, 1);
    assert_int_equal(trial.predictions[0].steps[0].event.stack, 78);
    assert_int_equal(trial.predictions[0].steps[0].lock_count, 1);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].lock, L);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].site, lock);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].stack, 77);
    assert_int_equal(trial.predictions[0].steps[1].event.thread, 2);
    assert_int_equal(trial.predictions[0].steps[1].lock_count, 0);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4_of_wang_and_stoller_has_no_race),
        cmocka_unit_test(figure_4_of_wang_and_stoller_has_its_false_alarm),
        cmocka_unit_test(a_race_with_the_last_access_of_the_first_thread_is_found),
        cmocka_unit_test(only_concurrent_periods_of_figure_2_race),
        cmocka_unit_test(a_result_that_is_read_after_all_joins_is_never_reported),
        cmocka_unit_test(locked_counter_is_never_reported),
        cmocka_unit_test(an_unlocked_counter_is_reported),
        cmocka_unit_test(a_late_comer_races_with_what_an_older_phase_did),
        cmocka_unit_test(a_late_comer_races_with_what_an_older_phase_only_read),
        cmocka_unit_test(an_older_phase_stays_when_an_even_older_one_goes),
        cmocka_unit_test(what_barriers_separate_is_never_reported),
        cmocka_unit_test(what_a_thread_does_with_its_own_new_block_does_not_count),
        cmocka_unit_test(a_block_that_has_escaped_stays_so),
        cmocka_unit_test(readers_and_writers_of_a_read_write_lock_are_never_reported),
        cmocka_unit_test(writes_under_a_lock_that_is_held_for_reading_are_reported),
        cmocka_unit_test(three_writers_with_three_locks_are_a_false_alarm),
        cmocka_unit_test(memory_that_is_allocated_anew_has_no_past),
        cmocka_unit_test(both_sides_are_named_with_their_locks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
