/* The program's own locks that a thread holds, and mutexes the short way. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/heal/heal_closed.h"
#include "runtime/interpose/simple.h"
#include "runtime/os/os.h"
#include "runtime/thread/own.h"
#include "runtime/thread/thread.h"

enum { MANY = 20 };

static char locks[MANY];
static struct darn_thread thread = {.number = 1};
static int slow_locks, slow_unlocks;

static int lock_slowly(pthread_mutex_t *mutex)
{
    slow_locks++;
    return pthread_mutex_trylock(mutex);
}

static int unlock_slowly(pthread_mutex_t *mutex)
{
    slow_unlocks++;
    return pthread_mutex_unlock(mutex);
}

static int begin(void **state)
{
    (void)state;
    slow_locks = slow_unlocks = 0;
    atomic_store(&darn_closed_count, 0);
    darn_simple_open(lock_slowly, unlock_slowly);
    thread.tid = darn_os_thread_id();
    darn_own_begin(&thread);
    return 0;
}

static int end(void **state)
{
    (void)state;
    darn_own_end(&thread);
    return 0;
}

static void who_is_not_known_has_no_short_way(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    darn_own_end(&thread);
    assert_int_equal(darn_own_of(&thread), 0);
    assert_null(darn_own_outside(&thread));
    assert_int_equal(darn_simple_lock(&mutex), 0);
    assert_int_equal(slow_locks, 1);
    assert_int_equal(darn_simple_unlock(&mutex), 0);
    assert_int_equal(slow_unlocks, 1);
}

static void locks_stand_in_the_order_in_which_they_were_taken(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        darn_own_add(&locks[i * 2], false, false);
    darn_own_remove(&locks[2]);
    assert_int_equal(darn_own_here.count, 3);
    assert_int_equal(darn_own_find(&locks[0]), 0);
    assert_int_equal(darn_own_find(&locks[2]), -1);
    assert_int_equal(darn_own_find(&locks[4]), 1);
    assert_int_equal(darn_own_find(&locks[6]), 2);
}

static void others_see_what_is_held_and_how_many_were_given_back(void **state)
{
    (void)state;
    assert_false(darn_own_holds(darn_own_of(&thread)));
    darn_own_add(&locks[0], false, false);
    assert_true(darn_own_holds(darn_own_of(&thread)));
    assert_int_equal(darn_own_given(darn_own_of(&thread)), 0);
    darn_own_remove(&locks[0]);
    assert_false(darn_own_holds(darn_own_of(&thread)));
    assert_int_equal(darn_own_given(darn_own_of(&thread)), 1);
}

static void those_without_room_are_counted(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i += 2)
        darn_own_add(&locks[i], false, false);
    assert_int_equal(darn_own_here.count, DARN_OWN_LOCKS);
    assert_int_equal(darn_own_here.beyond, MANY / 2 - DARN_OWN_LOCKS);
    for (int i = 0; i < MANY - 2; i += 2)
        darn_own_remove(&locks[i]);
    assert_int_equal(darn_own_here.count, 0);
    assert_true(darn_own_here.beyond > 0);
    assert_true(darn_own_excludes());
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_LOCKED);
}

static void a_lock_that_nests_is_there_as_often(void **state)
{
    (void)state;
    darn_own_add(&locks[0], false, true);
    darn_own_add(&locks[2], false, true);
    darn_own_add(&locks[0], false, true);
    assert_int_equal(darn_own_here.count, 3);
    assert_int_equal(darn_own_find(&locks[0]), 2);
    darn_own_remove(&locks[0]);
    assert_int_equal(darn_own_find(&locks[0]), 0);
    darn_own_remove(&locks[0]);
    assert_int_equal(darn_own_find(&locks[0]), -1);
}

static void a_lock_that_another_gave_back_does_not_stay_for_ever(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        darn_own_add(&locks[0], false, false);
    assert_int_equal(darn_own_here.count, 1);
    assert_int_equal(darn_own_here.beyond, 0);
    darn_own_remove(&locks[0]);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
}

static void to_give_back_what_is_not_held_changes_nothing(void **state)
{
    (void)state;
    darn_own_remove(&locks[0]);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
    darn_own_add(&locks[2], false, false);
    darn_own_remove(&locks[0]);
    assert_int_equal(darn_own_find(&locks[2]), 0);
}

static void who_shares_a_lock_still_calls(void **state)
{
    (void)state;
    darn_own_add(&locks[0], true, false);
    assert_int_equal(darn_own_find(&locks[0]), 0);
    assert_false(darn_own_excludes());
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_IDLE);
    darn_own_add(&locks[2], false, false);
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_LOCKED);
    darn_own_remove(&locks[2]);
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_IDLE);
}

static void who_is_in_a_section_calls_everywhere(void **state)
{
    (void)state;
    darn_own_add(&locks[0], false, false);
    assert_int_equal(darn_own_here.now, DARN_OWN_ONE);
    darn_own_set_sections(4, 0);
    assert_int_equal(darn_own_here.limit, 0);
    darn_own_add(&locks[2], false, false);
    assert_int_equal(darn_own_here.limit, 0);
    darn_own_set_sections(0, 0);
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_LOCKED);
}

static void who_is_in_sections_that_are_left_to_locks_does_not_call(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(darn_simple_lock(&mutex), 0);
    darn_own_set_sections(5, 5);
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_LOCKED);
    darn_own_add(&locks[2], false, false);
    darn_own_remove(&locks[2]);
    assert_int_equal(darn_own_here.limit, DARN_LIMIT_LOCKED);
    assert_int_equal(darn_own_here.left, 5);
    darn_own_set_sections(5, 4);
    assert_int_equal(darn_own_here.limit, 0);
    darn_own_set_sections(4, 4);
    assert_int_equal(darn_simple_unlock(&mutex), 0); /* it has to be seen */
    assert_int_equal(slow_unlocks, 1);
    darn_own_set_sections(0, 0);
    assert_int_equal(darn_own_here.left, 0);
}

