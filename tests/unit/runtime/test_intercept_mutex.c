/* All ways to take a lock, mutexes above all: what is known of it afterwards, and locks that are
 * closed. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>
#include <cmocka.h>

#include "runtime/heal/heal_closed.h"
#include "runtime/interpose/lockops.h"
#include "runtime/os/os.h"
#include "runtime/state.h"
#include "runtime/thread/locks.h"

static struct darn_thread thread = {.number = 1};
static pthread_mutex_t mutex;

/* What the interceptors have told of waits. */
static uint32_t waits, begun;
static uintptr_t waited_with;

/* For so many looks the lock is closed, and a wait for it ends like this. */
static int closed, opened;
static bool opens;
static uint64_t asked_until;

void __wrap_darn_wait_begin(struct darn_thread *self, enum darn_wait_kind kind,
                            const volatile void *target, const void *frame)
{
    (void)target;
    (void)frame;
    begun = kind;
    waits++;
    waited_with = self ? self->waits_with : 0;
}

bool __wrap_darn_closed_is(struct darn_thread *self, const volatile void *lock)
{
    (void)self;
    assert_ptr_equal(lock, &mutex);
    assert_int_not_equal(mutex.__data.__lock, 0); /* nobody else has it while we look */
    return closed-- > 0;
}

bool __wrap_darn_closed_wait(struct darn_thread *self, const volatile void *lock, uint64_t until,
                             const void *frame)
{
    (void)self;
    (void)lock;
    (void)frame;
    assert_int_equal(mutex.__data.__lock, 0); /* it was given back */
    asked_until = until;
    opened++;
    while (!opens && until && darn_os_now() < until)
        darn_os_sleep(100000);
    return opens;
}

void __wrap_darn_closed_give(struct darn_thread *self, const volatile void *lock)
{
    (void)self;
    (void)lock;
}

/* ---- the tests ---- */

static int start(void **state)
{
    (void)state;
    darn_state = (struct darn_state){.ready = true, .mode = DARN_MODE_HEAL, .quiet = true};
    darn_healing = true;
    closed = opened = 0;
    thread.locks.count = 0;
    waits = begun = 0;
    opens = true;
    waited_with = asked_until = 0;
    atomic_store(&darn_closed_count, 0);
    darn_thread_record = &thread;
    darn_own_begin(&thread);
    pthread_mutex_init(&mutex, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    darn_own_end(&thread);
    darn_thread_record = NULL;
    return 0;
}

static struct timespec after(clockid_t clock, long milliseconds)
{
    struct timespec time;

    clock_gettime(clock, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000;
    }
    return time;
}

enum { WAYS = 7 };

/* Takes the mutex by one of them, with so much time where there is a limit; 0: it is taken. */
static int take_by(int way, long milliseconds)
{
    struct timespec until = after(CLOCK_REALTIME, milliseconds);
    struct timespec by_clock = after(CLOCK_MONOTONIC, milliseconds);

    switch (way) {
    case 0:
        return pthread_mutex_lock(&mutex);
    case 1:
        return pthread_mutex_trylock(&mutex);
    case 2:
        return pthread_mutex_timedlock(&mutex, &until);
    case 3:
        return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &by_clock);
    case 4:
        return mtx_lock((mtx_t *)&mutex);
    case 5:
        return mtx_trylock((mtx_t *)&mutex);
    default:
        return mtx_timedlock((mtx_t *)&mutex, &until);
    }
}

static bool has_limit(int way)
{
    return way == 2 || way == 3 || way == 6;
}

static void in_production_a_mutex_is_known_while_it_is_held_and_then_no_more(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        for (int times = 0; times < 2 * DARN_OWN_LOCKS; times++) {
            assert_int_equal(take_by(way, 1000), 0);
            assert_int_equal(darn_own_here.count, 1);
            assert_int_equal(darn_own_find(&mutex), 0);
            assert_int_equal(thread.locks.count, 0); /* the list for reports has no way out there */
            assert_int_equal(pthread_mutex_unlock(&mutex), 0);
            assert_int_equal(darn_own_here.count, 0);
            assert_int_equal(darn_own_here.beyond, 0);
        }
    }
}

