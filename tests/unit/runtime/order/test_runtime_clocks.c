/* Clocks of threads and objects: what is given is got, also by way of others; caches hide no
 * change; and a model of full vector clocks never knows less. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"

enum { THREADS = 8, OBJECTS = 24, STEPS = 40000 };

#include "clocks_stage.h"

/* Objects of this test, each with a clock that no other test has used: their hashes differ. */
static uint64_t objects[OBJECTS];
static uint64_t next_key = 1;

static uint32_t place_of(uint64_t key)
{
    return darn_clock_object(key);
}

static uint64_t fresh_object(void)
{
    static bool used[DARN_CLOCK_OBJECTS];

    while (used[place_of(next_key)])
        next_key++;
    used[place_of(next_key)] = true;
    return next_key++;
}

static int start(void **state)
{
    (void)state;
    if (!darn_clocks_open())
        return 1;
    begin_clocks();
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = fresh_object();
    return 0;
}

static bool knows(int who, int of, uint32_t time)
{
    return darn_clock_knows(&clocks[who], clocks[of].slot, time);
}

static void what_is_released_is_acquired(void **state)
{
    uint32_t time = darn_clock_now(&clocks[0]);

    (void)state;
    assert_false(knows(1, 0, time));
    darn_clock_acquire(&clocks[1], objects[0]); /* nobody gave it yet */
    assert_false(knows(1, 0, time));
    darn_clock_release(&clocks[0], objects[0]);
    assert_false(knows(1, 0, time));
    darn_clock_acquire(&clocks[1], objects[0]);
    assert_true(knows(1, 0, time));
    assert_false(knows(2, 0, time));
}

static void order_goes_by_way_of_others(void **state)
{
    uint32_t time = darn_clock_now(&clocks[0]);

    (void)state;
    for (int i = 0; i < THREADS - 1; i++) {
        darn_clock_release(&clocks[i], objects[i]);
        darn_clock_acquire(&clocks[i + 1], objects[i]);
    }
    assert_true(knows(THREADS - 1, 0, time));
    assert_false(knows(0, THREADS - 1, darn_clock_now(&clocks[THREADS - 1])));
}

static void what_comes_after_the_release_is_not_known(void **state)
{
    uint32_t before = darn_clock_now(&clocks[0]), after;

    (void)state;
    darn_clock_release(&clocks[0], objects[0]);
    after = darn_clock_now(&clocks[0]);
    darn_clock_acquire(&clocks[1], objects[0]);
    assert_true(knows(1, 0, before));
    assert_false(knows(1, 0, after));
}

static void time_stands_still_while_nothing_is_remembered(void **state)
{
    uint32_t time = darn_clock_now(&clocks[0]);
    uint32_t version;

    (void)state;
    assert_int_equal(darn_clock_now(&clocks[0]), time);
    darn_clock_release(&clocks[0], objects[0]);
    version = clocks[0].version;
    for (int i = 0; i < 100; i++) {
        darn_clock_release(&clocks[0], objects[i % 3]);
        darn_clock_acquire(&clocks[0], objects[i % 3]);
    }
    assert_int_equal(clocks[0].version, version);
    assert_int_equal(darn_clock_now(&clocks[0]), time + 1);
    assert_int_equal(darn_clock_now(&clocks[0]), time + 1);
}

/* Two objects that share an entry of the caches, and one that changes after it was cached. */
static void caches_hide_no_change(void **state)
{
    uint64_t one = objects[0], other;
    uint32_t time;

    (void)state;
    do
        other = fresh_object();
    while (place_of(other) % DARN_CLOCK_CACHE != place_of(one) % DARN_CLOCK_CACHE);
    for (int i = 0; i < 100; i++) {
        uint64_t object = i % 3 ? one : other;

        time = darn_clock_now(&clocks[0]);
        darn_clock_release(&clocks[0], object);
        darn_clock_acquire(&clocks[1], object);
        assert_true(knows(1, 0, time));
        darn_clock_acquire(&clocks[1], i % 3 ? other : one);
    }
}

static void after_all_is_after_all_that_was_remembered(void **state)
{
    uint32_t times[THREADS];

    (void)state;
    for (int i = 1; i < THREADS; i++) {
        darn_clock_now(&clocks[i]);
        darn_clock_release(&clocks[i], objects[i]);
        times[i] = darn_clock_now(&clocks[i]);
    }
    darn_clock_acquire_all(&clocks[0]);
    for (int i = 1; i < THREADS; i++)
        assert_true(knows(0, i, times[i]));
    darn_clock_release(&clocks[0], objects[0]);
    darn_clock_acquire(&clocks[1], objects[0]);
    assert_true(knows(1, 2, times[2]));
}

/* ---- slots ---- */

