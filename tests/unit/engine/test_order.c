/* What orders events (src/engine/common/order.h), one kind of synchronization after the other, as the
 * happens-before engine shows it. */
#include "engine_fixture.h"

#define X UINT64_C(0x1000)
#define Y UINT64_C(0x1100)
#define L UINT64_C(0x2000)
#define M UINT64_C(0x2100)
#define N UINT64_C(0x2200)

static void readers_and_writers(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, ACQUIRE, L, .lock = DARN_EVENT_WRLOCK));
    give(trial, EVENT(1, RELEASE, L, .lock = DARN_EVENT_WRLOCK));
    for (uint32_t thread = 2; thread < 4; thread++) {
        give(trial, EVENT(thread, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK));
        give(trial, ACCESS(thread, READ, X));
        give(trial, ACCESS(thread, READ, Y));
        give(trial, EVENT(thread, RELEASE, L, .lock = DARN_EVENT_RDLOCK));
    }
    give(trial, EVENT(4, ACQUIRE, L, .lock = DARN_EVENT_WRLOCK));
    give(trial, ACCESS(4, WRITE, X));
    give(trial, ACCESS(4, WRITE, Y));
    give(trial, EVENT(4, RELEASE, L, .lock = DARN_EVENT_WRLOCK));
}

static void two_writing_readers(struct trial *trial)
{
    for (uint32_t thread = 1; thread < 3; thread++) {
        give(trial, EVENT(thread, ACQUIRE, L, .lock = DARN_EVENT_RDLOCK));
        give(trial, ACCESS(thread, WRITE, X));
        give(trial, EVENT(thread, RELEASE, L, .lock = DARN_EVENT_RDLOCK));
    }
}

static void a_read_write_lock_orders_writers_with_all_but_no_two_readers(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, readers_and_writers, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, two_writing_readers, NULL), 1);
}

/* Thread 1 is fast: it arrives for the second time before thread 2 has departed for the first. */
static void two_rounds_of_a_barrier(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, ARRIVE, L));
    give(trial, EVENT(2, ARRIVE, L));
    give(trial, EVENT(1, DEPART, L));
    give(trial, ACCESS(1, WRITE, Y));
    give(trial, EVENT(1, ARRIVE, L));
    give(trial, EVENT(2, DEPART, L));
    give(trial, ACCESS(2, READ, X));
}

static void too_early_behind_a_barrier(struct trial *trial)
{
    two_rounds_of_a_barrier(trial);
    give(trial, ACCESS(2, READ, Y));
}

static void in_time_behind_a_barrier(struct trial *trial)
{
    two_rounds_of_a_barrier(trial);
    give(trial, EVENT(2, ARRIVE, L));
    give(trial, EVENT(2, DEPART, L));
    give(trial, ACCESS(2, READ, Y));
}

static void a_departure_is_after_the_arrivals_of_its_own_round(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, two_rounds_of_a_barrier, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, too_early_behind_a_barrier, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hb, in_time_behind_a_barrier, NULL), 0);
}

/* The locks of the wait are left out: it is the signal that orders. */
static void after_a_signal_that_came_too_early(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, SIGNAL, L));
    give(trial, EVENT(2, WAIT, L, .extra = M));
    give(trial, EVENT(3, SIGNAL, L));
    give(trial, EVENT(2, WAKE, L, .extra = M));
    give(trial, ACCESS(2, READ, X));
}

static void after_a_signal(struct trial *trial)
{
    give(trial, EVENT(2, WAIT, L, .extra = M));
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, SIGNAL, L));
    give(trial, EVENT(2, WAKE, L, .extra = M));
    give(trial, ACCESS(2, READ, X));
}

static void after_a_timeout(struct trial *trial)
{
    give(trial, EVENT(2, WAIT, L, .extra = M));
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, SIGNAL, L));
    give(trial, EVENT(2, WAKE, L, .extra = M, .flags = DARN_EVENT_TIMEOUT));
    give(trial, ACCESS(2, READ, X));
}

