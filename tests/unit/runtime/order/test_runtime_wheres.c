/* Places of accesses: one number for what is the same, and never too few numbers for programs with
 * thousands of locks: then locks are left out, and that is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/order/wheres.h"
#include "runtime/report/counters.h"

enum { LOCKS = 40000 };

static struct darn_where_cache cache[DARN_WHERES_CACHE];
static struct darn_site site;

/* The number of an access under a lock, or under none. */
static uint32_t where_under(struct darn_thread *thread, uintptr_t lock)
{
    const uintptr_t frame[2] = {0, 0x1234};
    const struct darn_touch touch = {.address = 0x1000, .size = 8, .site = &site};

    thread->locks.count = lock != 0;
    thread->locks.held[0].address = lock;
    return darn_where(thread, cache, &touch, frame);
}

static void places_are_kept_without_locks_when_there_are_too_many(void **state)
{
    struct darn_thread *thread = calloc(1, sizeof(*thread));
    struct darn_side first, last, bare;
    uint32_t one, other = 0;

    (void)state;
    assert_true(darn_wheres_open());
    one = where_under(thread, 1);
    assert_int_equal(where_under(thread, 1), one);
    for (uintptr_t lock = 1; lock <= LOCKS; lock++) {
        other = where_under(thread, lock);
        assert_int_not_equal(other, 0);
    }
    assert_int_equal(where_under(thread, 1), one); /* what was there is still there */
    darn_where_fill(one, &first);
    assert_int_equal(first.locks.count, 1);
    assert_false(first.locks.is_unknown);
    darn_where_fill(other, &last);
    assert_ptr_equal(last.touch.site, &site);
    assert_int_equal(last.locks.count, 0);
    assert_true(last.locks.is_unknown);
    assert_true(darn_counter_value(DARN_COUNT_WHERES_SHORT) > 0);
    assert_int_equal(darn_counter_value(DARN_COUNT_WHERES_FULL), 0);
    darn_where_fill(where_under(thread, 0), &bare); /* who holds none is told apart */
    assert_false(bare.locks.is_unknown);
    free(thread);
}

static void the_locks_of_all_who_access_it_are_known(void **state)
{
    struct darn_thread *threads = calloc(3, sizeof(*threads));
    struct darn_guard guards[DARN_GUARDS];

    (void)state;
    assert_true(darn_wheres_open());
    for (uint32_t i = 0; i < 3; i++)
        threads[i].number = i;
    where_under(&threads[0], 7);
    where_under(&threads[0], 7);
    memset(cache, 0, sizeof(cache)); /* each thread has its own */
    where_under(&threads[1], 7);
    where_under(&threads[1], 5);
    where_under(&threads[2], 0);
    memset(cache, 0, sizeof(cache));
    assert_int_equal(darn_where_guards(0x1008, guards), 0);
    assert_int_equal(darn_where_guards(0x1000, guards), 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(guards[i].uses, guards[i].lock.address == 7 ? 2 : 1);
    free(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_locks_of_all_who_access_it_are_known),
        cmocka_unit_test(places_are_kept_without_locks_when_there_are_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
