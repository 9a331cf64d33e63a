/* From events to clocks: which calls order two accesses, and which do not. What is not seen through
 * counts as order. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/order/ends.h"
#include "runtime/order/ordering.h"
#include "runtime/order/thread_order.h"
#include "runtime/report/found.h"
#include "runtime/state.h"

enum { THREADS = 4, SITES = 4096 };

static struct darn_thread threads[THREADS];
static struct darn_site sites[SITES]; /* each access has one of its own: pairs are reported once */
static uint32_t next_number, next_site, found;
static struct {
    uint32_t first, second;
    uint8_t op;
} last;

/* Each test has variables and objects of its own. */
static long variables[80][8], objects[80][8];
static int next_variable, next_object;
static long *x, *y;
static uintptr_t object;

void __wrap_darn_finding_race(const struct darn_race *race)
{
    assert_true(race->is_predicted);
    found++;
    last.first = race->first->thread;
    last.second = race->second->thread;
    last.op = race->first->touch.op;
}

struct darn_thread *__wrap_darn_threads_next(uint32_t *place)
{
    return *place < THREADS ? &threads[(*place)++] : NULL;
}

void darn_hook_outside(const void *code, volatile uint8_t *asks) __attribute__((preserve_most));

static void begin(struct darn_thread *thread, bool has_parent)
{
    char here;

    thread->number = next_number++;
    thread->has_parent = has_parent;
    thread->stack_start = (uintptr_t)&here - 65536;
    thread->stack_end = (uintptr_t)&here + 65536;
    darn_order_thread_start(thread);
}

static int start(void **state)
{
    (void)state;
    darn_state.mode = DARN_MODE_WATCH;
    darn_state.options = (struct darn_options){.budget = 10, .report_volatile = true};
    memset(threads, 0, sizeof(threads));
    darn_thread_record = &threads[0];
    darn_order_start();
    if (!darn_ordering)
        return 1;
    for (int i = 0; i < THREADS; i++)
        begin(&threads[i], true);
    x = variables[next_variable++];
    y = variables[next_variable++];
    object = (uintptr_t)objects[next_object++];
    found = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (int i = 0; i < THREADS; i++)
        darn_order_thread_end(&threads[i]);
    darn_thread_record = NULL;
    return 0;
}

static bool access_at(int thread, const void *address, enum darn_touch_op op,
                      const struct darn_site *site)
{
    struct darn_touch touch = {
        .address = (uintptr_t)address, .size = sizeof(long), .op = (uint8_t)op, .site = site};
    uint32_t before = found;

    darn_order_access(&threads[thread], &touch, __builtin_frame_address(0));
    return found > before;
}

/* Whether it races. */
static bool writes(int thread, long *variable)
{
    return access_at(thread, variable, DARN_OP_WRITE, &sites[next_site++]);
}

static bool reads(int thread, long *variable)
{
    return access_at(thread, variable, DARN_OP_READ, &sites[next_site++]);
}

static void tell(int thread, struct darn_event event)
{
    darn_order_event(&threads[thread], &event, __builtin_frame_address(0));
}

static void does(int thread, enum darn_event_kind kind, uint64_t target)
{
    tell(thread, (struct darn_event){.kind = (uint8_t)kind, .target = target});
}

static void locks(int thread, enum darn_event_kind kind, enum darn_event_lock lock)
{
    tell(thread, (struct darn_event){.kind = (uint8_t)kind, .target = object, .lock = lock});
}

static void does_atomic(int thread, enum darn_event_kind kind, uint64_t target, unsigned orders)
{
    tell(thread, (struct darn_event){.kind = (uint8_t)kind,
                                     .target = target,
                                     .flags = (uint16_t)(DARN_EVENT_ATOMIC | orders)});
}

/* ---- calls ---- */

static void nothing_orders_nothing(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    assert_true(writes(1, x));
    assert_int_equal(last.first, threads[0].number);
    assert_int_equal(last.second, threads[1].number);
    assert_int_equal(last.op, DARN_OP_WRITE);
}

static void the_same_two_places_are_looked_into_once(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        access_at(0, x, DARN_OP_WRITE, &sites[0]);
        access_at(1, x, DARN_OP_READ, &sites[1]);
    }
    assert_true(found >= 1 && found <= 2);
    next_site += 2;
}

