/* The locks that a thread holds: as reports show them, and as healing knows them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/heal/heal.h"
#include "runtime/report/counters.h"
#include "runtime/thread/locks.h"
#include "runtime/thread/thread.h"

static struct darn_thread thread;
static pthread_mutex_t locks[DARN_LOCKS_HELD + 2];
static const uintptr_t frame[2] = {0, 0x1234};

static int start(void **state)
{
    (void)state;
    memset(&thread, 0, sizeof(thread));
    darn_healing = true;
    darn_own_begin(&thread);
    for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
        locks[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    return 0;
}

static void take(int lock)
{
    darn_lock_taken(&thread, &locks[lock], DARN_LOCK_MUTEX, 0, frame);
}

static void give(int lock)
{
    darn_lock_given(&thread, &locks[lock], frame);
}

static void expect_held(uint32_t count, const int *held)
{
    assert_int_equal(thread.locks.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_ptr_equal(thread.locks.held[i].address, &locks[held[i]]);
        assert_true(darn_own_find(&locks[held[i]]) >= 0);
    }
}

static void locks_are_listed_in_the_order_in_which_they_were_taken(void **state)
{
    (void)state;
    take(2);
    take(0);
    take(1);
    expect_held(3, (int[]){2, 0, 1});
}

static void a_lock_that_was_given_back_is_not_listed(void **state)
{
    (void)state;
    take(0);
    take(1);
    give(1);
    expect_held(1, (int[]){0});
    give(0);
    expect_held(0, NULL);
}

static void locks_may_be_given_back_in_any_order(void **state)
{
    (void)state;
    take(0);
    take(1);
    take(2);
    give(0);
    expect_held(2, (int[]){1, 2});
    give(1);
    expect_held(1, (int[]){2});
    take(0);
    expect_held(2, (int[]){2, 0});
}

static void a_recursive_lock_is_held_until_it_was_given_back_as_often(void **state)
{
    (void)state;
    locks[0] = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    take(0);
    take(1);
    take(0);
    take(0);
    expect_held(2, (int[]){0, 1});
    assert_int_equal(thread.locks.held[0].depth, 3);
    give(0);
    give(0);
    expect_held(2, (int[]){0, 1});
    give(0);
    expect_held(1, (int[]){1});
}

/* A mutex that serves as a semaphore: else it would be in the list for ever. */
static void a_mutex_that_another_thread_has_given_back_is_held_once(void **state)
{
    (void)state;
    take(0);
    take(1);
    take(0);
    expect_held(2, (int[]){1, 0});
    assert_int_equal(darn_own_here.count, 2);
    give(0);
    expect_held(1, (int[]){1});
    assert_int_equal(darn_own_here.count, 1);
}

static void healing_knows_of_no_lock_where_nothing_is_healed(void **state)
{
    (void)state;
    darn_healing = false;
    take(0);
    assert_int_equal(thread.locks.count, 1);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
    give(0);
    assert_int_equal(thread.locks.count, 0);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
}

static void how_a_lock_is_held_is_remembered(void **state)
{
    (void)state;
    darn_lock_taken(&thread, &locks[0], DARN_LOCK_READ, 0, frame);
    darn_lock_taken(&thread, &locks[1], DARN_LOCK_WRITE, 0, frame);
    darn_lock_taken(&thread, &locks[2], DARN_LOCK_SPIN, 0, frame);
    assert_int_equal(thread.locks.held[0].kind, DARN_LOCK_READ);
    assert_int_equal(thread.locks.held[1].kind, DARN_LOCK_WRITE);
    assert_int_equal(thread.locks.held[2].kind, DARN_LOCK_SPIN);
    assert_true(darn_own_is_shared(darn_own_here.held[0]));
    assert_false(darn_own_is_shared(darn_own_here.held[1]));
    assert_false(darn_own_is_shared(darn_own_here.held[2]));
}

/* It would say of itself that a thread that takes it again has it once. */
static void a_lock_of_openmp_is_held_until_it_was_given_back_as_often(void **state)
{
    static const char lock[64];

    (void)state;
    darn_lock_taken(&thread, lock, DARN_LOCK_OPENMP, 0, frame);
    darn_lock_taken(&thread, lock, DARN_LOCK_OPENMP, 0, frame);
    assert_int_equal(darn_own_here.count, 0); /* healing does not count it */
    assert_int_equal(thread.locks.count, 1);
    assert_true(darn_lock_given(&thread, lock, frame));
    assert_int_equal(thread.locks.count, 1);
    assert_ptr_equal(thread.locks.held[0].address, lock);
    assert_true(darn_lock_given(&thread, lock, frame));
    assert_int_equal(thread.locks.count, 0);
}

static void giving_back_what_was_never_taken_changes_nothing(void **state)
{
    (void)state;
    give(0);
    expect_held(0, NULL);
    take(1);
    give(0);
    expect_held(1, (int[]){1});
}

static void locks_beyond_the_list_are_counted_and_not_missed(void **state)
{
    uint64_t before = darn_counter_value(DARN_COUNT_LOCKS_NOT_LISTED);

    (void)state;
    for (int i = 0; i < DARN_LOCKS_HELD; i++)
        take(i);
    assert_int_equal(darn_counter_value(DARN_COUNT_LOCKS_NOT_LISTED), before);
    take(DARN_LOCKS_HELD);
    take(DARN_LOCKS_HELD + 1);
    assert_int_equal(darn_counter_value(DARN_COUNT_LOCKS_NOT_LISTED), before + 2);
    assert_int_equal(thread.locks.count, DARN_LOCKS_HELD);
    give(DARN_LOCKS_HELD);
    give(DARN_LOCKS_HELD + 1);
    assert_int_equal(thread.locks.count, DARN_LOCKS_HELD);
    for (int i = 0; i < DARN_LOCKS_HELD; i++)
        give(i);
    expect_held(0, NULL);
}

static void a_thread_that_is_not_known_has_no_list(void **state)
{
    (void)state;
    darn_lock_taken(NULL, &locks[0], DARN_LOCK_MUTEX, 0, frame);
    darn_lock_given(NULL, &locks[0], frame);
    expect_held(0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(locks_are_listed_in_the_order_in_which_they_were_taken, start),
        cmocka_unit_test_setup(a_lock_that_was_given_back_is_not_listed, start),
        cmocka_unit_test_setup(locks_may_be_given_back_in_any_order, start),
        cmocka_unit_test_setup(a_recursive_lock_is_held_until_it_was_given_back_as_often, start),
        cmocka_unit_test_setup(a_mutex_that_another_thread_has_given_back_is_held_once, start),
        cmocka_unit_test_setup(healing_knows_of_no_lock_where_nothing_is_healed, start),
        cmocka_unit_test_setup(how_a_lock_is_held_is_remembered, start),
        cmocka_unit_test_setup(a_lock_of_openmp_is_held_until_it_was_given_back_as_often, start),
        cmocka_unit_test_setup(giving_back_what_was_never_taken_changes_nothing, start),
        cmocka_unit_test_setup(locks_beyond_the_list_are_counted_and_not_missed, start),
        cmocka_unit_test_setup(a_thread_that_is_not_known_has_no_list, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
