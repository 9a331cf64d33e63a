/* Who holds which variable, and who is in whose way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/heal/hold.h"

static struct darn_thread one = {.number = 1}, other = {.number = 2};
static struct darn_cure cure;
static _Alignas(64) char memory[256];

#define R DARN_ALLOW_READ
#define W DARN_ALLOW_WRITE

static struct darn_hold *hold_of(struct darn_thread *thread, uint8_t ops, uint8_t allow,
                                 const void *address, size_t size)
{
    struct darn_hold *hold = darn_hold_new(darn_healer_of(thread));

    assert_non_null(hold);
    hold->stay.address = (uintptr_t)address;
    hold->stay.size = size;
    hold->ops = ops;
    hold->allow = allow;
    hold->cure = &cure;
    hold->state = DARN_HOLD_INSIDE;
    return hold;
}

/* Whether one of the other thread is possible while the first is held; both ways round. */
static bool go_together(uint8_t ops, uint8_t allow, uint8_t other_ops, uint8_t other_allow)
{
    bool results[2];

    for (int turned = 0; turned < 2; turned++) {
        struct darn_hold *a = hold_of(turned ? &other : &one, ops, allow, memory, 8);
        struct darn_hold *b = hold_of(turned ? &one : &other, other_ops, other_allow, memory, 8);
        struct darn_clash clash;

        assert_true(darn_hold_try(turned ? b : a, &clash));
        results[turned] = darn_hold_try(turned ? a : b, &clash);
        if (!results[turned])
            assert_ptr_equal(clash.hold, turned ? b : a);
        darn_hold_drop(a);
        darn_hold_drop(b);
    }
    assert_int_equal(results[0], results[1]);
    return results[0];
}

static void what_one_does_the_other_must_allow(void **state)
{
    (void)state;
    assert_false(go_together(R | W, R, R | W, R)); /* two load-and-store */
    assert_true(go_together(R | W, R, R, R | W));  /* a single read does no harm */
    assert_false(go_together(R | W, R, W, R | W)); /* a single write does */
    assert_true(go_together(R, R, R, R));          /* two that read twice */
    assert_false(go_together(R, R, W, W));
    assert_true(go_together(W, W, W, W));
    assert_true(go_together(W, R | W, W, R | W)); /* two single accesses */
    assert_false(go_together(W, 0, R, R));        /* a race */
}

static void a_lock_lets_nobody_in(void **state)
{
    struct darn_hold *a = hold_of(&one, R, R, memory, 8), *b = hold_of(&other, R, R, memory, 8);
    struct darn_clash clash;

    (void)state;
    a->alone = true;
    assert_true(darn_hold_try(a, &clash));
    assert_false(darn_hold_try(b, &clash));
    darn_hold_drop(a);
    assert_true(darn_hold_try(b, &clash));
    darn_hold_drop(b);
}

static void bytes_count_and_not_lines(void **state)
{
    struct darn_hold *a = hold_of(&one, W, 0, memory, 8), *b = hold_of(&other, W, 0, memory + 8, 8);
    struct darn_hold *c = hold_of(&other, W, 0, memory + 4, 4);
    struct darn_clash clash;

    (void)state;
    assert_true(darn_hold_try(a, &clash));
    assert_true(darn_hold_try(b, &clash));
    assert_false(darn_hold_try(c, &clash));
    assert_false(darn_hold_is_enabled(c));
    darn_hold_drop(a);
    assert_true(darn_hold_is_enabled(c));
    darn_hold_drop(b);
    darn_hold_drop(c);
}

/* What crosses the end of a line meets what does not, whoever came first. */
static void wide_ones_meet_the_others(void **state)
{
    struct darn_hold *wide = hold_of(&one, W, 0, memory + 32, 160);
    struct darn_hold *under = hold_of(&other, R | W, R, memory + 128, 8);
    struct darn_hold *beside = hold_of(&other, R | W, R, memory + 192, 8);
    struct darn_clash clash;

    (void)state;
    assert_true(darn_hold_try(wide, &clash));
    assert_false(darn_hold_try(under, &clash));
    assert_ptr_equal(clash.hold, wide);
    assert_true(darn_hold_try(beside, &clash));
    darn_hold_drop(wide);
    assert_true(darn_hold_try(under, &clash));
    wide = hold_of(&one, W, 0, memory + 32, 160);
    assert_false(darn_hold_try(wide, &clash));
    assert_ptr_equal(clash.hold, under);
    darn_hold_drop(under);
    assert_true(darn_hold_try(wide, &clash));
    darn_hold_drop(wide);
    darn_hold_drop(beside);
}

static void the_same_thread_is_never_in_its_own_way(void **state)
{
    struct darn_hold *a = hold_of(&one, R | W, 0, memory, 8);
    struct darn_hold *b = hold_of(&one, R | W, 0, memory, 8);
    struct darn_clash clash;

    (void)state;
    assert_true(darn_hold_try(a, &clash));
    assert_true(darn_hold_try(b, &clash));
    darn_hold_drop(a);
    darn_hold_drop(b);
}

static void what_has_expired_does_not_count(void **state)
{
    struct darn_hold *a = hold_of(&one, R | W, 0, memory, 8);
    struct darn_hold *b = hold_of(&other, R | W, 0, memory, 8);
    struct darn_clash clash, old;

    (void)state;
    assert_true(darn_hold_try(a, &clash));
    assert_false(darn_hold_try(b, &old));
    darn_hold_expire(&old);
    assert_true(darn_hold_try(b, &clash));
    darn_hold_drop(b);
    darn_hold_drop(a);
    a = hold_of(&one, R | W, 0, memory, 8); /* the same memory, another hold */
    assert_true(darn_hold_try(a, &clash));
    darn_hold_expire(&old);
    b = hold_of(&other, R | W, 0, memory, 8);
    assert_false(darn_hold_try(b, &clash));
    darn_hold_drop(a);
    darn_hold_drop(b);
}

