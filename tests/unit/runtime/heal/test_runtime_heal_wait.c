/* Waiting for one who is in a section: it has its bound, no circle is begun, and all is counted. */
#include "heal_wait_stage.h"

/* ---- the bound ---- */

static void nobody_in_the_way_is_no_wait(void **state)
{
    bool taken;

    (void)state;
    darn_hold_drop(theirs);
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(0, 0, 0);
    assert_int_equal(cure.waited, 0);
}

static void a_wait_lasts_no_longer_than_its_bound(void **state)
{
    struct darn_clash clash;
    uint64_t time;
    bool taken;

    (void)state;
    cure.bound = SHORT;
    assert_false(darn_hold_try(mine, &clash));
    assert_true(darn_hold_stands(&clash));
    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, SHORT, LONG - 1);
    expect_counts(0, 1, 0);
    assert_in_range(cure.waited, SHORT, LONG);
    assert_int_equal(cure.longest, cure.waited);
    assert_int_equal(shown, 1); /* what was left to its own locks is shown before it waits */
    assert_int_equal(self.wait.kind, DARN_WAIT_NONE);
    /* Nobody waits for the same one again. */
    assert_false(darn_hold_stands(&clash));
    assert_true(darn_hold_take(mine, __builtin_frame_address(0)));
}

/* Whether the wait is over, or there was none: then nobody comes any more. */
static bool is_over;

static void *leave_when_awaited(void *unused)
{
    (void)unused;
    while (__atomic_load_n(&self.wait.kind, __ATOMIC_ACQUIRE) != DARN_WAIT_HEAL &&
           !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        sched_yield();
    darn_hold_drop(theirs);
    return NULL;
}

/* The other thread leaves as soon as it is waited for. */
static bool take_from_one_who_leaves(void)
{
    pthread_t thread;
    bool taken;

    is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, leave_when_awaited, NULL), 0);
    time_to_take(&taken);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    return taken;
}

static void who_leaves_lets_the_other_in(void **state)
{
    (void)state;
    assert_true(take_from_one_who_leaves());
    expect_counts(1, 0, 0);
    assert_false(cure.given_up);
}

static void who_waits_for_anybody_inside_is_soon_left_alone(void **state)
{
    uint64_t time;
    bool taken;

    (void)state;
    other.wait.kind = DARN_WAIT_BARRIER; /* for those whom it keeps out, perhaps */
    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, 0, LONG / 2);
    expect_counts(0, 1, 0);
}

/* It says that it waits at a barrier, but it runs: it was woken, and has had no processor since. */
static void *leave_late(void *unused)
{
    uint64_t awaited;

    (void)unused;
    __atomic_store_n(&other.tid, darn_os_thread_id(), __ATOMIC_RELEASE);
    while (__atomic_load_n(&self.wait.kind, __ATOMIC_ACQUIRE) != DARN_WAIT_HEAL &&
           !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    }
    awaited = darn_os_now();
    while (darn_os_now() < awaited + 3 * SHORT) {
    }
    darn_hold_drop(theirs);
    return NULL;
}

static void but_not_who_was_woken_there(void **state)
{
    pthread_t thread;
    bool taken;

    (void)state;
    is_over = false;
    other.wait.kind = DARN_WAIT_BARRIER;
    assert_int_equal(pthread_create(&thread, NULL, leave_late, NULL), 0);
    while (__atomic_load_n(&other.tid, __ATOMIC_ACQUIRE) == NO_TID)
        sched_yield();
    time_to_take(&taken);
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    assert_true(taken);
    expect_counts(1, 0, 0);
}

static void a_limit_of_the_caller_ends_it_and_is_nobodys_fault(void **state)
{
    struct darn_clash clash;
    uint64_t time;
    bool taken;

    (void)state;
    assert_false(darn_hold_try(mine, &clash));
    mine->until = darn_os_now() + SHORT;
    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, SHORT / 2, LONG - 1);
    expect_counts(0, 0, 0);
    assert_int_not_equal(cure.waited, 0);
    assert_true(darn_hold_stands(&clash));
    assert_int_equal(cure.bound, LONG);
}

static void two_accesses_without_a_section_do_not_wait(void **state)
{
    bool taken;

    (void)state;
    theirs->cure = mine->cure = NULL;
    time_to_take(&taken);
    assert_false(taken);
    assert_int_equal(shown, 0);
}

static void who_is_only_yielded_to_is_passed_in_the_end(void **state)
{
    bool taken;

    (void)state;
    mine->soft = true;
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(0, 0, 0);
}

/* ---- cures that are not worth it ---- */

static void wait_in_vain(void)
{
    bool taken;

    darn_hold_drop(theirs);
    darn_hold_drop(mine);
    theirs = hold_of(&other, DARN_ALLOW_ALL, 0);
    mine = hold_of(&self, DARN_ALLOW_ALL, 0);
    darn_hold_force(theirs);
    time_to_take(&taken);
    assert_false(taken);
}

static void waits_in_vain_become_shorter_and_then_the_cure_is_given_up(void **state)
{
    uint64_t began;
    uint32_t times = 0;
    bool taken;

    (void)state;
    cure.bound = 4 * MS;
    wait_in_vain();
    assert_int_equal(cure.bound, 2 * MS);
    while (!cure.given_up && ++times < 100)
        wait_in_vain();
    assert_in_range(times, 5, 20);
    assert_int_equal(cure.bound, MS); /* not less */
    began = cure.waited;
    wait_in_vain(); /* which is none any more */
    time_to_take(&taken);
    assert_int_equal(cure.waited, began);
}

static void good_waits_make_up_for_it(void **state)
{
    (void)state;
    cure.bound = 2 * MS; /* far below heal_bound: one wait, however long, is not too much in all */
    wait_in_vain();
    assert_int_equal(cure.bound, MS);
    assert_int_equal(cure.in_vain, 4);
    theirs->expired = false;
    darn_hold_drop(theirs);
    theirs = hold_of(&other, DARN_ALLOW_ALL, 0);
    darn_hold_force(theirs);
    cure.bound = LONG; /* however busy the machine is */
    assert_true(take_from_one_who_leaves());
    assert_int_equal(cure.in_vain, 3);
    assert_int_equal(cure.healed, 1);
    assert_false(cure.given_up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_in_the_way_is_no_wait),
        TEST(a_wait_lasts_no_longer_than_its_bound),
        TEST(who_leaves_lets_the_other_in),
        TEST(who_waits_for_anybody_inside_is_soon_left_alone),
        TEST(but_not_who_was_woken_there),
        TEST(a_limit_of_the_caller_ends_it_and_is_nobodys_fault),
        TEST(two_accesses_without_a_section_do_not_wait),
        TEST(who_is_only_yielded_to_is_passed_in_the_end),
        TEST(waits_in_vain_become_shorter_and_then_the_cure_is_given_up),
        TEST(good_waits_make_up_for_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
