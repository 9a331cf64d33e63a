/* Which sites of a learning run are found to share memory: exactly those, whatever the threads do
 * at the same time; too many, and never too few, when something is full. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "runtime/record/share.h"
#include "runtime/report/counters.h"
#include "runtime/watch/sites.h"
#include "memory_stage.h"
#include "sites_fixture.h"

#define THREADS 4
#define ROUNDS  2000

static struct sites_fixture fixture;
static uint32_t next_site;

/* Memory is addresses only: nobody looks into it. Each test has its own. */
static uintptr_t memory = UINT64_C(0x7f0000000000);

static struct darn_thread threads[THREADS + 1];

static int announce(void **state)
{
    (void)state;
    fixture_fill(&fixture, FIXTURE_SITES);
    darn_sites_add(fixture.sites, fixture.sites + FIXTURE_SITES);
    for (uint32_t i = 0; i <= THREADS; i++)
        threads[i].number = i;
    return 0;
}

static int start(void **state)
{
    (void)state;
    memory += UINT64_C(1) << 30;
    has_no_memory = false;
    darn_counters_clear();
    return 0;
}

static const struct darn_site *site(void)
{
    assert_true(next_site < FIXTURE_SITES);
    return &fixture.sites[next_site++];
}

static const struct darn_site *reads_at(uint32_t thread, uintptr_t address, uint64_t size)
{
    const struct darn_site *where = site();

    darn_share_access(&threads[thread], address, size, where, false);
    return where;
}

#define is_shared(where) (darn_site_find(where).mark && atomic_load(darn_site_find(where).mark))

static const struct darn_site *writes_at(uint32_t thread, uintptr_t address, uint64_t size)
{
    const struct darn_site *where = site();

    darn_share_access(&threads[thread], address, size, where, true);
    return where;
}

static void again(uint32_t thread, uintptr_t address, const struct darn_site *where, bool writes)
{
    darn_share_access(&threads[thread], address, 8, where, writes);
}

static void memory_of_one_thread_is_not_shared(void **state)
{
    const struct darn_site *write = writes_at(1, memory, 8), *read = reads_at(1, memory, 8);

    (void)state;
    for (int i = 0; i < 10; i++) {
        again(1, memory, write, true);
        again(1, memory, read, false);
        again(2, memory + 8, write, true); /* the same site, but other memory */
    }
    assert_false(is_shared(write));
    assert_false(is_shared(read));
}

static void memory_that_all_only_read_is_not_shared(void **state)
{
    const struct darn_site *sites[THREADS];

    (void)state;
    for (uint32_t i = 0; i < THREADS; i++)
        sites[i] = reads_at(i, memory, 8);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_false(is_shared(sites[i]));
}

static void what_the_main_thread_initialized_alone_is_shared_with_its_readers(void **state)
{
    const struct darn_site *clear = writes_at(0, memory, 8), *set = writes_at(0, memory, 8);
    const struct darn_site *check = reads_at(0, memory, 8), *read;

    (void)state;
    assert_false(is_shared(clear));
    read = reads_at(1, memory, 8);
    assert_true(is_shared(clear));
    assert_true(is_shared(set));
    assert_true(is_shared(check));
    assert_true(is_shared(read));
}

static void a_write_makes_all_earlier_readers_shared(void **state)
{
    const struct darn_site *first = reads_at(1, memory, 8), *second = reads_at(2, memory, 8);
    const struct darn_site *write = writes_at(1, memory, 8);

    (void)state;
    assert_true(is_shared(first));
    assert_true(is_shared(second));
    assert_true(is_shared(write));
}

static void a_site_that_comes_later_is_shared_at_once(void **state)
{
    (void)state;
    writes_at(1, memory, 8);
    writes_at(2, memory, 8);
    assert_true(is_shared(reads_at(1, memory, 8)));
    assert_true(is_shared(writes_at(3, memory, 8)));
}

static void an_access_without_a_site_counts_for_the_others(void **state)
{
    const struct darn_site *read = reads_at(1, memory, 8);

    (void)state;
    darn_share_access(&threads[2], memory, 8, NULL, true);
    assert_true(is_shared(read));
}

static void bytes_of_the_same_eight_count_as_one_and_others_do_not(void **state)
{
    const struct darn_site *inside = writes_at(1, memory + 7, 1);
    const struct darn_site *beside = writes_at(1, memory + 8, 1);

    (void)state;
    reads_at(2, memory, 1);
    assert_true(is_shared(inside));
    assert_false(is_shared(beside));
}

