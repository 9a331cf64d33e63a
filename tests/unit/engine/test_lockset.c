/* Sets of locks as numbers, against plain arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/common/lockset.h"

#define LOCKS 10
#define STEPS 200000

enum mode { NOT, SHARED, EXCLUSIVE };

struct plain {
    uint8_t modes[LOCKS];
    uint32_t id;
};

static struct darn_locksets *sets;
static uint64_t seed;

static int open_sets(void **state)
{
    (void)state;
    sets = darn_locksets_create();
    seed = 88172645463325252u;
    return sets ? 0 : -1;
}

static int close_sets(void **state)
{
    (void)state;
    darn_locksets_destroy(sets);
    return 0;
}

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

static uint64_t address(uint32_t lock)
{
    return lock ? UINT64_C(0x7f0000001000) + 40 * lock : 0;
}

static bool equal(const struct plain *a, const struct plain *b)
{
    for (int i = 0; i < LOCKS; i++) {
        if (a->modes[i] != b->modes[i])
            return false;
    }
    return true;
}

static void what_is_added_is_in_and_what_is_removed_is_not(void **state)
{
    uint32_t one = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 0x10, true), two;

    (void)state;
    two = darn_lockset_add(sets, one, 0x20, false);
    assert_int_not_equal(one, DARN_LOCKSET_EMPTY);
    assert_int_not_equal(one, two);
    assert_true(darn_lockset_contains(sets, two, 0x10));
    assert_true(darn_lockset_contains(sets, two, 0x20));
    assert_false(darn_lockset_contains(sets, one, 0x20));
    assert_int_equal(darn_lockset_size(sets, two), 2);
    assert_int_equal(darn_lockset_member(sets, two, 0).lock, 0x10);
    assert_true(darn_lockset_member(sets, two, 0).exclusive);
    assert_false(darn_lockset_member(sets, two, 1).exclusive);
    assert_int_equal(darn_lockset_remove(sets, two, 0x20), one);
    assert_int_equal(darn_lockset_remove(sets, one, 0x30), one);
    assert_int_equal(darn_lockset_remove(sets, one, 0x10), DARN_LOCKSET_EMPTY);
}

static void the_order_of_addition_does_not_matter(void **state)
{
    uint32_t a = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 1, true);
    uint32_t b = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 2, true);

    (void)state;
    assert_int_equal(darn_lockset_add(sets, a, 2, true), darn_lockset_add(sets, b, 1, true));
}

static void readers_of_one_lock_are_not_kept_apart(void **state)
{
    uint32_t reader = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 1, false);
    uint32_t writer = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 1, true);

    (void)state;
    assert_true(darn_lockset_disjoint_for(sets, reader, reader));
    assert_false(darn_lockset_disjoint_for(sets, reader, writer));
    assert_false(darn_lockset_disjoint_for(sets, writer, writer));
    assert_true(darn_lockset_is_subset(sets, reader, writer));
    assert_false(darn_lockset_is_subset(sets, writer, reader));
    assert_int_equal(darn_lockset_intersect(sets, reader, writer), reader);
    assert_int_equal(darn_lockset_exclusive(sets, reader), DARN_LOCKSET_EMPTY);
    assert_int_equal(darn_lockset_exclusive(sets, writer), writer);
    assert_int_equal(darn_lockset_add(sets, reader, 1, true), writer);
    assert_int_equal(darn_lockset_add(sets, writer, 1, false), writer);
}

static void the_set_of_all_locks_is_larger_than_any(void **state)
{
    uint32_t one = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 1, true);

    (void)state;
    assert_int_equal(darn_lockset_intersect(sets, DARN_LOCKSET_ALL, one), one);
    assert_int_equal(darn_lockset_intersect(sets, one, DARN_LOCKSET_ALL), one);
    assert_int_equal(darn_lockset_intersect(sets, DARN_LOCKSET_ALL, DARN_LOCKSET_EMPTY),
                     DARN_LOCKSET_EMPTY);
    assert_true(darn_lockset_is_subset(sets, one, DARN_LOCKSET_ALL));
    assert_false(darn_lockset_is_subset(sets, DARN_LOCKSET_ALL, one));
    assert_false(darn_lockset_disjoint_for(sets, DARN_LOCKSET_ALL, one));
    assert_true(darn_lockset_disjoint_for(sets, DARN_LOCKSET_ALL, DARN_LOCKSET_EMPTY));
    assert_true(darn_lockset_contains(sets, DARN_LOCKSET_ALL, 99));
}

static struct plain change(const struct plain *from)
{
    struct plain to = *from;
    uint32_t lock = draw(LOCKS);

    if (draw(2)) {
        enum mode mode = draw(2) ? SHARED : EXCLUSIVE;

        if (to.modes[lock] < mode)
            to.modes[lock] = (uint8_t)mode;
        to.id = darn_lockset_add(sets, from->id, address(lock), mode == EXCLUSIVE);
    } else {
        to.modes[lock] = NOT;
        to.id = darn_lockset_remove(sets, from->id, address(lock));
    }
    return to;
}

static void compare(const struct plain *a, const struct plain *b)
{
    struct plain both = {{0}, 0}, exclusive = {{0}, 0};
    bool subset = true, disjoint_for = true;

    for (int i = 0; i < LOCKS; i++) {
        uint8_t mine = a->modes[i], other = b->modes[i];

        both.modes[i] = mine < other ? mine : other;
        exclusive.modes[i] = mine == EXCLUSIVE ? EXCLUSIVE : NOT;
        subset &= mine <= other;
        disjoint_for &= !mine || !other || (mine == SHARED && other == SHARED);
    }
    for (int i = 0; i < LOCKS; i++) {
        if (both.modes[i])
            both.id =
                darn_lockset_add(sets, both.id, address((uint32_t)i), both.modes[i] == EXCLUSIVE);
        if (exclusive.modes[i])
            exclusive.id = darn_lockset_add(sets, exclusive.id, address((uint32_t)i), true);
    }
    assert_int_equal(equal(a, b), a->id == b->id);
    assert_int_equal(darn_lockset_intersect(sets, a->id, b->id), both.id);
    assert_int_equal(darn_lockset_exclusive(sets, a->id), exclusive.id);
    assert_int_equal(darn_lockset_is_subset(sets, a->id, b->id), subset);
    assert_int_equal(darn_lockset_disjoint_for(sets, a->id, b->id), disjoint_for);
}

/* There are 3^10 sets and far fewer places in the caches: answers are thrown out all the time. */
static void the_answers_are_those_of_plain_sets(void **state)
{
    static struct plain known[512];

    (void)state;
    for (uint32_t i = 0; i < 512; i++)
        known[i] = (struct plain){{0}, DARN_LOCKSET_EMPTY};
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t to = draw(512);

        known[to] = change(&known[draw(512)]);
        compare(&known[to], &known[draw(512)]);
    }
}