static void a_slot_that_is_used_again_continues_its_time(void **state)
{
    uint32_t slot = clocks[0].slot, time = darn_clock_now(&clocks[0]);

    (void)state;
    do { /* that is as late as possible */
        darn_clock_end(&clocks[0]);
        memset(&clocks[0], 0, sizeof(clocks[0]));
        darn_clock_begin(&clocks[0]);
    } while (clocks[0].slot != slot);
    assert_true(darn_clock_now(&clocks[0]) > time);
    assert_false(knows(1, 0, darn_clock_now(&clocks[0])));
}

/* Who has no slot has no time, but passes on what it knows. */
static void more_threads_than_slots_pass_order_on(void **state)
{
    struct darn_thread_clock *many = calloc(DARN_CLOCK_SLOTS, sizeof(*many));
    struct darn_thread_clock *last = &many[DARN_CLOCK_SLOTS - 1];
    uint32_t time = darn_clock_now(&clocks[0]), slots = 0;

    (void)state;
    for (int i = 0; i < DARN_CLOCK_SLOTS; i++) {
        darn_clock_begin(&many[i]);
        slots += many[i].slot < DARN_CLOCK_SLOTS;
    }
    assert_int_equal(slots, DARN_CLOCK_SLOTS - THREADS);
    assert_int_equal(last->slot, DARN_CLOCK_SLOTS);
    darn_clock_release(&clocks[0], objects[0]);
    darn_clock_acquire(last, objects[0]);
    darn_clock_release(last, objects[1]);
    darn_clock_acquire(&clocks[1], objects[1]);
    assert_true(knows(1, 0, time));
    darn_clock_acquire_all(last);
    for (int i = 0; i < DARN_CLOCK_SLOTS; i++)
        darn_clock_end(&many[i]);
    free(many);
}

static void in_the_child_of_fork_only_one_slot_is_taken(void **state)
{
    struct darn_thread_clock *many = calloc(DARN_CLOCK_SLOTS, sizeof(*many));

    (void)state;
    darn_clocks_after_fork(&clocks[0]);
    for (int i = 0; i < DARN_CLOCK_SLOTS; i++) {
        darn_clock_begin(&many[i]);
        assert_int_not_equal(many[i].slot, clocks[0].slot);
    }
    assert_int_equal(many[DARN_CLOCK_SLOTS - 1].slot, DARN_CLOCK_SLOTS);
    darn_clocks_after_fork(NULL);
    memset(clocks, 0, THREADS * sizeof(*clocks));
    for (int i = 0; i < THREADS; i++)
        darn_clock_begin(&clocks[i]);
    free(many);
}

/* ---- a naive model ---- */

/*
 * Each access has a number, and each thread and object the set of accesses that come before it, one
 * by one: no times, no caches, no versions. What the clocks know must be exactly that, since each
 * object here has a clock of its own.
 */
enum { REMEMBERED = 300 };

static bool thread_has[THREADS][REMEMBERED], object_has[OBJECTS][REMEMBERED];

struct remembered_access {
    uint32_t time;
    int thread;
};

static void add_all(bool *to, const bool *from)
{
    for (int i = 0; i < REMEMBERED; i++)
        to[i] |= from[i];
}

static void expect_same(const struct remembered_access *accesses, int count)
{
    for (int who = 0; who < THREADS; who++) {
        for (int i = 0; i < count; i++)
            assert_int_equal(knows(who, accesses[i].thread, accesses[i].time), thread_has[who][i]);
    }
}

static void clocks_know_what_full_clocks_know(void **state)
{
    struct remembered_access accesses[REMEMBERED];
    unsigned seed = 1;
    int count = 0;

    (void)state;
    memset(thread_has, 0, sizeof(thread_has));
    memset(object_has, 0, sizeof(object_has));
    for (int step = 0; step < STEPS; step++) {
        int thread = rand_r(&seed) % THREADS, object = rand_r(&seed) % OBJECTS;
        int what = rand_r(&seed) % 100;

        if (what < 48) {
            darn_clock_release(&clocks[thread], objects[object]);
            add_all(object_has[object], thread_has[thread]);
        } else if (what < 99) {
            darn_clock_acquire(&clocks[thread], objects[object]);
            add_all(thread_has[thread], object_has[object]);
        } else if (count < REMEMBERED) {
            accesses[count] = (struct remembered_access){darn_clock_now(&clocks[thread]), thread};
            thread_has[thread][count++] = true;
        }
        if (step % 97 == 0)
            expect_same(accesses, count);
    }
    assert_int_equal(count, REMEMBERED);
    expect_same(accesses, count);
}

/* ---- several givers at once ---- */

/*
 * Two threads know the same and give it to one object at the same time, a third one gets it from
 * the one that found nothing left to do: it knows it, too, whatever the other is at.
 */
enum { MEETINGS = 5000 };

static pthread_barrier_t meet;
static uint32_t given_time;
static _Atomic int turn_of;

