/* The locks that each thread holds, from its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/common/held.h"

#define A UINT64_C(0x100)
#define B UINT64_C(0x200)
#define C UINT64_C(0x300)

static struct darn_locksets *sets;
static struct darn_held *held;

static int open_held(void **state)
{
    (void)state;
    sets = darn_locksets_create();
    held = darn_held_create(sets);
    return sets && held ? 0 : -1;
}

static int close_held(void **state)
{
    (void)state;
    darn_held_destroy(held);
    darn_locksets_destroy(sets);
    return 0;
}

static void give(uint32_t thread, uint8_t kind, uint64_t lock, uint8_t lock_kind, uint32_t site)
{
    struct darn_event event = {.thread = thread,
                               .kind = kind,
                               .target = lock,
                               .lock = lock_kind,
                               .site = site,
                               .stack = site + 1000};

    darn_held_event(held, &event);
}

static void acquire(uint32_t thread, uint64_t lock, uint32_t site)
{
    give(thread, DARN_EVENT_ACQUIRE, lock, DARN_EVENT_MUTEX, site);
}

static void release(uint32_t thread, uint64_t lock)
{
    give(thread, DARN_EVENT_RELEASE, lock, DARN_EVENT_MUTEX, 0);
}

/* "A:1 B:2": the locks of a step in order, with their sites. */
static void assert_step(uint32_t holding, uint32_t count, const uint64_t *locks,
                        const uint32_t *sites)
{
    struct darn_prediction_step step = {.lock_count = 99};

    darn_holding_fill(held, holding, &step);
    assert_int_equal(step.lock_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(step.locks[i].lock, locks[i]);
        assert_int_equal(step.locks[i].site, sites[i]);
        assert_int_equal(step.locks[i].stack, sites[i] + 1000);
    }
}

static void a_thread_that_nobody_has_met_holds_nothing(void **state)
{
    (void)state;
    assert_int_equal(darn_held_of(held, 7).count, 0);
    assert_int_equal(darn_held_set(held, UINT32_MAX), DARN_LOCKSET_EMPTY);
    assert_int_equal(darn_held_holding(held, 7), DARN_HOLDING_NOTHING);
    assert_null(darn_held_find(held, 7, A));
}

static void locks_are_in_the_order_of_acquisition(void **state)
{
    struct darn_held_thread one;

    (void)state;
    acquire(1, B, 10);
    acquire(1, A, 11);
    one = darn_held_of(held, 1);
    assert_int_equal(one.count, 2);
    assert_int_equal(one.locks[0].lock, B);
    assert_int_equal(one.locks[1].lock, A);
    assert_int_equal(one.locks[1].site, 11);
    assert_int_equal(one.locks[1].stack, 1011);
    assert_step(one.holding, 2, (uint64_t[]){B, A}, (uint32_t[]){10, 11});
    assert_int_equal(darn_held_of(held, 2).count, 0);
}

static void a_lock_is_given_back_from_the_middle(void **state)
{
    (void)state;
    acquire(1, A, 10);
    acquire(1, B, 11);
    acquire(1, C, 12);
    release(1, B);
    assert_step(darn_held_holding(held, 1), 2, (uint64_t[]){A, C}, (uint32_t[]){10, 12});
    assert_true(darn_lockset_contains(sets, darn_held_set(held, 1), C));
    assert_false(darn_lockset_contains(sets, darn_held_set(held, 1), B));
    release(1, A);
    release(1, C);
    assert_int_equal(darn_held_holding(held, 1), DARN_HOLDING_NOTHING);
    assert_int_equal(darn_held_set(held, 1), DARN_LOCKSET_EMPTY);
}

/* A step that was remembered still has its locks when they were given back long ago. */
static void a_holding_outlives_the_locks(void **state)
{
    uint32_t holding;

    (void)state;
    acquire(1, A, 10);
    acquire(1, B, 11);
    holding = darn_held_holding(held, 1);
    release(1, B);
    release(1, A);
    acquire(1, C, 12);
    assert_step(holding, 2, (uint64_t[]){A, B}, (uint32_t[]){10, 11});
    assert_int_equal(darn_holding(held, holding)->lock, B);
    assert_int_equal(darn_holding(held, holding)->count, 2);
    assert_int_equal(darn_holding(held, darn_holding(held, holding)->outer)->lock, A);
}