static void there_are_so_many_and_no_more(void **state)
{
    struct darn_hold *all[DARN_HOLDS];

    (void)state;
    for (int i = 0; i < DARN_HOLDS; i++)
        all[i] = hold_of(&one, R, R, memory, 8);
    assert_null(darn_hold_new(darn_healer_of(&one)));
    for (int i = 0; i < DARN_HOLDS; i++)
        darn_hold_drop(all[i]);
    assert_int_equal(darn_healer_of(&one)->used, 0);
}

/* Who is about to give up looks again: what was in the way may be gone, or another by now. */
static void what_is_gone_does_not_stand_in_the_way(void **state)
{
    struct darn_hold *a = hold_of(&one, W, 0, memory, 8);
    struct darn_hold *b = hold_of(&other, W, R | W, memory, 8);
    struct darn_clash clash, next;

    (void)state;
    assert_true(darn_hold_try(a, &clash));
    assert_false(darn_hold_try(b, &clash));
    assert_true(darn_hold_stands(&clash));
    darn_hold_drop(a);
    assert_false(darn_hold_stands(&clash));
    a = hold_of(&one, W, 0, memory, 8);
    assert_true(darn_hold_try(a, &next));
    assert_ptr_equal(a, clash.hold);
    assert_false(darn_hold_stands(&clash));
    assert_false(darn_hold_try(b, &next));
    darn_hold_expire(&next);
    assert_false(darn_hold_stands(&next));
    darn_hold_drop(a);
    darn_hold_drop(b);
}

/* Whatever stood in the way is gone: there is nothing to sleep for, and nobody who would wake. */
static void nobody_sleeps_for_what_is_gone(void **state)
{
    struct darn_hold *a = hold_of(&one, W, 0, memory, 8);
    struct darn_hold *b = hold_of(&other, W, R | W, memory, 8);
    struct darn_clash clash;

    (void)state;
    assert_true(darn_hold_try(a, &clash));
    assert_false(darn_hold_try(b, &clash));
    darn_hold_drop(a);
    darn_hold_await(&clash, UINT64_C(3600) * 1000000000, false);
    assert_true(darn_hold_try(b, &clash));
    darn_hold_drop(b);
}

/* A thread that ends in the middle gives back all that it has, wide ones as well. */
static void who_leaves_holds_nothing(void **state)
{
    struct darn_hold *narrow = hold_of(&one, W, 0, memory, 8);
    struct darn_hold *broad = hold_of(&one, W, 0, memory + 64, 100);
    struct darn_hold *b = hold_of(&other, W, R | W, memory, 8);
    struct darn_hold *c = hold_of(&other, W, R | W, memory + 128, 8);
    struct darn_clash clash;

    (void)state;
    assert_true(darn_hold_try(narrow, &clash));
    assert_true(darn_hold_try(broad, &clash));
    assert_false(darn_hold_try(b, &clash));
    assert_false(darn_hold_try(c, &clash));
    darn_holds_leave(darn_healer_of(&one));
    assert_true(darn_hold_try(b, &clash));
    assert_true(darn_hold_try(c, &clash));
    darn_hold_drop(narrow);
    darn_hold_drop(broad);
    darn_hold_drop(b);
    darn_hold_drop(c);
}

/* In the child, only the thread that called fork holds what it held. */
static void a_child_keeps_its_own(void **state)
{
    struct darn_hold *mine = hold_of(&one, R | W, R, memory, 8);
    struct darn_hold *gone = hold_of(&other, R | W, R, memory + 64, 8);
    struct darn_clash clash;
    int status, child;

    (void)state;
    darn_thread_record = &one;
    assert_true(darn_hold_try(mine, &clash));
    assert_true(darn_hold_try(gone, &clash));
    darn_holds_before_fork();
    child = fork();
    darn_holds_after_fork(child == 0);
    if (child == 0) {
        struct darn_thread third = {.number = 3};
        bool free = darn_hold_try(hold_of(&third, W, R | W, memory + 64, 8), &clash);
        bool held = !darn_hold_try(hold_of(&third, W, R | W, memory, 8), &clash);

        _exit(!(free && held));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(darn_hold_try(hold_of(&one, W, R | W, memory + 64, 8), &clash));
}

static void entries_are_counted_by_each_thread(void **state)
{
    static struct darn_cure cures[20];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        darn_healer_count(darn_healer_of(&one), &cures[i % 20]);
        darn_healer_count(darn_healer_of(&other), &cures[3]);
    }
    darn_healers_sum();
    darn_healers_sum();
    for (int i = 0; i < 20; i++)
        assert_int_equal(cures[i].entered, i == 3 ? 1050 : 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_does_the_other_must_allow),
        cmocka_unit_test(a_lock_lets_nobody_in),
        cmocka_unit_test(bytes_count_and_not_lines),
        cmocka_unit_test(wide_ones_meet_the_others),
        cmocka_unit_test(the_same_thread_is_never_in_its_own_way),
        cmocka_unit_test(what_has_expired_does_not_count),
        cmocka_unit_test(what_is_gone_does_not_stand_in_the_way),
        cmocka_unit_test(nobody_sleeps_for_what_is_gone),
        cmocka_unit_test(who_leaves_holds_nothing),
        cmocka_unit_test(there_are_so_many_and_no_more),
        cmocka_unit_test(entries_are_counted_by_each_thread),
        cmocka_unit_test(a_child_keeps_its_own),
    };

    if (darn_holds_open())
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