static void as_many_locks_as_a_program_has_stay_apart(void **state)
{
    uint32_t pairs[1000];

    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t one = darn_lockset_add(sets, DARN_LOCKSET_EMPTY, 8 * i, true);

        if (i % 100 == 0)
            pairs[i / 100] = darn_lockset_add(sets, one, UINT64_C(1) << 60, true);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(darn_lockset_contains(sets, pairs[i], UINT64_C(800) * i));
        assert_int_equal(darn_lockset_size(sets, pairs[i]), 2);
    }
    assert_true(darn_locksets_memory(sets) < 16000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_added_is_in_and_what_is_removed_is_not, open_sets,
                                        close_sets),
        cmocka_unit_test_setup_teardown(the_order_of_addition_does_not_matter, open_sets,
                                        close_sets),
        cmocka_unit_test_setup_teardown(readers_of_one_lock_are_not_kept_apart, open_sets,
                                        close_sets),
        cmocka_unit_test_setup_teardown(the_set_of_all_locks_is_larger_than_any, open_sets,
                                        close_sets),
        cmocka_unit_test_setup_teardown(the_answers_are_those_of_plain_sets, open_sets, close_sets),
        cmocka_unit_test_setup_teardown(as_many_locks_as_a_program_has_stay_apart, open_sets,
                                        close_sets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