static void the_same_way_to_the_same_locks_is_the_same_holding(void **state)
{
    uint32_t first, other;

    (void)state;
    acquire(1, A, 10);
    first = darn_held_holding(held, 1);
    release(1, A);
    acquire(2, A, 10);
    assert_int_equal(darn_held_holding(held, 2), first);
    release(2, A);
    acquire(2, A, 20);
    other = darn_held_holding(held, 2);
    assert_int_not_equal(other, first);
    assert_int_equal(darn_holding_set(held, other), darn_holding_set(held, first));
}

static void a_recursive_lock_is_held_until_its_last_level(void **state)
{
    (void)state;
    acquire(1, A, 10);
    acquire(1, A, 11);
    assert_int_equal(darn_held_find(held, 1, A)->depth, 2);
    assert_int_equal(darn_held_find(held, 1, A)->site, 10);
    release(1, A);
    assert_int_equal(darn_held_of(held, 1).count, 1);
    release(1, A);
    assert_int_equal(darn_held_of(held, 1).count, 0);
}

static void a_reader_that_becomes_a_writer_is_one(void **state)
{
    (void)state;
    give(1, DARN_EVENT_ACQUIRE, A, DARN_EVENT_RDLOCK, 10);
    acquire(1, B, 11);
    assert_int_equal(darn_lockset_exclusive(sets, darn_held_set(held, 1)),
                     darn_lockset_add(sets, DARN_LOCKSET_EMPTY, B, true));
    give(1, DARN_EVENT_ACQUIRE, A, DARN_EVENT_WRLOCK, 12);
    assert_int_equal(darn_lockset_exclusive(sets, darn_held_set(held, 1)), darn_held_set(held, 1));
    assert_step(darn_held_holding(held, 1), 2, (uint64_t[]){A, B}, (uint32_t[]){10, 11});
}

static void a_release_by_another_thread_takes_it_from_the_owner(void **state)
{
    (void)state;
    acquire(1, A, 10);
    acquire(2, B, 20);
    release(2, A);
    assert_int_equal(darn_held_of(held, 1).count, 0);
    assert_int_equal(darn_held_of(held, 2).count, 1);
}

static void a_release_of_what_nobody_holds_changes_nothing(void **state)
{
    (void)state;
    acquire(1, A, 10);
    release(3, B);
    release(1, B);
    assert_int_equal(darn_held_of(held, 1).count, 1);
}

static void a_thread_that_ends_holds_nothing(void **state)
{
    (void)state;
    acquire(1, A, 10);
    acquire(2, A, 20);
    give(1, DARN_EVENT_EXIT, 0, 0, 0);
    assert_int_equal(darn_held_of(held, 1).count, 0);
    assert_int_equal(darn_held_set(held, 1), DARN_LOCKSET_EMPTY);
    release(3, A);
    assert_int_equal(darn_held_of(held, 2).count, 0);
}

static void thread_numbers_may_be_as_large_as_they_like(void **state)
{
    (void)state;
    acquire(UINT32_MAX, A, 10);
    acquire(UINT32_MAX - 1, B, 11);
    assert_int_equal(darn_held_of(held, UINT32_MAX).locks[0].lock, A);
    assert_int_equal(darn_held_of(held, UINT32_MAX - 1).locks[0].lock, B);
    assert_true(darn_held_memory(held) < 100000);
}

static void of_more_locks_than_fit_into_a_step_the_last_ones_are_named(void **state)
{
    struct darn_prediction_step step;

    (void)state;
    for (uint32_t i = 0; i < DARN_PREDICTION_LOCKS + 3; i++)
        acquire(1, A + i, i);
    darn_holding_fill(held, darn_held_holding(held, 1), &step);
    assert_int_equal(step.lock_count, DARN_PREDICTION_LOCKS);
    assert_int_equal(step.locks[0].lock, A + 3);
    assert_int_equal(step.locks[DARN_PREDICTION_LOCKS - 1].lock, A + DARN_PREDICTION_LOCKS + 2);
}

#define THREADS 5
#define LOCKS   6

static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

struct slow_lock {
    uint64_t lock;
    uint32_t depth, site;
    bool exclusive;
};

struct slow_thread {
    struct slow_lock locks[LOCKS];
    uint32_t count;
};

