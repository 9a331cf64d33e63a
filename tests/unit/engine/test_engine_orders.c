/* Orders that nothing enforces: what came in one order only, and what does put it in order. */
#include "engine_fixture.h"

static const struct darn_engine *orders = &darn_engine_orders;

enum { X = 0x100, FLAG = 0x200, COND = 0x300, LOCK = 0x400, OTHER = 0x500 };

static void locked(struct trial *trial, struct darn_event event, uint64_t lock)
{
    give(trial, at_site(9000, EVENT(event.thread, ACQUIRE, lock)));
    give(trial, event);
    give(trial, at_site(9001, EVENT(event.thread, RELEASE, lock)));
}

static void fork_two(struct trial *trial)
{
    give(trial, EVENT(0, FORK, 1));
    give(trial, EVENT(1, START, 0));
    give(trial, EVENT(0, FORK, 2));
    give(trial, EVENT(2, START, 0));
}

static void set_and_read(struct trial *trial)
{
    fork_two(trial);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK);
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

static void a_lock_is_no_order(void **state)
{
    struct trial trial = start(orders, NULL);

    (void)state;
    set_and_read(&trial);
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].kind, DARN_PREDICTS_ORDER);
    assert_int_equal(trial.predictions[0].steps[0].event.site, 1);
    assert_int_equal(trial.predictions[0].steps[0].event.thread, 1);
    assert_int_equal(trial.predictions[0].steps[1].event.site, 2);
    assert_int_equal(trial.predictions[0].steps[0].lock_count, 1);
    stop(&trial);
}

static void both_ways(struct trial *trial)
{
    set_and_read(trial);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK); /* after the read of before */
}

static void what_came_both_ways_is_no_expectation(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, both_ways, NULL), 0);
}

static void count(struct trial *trial, uint32_t thread)
{
    give(trial, at_site(9000, EVENT(thread, ACQUIRE, LOCK)));
    give(trial, at_site(1, ACCESS(thread, READ, X)));
    give(trial, at_site(2, ACCESS(thread, WRITE, X)));
    give(trial, at_site(9001, EVENT(thread, RELEASE, LOCK)));
}

static void count_both(struct trial *trial)
{
    fork_two(trial);
    count(trial, 1);
    count(trial, 2);
}

/* The read of the one comes before the write of the other as well. */
static void a_counter_has_no_order(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, count_both, NULL), 0);
}

static void other_locks(struct trial *trial)
{
    fork_two(trial);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK);
    locked(trial, at_site(2, ACCESS(2, READ, X)), OTHER);
}

/* hb, syncp and hybrid have races. */
static void a_race_is_not_its_business(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, other_locks, NULL), 0);
}

static void before_the_thread(struct trial *trial)
{
    locked(trial, at_site(1, ACCESS(0, WRITE, X)), LOCK);
    fork_two(trial);
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

static void after_the_join(struct trial *trial)
{
    set_and_read(trial);
    give(trial, EVENT(2, EXIT, 0));
    give(trial, EVENT(1, JOIN, 2));
    locked(trial, at_site(3, EVENT(1, FREE, X, .extra = 8)), LOCK);
}

static void by_a_semaphore(struct trial *trial)
{
    fork_two(trial);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK);
    give(trial, EVENT(1, POST, FLAG));
    give(trial, EVENT(2, TAKE, FLAG));
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

/* Who has seen the flag comes after what was before it; who looks too early would not have gone on.
 */
static void behind_a_value(struct trial *trial)
{
    fork_two(trial);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK);
    locked(trial, at_site(3, ACCESS(1, WRITE, FLAG)), LOCK);
    locked(trial, at_site(4, ACCESS(2, READ, FLAG)), LOCK);
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

static void before_a_value(struct trial *trial)
{
    fork_two(trial);
    locked(trial, at_site(3, ACCESS(1, WRITE, FLAG)), LOCK);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK);
    locked(trial, at_site(4, ACCESS(2, READ, FLAG)), LOCK);
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

static void what_a_value_tells_is_enforced(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, behind_a_value, NULL), 1); /* the flag alone */
    assert_int_equal(races_in(orders, before_a_value, NULL), 2);
}

/* The lock is held when the thread begins: its own section comes later. */
static void around_the_start(struct trial *trial)
{
    give(trial, at_site(9000, EVENT(0, ACQUIRE, LOCK)));
    fork_two(trial);
    give(trial, at_site(1, ACCESS(0, WRITE, X)));
    give(trial, at_site(9001, EVENT(0, RELEASE, LOCK)));
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

/* Given back in between, it says nothing. */
static void around_the_start_alone(struct trial *trial)
{
    give(trial, at_site(9000, EVENT(0, ACQUIRE, LOCK)));
    fork_two(trial);
    give(trial, at_site(9001, EVENT(0, RELEASE, LOCK)));
    locked(trial, at_site(1, ACCESS(0, WRITE, X)), LOCK);
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

static void what_a_lock_around_the_start_holds_up_is_enforced(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, around_the_start, NULL), 0);
    assert_int_equal(races_in(orders, around_the_start_alone, NULL), 1);
}

