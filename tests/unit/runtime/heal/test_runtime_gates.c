/* When a gate is shut, which stacks fit it, and when a wait at it is in vain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/heal/gates_private.h"

#define THREADS 6

static struct darn_thread threads[THREADS];
static struct darn_gate gate, second;

/* The rest of the runtime is not part of this test. */

struct darn_thread *__wrap_darn_threads_next(uint32_t *place)
{
    return *place < THREADS ? &threads[(*place)++] : NULL;
}

static int start(void **state)
{
    (void)state;
    memset(threads, 0, sizeof(threads));
    memset(&gate, 0, sizeof(gate));
    memset(&second, 0, sizeof(second));
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i].number = i;
        threads[i].is_alive = true;
    }
    gate.count = second.count = 2;
    return 0;
}

static void occupy(struct darn_gate *of, uint32_t thread, uintptr_t lock, uint32_t positions)
{
    of->occupants[of->occupant_count++] =
        (struct darn_occupant){.thread = &threads[thread], .lock = lock, .positions = positions};
}

static void hold(uint32_t thread, uintptr_t lock, enum darn_lock_kind kind)
{
    struct darn_locks *locks = &threads[thread].locks;

    locks->held[locks->count++] =
        (struct darn_thread_lock){.address = lock, .kind = (uint32_t)kind};
}

static void wait_for(uint32_t thread, enum darn_wait_kind kind, uintptr_t target)
{
    threads[thread].wait.kind = (uint32_t)kind;
    threads[thread].wait.target = target;
}

static bool is_shut(uint32_t thread, uintptr_t lock, uint32_t positions)
{
    return darn_gate_is_shut(&gate, &threads[thread], lock, positions);
}

static void a_stack_fits_by_its_innermost_frames(void **state)
{
    const uintptr_t stack[] = {10, 20, 30};

    (void)state;
    gate.positions[0] = (struct darn_gate_position){1, {10}};
    gate.positions[1] = (struct darn_gate_position){2, {10, 20}};
    assert_int_equal(darn_gate_fits(&gate, stack, 3), 3);
    assert_int_equal(darn_gate_fits(&gate, stack, 1), 1);
    assert_int_equal(darn_gate_fits(&gate, stack + 1, 2), 0);
    gate.positions[1].pcs[1] = 21;
    assert_int_equal(darn_gate_fits(&gate, stack, 3), 1);
}

static void the_last_position_is_shut(void **state)
{
    (void)state;
    assert_false(is_shut(0, 1, 1));
    occupy(&gate, 1, 2, 2);
    assert_true(is_shut(0, 1, 1));
    assert_false(is_shut(0, 1, 2)); /* that one is not the last */
    assert_true(is_shut(0, 1, 3));
}

static void one_thread_is_no_circle(void **state)
{
    (void)state;
    occupy(&gate, 0, 2, 2);
    assert_false(is_shut(0, 1, 1));
}

static void one_lock_is_no_circle(void **state)
{
    (void)state;
    occupy(&gate, 1, 1, 2);
    assert_false(is_shut(0, 1, 1));
}

static void who_is_away_does_not_count(void **state)
{
    (void)state;
    occupy(&gate, 1, 2, 2);
    gate.occupants[0].away = true;
    assert_false(is_shut(0, 1, 1));
}

static void a_gate_that_was_dropped_is_open(void **state)
{
    (void)state;
    occupy(&gate, 1, 2, 2);
    gate.dropped = true;
    assert_false(is_shut(0, 1, 1));
}

/* Philosophers: all positions are the same place. */
static void the_last_of_three_at_the_same_place_waits(void **state)
{
    (void)state;
    gate.count = 3;
    occupy(&gate, 1, 2, 7);
    assert_false(is_shut(0, 1, 7));
    occupy(&gate, 1, 3, 7); /* the same thread once more */
    assert_false(is_shut(0, 1, 7));
    occupy(&gate, 2, 3, 7);
    assert_true(is_shut(0, 1, 7));
}

/* The first choice for a position may be the wrong one. */
static void every_way_to_fill_the_positions_is_tried(void **state)
{
    (void)state;
    gate.count = 3;
    occupy(&gate, 1, 2, 6);
    occupy(&gate, 2, 3, 2);
    assert_true(is_shut(0, 1, 1));
}

static void a_search_that_takes_too_long_lets_the_thread_pass(void **state)
{
    (void)state;
    gate.count = 12;
    for (uint32_t i = 0; i < DARN_GATE_OCCUPANTS; i++)
        occupy(&gate, 1 + i % 4, 100 + i, 0xfff);
    assert_false(is_shut(0, 1, 0xfff));
}