static struct slow_lock *slow_find(struct slow_thread *thread, uint64_t lock)
{
    for (uint32_t i = 0; i < thread->count; i++) {
        if (thread->locks[i].lock == lock)
            return &thread->locks[i];
    }
    return NULL;
}

static void slow_acquire(struct slow_thread *thread, uint64_t lock, bool exclusive, uint32_t site)
{
    struct slow_lock *known = slow_find(thread, lock);

    if (known) {
        known->depth++;
        known->exclusive |= exclusive;
    } else {
        thread->locks[thread->count++] = (struct slow_lock){lock, 1, site, exclusive};
    }
}

static void slow_release(struct slow_thread *thread, uint64_t lock)
{
    struct slow_lock *known = slow_find(thread, lock);

    if (--known->depth)
        return;
    for (; known + 1 < thread->locks + thread->count; known++)
        known[0] = known[1];
    thread->count--;
}

static void compare(uint32_t thread, const struct slow_thread *slow)
{
    struct darn_held_thread found = darn_held_of(held, thread);
    struct darn_prediction_step step;
    uint32_t set = DARN_LOCKSET_EMPTY;

    darn_holding_fill(held, found.holding, &step);
    assert_int_equal(found.count, slow->count);
    assert_int_equal(step.lock_count, slow->count);
    for (uint32_t i = 0; i < slow->count; i++) {
        const struct slow_lock *lock = &slow->locks[i];

        assert_int_equal(found.locks[i].lock, lock->lock);
        assert_int_equal(found.locks[i].depth, lock->depth);
        assert_int_equal(found.locks[i].site, lock->site);
        assert_int_equal(step.locks[i].lock, lock->lock);
        assert_int_equal(step.locks[i].site, lock->site);
        assert_int_equal(step.locks[i].kind != DARN_EVENT_RDLOCK, lock->exclusive);
        set = darn_lockset_add(sets, set, lock->lock, lock->exclusive);
    }
    assert_int_equal(found.set, set);
    assert_int_equal(darn_holding_set(held, found.holding), set);
    assert_int_equal(darn_held_set(held, thread), set);
}

/* The thread from which a release takes the lock: the one that releases it, or the only one that
 * holds it. THREADS if there is none, -1 if there are several: from whom it is taken then is not
 * promised. */
static int loser(struct slow_thread *threads, uint32_t thread, uint64_t lock)
{
    int found = THREADS;

    if (slow_find(&threads[thread], lock))
        return (int)thread;
    for (int i = 0; i < THREADS; i++) {
        if (slow_find(&threads[i], lock))
            found = found == THREADS ? i : -1;
    }
    return found;
}

static void what_is_held_is_what_a_plain_list_says(void **state)
{
    static struct slow_thread threads[THREADS];

    (void)state;
    for (uint32_t step = 0; step < 200000; step++) {
        uint32_t thread = draw(THREADS);
        uint64_t lock = A + 0x100 * draw(LOCKS);

        if (draw(3) == 0) {
            uint8_t kind = draw(3) ? DARN_EVENT_MUTEX : DARN_EVENT_RDLOCK;
            uint32_t site = 1 + draw(3);

            slow_acquire(&threads[thread], lock, kind == DARN_EVENT_MUTEX, site);
            give(thread, DARN_EVENT_ACQUIRE, lock, kind, site);
        } else {
            int from = loser(threads, thread, lock);

            if (from < 0)
                continue;
            if (from != THREADS)
                slow_release(&threads[from], lock);
            release(thread, lock);
        }
        for (uint32_t i = 0; i < THREADS; i++)
            compare(i, &threads[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_held, close_held)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_thread_that_nobody_has_met_holds_nothing),
        TEST(locks_are_in_the_order_of_acquisition),
        TEST(a_lock_is_given_back_from_the_middle),
        TEST(a_holding_outlives_the_locks),
        TEST(the_same_way_to_the_same_locks_is_the_same_holding),
        TEST(a_recursive_lock_is_held_until_its_last_level),
        TEST(a_reader_that_becomes_a_writer_is_one),
        TEST(a_release_by_another_thread_takes_it_from_the_owner),
        TEST(a_release_of_what_nobody_holds_changes_nothing),
        TEST(a_thread_that_ends_holds_nothing),
        TEST(thread_numbers_may_be_as_large_as_they_like),
        TEST(of_more_locks_than_fit_into_a_step_the_last_ones_are_named),
        TEST(what_is_held_is_what_a_plain_list_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
