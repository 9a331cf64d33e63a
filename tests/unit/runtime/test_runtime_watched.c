/* The short way of mutexes in a run that is only watched: it keeps the list of held locks and the
 * clocks as the long way does, and leaves to that whatever is unusual. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/interpose/watched.h"
#include "runtime/order/ordering.h"
#include "runtime/report/found.h"
#include "runtime/state.h"

enum { THREADS = 2, ROUNDS = 100 };

static struct darn_thread threads[THREADS];
static struct darn_site sites[3 * ROUNDS]; /* each access has one of its own */
static pthread_mutex_t mutex, other;
static long variables[16], *x;
static uint32_t next_number, next_variable, next_site;

/* What was called, found and told. */
static uint32_t slow_locks, slow_unlocks, given, found, told;
static struct darn_locks held; /* by the second thread */

void __wrap_darn_finding_race(const struct darn_race *race)
{
    found++;
    held = race->first->thread == threads[1].number ? race->first->locks : race->second->locks;
}

struct darn_thread *__wrap_darn_threads_next(uint32_t *place)
{
    return *place < THREADS ? &threads[(*place)++] : NULL;
}

void __real_darn_order_event(struct darn_thread *thread, const struct darn_event *event,
                             const void *frame);
void __wrap_darn_order_event(struct darn_thread *thread, const struct darn_event *event,
                             const void *frame)
{
    told++;
    __real_darn_order_event(thread, event, frame);
}

static int lock_slowly(pthread_mutex_t *unused)
{
    (void)unused;
    slow_locks++;
    return 0;
}

static int unlock_slowly(pthread_mutex_t *unused)
{
    (void)unused;
    slow_unlocks++;
    return 0;
}

static int give(pthread_mutex_t *unused)
{
    (void)unused;
    given++;
    return 0;
}

static int start(void **state)
{
    char here;

    (void)state;
    darn_state.mode = DARN_MODE_WATCH;
    darn_state.options.budget = 10;
    memset(threads, 0, sizeof(threads));
    darn_thread_record = &threads[0];
    darn_order_start();
    for (int i = 0; i < THREADS; i++) {
        threads[i].number = next_number++;
        threads[i].tid = 1000 + i;
        threads[i].has_parent = true;
        threads[i].stack_start = (uintptr_t)&here - 65536;
        threads[i].stack_end = (uintptr_t)&here + 65536;
        darn_order_thread_start(&threads[i]);
    }
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_init(&other, NULL);
    x = &variables[next_variable++];
    slow_locks = slow_unlocks = given = found = told = 0;
    darn_watched_open(lock_slowly, unlock_slowly, give);
    return !darn_ordering;
}

static int stop(void **state)
{
    (void)state;
    for (int i = 0; i < THREADS; i++)
        darn_order_thread_end(&threads[i]);
    darn_thread_record = NULL;
    return 0;
}

static void lock(int thread, pthread_mutex_t *which)
{
    darn_thread_record = &threads[thread];
    assert_int_equal(darn_watched_lock(which), 0);
}

static void unlock(int thread, pthread_mutex_t *which)
{
    darn_thread_record = &threads[thread];
    assert_int_equal(darn_watched_unlock(which), 0);
}

static void writes(int thread)
{
    struct darn_touch touch = {.address = (uintptr_t)x,
                               .size = sizeof(*x),
                               .op = DARN_OP_WRITE,
                               .site = &sites[next_site++]};

    darn_order_access(&threads[thread], &touch, __builtin_frame_address(0));
}

static void what_is_locked_is_never_reported(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        lock(i % THREADS, &mutex);
        assert_int_equal(mutex.__data.__owner, 1000 + i % THREADS);
        writes(i % THREADS);
        unlock(i % THREADS, &mutex);
        assert_int_equal(mutex.__data.__lock, 0);
        assert_int_equal(mutex.__data.__owner, 0);
    }
    assert_int_equal(found, 0);
    assert_int_equal(slow_locks + slow_unlocks + given, 0);
}

