/* The wait-for graph: who keeps whom, which edges make a cycle, and threads that move on while they
 * are looked at. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/control/turn.h"
#include "runtime/os/os.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/waitfor.h"
#include "schedule/block.h"

#define THREADS   5
#define FIRST_TID 0x3fffff00 /* no thread has it */
#define RWLOCK    64
#define ALL       UINT32_MAX

static struct darn_thread threads[THREADS];
static pthread_mutex_t mutexes[THREADS];
static struct darn_waiter waiters[THREADS];
static struct darn_waitfor graph;
static struct darn_thread *moves; /* when a mutex is looked at, this one gets what it waits for */

struct darn_thread *__wrap_darn_threads_next(uint32_t *place)
{
    return *place < THREADS ? &threads[(*place)++] : NULL;
}

void __wrap_darn_sampler_start(void)
{
}

long __real_darn_os_copy(void *to, const void *from, size_t size);

long __wrap_darn_os_copy(void *to, const void *from, size_t size)
{
    if (moves)
        darn_wait_end(moves);
    moves = NULL;
    return __real_darn_os_copy(to, from, size);
}

static int start(void **state)
{
    (void)state;
    memset(threads, 0, sizeof(threads));
    memset(mutexes, 0, sizeof(mutexes));
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i].number = i;
        threads[i].tid = FIRST_TID + (int)i;
        threads[i].is_alive = true;
        mutexes[i].__data.__owner = FIRST_TID + (int)i; /* each has one of its own */
    }
    graph = (struct darn_waitfor){.waiters = waiters, .most = THREADS, .kinds = ALL};
    moves = NULL;
    darn_turns = false;
    return 0;
}

static void wait_for(uint32_t thread, enum darn_wait_kind kind, uintptr_t target)
{
    darn_wait_begin(&threads[thread], kind, (const volatile void *)target, NULL);
}

static void want_mutex_of(uint32_t thread, uint32_t owner)
{
    wait_for(thread, DARN_WAIT_MUTEX, (uintptr_t)&mutexes[owner]);
}

static void hold(uint32_t thread, uintptr_t lock, enum darn_lock_kind kind)
{
    struct darn_locks *locks = &threads[thread].locks;

    locks->held[locks->count++] =
        (struct darn_thread_lock){.address = lock, .kind = (uint32_t)kind};
}

/* In the snapshot that was made. */
static bool is_still_cycle_of(uint32_t thread)
{
    return darn_waitfor_is_cycle(&graph, &threads[thread], &threads[thread].wait);
}

static bool is_cycle_of(uint32_t thread)
{
    darn_waitfor_look(&graph);
    return is_still_cycle_of(thread);
}

static void expect_way(uint32_t length, const uint32_t *numbers)
{
    assert_int_equal(graph.length, length);
    for (uint32_t i = 0; i < length; i++)
        assert_int_equal(graph.way[i]->thread->number, numbers[i]);
}

/* ---- cycles ---- */

static void two_who_want_the_mutex_of_the_other_are_a_cycle(void **state)
{
    (void)state;
    want_mutex_of(0, 1);
    assert_false(is_cycle_of(0));
    want_mutex_of(1, 0);
    want_mutex_of(2, 0); /* that one only waits for them */
    assert_true(is_cycle_of(0));
    expect_way(2, (const uint32_t[]){0, 1});
    assert_true(is_cycle_of(1));
    expect_way(2, (const uint32_t[]){1, 0});
    assert_false(is_cycle_of(2));
}

static void three_may_be_one_by_different_waits(void **state)
{
    (void)state;
    want_mutex_of(0, 2);
    wait_for(2, DARN_WAIT_JOIN, 4);
    hold(0, RWLOCK, DARN_LOCK_WRITE);
    wait_for(4, DARN_WAIT_READ, RWLOCK);
    assert_true(is_cycle_of(0));
    expect_way(3, (const uint32_t[]){0, 2, 4});
    assert_true(is_cycle_of(4));
    expect_way(3, (const uint32_t[]){4, 0, 2});
}