static void a_wake_is_after_the_signals_since_its_wait_unless_time_has_run_out(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, after_a_signal, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, after_a_signal_that_came_too_early, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hb, after_a_timeout, NULL), 1);
}

/* Tian 2: a flag that is waited for, and the data behind it. */
static void flag_and_data(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, ACCESS(1, WRITE, Y, .flags = DARN_EVENT_SYNC));
    give(trial, ACCESS(2, READ, Y, .flags = DARN_EVENT_SYNC));
    give(trial, ACCESS(2, READ, X));
}

/* Tian 4: without the spin there are a synchronization race (the flag) and an infeasible one. */
static void a_recognised_spin_is_no_race_and_orders_what_is_around_it(void **state)
{
    struct darn_engine_config without = {.ignore_sync = true};

    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, flag_and_data, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, flag_and_data, &without), 2);
}

static void atomic_flag_and_data(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, ACCESS(1, WRITE, Y, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_RELEASES));
    give(trial, ACCESS(3, UPDATE, Y, .flags = DARN_EVENT_ATOMIC));
    give(trial, ACCESS(2, READ, Y, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_ACQUIRES));
    give(trial, ACCESS(2, READ, X));
}

static void relaxed_flag_and_data(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, ACCESS(1, WRITE, Y, .flags = DARN_EVENT_ATOMIC));
    give(trial, ACCESS(2, READ, Y, .flags = DARN_EVENT_ATOMIC));
    give(trial, ACCESS(2, READ, X));
}

static void fences_and_data(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, FENCE, 0, .flags = DARN_EVENT_RELEASES));
    give(trial, ACCESS(1, WRITE, Y, .flags = DARN_EVENT_ATOMIC));
    give(trial, ACCESS(2, READ, Y, .flags = DARN_EVENT_ATOMIC));
    give(trial, EVENT(2, FENCE, 0, .flags = DARN_EVENT_ACQUIRES));
    give(trial, ACCESS(2, READ, X));
}

/* As darn records it: the release before it happens, the acquisition after. */
static void update(struct trial *trial, uint32_t thread)
{
    give(trial, ACCESS(thread, UPDATE, Y, .flags = DARN_EVENT_ATOMIC | DARN_EVENT_RELEASES));
    give(trial, ACCESS(thread, READ, Y,
                       .flags = DARN_EVENT_ATOMIC | DARN_EVENT_ACQUIRES | DARN_EVENT_HALF));
}

static void updates_in_two_halves(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    update(trial, 1);
    update(trial, 2);
    give(trial, ACCESS(2, WRITE, X));
}

static void updates_and_a_plain_write(struct trial *trial)
{
    update(trial, 1);
    give(trial, ACCESS(2, WRITE, Y));
}

static void an_update_in_two_halves_is_one_access_that_releases_and_acquires(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, updates_in_two_halves, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, updates_and_a_plain_write, NULL), 1);
}

static void atomic_accesses_order_as_c11_says(void **state)
{
    struct darn_engine_config without = {.ignore_atomic = true};

    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, atomic_flag_and_data, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, relaxed_flag_and_data, NULL), 1);
    assert_int_equal(races_in(&darn_engine_hb, fences_and_data, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, fences_and_data, &without), 2);
}

/* Thread 2 ends, and the main thread knows all that it did. So thread 3 gets its slot. What thread
 * 2 had learnt at the end reaches thread 5 by the join alone. */
static void join_after_the_slot_was_given_away(struct trial *trial)
{
    for (uint32_t thread = 2; thread < 6; thread += thread == 2 ? 2 : 1)
        give(trial, EVENT(0, FORK, thread));
    give(trial, ACCESS(2, WRITE, X));
    give(trial, EVENT(2, RELEASE, L));
    give(trial, ACCESS(4, WRITE, Y));
    give(trial, EVENT(4, RELEASE, M));
    give(trial, EVENT(2, ACQUIRE, M));
    give(trial, EVENT(2, EXIT, 0));
    give(trial, EVENT(0, ACQUIRE, L));
    give(trial, EVENT(0, FORK, 3));
    give(trial, EVENT(3, RELEASE, N));
    give(trial, EVENT(5, ACQUIRE, N));
    give(trial, EVENT(5, JOIN, 2));
    give(trial, ACCESS(5, READ, Y));
}

