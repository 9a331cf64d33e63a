/* What one thread waits for, as others see it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/thread/thread.h"
#include "runtime/thread/waits.h"
#include "runtime/watch/sampler.h"

#define TURNS 2000000

static struct darn_thread thread;
static uint32_t started;
static int end;

void __wrap_darn_sampler_start(void)
{
    started++;
}

static int clear(void **state)
{
    (void)state;
    thread = (struct darn_thread){.number = 1};
    started = 0;
    return 0;
}

static void a_wait_is_seen_from_its_beginning_to_its_end(void **state)
{
    struct darn_wait wait;
    uint32_t turn;

    (void)state;
    assert_false(darn_wait_read(&thread.wait, &wait));
    darn_wait_begin(&thread, DARN_WAIT_MUTEX, &end, &turn);
    assert_true(darn_wait_read(&thread.wait, &wait));
    assert_int_equal(wait.kind, DARN_WAIT_MUTEX);
    assert_int_equal(wait.target, (uintptr_t)&end);
    assert_ptr_equal(wait.frame, &turn);
    turn = wait.version;
    darn_wait_end(&thread);
    assert_false(darn_wait_read(&thread.wait, &wait));
    darn_wait_begin(&thread, DARN_WAIT_MUTEX, &end, &turn);
    assert_true(darn_wait_read(&thread.wait, &wait));
    assert_int_not_equal(wait.version, turn); /* another wait, for the same */
}

static void who_waits_for_a_mutex_with_another_in_hand_is_looked_after(void **state)
{
    (void)state;
    darn_wait_begin(&thread, DARN_WAIT_MUTEX, &end, NULL);
    assert_int_equal(started, 0);
    darn_wait_end(&thread);
    thread.locks.count = 1;
    darn_wait_begin(&thread, DARN_WAIT_MUTEX, &end, NULL);
    assert_int_equal(started, 1);
}

/* The target of each is its kind, and so is the frame. */
static void *keep_waiting(void *unused)
{
    (void)unused;
    while (!__atomic_load_n(&end, __ATOMIC_RELAXED)) {
        for (uintptr_t kind = DARN_WAIT_MUTEX; kind <= DARN_WAIT_OTHER; kind++) {
            darn_wait_begin(&thread, (enum darn_wait_kind)kind, (const volatile void *)kind,
                            (const void *)kind);
            darn_wait_end(&thread);
        }
    }
    return NULL;
}

static void what_is_read_belongs_to_one_wait(void **state)
{
    struct darn_wait wait;
    uint32_t wrong = 0;
    pthread_t other;

    (void)state;
    assert_int_equal(pthread_create(&other, NULL, keep_waiting, NULL), 0);
    do {
        if (darn_wait_read(&thread.wait, &wait))
            wrong += wait.target != wait.kind || (uintptr_t)wait.frame != wait.kind;
    } while (wait.version < TURNS);
    __atomic_store_n(&end, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_wait_is_seen_from_its_beginning_to_its_end, clear),
        cmocka_unit_test_setup(who_waits_for_a_mutex_with_another_in_hand_is_looked_after, clear),
        cmocka_unit_test_setup(what_is_read_belongs_to_one_wait, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