static void a_thread_alone_waits_for_itself_by_its_own_mutex(void **state)
{
    (void)state;
    want_mutex_of(0, 0);
    assert_true(is_cycle_of(0));
    expect_way(1, (const uint32_t[]){0});
    /* But not while it is about to give it back for a condition. */
    wait_for(0, DARN_WAIT_COND, 1);
    threads[0].waits_with = (uintptr_t)&mutexes[0];
    assert_false(is_cycle_of(0));
}

static void who_waits_for_a_condition_needs_its_mutex(void **state)
{
    (void)state;
    want_mutex_of(0, 1);
    wait_for(1, DARN_WAIT_COND, 1);
    assert_false(is_cycle_of(0));
    threads[1].waits_with = (uintptr_t)&mutexes[0];
    assert_true(is_cycle_of(0));
}

static void only_waits_that_count_make_one(void **state)
{
    (void)state;
    want_mutex_of(0, 1);
    wait_for(1, DARN_WAIT_JOIN, 0);
    assert_true(is_cycle_of(0));
    graph.kinds = DARN_WAITFOR_LOCKS;
    assert_false(is_cycle_of(0));
    wait_for(1, DARN_WAIT_HEAL, (uintptr_t)&threads[0]);
    assert_false(is_cycle_of(0));
    graph.kinds |= DARN_WAITFOR(DARN_WAIT_HEAL);
    assert_true(is_cycle_of(0));
    darn_wait_redirect(&threads[1], NULL); /* it is about to look again */
    assert_false(is_cycle_of(0));
}

/* ---- locks with several holders ---- */

static void of_several_readers_one_that_cannot_go_on_is_enough(void **state)
{
    (void)state;
    wait_for(0, DARN_WAIT_WRITE, RWLOCK);
    for (uint32_t i = 1; i < THREADS; i++)
        hold(i, RWLOCK, DARN_LOCK_READ);
    wait_for(1, DARN_WAIT_OTHER, 0);
    want_mutex_of(2, 4); /* who runs */
    assert_false(is_cycle_of(0));
    want_mutex_of(3, 0);
    assert_true(is_cycle_of(0));
    expect_way(2, (const uint32_t[]){0, 3});
    assert_true(is_cycle_of(3));
}

static void readers_do_not_keep_each_other(void **state)
{
    (void)state;
    hold(1, RWLOCK, DARN_LOCK_READ);
    want_mutex_of(1, 0);
    wait_for(0, DARN_WAIT_READ, RWLOCK);
    assert_false(is_cycle_of(0));
    threads[1].locks.held[0].kind = DARN_LOCK_WRITE;
    assert_true(is_cycle_of(0));
}

static void a_dead_end_is_left_again(void **state)
{
    (void)state;
    wait_for(0, DARN_WAIT_WRITE, RWLOCK);
    hold(1, RWLOCK, DARN_LOCK_READ);
    hold(2, RWLOCK, DARN_LOCK_READ);
    want_mutex_of(1, 3); /* 1 and 3 wait for each other, */
    want_mutex_of(3, 1);
    assert_false(is_cycle_of(0));
    want_mutex_of(2, 0); /* and 2 for 0 */
    assert_true(is_cycle_of(0));
    expect_way(2, (const uint32_t[]){0, 2});
}

/* ---- who moves on ---- */

static void who_has_moved_on_since_the_snapshot_is_in_no_cycle(void **state)
{
    (void)state;
    want_mutex_of(0, 1);
    want_mutex_of(1, 0);
    assert_true(is_cycle_of(0));
    darn_wait_end(&threads[1]);
    assert_false(is_still_cycle_of(0));
    want_mutex_of(1, 0); /* once more: but it has run meanwhile */
    assert_false(is_still_cycle_of(0));
    assert_true(is_cycle_of(0));
    threads[1].is_alive = false;
    assert_false(is_still_cycle_of(0));
}

static void who_moves_on_during_the_search_is_in_none(void **state)
{
    (void)state;
    want_mutex_of(0, 1);
    want_mutex_of(1, 2);
    want_mutex_of(2, 0);
    for (uint32_t i = 0; i < 3; i++) {
        moves = &threads[i]; /* before or after it was looked at */
        assert_false(is_cycle_of(1));
        want_mutex_of(i, (i + 1) % 3);
        assert_true(is_cycle_of(1));
    }
}