static void a_join_hands_on_all_that_the_thread_knew(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, join_after_the_slot_was_given_away, NULL), 0);
}

static void handed_over_by_semaphore(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, POST, L));
    give(trial, EVENT(2, TAKE, L));
    give(trial, ACCESS(2, WRITE, X));
    give(trial, EVENT(2, SEND, L));
    give(trial, EVENT(3, RECEIVE, L));
    give(trial, ACCESS(3, WRITE, X));
}

/* A message does not come from a post, though it has the same address. */
static void taken_for_a_message(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, X));
    give(trial, EVENT(1, POST, L));
    give(trial, EVENT(2, RECEIVE, L));
    give(trial, ACCESS(2, WRITE, X));
}

static void semaphores_and_messages_order_and_are_two_things(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, handed_over_by_semaphore, NULL), 0);
    assert_int_equal(races_in(&darn_engine_hb, taken_for_a_message, NULL), 1);
}

/* What a trace must not do: it is read all the same, and nothing breaks. */
static void nonsense(struct trial *trial)
{
    for (int round = 0; round < 2; round++) {
        give(trial, EVENT(1, JOIN, 1));
        give(trial, EVENT(1, FORK, 1));
        give(trial, EVENT(1, JOIN, 7));
        give(trial, EVENT(1, DEPART, L));
        give(trial, EVENT(1, WAKE, L));
        give(trial, EVENT(1, RELEASE, L));
        give(trial, EVENT(1, WAIT, L));
        give(trial, EVENT(1, WAIT, M));
        give(trial, EVENT(1, FREE, M, .extra = 8));
        give(trial, EVENT(1, WAKE, L));
        give(trial, EVENT(1, ARRIVE, L));
        give(trial, EVENT(1, ARRIVE, M));
        give(trial, EVENT(1, ALLOC, 0, .extra = UINT64_MAX));
        give(trial, EVENT(1, WRITE, X));
        give(trial, EVENT(1, EXIT, 0));
        give(trial, ACCESS(1, WRITE, X)); /* after its end */
        give(trial, EVENT(2, FORK, 1));
        give(trial, EVENT(2, JOIN, 1));
        give(trial, ACCESS(2, WRITE, X));
        give(trial, ACCESS(UINT32_MAX, READ, Y));
        give(trial, EVENT(2, JOIN, UINT32_MAX));
        give(trial, EVENT(2, FORK, 1)); /* again */
        give(trial, ACCESS(1, WRITE, X));
        give(trial, EVENT(2, JOIN, 1));
        give(trial, ACCESS(2, WRITE, X));
    }
}

static void events_that_cannot_be_are_survived(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, nonsense, NULL), 0);
    races_in(&darn_engine_hybrid, nonsense, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_write_lock_orders_writers_with_all_but_no_two_readers),
        cmocka_unit_test(a_departure_is_after_the_arrivals_of_its_own_round),
        cmocka_unit_test(a_wake_is_after_the_signals_since_its_wait_unless_time_has_run_out),
        cmocka_unit_test(a_recognised_spin_is_no_race_and_orders_what_is_around_it),
        cmocka_unit_test(an_update_in_two_halves_is_one_access_that_releases_and_acquires),
        cmocka_unit_test(atomic_accesses_order_as_c11_says),
        cmocka_unit_test(a_join_hands_on_all_that_the_thread_knew),
        cmocka_unit_test(semaphores_and_messages_order_and_are_two_things),
        cmocka_unit_test(events_that_cannot_be_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