static void a_mutex_orders_who_has_it_after_who_had_it(void **state)
{
    (void)state;
    locks(0, DARN_EVENT_ACQUIRE, DARN_EVENT_MUTEX);
    assert_false(writes(0, x));
    locks(0, DARN_EVENT_RELEASE, DARN_EVENT_MUTEX);
    assert_false(writes(0, y)); /* too late */
    locks(1, DARN_EVENT_ACQUIRE, DARN_EVENT_MUTEX);
    assert_false(writes(1, x));
    assert_true(writes(1, y));
    assert_true(writes(2, x));
}

static void readers_of_a_lock_do_not_order_each_other(void **state)
{
    (void)state;
    locks(0, DARN_EVENT_ACQUIRE, DARN_EVENT_RDLOCK);
    assert_false(writes(0, x)); /* with a read lock: that is the bug */
    locks(0, DARN_EVENT_RELEASE, DARN_EVENT_RDLOCK);
    locks(1, DARN_EVENT_ACQUIRE, DARN_EVENT_RDLOCK);
    assert_true(writes(1, x));
    locks(1, DARN_EVENT_RELEASE, DARN_EVENT_RDLOCK);
}

static void a_writer_comes_after_readers_and_before_them(void **state)
{
    (void)state;
    locks(0, DARN_EVENT_ACQUIRE, DARN_EVENT_RDLOCK);
    assert_false(reads(0, x));
    locks(0, DARN_EVENT_RELEASE, DARN_EVENT_RDLOCK);
    locks(1, DARN_EVENT_ACQUIRE, DARN_EVENT_WRLOCK);
    assert_false(writes(1, x));
    locks(1, DARN_EVENT_RELEASE, DARN_EVENT_WRLOCK);
    locks(2, DARN_EVENT_ACQUIRE, DARN_EVENT_RDLOCK);
    assert_false(reads(2, x));
    locks(2, DARN_EVENT_RELEASE, DARN_EVENT_RDLOCK);
    locks(3, DARN_EVENT_ACQUIRE, DARN_EVENT_WRLOCK);
    assert_false(writes(3, x));
}

static void who_leaves_a_barrier_comes_after_all_who_came(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        writes(i, variables[next_variable + i]);
        does(i, DARN_EVENT_ARRIVE, object);
    }
    for (int i = 0; i < 3; i++)
        does(i, DARN_EVENT_DEPART, object);
    for (int i = 0; i < 3; i++)
        assert_false(writes(i, variables[next_variable + (i + 1) % 3]));
    next_variable += 3;
}

