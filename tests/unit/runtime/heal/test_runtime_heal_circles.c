/* Waiting for one who waits for us: no circle is begun; and ends that nobody tells. */
#include "heal_wait_stage.h"

/* ---- circles ---- */

static void expect_circle(void)
{
    uint64_t time;
    bool taken;

    time = time_to_take(&taken);
    assert_false(taken);
    assert_in_range(time, 0, LONG / 2);
    expect_counts(0, 0, 1);
    assert_false(cure.given_up);
}

static void expect_no_circle(void)
{
    bool taken;

    cure.bound = SHORT;
    time_to_take(&taken);
    assert_false(taken);
    expect_counts(0, 1, 0);
}

static void two_who_wait_for_each_other_are_a_circle(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_HEAL, .target = (uintptr_t)&self};
    expect_circle();
}

/* One of them is enough: the one with the highest number. */
static void of_two_who_could_go_on_the_other_one_does(void **state)
{
    (void)state;
    self.number = 0;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_HEAL, .target = (uintptr_t)&self};
    expect_no_circle();
}

static void who_wants_our_mutex_is_not_waited_for(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    pthread_mutex_lock(&mutex);
    other.wait = (struct darn_wait){.kind = DARN_WAIT_MUTEX, .target = (uintptr_t)&mutex};
    self.number = 0; /* the other cannot go on: whoever has the lower number */
    expect_circle();
    pthread_mutex_unlock(&mutex);
}

static void nor_who_needs_it_behind_a_condition_or_wants_it_for_a_while(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    pthread_mutex_lock(&mutex);
    other.wait = (struct darn_wait){.kind = DARN_WAIT_OTHER};
    other.waits_with = (uintptr_t)&mutex;
    expect_circle();
    pthread_mutex_unlock(&mutex);
}

static void who_wants_the_mutex_of_somebody_else_is_waited_for(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_MUTEX, .target = (uintptr_t)&mutex};
    expect_no_circle();
}

static void a_mutex_that_is_gone_is_nobodys(void **state)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_ptr_not_equal(page, MAP_FAILED);
    munmap(page, 4096);
    other.wait = (struct darn_wait){.kind = DARN_WAIT_MUTEX, .target = (uintptr_t)page};
    expect_no_circle();
}

static void who_joins_us_is_not_waited_for(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = self.number};
    expect_circle();
}

static void who_wants_to_write_what_we_read_is_not_waited_for(void **state)
{
    (void)state;
    self.locks.count = 1;
    self.locks.held[0] = (struct darn_thread_lock){.address = 64, .kind = DARN_LOCK_READ};
    other.wait = (struct darn_wait){.kind = DARN_WAIT_WRITE, .target = 64};
    expect_circle();
}

static void two_readers_do_not_keep_each_other(void **state)
{
    (void)state;
    self.locks.count = 1;
    self.locks.held[0] = (struct darn_thread_lock){.address = 64, .kind = DARN_LOCK_READ};
    other.wait = (struct darn_wait){.kind = DARN_WAIT_READ, .target = 64};
    expect_no_circle();
}

static void a_circle_of_three_is_seen(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = third.number};
    third.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = self.number};
    expect_circle();
}

static void a_circle_of_others_is_not_ours(void **state)
{
    (void)state;
    other.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = third.number};
    third.wait = (struct darn_wait){.kind = DARN_WAIT_JOIN, .target = other.number};
    expect_no_circle();
}

/* ---- ends that nobody tells ---- */

static void who_lingers_and_is_in_another_call_has_made_its_access(void **state)
{
    bool taken;

    (void)state;
    theirs->state = DARN_HOLD_LINGERS;
    other.wait.kind = DARN_WAIT_OTHER;
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(1, 0, 0);
}

static void the_wait_that_a_handler_has_interrupted_goes_on(void **state)
{
    bool taken;

    (void)state;
    cure.bound = SHORT;
    darn_wait_begin(&self, DARN_WAIT_MUTEX, memory, NULL);
    time_to_take(&taken);
    assert_false(taken);
    assert_int_equal(self.wait.kind, DARN_WAIT_MUTEX);
    assert_int_equal(self.wait.target, (uintptr_t)memory);
}

static void who_has_jumped_out_of_a_wait_waits_no_more(void **state)
{
    (void)state;
    darn_wait_begin(&self, DARN_WAIT_HEAL, NULL, NULL);
    darn_hold_unwait(&self);
    assert_int_equal(self.wait.kind, DARN_WAIT_NONE);
    darn_wait_begin(&self, DARN_WAIT_JOIN, NULL, NULL);
    darn_hold_unwait(&self); /* that is another one */
    assert_int_equal(self.wait.kind, DARN_WAIT_JOIN);
}

/* ---- controlled runs ---- */

static void in_a_controlled_run_it_is_a_step_with_a_bound(void **state)
{
    bool taken;

    (void)state;
    darn_turns = true;
    self.slot = &slot;
    cure.bound = SHORT;
    time_to_take(&taken);
    assert_false(taken);
    assert_in_range(asked_deadline, SHORT, 1000 * SHORT);
    expect_counts(0, 1, 0);
    gets_turn = true;
    time_to_take(&taken);
    assert_true(taken);
    expect_counts(0, 1, 0);
}

static void and_with_the_limit_of_the_caller(void **state)
{
    bool taken;

    (void)state;
    darn_turns = true;
    self.slot = &slot;
    mine->until = 1234;
    time_to_take(&taken);
    assert_false(taken);
    assert_int_equal(asked_deadline, 1234);
    expect_counts(0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_who_wait_for_each_other_are_a_circle),
        TEST(of_two_who_could_go_on_the_other_one_does),
        TEST(who_wants_our_mutex_is_not_waited_for),
        TEST(nor_who_needs_it_behind_a_condition_or_wants_it_for_a_while),
        TEST(who_wants_the_mutex_of_somebody_else_is_waited_for),
        TEST(a_mutex_that_is_gone_is_nobodys),
        TEST(who_joins_us_is_not_waited_for),
        TEST(who_wants_to_write_what_we_read_is_not_waited_for),
        TEST(two_readers_do_not_keep_each_other),
        TEST(a_circle_of_three_is_seen),
        TEST(a_circle_of_others_is_not_ours),
        TEST(who_lingers_and_is_in_another_call_has_made_its_access),
        TEST(the_wait_that_a_handler_has_interrupted_goes_on),
        TEST(who_has_jumped_out_of_a_wait_waits_no_more),
        TEST(in_a_controlled_run_it_is_a_step_with_a_bound),
        TEST(and_with_the_limit_of_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