static void who_is_outside_is_so_in_sections(void **state)
{
    (void)state;
    darn_own_here.outside = DARN_OUTSIDE_ANY;
    assert_null(darn_own_outside(&thread));
    darn_own_set_sections(1, 0);
    assert_ptr_equal(darn_own_outside(&thread), DARN_OUTSIDE_ANY);
    darn_own_here.outside = locks;
    assert_ptr_equal(darn_own_outside(&thread), locks);
    darn_own_here.outside = NULL;
    assert_null(darn_own_outside(&thread));
    darn_own_set_sections(0, 0);
}

/* ---- simple.c ---- */

static void a_free_mutex_is_taken_as_libc_does_it(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_true(darn_simple_fits(pthread_mutex_lock, pthread_mutex_unlock));
    assert_int_equal(darn_simple_lock(&mutex), 0);
    assert_int_equal(pthread_mutex_lock(&other), 0);
    assert_memory_equal(&mutex, &other, sizeof(mutex));
    assert_int_equal(darn_own_here.now, DARN_OWN_ONE);
    assert_int_equal(darn_own_find(&mutex), 0);
    assert_int_equal(pthread_mutex_trylock(&mutex), EBUSY);
    assert_int_equal(darn_simple_unlock(&mutex), 0);
    assert_int_equal(pthread_mutex_unlock(&other), 0);
    assert_memory_equal(&mutex, &other, sizeof(mutex));
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
    assert_int_equal(darn_own_given(darn_own_here.all), 1);
    assert_int_equal(slow_locks + slow_unlocks, 0);
    assert_int_equal(pthread_mutex_destroy(&mutex), 0);
}

static void each_gives_back_what_the_other_took(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(darn_simple_lock(&mutex), 0);
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    darn_own_remove(&mutex);
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    darn_own_add(&mutex, false, false);
    assert_int_equal(darn_simple_unlock(&mutex), 0);
    assert_int_equal(slow_unlocks, 0);
    assert_int_equal(pthread_mutex_trylock(&mutex), 0);
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
}

static void one_that_is_taken_goes_the_long_way(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    assert_int_equal(darn_simple_lock(&mutex), EBUSY);
    assert_int_equal(slow_locks, 1);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
    assert_int_equal(darn_simple_unlock(&mutex), 0); /* nobody has written down that we have it */
    assert_int_equal(slow_unlocks, 1);
}