static bool is_vain(void)
{
    return darn_gate_is_vain(&gate, &threads[0]);
}

static void who_waits_for_the_waiter_is_waited_for_in_vain(void **state)
{
    (void)state;
    assert_false(is_vain());
    occupy(&gate, 1, 2, 2);
    assert_false(is_vain());
    hold(0, 7, DARN_LOCK_MUTEX);
    wait_for(1, DARN_WAIT_MUTEX, 7);
    assert_true(is_vain());
    wait_for(1, DARN_WAIT_MUTEX, 8);
    assert_false(is_vain());
}

static void it_is_not_in_vain_while_one_can_leave(void **state)
{
    (void)state;
    hold(0, 7, DARN_LOCK_MUTEX);
    occupy(&gate, 1, 2, 2);
    wait_for(1, DARN_WAIT_MUTEX, 7);
    occupy(&gate, 2, 3, 2);
    assert_false(is_vain());
    wait_for(2, DARN_WAIT_JOIN, 0);
    assert_true(is_vain());
}

static void the_way_back_may_be_long(void **state)
{
    (void)state;
    occupy(&gate, 1, 2, 2);
    hold(0, 7, DARN_LOCK_WRITE);
    hold(2, 8, DARN_LOCK_MUTEX);
    wait_for(1, DARN_WAIT_MUTEX, 8);
    wait_for(2, DARN_WAIT_JOIN, 3);
    wait_for(3, DARN_WAIT_READ, 7);
    assert_true(is_vain());
    threads[0].locks.held[0].kind = DARN_LOCK_READ; /* readers let each other in */
    assert_false(is_vain());
}

static void another_gate_may_be_on_the_way(void **state)
{
    (void)state;
    occupy(&gate, 1, 2, 2);
    wait_for(1, DARN_WAIT_GATE, (uintptr_t)&second);
    occupy(&second, 0, 9, 1);
    assert_true(is_vain());
    occupy(&second, 4, 9, 1); /* and that one can leave */
    assert_false(is_vain());
    wait_for(1, DARN_WAIT_HEAL, (uintptr_t)&threads[0]);
    assert_true(is_vain());
    wait_for(1, DARN_WAIT_HEAL, 0); /* it looks whether it has to wait */
    assert_false(is_vain());
}

static void a_circle_without_the_waiter_is_not_its_own(void **state)
{
    (void)state;
    occupy(&gate, 1, 2, 2);
    hold(2, 8, DARN_LOCK_MUTEX);
    hold(1, 9, DARN_LOCK_MUTEX);
    wait_for(1, DARN_WAIT_MUTEX, 8);
    wait_for(2, DARN_WAIT_MUTEX, 9);
    assert_false(is_vain());
}

static void a_mutex_that_was_given_back_for_a_wait_is_not_held(void **state)
{
    (void)state;
    occupy(&gate, 1, 2, 2);
    hold(0, 7, DARN_LOCK_MUTEX);
    wait_for(1, DARN_WAIT_MUTEX, 7);
    threads[0].waits_with = 7;
    assert_false(is_vain());
}

#define TEST(name) cmocka_unit_test_setup(name, start)

static void the_early_one_waits_until_it_is_done_once(void **state)
{
    (void)state;
    gate.until = DARN_UNTIL_DONE;
    assert_true(is_shut(0, 1, 2));
    assert_false(is_shut(0, 1, 1)); /* who is to be first waits for nobody */
    occupy(&gate, 1, 1, 1);
    assert_true(is_shut(0, 1, 2)); /* not before the lock is given back */
    gate.done = true;
    assert_false(is_shut(0, 1, 2));
}

static void who_ends_it_waits_until_its_users_are_gone(void **state)
{
    (void)state;
    gate.until = DARN_UNTIL_GONE;
    assert_true(is_shut(0, 1, 2)); /* nobody has come yet */
    gate.done = true;
    assert_false(is_shut(0, 1, 2));
    occupy(&gate, 1, 1, 1);
    assert_true(is_shut(0, 1, 2));
    assert_false(is_shut(0, 2, 2)); /* another object */
    assert_false(is_shut(1, 1, 2)); /* its own use */
    gate.dropped = true;
    assert_false(is_shut(0, 1, 2));
}

static void who_was_started_is_waited_for_whatever_ends(void **state)
{
    (void)state;
    gate.until = DARN_UNTIL_GONE;
    gate.by_start = true;
    assert_false(is_shut(0, 1, 2)); /* nobody has been started */
    occupy(&gate, 1, 0, 1);
    assert_true(is_shut(0, 1, 2));
    assert_true(is_shut(0, 2, 2));
    assert_false(is_shut(1, 1, 2)); /* it ends what it uses itself */
}