static void *give(void *argument)
{
    struct darn_thread_clock *clock = argument;

    for (int i = 0; i < MEETINGS; i++) {
        pthread_barrier_wait(&meet);
        darn_clock_acquire(clock, objects[0]);
        darn_clock_release(clock, objects[1]);
        turn_of = i + 1;
        pthread_barrier_wait(&meet);
    }
    return NULL;
}

static void who_gives_at_the_same_time_hides_nothing(void **state)
{
    pthread_t threads[2];
    int missed = 0;

    (void)state;
    pthread_barrier_init(&meet, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, give, &clocks[1 + i]);
    for (int i = 0; i < MEETINGS; i++) {
        given_time = darn_clock_now(&clocks[0]);
        darn_clock_release(&clocks[0], objects[0]);
        darn_clock_acquire(&clocks[3], objects[1]); /* so that its cache knows the version */
        pthread_barrier_wait(&meet);
        while (turn_of != i + 1) /* whoever is first */
            sched_yield();
        darn_clock_acquire(&clocks[3], objects[1]);
        missed += !knows(3, 0, given_time);
        pthread_barrier_wait(&meet);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&meet);
    assert_int_equal(missed, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end_clocks)

/* More objects than a cache of entries has room for: while nothing changes, nobody looks at them.
 */
static void what_does_not_change_is_known_of_all_objects(void **state)
{
    enum { MANY = 1000 };
    static uint64_t many[MANY];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        many[i] = fresh_object();
        darn_clock_release(&clocks[0], many[i]);
    }
    for (int i = 0; i < MANY; i++)
        darn_clock_acquire(&clocks[1], many[i]);
    for (int i = 0; i < MANY; i++) {
        assert_true(darn_clock_has_given(&clocks[0], many[i]));
        assert_true(darn_clock_has_seen(&clocks[1], many[i]));
    }
    darn_clock_now(&clocks[0]);
    assert_false(darn_clock_has_given(&clocks[0], many[1]));
    assert_true(darn_clock_has_seen(&clocks[1], many[0]));
    darn_clock_release(&clocks[0], many[0]);
    assert_false(darn_clock_has_seen(&clocks[1], many[0]));
    assert_true(darn_clock_has_given(&clocks[0], many[0]));
    for (int i = 1; i < MANY; i++) { /* who is of the same group may have to be looked at */
        if (place_of(many[i]) / 32 != place_of(many[0]) / 32)
            assert_true(darn_clock_has_seen(&clocks[1], many[i]));
    }
}

/* Of everybody that has a clock here. */
static void learn_all(int who)
{
    uint64_t object = fresh_object();

    for (int i = 0; i < THREADS; i++)
        darn_clock_release(&clocks[i], object);
    darn_clock_acquire(&clocks[who], object);
}

static void who_knows_all_looks_at_nothing_until_there_is_news(void **state)
{
    uint64_t given = fresh_object(), passed = fresh_object();
    uint32_t time;

    (void)state;
    darn_clock_release(&clocks[2], passed);
    learn_all(1);
    assert_true(darn_clock_is_complete(&clocks[1]));
    time = darn_clock_now(&clocks[0]); /* known to nobody */
    assert_true(darn_clock_has_seen(&clocks[1], given));
    darn_clock_release(&clocks[0], given);
    assert_false(darn_clock_has_seen(&clocks[1], given));
    darn_clock_acquire(&clocks[1], given);
    assert_true(knows(1, 0, time));

    learn_all(1);
    time = darn_clock_now(&clocks[0]);
    clocks[0].is_given = true; /* the next access shall have another time, and there is none */
    darn_clock_release(&clocks[0], given);
    darn_clock_acquire(&clocks[1], given);
    assert_true(knows(1, 0, time));

    learn_all(1);
    time = darn_clock_now(&clocks[0]);
    darn_clock_acquire_all(&clocks[2]); /* it was not given, and is passed on */
    darn_clock_release(&clocks[2], passed);
    assert_false(darn_clock_has_seen(&clocks[1], passed));
    darn_clock_acquire(&clocks[1], passed);
    assert_true(knows(1, 0, time));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_knows_all_looks_at_nothing_until_there_is_news),
        TEST(what_is_released_is_acquired),
        TEST(order_goes_by_way_of_others),
        TEST(what_comes_after_the_release_is_not_known),
        TEST(time_stands_still_while_nothing_is_remembered),
        TEST(caches_hide_no_change),
        TEST(after_all_is_after_all_that_was_remembered),
        TEST(a_slot_that_is_used_again_continues_its_time),
        TEST(more_threads_than_slots_pass_order_on),
        TEST(clocks_know_what_full_clocks_know),
        TEST(who_gives_at_the_same_time_hides_nothing),
        TEST(what_does_not_change_is_known_of_all_objects),
        TEST(in_the_child_of_fork_only_one_slot_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