static void an_access_touches_all_of_its_bytes_and_no_others(void **state)
{
    /* Across the border of the largest piece of shadow, and not aligned. */
    uintptr_t address = (memory | 0x3ffff) - 1000;
    const struct darn_site *before = writes_at(1, address - 15, 8), *first, *middle, *last, *behind;

    (void)state;
    first = writes_at(1, address, 1);
    middle = writes_at(1, address + 1000, 8);
    last = writes_at(1, address + 1999, 1);
    behind = writes_at(1, address + 2001, 8);
    reads_at(2, address, 2000);
    assert_false(is_shared(before));
    assert_true(is_shared(first));
    assert_true(is_shared(middle));
    assert_true(is_shared(last));
    assert_false(is_shared(behind));
}

static void an_empty_access_touches_nothing(void **state)
{
    const struct darn_site *write = writes_at(1, memory, 8);

    (void)state;
    reads_at(2, memory, 0);
    reads_at(2, UINTPTR_MAX - 3, 100); /* nonsense, but not to be followed */
    assert_false(is_shared(write));
}

static void a_block_that_is_used_again_holds_other_variables(void **state)
{
    const struct darn_site *old = writes_at(1, memory + 16, 8), *new, *neighbour;

    (void)state;
    neighbour = writes_at(1, memory + 48, 8);
    darn_share_forget(memory, 45);
    new = writes_at(2, memory + 16, 8);
    assert_false(is_shared(old));
    assert_false(is_shared(new));
    reads_at(2, memory + 48, 8); /* this one was not forgotten */
    assert_true(is_shared(neighbour));
}

static void a_shared_block_that_is_used_again_is_not_shared_any_more(void **state)
{
    (void)state;
    writes_at(1, memory, 8);
    writes_at(2, memory, 8);
    darn_share_forget(memory, 64);
    assert_false(is_shared(writes_at(1, memory, 8)));
    assert_false(is_shared(reads_at(1, memory, 8)));
}

static void a_large_block_is_forgotten_from_first_to_last_byte(void **state)
{
    const uint64_t size = 5 << 20;
    const struct darn_site *before = writes_at(1, memory + 992, 8), *first, *middle, *last, *behind;

    (void)state;
    first = writes_at(1, memory + 1000, 8);
    middle = writes_at(1, memory + size / 2, 8);
    last = writes_at(1, memory + 1000 + size - 8, 8);
    behind = writes_at(1, memory + 1000 + size, 8);
    darn_share_forget(memory + 1000, size);
    reads_at(2, memory, 2 * size);
    assert_true(is_shared(before));
    assert_false(is_shared(first));
    assert_false(is_shared(middle));
    assert_false(is_shared(last));
    assert_true(is_shared(behind));
}

static void the_last_writer_of_a_flag_is_known(void **state)
{
    const struct darn_site *flag, *other;
    uint32_t thread = 99;

    (void)state;
    assert_null(darn_share_last_writer(memory, &thread));
    writes_at(1, memory, 4);
    flag = writes_at(2, memory, 4);
    other = writes_at(3, memory + 4, 4); /* in the same 8 bytes */
    reads_at(1, memory, 8);
    assert_ptr_equal(darn_share_last_writer(memory, &thread), flag);
    assert_int_equal(thread, 2);
    assert_ptr_equal(darn_share_last_writer(memory + 4, &thread), other);
    assert_int_equal(thread, 3);
    assert_null(darn_share_last_writer(memory + 8, &thread));
    other = writes_at(1, memory, 8);
    assert_ptr_equal(darn_share_last_writer(memory, &thread), other);
    assert_ptr_equal(darn_share_last_writer(memory + 4, &thread), other);
    darn_share_forget(memory, 8);
    assert_null(darn_share_last_writer(memory, &thread));
    assert_null(darn_share_last_writer(UINT64_C(1) << 60, &thread));
}

static void a_writer_that_nobody_knows_is_not_taken_for_the_one_before(void **state)
{
    uint32_t thread;

    (void)state;
    writes_at(1, memory, 8);
    darn_share_access(&threads[2], memory, 8, NULL, true);
    assert_null(darn_share_last_writer(memory, &thread));
}

/* So many sites touch one place that their set cannot grow any more. */
static void sites_that_fit_into_no_set_are_taken_for_shared_and_counted(void **state)
{
    const struct darn_site *sites[300];
    uint32_t shared = 0;

    (void)state;
    for (uint32_t i = 0; i < 300; i++)
        sites[i] = writes_at(1, memory, 8);
    for (uint32_t i = 0; i < 300; i++)
        shared += is_shared(sites[i]);
    assert_in_range(shared, 1, 299);
    assert_int_equal(darn_counter_value(DARN_COUNT_SHARE_SETS_FULL), shared);
    reads_at(2, memory, 8);
    for (uint32_t i = 0; i < 300; i++)
        assert_true(is_shared(sites[i]));
}