static void who_was_waited_for_in_vain_is_not_waited_for_again(void **state)
{
    struct darn_asking asking = {.thread = &threads[0], .lock = 1, .gates = 1, .positions = {2}};

    (void)state;
    gate.until = DARN_UNTIL_GONE;
    gate.by_start = true;
    darn_gates = &gate;
    assert_false(darn_gate_is_used(&asking));
    occupy(&gate, 1, 0, 1);
    darn_gate_give_up(&gate);
    assert_false(is_shut(0, 1, 2));
    assert_true(darn_gate_is_used(&asking));
    occupy(&gate, 2, 0, 1);
    assert_true(is_shut(0, 1, 2));
    hold(0, 7, DARN_LOCK_MUTEX);
    wait_for(1, DARN_WAIT_MUTEX, 7); /* nobody waits for this one */
    assert_false(is_vain());
}

static void come(uint32_t thread, uintptr_t lock, uint32_t positions)
{
    struct darn_asking asking = {.thread = &threads[thread], .lock = lock};

    darn_gate_occupy_order(&gate, &asking, positions);
}

static void nobody_comes_in_before_who_is_inside_is_through(void **state)
{
    (void)state;
    gate.until = DARN_UNTIL_THROUGH;
    gate.count = 3;
    assert_false(is_shut(1, 1, 4));
    come(0, 1, 1);
    assert_int_equal(threads[0].gates, 1);
    assert_true(is_shut(1, 1, 4));
    assert_true(is_shut(1, 1, 1));
    assert_false(is_shut(1, 1, 2)); /* the second position alone is nothing */
    assert_false(is_shut(1, 2, 4)); /* another lock */
    assert_false(is_shut(0, 1, 4)); /* it is inside itself */
    assert_true(darn_gate_goes_on(&gate, &gate.occupants[0]));
    come(0, 1, 2);
    assert_false(darn_gate_goes_on(&gate, &gate.occupants[0])); /* gone with the lock */
    assert_true(is_shut(1, 1, 4));
    come(0, 1, 1);
    assert_true(darn_gate_goes_on(&gate, &gate.occupants[0]));
    assert_int_equal(gate.occupant_count, 1);
}

static void who_is_in_between_keeps_others_from_beginning(void **state)
{
    (void)state;
    gate.until = DARN_UNTIL_THROUGH;
    gate.count = 3;
    come(1, 1, 4);
    assert_false(darn_gate_goes_on(&gate, &gate.occupants[0]));
    assert_true(is_shut(0, 1, 1));
    assert_false(is_shut(2, 1, 4));
    darn_gate_give_up(&gate);
    assert_false(is_shut(0, 1, 1));
}

/* Each of them has to be gone: one that waits for the waiter is enough. */
static void one_user_that_waits_for_the_end_is_a_circle(void **state)
{
    (void)state;
    gate.until = DARN_UNTIL_GONE;
    gate.done = true;
    assert_false(is_vain());
    occupy(&gate, 1, 1, 1);
    occupy(&gate, 2, 1, 1);
    assert_false(is_vain());
    hold(0, 7, DARN_LOCK_MUTEX);
    wait_for(2, DARN_WAIT_MUTEX, 7);
    assert_true(is_vain());
    gate.until = DARN_UNTIL_NOTHING;
    assert_false(is_vain());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stack_fits_by_its_innermost_frames),
        TEST(the_last_position_is_shut),
        TEST(one_thread_is_no_circle),
        TEST(one_lock_is_no_circle),
        TEST(who_is_away_does_not_count),
        TEST(a_gate_that_was_dropped_is_open),
        TEST(the_last_of_three_at_the_same_place_waits),
        TEST(every_way_to_fill_the_positions_is_tried),
        TEST(a_search_that_takes_too_long_lets_the_thread_pass),
        TEST(who_waits_for_the_waiter_is_waited_for_in_vain),
        TEST(it_is_not_in_vain_while_one_can_leave),
        TEST(the_way_back_may_be_long),
        TEST(another_gate_may_be_on_the_way),
        TEST(a_circle_without_the_waiter_is_not_its_own),
        TEST(the_early_one_waits_until_it_is_done_once),
        TEST(who_ends_it_waits_until_its_users_are_gone),
        TEST(who_was_started_is_waited_for_whatever_ends),
        TEST(who_was_waited_for_in_vain_is_not_waited_for_again),
        TEST(nobody_comes_in_before_who_is_inside_is_through),
        TEST(who_is_in_between_keeps_others_from_beginning),
        TEST(one_user_that_waits_for_the_end_is_a_circle),
        TEST(a_mutex_that_was_given_back_for_a_wait_is_not_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