static void what_is_enforced_is_not_told(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, before_the_thread, NULL), 0);
    assert_int_equal(races_in(orders, by_a_semaphore, NULL), 0);
    assert_int_equal(races_in(orders, after_the_join, NULL), 1); /* the read alone */
}

static void atomically(struct trial *trial)
{
    fork_two(trial);
    give(trial, at_site(1, ACCESS(1, WRITE, X, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_RELEASES)));
    give(trial, at_site(2, ACCESS(2, READ, X, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_ACQUIRES)));
}

static void a_look_at_a_flag_that_was_set_is_one(void **state)
{
    (void)state;
    assert_int_equal(races_in(orders, atomically, NULL), 1);
}

static void behind_a_flag(struct trial *trial)
{
    fork_two(trial);
    locked(trial, at_site(1, ACCESS(1, WRITE, X)), LOCK);
    give(trial,
         at_site(3, ACCESS(1, WRITE, FLAG, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_RELEASES)));
    give(trial,
         at_site(4, ACCESS(2, READ, FLAG, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_ACQUIRES)));
    locked(trial, at_site(2, ACCESS(2, READ, X)), LOCK);
}

/* Only the flag itself may come too late. */
static void what_a_flag_guards_is_enforced(void **state)
{
    struct trial trial = start(orders, NULL);

    (void)state;
    behind_a_flag(&trial);
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].steps[0].event.site, 3);
    stop(&trial);
}

static void use_and_end(struct trial *trial)
{
    struct darn_event end = EVENT(1, DESTROY, X, .extra = 8);
    struct darn_event use = EVENT(2, USE, X);

    use.flags = end.flags = darn_event_about(DARN_EVENT_IS_STREAM);
    fork_two(trial);
    locked(trial, at_site(5, use), LOCK);
    locked(trial, at_site(6, use), LOCK); /* two uses have no order that matters */
    locked(trial, at_site(7, end), LOCK);
}

static void a_stream_is_used_before_it_is_closed(void **state)
{
    struct trial trial = start(orders, NULL);

    (void)state;
    use_and_end(&trial);
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].steps[0].event.kind, DARN_EVENT_USE);
    assert_int_equal(trial.predictions[0].steps[0].event.site, 6);
    assert_int_equal(trial.predictions[0].steps[1].event.kind, DARN_EVENT_DESTROY);
    stop(&trial);
}

static void wait_and_signal(struct trial *trial)
{
    fork_two(trial);
    give(trial, at_site(1, EVENT(1, ACQUIRE, LOCK)));
    give(trial, at_site(2, EVENT(1, WAIT, COND, .extra = LOCK)));
    give(trial, EVENT(1, RELEASE, LOCK));
    locked(trial, at_site(3, EVENT(2, SIGNAL, COND)), LOCK);
    give(trial, EVENT(1, ACQUIRE, LOCK));
    give(trial, EVENT(1, WAKE, COND));
    give(trial, EVENT(1, RELEASE, LOCK));
}

static uint64_t a_predicate(const void *context, uint32_t site)
{
    (void)context;
    return site == 2 ? 77 : 0;
}

static void a_signal_needs_a_state_or_a_waiter(void **state)
{
    struct darn_engine_config config = {.predicate_of = a_predicate};

    (void)state;
    assert_int_equal(races_in(orders, wait_and_signal, NULL), 1);
    assert_int_equal(races_in(orders, wait_and_signal, &config), 0);
}

/* What is set up first, then what ends, then the rest. */
static void the_first_write_and_the_last_use_come_first(void **state)
{
    struct trial trial = start(orders, NULL);

    (void)state;
    fork_two(&trial);
    locked(&trial, at_site(11, ACCESS(1, READ, OTHER)), LOCK);
    locked(&trial, at_site(12, ACCESS(2, WRITE, OTHER)), LOCK);
    locked(&trial, at_site(13, ACCESS(1, READ, X)), LOCK);
    locked(&trial, at_site(14, EVENT(2, FREE, X, .extra = 8)), LOCK);
    locked(&trial, at_site(15, ACCESS(1, WRITE, FLAG)), LOCK);
    locked(&trial, at_site(16, ACCESS(2, READ, FLAG)), LOCK);
    finish(&trial);
    assert_int_equal(trial.count, 3);
    assert_int_equal(trial.predictions[0].steps[0].event.site, 15);
    assert_int_equal(trial.predictions[1].steps[0].event.site, 13);
    assert_int_equal(trial.predictions[2].steps[0].event.site, 11);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_no_order),
        cmocka_unit_test(what_came_both_ways_is_no_expectation),
        cmocka_unit_test(a_counter_has_no_order),
        cmocka_unit_test(a_race_is_not_its_business),
        cmocka_unit_test(what_is_enforced_is_not_told),
        cmocka_unit_test(what_a_value_tells_is_enforced),
        cmocka_unit_test(what_a_lock_around_the_start_holds_up_is_enforced),
        cmocka_unit_test(a_look_at_a_flag_that_was_set_is_one),
        cmocka_unit_test(what_a_flag_guards_is_enforced),
        cmocka_unit_test(a_stream_is_used_before_it_is_closed),
        cmocka_unit_test(a_signal_needs_a_state_or_a_waiter),
        cmocka_unit_test(the_first_write_and_the_last_use_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