static void without_memory_sites_are_taken_for_shared_and_counted(void **state)
{
    const struct darn_site *write;

    (void)state;
    has_no_memory = true;
    write = writes_at(1, memory, 8);
    assert_true(is_shared(write));
    assert_int_equal(darn_counter_value(DARN_COUNT_SHARE_NO_MEMORY), 1);
    again(1, memory, write, true);
    assert_int_equal(darn_counter_value(DARN_COUNT_SHARE_NO_MEMORY), 1);
    darn_share_forget(memory, 1000);
    has_no_memory = false;
    assert_false(is_shared(writes_at(1, memory, 8)));
}

static void memory_beyond_the_usual_addresses_is_taken_for_shared(void **state)
{
    (void)state;
    assert_true(is_shared(writes_at(1, UINT64_C(1) << 47, 8)));
    assert_true(is_shared(writes_at(1, UINTPTR_MAX - 7, 8)));
    darn_share_forget(UINT64_C(1) << 47, 4096);
}

static void threads_beyond_count_are_never_the_same(void **state)
{
    struct darn_thread late = {.number = 0xffffff}, later = {.number = 0x1fffffe};
    const struct darn_site *first = site(), *second = site(), *third = site();

    (void)state;
    darn_share_access(&late, memory, 8, first, true);
    darn_share_access(&later, memory, 8, second, true);
    assert_true(is_shared(first));
    assert_true(is_shared(second));
    again(1, memory + 8, third, true); /* it is known now that the set has the site */
    again(1, memory + 8, third, true);
    darn_share_access(NULL, memory + 16, 8, third, true);
    assert_false(is_shared(third));
    darn_share_access(NULL, memory + 16, 8, third, true);
    assert_true(is_shared(third));
}

static void sites_of_nobody_are_counted(void **state)
{
    struct darn_site unknown = {.size = 8};
    const struct darn_site *read = reads_at(1, memory, 8);

    (void)state;
    darn_share_access(&threads[2], memory, 8, &unknown, true);
    assert_false(is_shared(&unknown));
    assert_true(is_shared(read));
    assert_int_equal(darn_counter_value(DARN_COUNT_SHARE_SITES_UNKNOWN), 1);
}

/*
 * All threads at once. In each round there are three places, and each thread comes to each with a
 * site of its own: one that somebody writes, one that all read, and one for each thread alone.
 */
struct hammer {
    pthread_t id;
    uint32_t number;
};

static pthread_barrier_t barrier;
static uint32_t first_site;

static const struct darn_site *hammer_site(uint32_t round, uint32_t thread, uint32_t which)
{
    return &fixture.sites[first_site + (round * THREADS + thread) * 3 + which];
}

static void *hammer(void *argument)
{
    uint32_t self = ((struct hammer *)argument)->number;
    struct darn_thread *thread = &threads[self + 1];

    for (uint32_t i = 0; i < ROUNDS; i++) {
        uintptr_t base = memory + i * 64;
        uint32_t writer = i % (THREADS + 1); /* sometimes nobody: it is written in the end */

        if (i % 16 == 0)
            pthread_barrier_wait(&barrier); /* so that they do meet */
        darn_share_access(thread, base, 8, hammer_site(i, self, 0), self == writer);
        darn_share_access(thread, base + 8, 8, hammer_site(i, self, 1), false);
        darn_share_access(thread, base + 16 + 8 * self, 8, hammer_site(i, self, 2), i % 2);
        if (writer == THREADS && i % 16 == 7)
            darn_share_access(thread, base, 8, hammer_site(i, self, 0), true);
        else if (writer == THREADS)
            darn_share_access(thread, base, 8, hammer_site(i, (self + 1) % THREADS, 0), true);
    }
    return NULL;
}