static void *waits_for(void *arg)
{
    pthread_mutex_lock(arg);
    pthread_mutex_unlock(arg);
    return NULL;
}

static void who_waits_is_woken_up(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t waiter;

    (void)state;
    assert_int_equal(darn_simple_lock(&mutex), 0);
    assert_int_equal(pthread_create(&waiter, NULL, waits_for, &mutex), 0);
    while (__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) != 2)
        usleep(100);
    assert_int_equal(darn_simple_unlock(&mutex), 0);
    assert_int_equal(slow_unlocks, 1);
    assert_int_equal(pthread_join(waiter, NULL), 0);
    assert_int_equal(mutex.__data.__lock, 0);
    assert_int_equal(mutex.__data.__owner, 0);
    assert_int_equal(mutex.__data.__nusers, 0);
}

static void other_kinds_go_the_long_way(void **state)
{
    const int kinds[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};

    (void)state;
    for (int i = 0; i < 2; i++) {
        pthread_mutexattr_t attributes;
        pthread_mutex_t mutex;

        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, kinds[i]);
        pthread_mutex_init(&mutex, &attributes);
        assert_int_equal(darn_simple_lock(&mutex), 0);
        assert_int_equal(slow_locks, i + 1);
        darn_own_add(&mutex, false, true);
        assert_int_equal(darn_simple_unlock(&mutex), 0);
        assert_int_equal(slow_unlocks, i + 1);
        darn_own_remove(&mutex);
        pthread_mutexattr_destroy(&attributes);
    }
}

static void a_second_one_goes_the_long_way(void **state)
{
    pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    assert_int_equal(darn_simple_lock(&first), 0);
    assert_int_equal(darn_simple_lock(&second), 0);
    assert_int_equal(slow_locks, 1);
    darn_own_add(&second, false, false);
    assert_int_equal(darn_simple_unlock(&first), 0); /* in another order */
    assert_int_equal(slow_unlocks, 1);
    darn_own_remove(&first);
    assert_int_equal(darn_simple_unlock(&second), 0);
    assert_int_equal(slow_unlocks, 1);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
}

static void in_a_section_everything_goes_the_long_way(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    darn_own_set_sections(1, 0);
    assert_int_equal(darn_simple_lock(&mutex), 0);
    assert_int_equal(slow_locks, 1);
    assert_int_equal(darn_simple_unlock(&mutex), 0);
    assert_int_equal(slow_unlocks, 1);
    darn_own_set_sections(0, 0);
}

static void while_a_lock_is_closed_all_go_the_long_way(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    atomic_store(&darn_closed_count, 1);
    assert_int_equal(darn_simple_lock(&mutex), 0);
    assert_int_equal(slow_locks, 1);
    assert_int_equal(slow_unlocks, 0);
    assert_int_equal(mutex.__data.__nusers, 1);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE); /* the long way would write it down */
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_is_not_known_has_no_short_way),
        TEST(locks_stand_in_the_order_in_which_they_were_taken),
        TEST(others_see_what_is_held_and_how_many_were_given_back),
        TEST(those_without_room_are_counted),
        TEST(a_lock_that_nests_is_there_as_often),
        TEST(a_lock_that_another_gave_back_does_not_stay_for_ever),
        TEST(to_give_back_what_is_not_held_changes_nothing),
        TEST(who_shares_a_lock_still_calls),
        TEST(who_is_in_a_section_calls_everywhere),
        TEST(who_is_in_sections_that_are_left_to_locks_does_not_call),
        TEST(who_is_outside_is_so_in_sections),
        TEST(a_free_mutex_is_taken_as_libc_does_it),
        TEST(each_gives_back_what_the_other_took),
        TEST(one_that_is_taken_goes_the_long_way),
        TEST(who_waits_is_woken_up),
        TEST(other_kinds_go_the_long_way),
        TEST(a_second_one_goes_the_long_way),
        TEST(in_a_section_everything_goes_the_long_way),
        TEST(while_a_lock_is_closed_all_go_the_long_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