static void elsewhere_it_is_in_the_list_for_reports_as_well(void **state)
{
    (void)state;
    darn_state.quiet = false;
    for (int way = 0; way < WAYS; way++) {
        assert_int_equal(take_by(way, 1000), 0);
        assert_int_equal(thread.locks.count, 1);
        assert_int_equal(darn_own_here.count, 1);
        assert_int_equal(pthread_mutex_unlock(&mutex), 0);
        assert_int_equal(thread.locks.count, 0);
        assert_int_equal(darn_own_here.count, 0);
    }
}

/* For ever held as far as healing knows, it would seem to keep all others out. */
static void a_spin_lock_that_was_given_back_is_not_held_any_more(void **state)
{
    pthread_spinlock_t lock;

    (void)state;
    darn_state.quiet = false;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int times = 0; times < 2 * DARN_OWN_LOCKS; times++) {
        assert_int_equal(times % 2 ? pthread_spin_lock(&lock) : pthread_spin_trylock(&lock), 0);
        assert_int_equal(thread.locks.count, 1);
        assert_int_equal(darn_own_here.count, 1);
        assert_int_equal(pthread_spin_unlock(&lock), 0);
        assert_int_equal(thread.locks.count, 0);
        assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
    }
}

/* By its other name: else it would be libc's. */
extern __typeof__(pthread_rwlock_rdlock) __interceptor_pthread_rwlock_rdlock;

static void a_read_write_lock_is_shared_by_those_who_read(void **state)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

    (void)state;
    assert_int_equal(__interceptor_pthread_rwlock_rdlock(&lock),
                     0); /* in production, too: it has no owner */
    assert_int_equal(pthread_rwlock_tryrdlock(&lock), 0);
    assert_int_equal(thread.locks.count, 1);
    assert_int_equal(thread.locks.held[0].depth, 2);
    assert_int_equal(darn_own_here.count, 2);
    assert_true(darn_own_is_shared(darn_own_here.held[1]));
    assert_int_equal(pthread_rwlock_trywrlock(&lock), EBUSY);
    assert_int_equal(darn_own_here.count, 2);
    assert_int_equal(pthread_rwlock_unlock(&lock), 0);
    assert_int_equal(pthread_rwlock_unlock(&lock), 0);
    assert_int_equal(thread.locks.count, 0);
    assert_int_equal(pthread_rwlock_wrlock(&lock), 0);
    assert_int_equal(thread.locks.held[0].kind, DARN_LOCK_WRITE);
    assert_false(darn_own_is_shared(darn_own_here.held[0]));
    assert_int_equal(pthread_rwlock_unlock(&lock), 0);
    assert_int_equal(darn_own_here.now, DARN_OWN_NONE);
}

static void what_cannot_be_given_back_is_held_as_before(void **state)
{
    pthread_mutexattr_t checks;

    (void)state;
    darn_state.quiet = false;
    pthread_mutexattr_init(&checks);
    pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &checks);
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    mutex.__data.__owner++; /* another thread's, for once */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i ? mtx_unlock((mtx_t *)&mutex) : pthread_mutex_unlock(&mutex),
                         i ? thrd_error : EPERM);
        assert_int_equal(thread.locks.count, 1);
        assert_int_equal(darn_own_here.count, 1);
    }
    mutex.__data.__owner--;
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    assert_int_equal(thread.locks.count, 0);
    assert_int_equal(darn_own_here.count, 0);
}

static void *hold(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)pthread_mutex_lock(&mutex);
}

/* Taken by a thread that has ended: nobody gives it back. */
static void make_busy(void)
{
    pthread_t other;
    void *result;

    assert_int_equal(pthread_create(&other, NULL, hold, NULL), 0);
    pthread_join(other, &result);
    assert_null(result);
}

static void a_limit_ends_a_wait_and_nothing_is_held_then(void **state)
{
    (void)state;
    make_busy();
    for (int way = 0; way < WAYS; way++) {
        int expected = way == 6 ? thrd_timedout : ETIMEDOUT;

        if (!has_limit(way))
            continue;
        waits = 0;
        assert_int_equal(take_by(way, 5), expected);
        assert_int_equal(waits, 1);
        assert_int_equal(begun, DARN_WAIT_OTHER); /* it ends by itself */
        assert_int_equal(waited_with, (uintptr_t)&mutex);
        assert_int_equal(thread.waits_with, 0);
        assert_int_equal(darn_own_here.count, 0);
        assert_int_equal(thread.locks.count, 0);
    }
    assert_int_equal(take_by(1, 0), EBUSY);
    assert_int_equal(take_by(5, 0), thrd_busy);
    assert_int_equal(darn_own_here.count, 0);
}