static void who_turns_to_another_has_moved_on(void **state)
{
    (void)state;
    wait_for(0, DARN_WAIT_HEAL, (uintptr_t)&threads[1]);
    wait_for(1, DARN_WAIT_HEAL, (uintptr_t)&threads[0]);
    assert_true(is_cycle_of(0));
    darn_wait_redirect(&threads[1], &threads[0]); /* that is no change */
    assert_true(is_still_cycle_of(0));
    darn_wait_redirect(&threads[1], &threads[2]);
    darn_wait_redirect(&threads[1], &threads[0]);
    assert_false(is_still_cycle_of(0));
}

/* ---- mutexes that cannot be read ---- */

static void who_has_a_mutex_that_cannot_be_read_is_only_guessed(void **state)
{
    const uintptr_t gone = 8;

    (void)state;
    hold(0, gone, DARN_LOCK_MUTEX);
    wait_for(1, DARN_WAIT_MUTEX, gone);
    want_mutex_of(0, 1);
    assert_false(is_cycle_of(0));
    graph.guesses = true;
    assert_true(is_cycle_of(0));
    threads[0].waits_with = gone; /* given back for a condition */
    assert_false(is_cycle_of(0));
}

/* ---- gates ---- */

/* All but the first two threads and the one that waits stand in the gate. */
static bool all_others_keep(struct darn_waitfor *searched, const struct darn_thread *from,
                            uintptr_t target)
{
    for (uint32_t i = 2; i < THREADS; i++) {
        if (&threads[i] != from && !darn_waitfor_keeps(searched, &threads[i]))
            return false;
    }
    return target == 1;
}

static void at_a_gate_all_must_wait(void **state)
{
    (void)state;
    graph.by_gate = all_others_keep;
    wait_for(0, DARN_WAIT_GATE, 1);
    want_mutex_of(2, 0);
    wait_for(3, DARN_WAIT_JOIN, 2); /* over one who is there as well */
    assert_false(is_cycle_of(0));
    want_mutex_of(4, 1);
    assert_false(is_cycle_of(0));
    want_mutex_of(1, 0);
    assert_true(is_cycle_of(0));
}

/* 2 is kept by 3 and by 4, and 3 by 2: what was no on the way from 2 is yes by itself. */
static void an_answer_on_the_way_is_not_kept(void **state)
{
    (void)state;
    graph.by_gate = all_others_keep;
    wait_for(0, DARN_WAIT_GATE, 1);
    wait_for(2, DARN_WAIT_WRITE, RWLOCK);
    hold(3, RWLOCK, DARN_LOCK_READ);
    hold(4, RWLOCK, DARN_LOCK_READ);
    want_mutex_of(3, 2);
    want_mutex_of(4, 0);
    assert_true(is_cycle_of(0));
}

/* ---- controlled runs ---- */

static void in_a_controlled_run_it_is_the_step_that_waits(void **state)
{
    struct darn_slot slot = {.state = DARN_STATE_READY, .op = DARN_STEP_LOCK};

    (void)state;
    darn_turns = true;
    threads[1].slot = &slot;
    slot.object = (uintptr_t)&mutexes[0];
    want_mutex_of(0, 1);
    assert_true(is_cycle_of(0));
    slot.op = DARN_STEP_UNLOCK;
    assert_false(is_cycle_of(0));
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_who_want_the_mutex_of_the_other_are_a_cycle),
        TEST(three_may_be_one_by_different_waits),
        TEST(a_thread_alone_waits_for_itself_by_its_own_mutex),
        TEST(who_waits_for_a_condition_needs_its_mutex),
        TEST(only_waits_that_count_make_one),
        TEST(of_several_readers_one_that_cannot_go_on_is_enough),
        TEST(readers_do_not_keep_each_other),
        TEST(a_dead_end_is_left_again),
        TEST(who_has_moved_on_since_the_snapshot_is_in_no_cycle),
        TEST(who_moves_on_during_the_search_is_in_none),
        TEST(who_turns_to_another_has_moved_on),
        TEST(who_has_a_mutex_that_cannot_be_read_is_only_guessed),
        TEST(at_a_gate_all_must_wait),
        TEST(an_answer_on_the_way_is_not_kept),
        TEST(in_a_controlled_run_it_is_the_step_that_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