static void threads_that_meet_lose_no_site_and_invent_none(void **state)
{
    struct hammer hammers[THREADS];

    (void)state;
    first_site = next_site;
    next_site += ROUNDS * THREADS * 3;
    assert_true(next_site <= FIXTURE_SITES);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        hammers[i].number = i;
        assert_int_equal(pthread_create(&hammers[i].id, NULL, hammer, &hammers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(hammers[i].id, NULL);
    pthread_barrier_destroy(&barrier);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        for (uint32_t j = 0; j < THREADS; j++) {
            assert_true(is_shared(hammer_site(i, j, 0)));
            assert_false(is_shared(hammer_site(i, j, 1)));
            assert_false(is_shared(hammer_site(i, j, 2)));
        }
    }
}

/* Two threads that come to a new place at the same instant, as near as they get. */
#define INSTANTS 10000

static _Atomic uint32_t arrived;

static void *come_at_once(void *argument)
{
    uint32_t self = ((struct hammer *)argument)->number;

    for (uint32_t i = 0; i < INSTANTS; i++) {
        atomic_fetch_add(&arrived, 1);
        for (uint32_t tries = 0; atomic_load(&arrived) < 2 * (i + 1); tries++) {
            if (tries > 1000)
                sched_yield(); /* there may be one processor only */
        }
        for (volatile uint32_t pause = 0; pause < i / 8 % 8 * (self ? i % 8 : 1); pause++)
            ;
        darn_share_access(&threads[self + 1], memory + i * 8, 8,
                          &fixture.sites[first_site + 2 * i + self], i % 3 != 0 || self == i % 2);
    }
    return NULL;
}

static void threads_that_come_at_the_same_instant_are_both_seen(void **state)
{
    struct hammer pair[2] = {{.number = 0}, {.number = 1}};

    (void)state;
    first_site = next_site;
    next_site += 2 * INSTANTS;
    assert_true(next_site <= FIXTURE_SITES);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&pair[i].id, NULL, come_at_once, &pair[i]), 0);
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(pair[i].id, NULL);
    for (uint32_t i = 0; i < 2 * INSTANTS; i++)
        assert_true(is_shared(&fixture.sites[first_site + i]));
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); /* others may be busy */
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The bound is far from what is measured: only a wrong turn shall fail, not a busy machine. */
static void the_usual_access_is_quick(void **state)
{
    const struct darn_site *sites[4] = {site(), site(), site(), site()};
    uint64_t started, took[3];

    (void)state;
    for (int round = 0; round < 3; round++) {
        uint32_t other = round == 2 ? 2 : 1; /* in the last one the memory is shared */

        started = now();
        for (uint32_t i = 0; i < 4000000; i++)
            darn_share_access(&threads[i % 8 ? 1 : other], memory + i % 4096 * 8, 8, sites[i % 4],
                              i % 4 == 0);
        took[round] = now() - started;
    }
    printf("an access takes %.1f ns, the first time %.1f, to shared memory %.1f\n",
           (double)took[1] / 4e6, (double)took[0] / 4e6, (double)took[2] / 4e6);
    assert_in_range(took[1] / 4000000, 0, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(memory_of_one_thread_is_not_shared, start),
        cmocka_unit_test_setup(memory_that_all_only_read_is_not_shared, start),
        cmocka_unit_test_setup(what_the_main_thread_initialized_alone_is_shared_with_its_readers,
                               start),
        cmocka_unit_test_setup(a_write_makes_all_earlier_readers_shared, start),
        cmocka_unit_test_setup(a_site_that_comes_later_is_shared_at_once, start),
        cmocka_unit_test_setup(an_access_without_a_site_counts_for_the_others, start),
        cmocka_unit_test_setup(bytes_of_the_same_eight_count_as_one_and_others_do_not, start),
        cmocka_unit_test_setup(an_access_touches_all_of_its_bytes_and_no_others, start),
        cmocka_unit_test_setup(an_empty_access_touches_nothing, start),
        cmocka_unit_test_setup(a_block_that_is_used_again_holds_other_variables, start),
        cmocka_unit_test_setup(a_shared_block_that_is_used_again_is_not_shared_any_more, start),
        cmocka_unit_test_setup(a_large_block_is_forgotten_from_first_to_last_byte, start),
        cmocka_unit_test_setup(the_last_writer_of_a_flag_is_known, start),
        cmocka_unit_test_setup(a_writer_that_nobody_knows_is_not_taken_for_the_one_before, start),
        cmocka_unit_test_setup(sites_that_fit_into_no_set_are_taken_for_shared_and_counted, start),
        cmocka_unit_test_setup(without_memory_sites_are_taken_for_shared_and_counted, start),
        cmocka_unit_test_setup(memory_beyond_the_usual_addresses_is_taken_for_shared, start),
        cmocka_unit_test_setup(threads_beyond_count_are_never_the_same, start),
        cmocka_unit_test_setup(sites_of_nobody_are_counted, start),
        cmocka_unit_test_setup(threads_that_meet_lose_no_site_and_invent_none, start),
        cmocka_unit_test_setup(threads_that_come_at_the_same_instant_are_both_seen, start),
        cmocka_unit_test_setup(the_usual_access_is_quick, start),
    };

    return cmocka_run_group_tests(tests, announce, NULL);
}