static void messages_order(void **state)
{
    static const enum darn_event_kind kinds[][2] = {
        {DARN_EVENT_SIGNAL, DARN_EVENT_WAKE},
        {DARN_EVENT_BROADCAST, DARN_EVENT_WAKE},
        {DARN_EVENT_POST, DARN_EVENT_TAKE},
        {DARN_EVENT_SEND, DARN_EVENT_RECEIVE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint64_t target = object + i;
        long *variable = variables[next_variable++];

        assert_false(writes(0, variable));
        does(1, kinds[i][1], target); /* before anything was sent */
        assert_true(reads(1, variable));
        does(0, kinds[i][0], target);
        does(2, kinds[i][1], target);
        assert_false(reads(2, variable));
    }
}

/* ---- threads ---- */

static void a_thread_comes_after_its_creation_and_before_its_join(void **state)
{
    struct darn_thread *child = &threads[1];

    (void)state;
    darn_order_thread_end(child);
    assert_false(writes(0, x));
    does(0, DARN_EVENT_FORK, next_number);
    assert_false(writes(0, y)); /* at the same time as the child */
    begin(child, true);
    assert_false(writes(1, x));
    assert_true(reads(1, y));
    darn_order_thread_end(child);
    assert_true(reads(2, x));
    does(3, DARN_EVENT_JOIN, child->number);
    assert_false(writes(3, x) && last.first == child->number);
}

static void who_ends_without_a_word_is_joined_after_all(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    assert_false(writes(1, y));
    does(2, DARN_EVENT_JOIN, threads[0].number); /* it has not said so */
    assert_false(writes(2, x));
    assert_false(writes(2, y));
}

static void who_nobody_has_made_comes_after_all(void **state)
{
    (void)state;
    darn_order_thread_end(&threads[3]);
    assert_false(writes(0, x));
    begin(&threads[3], false);
    assert_false(writes(3, x));
}

static void who_is_cancelled_comes_after_who_has_done_so(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    assert_false(writes(0, y));
    darn_order_cancel(&threads[0], threads[1].number);
    assert_false(reads(1, x));
    assert_true(reads(2, y));
}

static void who_is_cancelled_comes_after_nobody_else(void **state)
{
    (void)state;
    darn_order_cancel(&threads[0], threads[1].number);
    assert_false(writes(2, x));
    assert_true(reads(1, x));
    assert_false(writes(0, y));
    darn_order_cancel(&threads[0], threads[1].number); /* once more */
    assert_false(reads(1, y));
}

/* ---- atomics ---- */

static void release_and_acquire_order(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    does_atomic(0, DARN_EVENT_WRITE, object, DARN_EVENT_RELEASES);
    does_atomic(1, DARN_EVENT_READ, object, DARN_EVENT_ACQUIRES);
    assert_false(writes(1, x));
    does_atomic(1, DARN_EVENT_UPDATE, object, DARN_EVENT_ACQUIRES | DARN_EVENT_RELEASES);
    does_atomic(2, DARN_EVENT_UPDATE, object, DARN_EVENT_ACQUIRES);
    assert_false(writes(2, x));
}

static void relaxed_atomics_order_nothing(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    does_atomic(0, DARN_EVENT_WRITE, object, 0);
    does_atomic(1, DARN_EVENT_READ, object, DARN_EVENT_ACQUIRES);
    assert_true(reads(1, x));
    assert_false(writes(0, y));
    does_atomic(0, DARN_EVENT_WRITE, object, DARN_EVENT_RELEASES);
    does_atomic(2, DARN_EVENT_READ, object, 0);
    assert_true(reads(2, y));
}

/* The hook comes before the load: what is stored in between is what the load gets. */
static void a_load_acquires_what_was_stored_after_its_hook(void **state)
{
    (void)state;
    does_atomic(1, DARN_EVENT_READ, object, DARN_EVENT_ACQUIRES);
    assert_false(writes(0, x));
    does_atomic(0, DARN_EVENT_WRITE, object, DARN_EVENT_RELEASES);
    assert_false(writes(1, x));
}

static void many_loads_in_a_row_all_acquire(void **state)
{
    enum { LOADS = 9 };

    (void)state;
    for (uint64_t i = 0; i < LOADS; i++) {
        writes(0, variables[next_variable + (int)i]);
        does_atomic(0, DARN_EVENT_WRITE, object + 8 * i, DARN_EVENT_RELEASES);
    }
    for (uint64_t i = 0; i < LOADS; i++)
        does_atomic(1, DARN_EVENT_READ, object + 8 * i, DARN_EVENT_ACQUIRES);
    for (int i = 0; i < LOADS; i++)
        assert_false(writes(1, variables[next_variable + i]));
    next_variable += LOADS;
}

static void fences_make_relaxed_atomics_order(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    does_atomic(0, DARN_EVENT_FENCE, 0, DARN_EVENT_RELEASES);
    does_atomic(0, DARN_EVENT_WRITE, object, 0);
    does_atomic(1, DARN_EVENT_READ, object, 0);
    does_atomic(1, DARN_EVENT_FENCE, 0, DARN_EVENT_ACQUIRES);
    assert_false(reads(1, x));
    does_atomic(2, DARN_EVENT_READ, object, DARN_EVENT_ACQUIRES);
    assert_false(reads(2, x));
}

/* ---- what is not seen through ---- */

static void after_all_is_after_all(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    darn_order_after_all(&threads[1]);
    assert_false(writes(1, x));
}

static void calls_that_lead_outside_order(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    assert_false(writes(1, y));
    darn_hook_outside(NULL, NULL); /* of thread 0 */
    darn_thread_record = &threads[2];
    darn_hook_outside(NULL, NULL);
    assert_false(writes(2, x));
    assert_true(writes(2, y)); /* thread 1 was not there */
}

static void the_child_of_fork_comes_after_all(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    assert_false(writes(1, y));
    darn_thread_record = &threads[2];
    darn_order_after_fork();
    assert_false(writes(2, x));
    assert_false(writes(2, y));
}

/* ---- what is remembered ---- */

static void ignored_and_spinning_accesses_are_not_remembered(void **state)
{
    (void)state;
    threads[0].ignore = 1;
    assert_false(writes(0, x));
    threads[0].ignore = 0;
    assert_false(writes(1, x));
    sites[next_site].flags = DARN_SITE_SPIN;
    assert_false(reads(2, x));
    sites[next_site].flags = DARN_SITE_EXTRA;
    assert_false(writes(3, x));
    assert_true(writes(0, x)); /* with that of thread 1 */
    assert_int_equal(last.first, threads[1].number);
}

static void a_block_that_is_freed_was_written(void **state)
{
    const uintptr_t ours[2] = {0, (uintptr_t)a_block_that_is_freed_was_written};
    const uintptr_t of_libc[2] = {0, (uintptr_t)abort};

    (void)state;
    assert_false(reads(0, x));
    assert_false(reads(0, y));
    darn_order_free(&threads[1], (uintptr_t)x, sizeof(*variables), false, ours);
    assert_int_equal(found, 1);
    darn_order_free(&threads[1], (uintptr_t)y, sizeof(*variables), false, of_libc);
    assert_int_equal(found, 1);
    assert_false(writes(2, x)); /* the next one who gets it begins anew */
    assert_false(writes(2, y));
    darn_order_forget((uintptr_t)x, sizeof(*variables));
    assert_false(writes(3, x));
}

/* A program that ends an object with each thing that it does must not keep the clocks moving. */
static void ends_that_come_often_move_no_clock_in_between(void **state)
{
    const uintptr_t ours[2] = {0, (uintptr_t)ends_that_come_often_move_no_clock_in_between};
    const struct darn_thread_clock *clock = &threads[1].order->clock;
    uint32_t version;

    (void)state;
    darn_order_use_object(&threads[0], (uintptr_t)x, DARN_OBJECT_COND, __builtin_frame_address(0));
    darn_remembering = false;
    for (int i = 0; i < 2000; i++) {
        version = clock->version;
        darn_order_end_object(&threads[1], (uintptr_t)y, 1, DARN_OBJECT_COND, ours);
        does(1, DARN_EVENT_POST, object);
    }
    assert_int_equal(clock->version, version);
    assert_int_equal(found, 0);
    darn_order_end_object(&threads[1], (uintptr_t)x, 1, DARN_OBJECT_COND, ours);
    darn_remembering = true;
    assert_int_equal(found, 1); /* and yet they are looked at */
}

static void what_a_module_did_goes_with_it(void **state)
{
    const struct darn_site *site = &sites[next_site];

    (void)state;
    assert_false(writes(0, x));
    darn_order_unload(site, site + 1);
    assert_false(writes(1, x));
}

static void while_a_thread_is_not_followed_nothing_is_reported(void **state)
{
    (void)state;
    assert_false(writes(0, x));
    darn_order_lose(); /* for good */
    assert_false(writes(1, x));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_orders_nothing),
        TEST(the_same_two_places_are_looked_into_once),
        TEST(a_mutex_orders_who_has_it_after_who_had_it),
        TEST(readers_of_a_lock_do_not_order_each_other),
        TEST(a_writer_comes_after_readers_and_before_them),
        TEST(who_leaves_a_barrier_comes_after_all_who_came),
        TEST(messages_order),
        TEST(a_thread_comes_after_its_creation_and_before_its_join),
        TEST(who_ends_without_a_word_is_joined_after_all),
        TEST(who_nobody_has_made_comes_after_all),
        TEST(who_is_cancelled_comes_after_who_has_done_so),
        TEST(who_is_cancelled_comes_after_nobody_else),
        TEST(release_and_acquire_order),
        TEST(relaxed_atomics_order_nothing),
        TEST(a_load_acquires_what_was_stored_after_its_hook),
        TEST(many_loads_in_a_row_all_acquire),
        TEST(fences_make_relaxed_atomics_order),
        TEST(after_all_is_after_all),
        TEST(calls_that_lead_outside_order),
        TEST(the_child_of_fork_comes_after_all),
        TEST(ignored_and_spinning_accesses_are_not_remembered),
        TEST(a_block_that_is_freed_was_written),
        TEST(ends_that_come_often_move_no_clock_in_between),
        TEST(what_a_module_did_goes_with_it),
        TEST(while_a_thread_is_not_followed_nothing_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