static void what_is_locked_on_one_side_alone_is_reported_with_the_lock(void **state)
{
    (void)state;
    writes(0);
    lock(1, &other);
    lock(1, &mutex);
    unlock(1, &mutex);
    writes(1);
    assert_int_equal(found, 1);
    assert_int_equal(held.count, 1);
    assert_int_equal(held.held[0].address, (uintptr_t)&other);
    assert_int_equal(held.held[0].kind, DARN_LOCK_MUTEX);
    assert_int_not_equal(held.held[0].pc, 0);
    unlock(1, &other);
    assert_int_equal(threads[1].locks.count, 0);
    assert_int_equal(slow_locks + slow_unlocks, 0);
}

/* A lock orders those who had it, and nobody else. */
static void another_lock_orders_nothing(void **state)
{
    (void)state;
    lock(0, &mutex);
    writes(0);
    unlock(0, &mutex);
    lock(1, &other);
    writes(1);
    unlock(1, &other);
    assert_int_equal(found, 1);
}

static void what_the_clocks_know_is_not_told_again(void **state)
{
    uint32_t first;

    (void)state;
    for (int i = 0; i < 2; i++) {
        lock(0, &mutex);
        unlock(0, &mutex);
    }
    first = told;
    assert_int_not_equal(first, 0);
    for (int i = 0; i < ROUNDS; i++) {
        lock(0, &mutex);
        unlock(0, &mutex);
    }
    assert_int_equal(told, first);
    writes(0); /* the next one has to learn of it */
    lock(0, &mutex);
    unlock(0, &mutex);
    lock(1, &mutex);
    assert_true(told > first);
    writes(1);
    assert_int_equal(found, 0);
    unlock(1, &mutex);
}

static void the_unlock_of_a_stranger_goes_the_long_way(void **state)
{
    (void)state;
    lock(0, &mutex);
    unlock(1, &mutex);
    assert_int_equal(slow_unlocks, 1);
    lock(1, &other); /* also if it holds another one */
    unlock(1, &mutex);
    assert_int_equal(slow_unlocks, 2);
    assert_int_equal(threads[0].locks.count, 1);
    assert_int_equal(threads[1].locks.count, 1);
    assert_int_equal(mutex.__data.__owner, 1000);
    unlock(1, &other);
    unlock(0, &mutex);
    unlock(0, &mutex); /* and one of what nobody holds, */
    assert_int_equal(slow_unlocks, 3);
    lock(0, &mutex);
    mutex.__data.__owner = 1001; /* or that another one has got meanwhile */
    unlock(0, &mutex);
    assert_int_equal(slow_unlocks, 4);
}

static void what_is_not_free_or_not_plain_goes_the_long_way(void **state)
{
    pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

    (void)state;
    lock(0, &mutex);
    lock(1, &mutex);
    assert_int_equal(slow_locks, 1);
    lock(0, &mutex);
    assert_int_equal(slow_locks, 2);
    assert_int_equal(threads[0].locks.count, 1);
    lock(1, &recursive);
    assert_int_equal(slow_locks, 3);
    assert_int_equal(threads[1].locks.count, 0);
    lock(0, &other);
    unlock(0, &mutex); /* it is not the last one */
    assert_int_equal(slow_unlocks, 1);
    threads[1].locks.count = DARN_LOCKS_HELD;
    unlock(0, &other);
    lock(1, &other);
    assert_int_equal(slow_locks, 4);
    assert_int_equal(other.__data.__lock, 0);
}

/* Somebody sleeps: libc wakes him. By then the thread holds it no more. */
static void what_is_waited_for_is_given_back_by_libc(void **state)
{
    (void)state;
    lock(0, &mutex);
    mutex.__data.__lock = 2;
    unlock(0, &mutex);
    assert_int_equal(given, 1);
    assert_int_equal(threads[0].locks.count, 0);
    assert_int_equal(mutex.__data.__owner, 1000);
    assert_int_equal(slow_unlocks, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_locked_is_never_reported),
        TEST(what_is_locked_on_one_side_alone_is_reported_with_the_lock),
        TEST(another_lock_orders_nothing),
        TEST(what_the_clocks_know_is_not_told_again),
        TEST(the_unlock_of_a_stranger_goes_the_long_way),
        TEST(what_is_not_free_or_not_plain_goes_the_long_way),
        TEST(what_is_waited_for_is_given_back_by_libc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