static void what_is_closed_is_given_back_until_it_is_open(void **state)
{
    (void)state;
    atomic_store(&darn_closed_count, 1);
    for (int way = 0; way < WAYS; way++) {
        closed = 1;
        opened = 0;
        assert_int_equal(take_by(way, 1000), 0);
        assert_int_equal(opened, 1);
        assert_true(has_limit(way) ? asked_until > darn_os_now() : asked_until == 0);
        assert_int_equal(darn_own_here.count, 1);
        assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    }
}

static void what_stays_closed_for_too_long_is_taken_all_the_same(void **state)
{
    (void)state;
    atomic_store(&darn_closed_count, 1);
    opens = false;
    for (int way = 0; way < WAYS; way++) {
        if (has_limit(way))
            continue;
        closed = 1;
        assert_int_equal(take_by(way, 0), 0);
        assert_int_equal(pthread_mutex_unlock(&mutex), 0);
    }
}

static void a_limit_ends_the_wait_for_what_is_closed(void **state)
{
    (void)state;
    atomic_store(&darn_closed_count, 1);
    opens = false;
    for (int way = 0; way < WAYS; way++) {
        if (!has_limit(way))
            continue;
        closed = 1;
        assert_int_equal(take_by(way, 5), way == 6 ? thrd_timedout : ETIMEDOUT);
        assert_int_equal(mutex.__data.__lock, 0);
        assert_int_equal(darn_own_here.count, 0);
    }
}

/* Given back without being made consistent, nobody could take it ever again. */
static void the_mutex_of_a_dead_owner_is_never_given_back(void **state)
{
    pthread_mutexattr_t robust;

    (void)state;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    atomic_store(&darn_closed_count, 1);
    for (int way = 0; way < 4; way++) {
        pthread_mutex_init(&mutex, &robust);
        atomic_store(&darn_closed_count, 0);
        make_busy();
        atomic_store(&darn_closed_count, 1);
        closed = 1;
        opened = 0;
        assert_int_equal(take_by(way, 1000), EOWNERDEAD);
        assert_int_equal(opened, 0);
        assert_int_equal(darn_own_here.count, 1);
        assert_int_equal(pthread_mutex_consistent(&mutex), 0);
        assert_int_equal(pthread_mutex_unlock(&mutex), 0);
        pthread_mutex_destroy(&mutex);
    }
}

static void a_mutex_that_a_wait_has_taken_again_is_reopened(void **state)
{
    (void)state;
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    assert_int_equal(darn_lock_regain_open(&thread, &mutex, 0, __builtin_frame_address(0)), 0);
    assert_int_equal(opened, 0);
    atomic_store(&darn_closed_count, 1);
    closed = 1;
    assert_int_equal(darn_lock_regain_open(&thread, &mutex, ETIMEDOUT, __builtin_frame_address(0)),
                     ETIMEDOUT);
    assert_int_equal(opened, 1);
    assert_int_equal(mutex.__data.__owner, darn_os_thread_id());
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
}

static void what_libc_refuses_is_refused(void **state)
{
    struct timespec until = after(CLOCK_MONOTONIC, 1000);
    pthread_mutexattr_t checks;

    (void)state;
    assert_int_equal(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &until), EINVAL);
    pthread_mutexattr_init(&checks);
    pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &checks);
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    assert_int_equal(take_by(2, 1000), EDEADLK);
    assert_int_equal(take_by(3, 1000), EDEADLK);
    assert_int_equal(darn_own_here.count, 1);
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(in_production_a_mutex_is_known_while_it_is_held_and_then_no_more),
        TEST(elsewhere_it_is_in_the_list_for_reports_as_well),
        TEST(a_spin_lock_that_was_given_back_is_not_held_any_more),
        TEST(a_read_write_lock_is_shared_by_those_who_read),
        TEST(what_cannot_be_given_back_is_held_as_before),
        TEST(a_limit_ends_a_wait_and_nothing_is_held_then),
        TEST(what_is_closed_is_given_back_until_it_is_open),
        TEST(what_stays_closed_for_too_long_is_taken_all_the_same),
        TEST(a_limit_ends_the_wait_for_what_is_closed),
        TEST(the_mutex_of_a_dead_owner_is_never_given_back),
        TEST(a_mutex_that_a_wait_has_taken_again_is_reopened),
        TEST(what_libc_refuses_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
