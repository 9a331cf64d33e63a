/* The deadlock engine on small traces: what it must say, and what it must never say. Expected texts
 * are those of events_fixture.h: count, and for each step thread:lock asked:where[locks
 * held:where]. */
#include "events_fixture.h"

#define FORKS "T0|fork(T1)|1\nT0|fork(T2)|2\nT0|fork(T3)|3\n"

static struct fixture fixture;

static const char *said(const char *text)
{
    return fixture_run(&fixture, &darn_engine_deadlock, NULL, text);
}

static const char *said_of(const char *file)
{
    return fixture_run_file(&fixture, &darn_engine_deadlock, file);
}

static void two_locks_in_both_orders_are_a_deadlock(void **state)
{
    (void)state;
    assert_string_equal(said_of("deadlock-two-locks.std"), "1 T1:B:12[A:11] T2:A:22[B:21]\n");
    assert_int_equal(fixture.dynamic, 1);
    assert_int_equal(fixture.cost.dropped, 0);
    assert_true(fixture.cost.memory > 0 && fixture.cost.peak >= fixture.cost.memory);
}

static void three_threads_in_a_circle_are_a_deadlock(void **state)
{
    (void)state;
    assert_string_equal(said_of("deadlock-three-threads.std"),
                        "1 T1:B:12[A:11] T2:C:22[B:21] T3:A:32[C:31]\n");
}

static void five_philosophers_are_one_deadlock(void **state)
{
    (void)state;
    assert_string_equal(said_of("deadlock-philosophers.std"),
                        "1 T1:F2:11[F1:10] T2:F3:11[F2:10] T3:F4:11[F3:10] T4:F5:11[F4:10] "
                        "T5:F1:11[F5:10]\n");
}

static void a_gate_lock_keeps_them_apart(void **state)
{
    (void)state;
    assert_string_equal(said_of("deadlock-gate-lock.std"), "");
}

static void threads_that_are_joined_first_cannot_meet(void **state)
{
    (void)state;
    assert_string_equal(said_of("deadlock-ordered-by-join.std"), "");
}

static void one_thread_with_both_orders_is_never_reported(void **state)
{
    (void)state;
    assert_string_equal(said_of("deadlock-one-thread.std"), "");
}

static void a_gate_of_two_steps_out_of_three_is_enough(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(G)|10\nT1|acq(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\n"
                                   "T1|rel(A)|14\nT1|rel(G)|15\n"
                                   "T2|acq(B)|21\nT2|acq(C)|22\nT2|rel(C)|23\nT2|rel(B)|24\n"
                                   "T3|acq(G)|30\nT3|acq(C)|31\nT3|acq(A)|32\n"),
                        "");
}

static void locks_held_besides_are_named(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(X)|10\nT1|acq(A)|11\nT1|acq(Y)|12\nT1|acq(B)|13\n"
                                   "T1|rel(B)|14\nT1|rel(Y)|15\nT1|rel(A)|16\nT1|rel(X)|17\n"
                                   "T2|acq(B)|21\nT2|acq(A)|22\n"),
                        "1 T1:B:13[X:10 A:11 Y:12] T2:A:22[B:21]\n");
}

static void locks_need_not_be_nested(void **state)
{
    (void)state;
    /* Hand over hand: A is given back before C is asked for. */
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(B)|12\nT1|rel(A)|13\nT1|acq(C)|14\n"
                                   "T1|rel(B)|15\nT1|rel(C)|16\n"
                                   "T2|acq(C)|21\nT2|acq(A)|22\nT2|rel(C)|23\nT2|rel(A)|24\n"),
                        "");
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(B)|12\nT1|rel(A)|13\nT1|acq(C)|14\n"
                                   "T1|rel(B)|15\nT1|rel(C)|16\n"
                                   "T2|acq(C)|21\nT2|acq(B)|22\nT2|rel(C)|23\nT2|rel(B)|24\n"),
                        "1 T1:C:14[B:12] T2:B:22[C:21]\n");
}

static void a_parent_can_deadlock_with_its_child_until_it_joins_it(void **state)
{
    (void)state;
    assert_string_equal(said("T0|fork(T1)|1\nT0|acq(A)|2\nT0|acq(B)|3\nT0|rel(B)|4\nT0|rel(A)|5\n"
                             "T1|acq(B)|11\nT1|acq(A)|12\nT1|rel(A)|13\nT1|rel(B)|14\n"
                             "T0|join(T1)|6\n"),
                        "1 T0:B:3[A:2] T1:A:12[B:11]\n");
    assert_string_equal(said("T0|acq(A)|2\nT0|acq(B)|3\nT0|rel(B)|4\nT0|rel(A)|5\nT0|fork(T1)|1\n"
                             "T1|acq(B)|11\nT1|acq(A)|12\nT1|rel(A)|13\nT1|rel(B)|14\n"
                             "T0|join(T1)|6\nT0|acq(A)|2\nT0|acq(B)|3\nT0|rel(B)|4\nT0|rel(A)|5\n"),
                        "");
}

static void a_barrier_orders_what_is_before_and_after_it(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\nT1|rel(A)|14\n"
                                   "T1|arr(X)|15\nT2|arr(X)|20\nT1|dep(X)|15\nT2|dep(X)|20\n"
                                   "T2|acq(B)|21\nT2|acq(A)|22\nT2|rel(A)|23\nT2|rel(B)|24\n"),
                        "");
}

static void signals_and_posts_order_nothing(void **state)
{
    (void)state;
    /* The schedule that was seen is not the only one. */
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\nT1|rel(A)|14\n"
                                   "T1|sem_post(S)|15\n"
                                   "T2|acq(B)|21\nT2|acq(A)|22\nT2|sig(C)|20\nT2|rel(A)|23\n"),
                        "1 T1:B:12[A:11] T2:A:22[B:21]\n");
}

static void readers_do_not_wait_for_readers(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|racq(A)|11\nT1|racq(B)|12\nT1|rrel(B)|13\nT1|rrel(A)|14\n"
                                   "T2|racq(B)|21\nT2|racq(A)|22\n"),
                        "");
    assert_string_equal(said(FORKS "T1|wacq(A)|11\nT1|racq(B)|12\nT1|rrel(B)|13\nT1|rrel(A)|14\n"
                                   "T2|racq(B)|21\nT2|racq(A)|22\n"),
                        "");
}

static void readers_and_writers_wait_for_each_other(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|racq(A)|11\nT1|wacq(B)|12\nT1|rrel(B)|13\nT1|rrel(A)|14\n"
                                   "T2|racq(B)|21\nT2|wacq(A)|22\n"),
                        "1 T1:B:12[A:11] T2:A:22[B:21]\n");
    assert_string_equal(said(FORKS "T1|wacq(A)|11\nT1|racq(B)|12\nT1|rrel(B)|13\nT1|rrel(A)|14\n"
                                   "T2|wacq(B)|21\nT2|racq(A)|22\n"),
                        "1 T1:B:12[A:11] T2:A:22[B:21]\n");
    assert_string_equal(said(FORKS "T1|racq(A)|11\nT1|acq(M)|12\nT1|rel(M)|13\nT1|rrel(A)|14\n"
                                   "T2|acq(M)|21\nT2|wacq(A)|22\n"),
                        "1 T1:M:12[A:11] T2:A:22[M:21]\n");
}

static void a_gate_of_two_readers_is_open(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|racq(G)|10\nT1|acq(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\n"
                                   "T1|rel(A)|14\nT1|rrel(G)|15\n"
                                   "T2|racq(G)|20\nT2|acq(B)|21\nT2|acq(A)|22\n"),
                        "1 T1:B:12[G:10 A:11] T2:A:22[G:20 B:21]\n");
    assert_string_equal(said(FORKS "T1|racq(G)|10\nT1|acq(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\n"
                                   "T1|rel(A)|14\nT1|rrel(G)|15\n"
                                   "T2|wacq(G)|20\nT2|acq(B)|21\nT2|acq(A)|22\n"),
                        "");
}

static void a_cycle_with_a_cycle_in_it_is_not_reported(void **state)
{
    (void)state;
    /* T1 and T3 read A, and T2 waits for both: T2 and T3 need no help from T1. */
    assert_string_equal(said(FORKS "T1|racq(A)|11\nT1|acq(C)|12\nT1|rel(C)|13\nT1|rrel(A)|14\n"
                                   "T2|acq(B)|21\nT2|wacq(A)|22\nT2|rrel(A)|23\nT2|rel(B)|24\n"
                                   "T3|racq(A)|31\nT3|acq(C)|32\nT3|acq(B)|33\n"),
                        "1 T2:A:22[B:21] T3:B:33[A:31 C:32]\n");
}

static void trylock_never_waits_but_what_it_holds_counts(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|try(B)|12\nT1|rel(B)|13\nT1|rel(A)|14\n"
                                   "T2|acq(B)|21\nT2|acq(A)|22\n"),
                        "");
    assert_string_equal(said(FORKS "T1|try(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\nT1|rel(A)|14\n"
                                   "T2|try(B)|21\nT2|acq(A)|22\n"),
                        "1 T1:B:12[A:11] T2:A:22[B:21]\n");
}

static void a_recursive_lock_is_no_dependency(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(B)|12\nT1|acq(A)|13\nT1|rel(A)|14\n"
                                   "T1|rel(B)|15\nT1|rel(A)|16\n"
                                   "T2|acq(A)|21\nT2|acq(B)|22\nT2|acq(A)|23\n"),
                        "");
    /* It is held until it is given back as often. */
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(A)|12\nT1|rel(A)|13\nT1|acq(B)|14\n"
                                   "T1|rel(B)|15\nT1|rel(A)|16\n"
                                   "T2|acq(B)|21\nT2|acq(A)|22\n"),
                        "1 T1:B:14[A:11] T2:A:22[B:21]\n");
}

static void the_mutex_that_comes_back_from_a_wait_is_asked_for_again(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(M)|11\nT1|acq(X)|12\nT1|wait(C,M)|13\nT1|rel(M)|13\n"
                                   "T2|acq(M)|21\nT2|acq(X)|22\n"),
                        "");
    assert_string_equal(said(FORKS "T1|acq(M)|11\nT1|acq(X)|12\nT1|wait(C,M)|13\nT1|rel(M)|13\n"
                                   "T2|acq(M)|20\nT2|sig(C)|21\nT2|rel(M)|22\n"
                                   "T1|acq(M)|13\nT1|wake(C,M)|13\nT1|rel(X)|14\nT1|rel(M)|15\n"
                                   "T2|acq(M)|23\nT2|acq(X)|24\nT2|rel(X)|25\nT2|rel(M)|26\n"),
                        "1 T1:M:13[X:12] T2:X:24[M:23]\n");
    /* Only the wait itself has a timeout. */
    assert_string_equal(said(FORKS "T1|acq(M)|11\nT1|acq(X)|12\nT1|twait(C,M)|13\nT1|rel(M)|13\n"
                                   "T1|try(M)|13\nT1|late(C,M)|13\nT1|rel(X)|14\nT1|rel(M)|15\n"
                                   "T2|acq(M)|23\nT2|acq(X)|24\n"),
                        "1 T1:M:13[X:12] T2:X:24[M:23]\n");
}

static void a_deadlock_that_happened_is_reported(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT2|acq(B)|21\nT1|req(B)|12\nT2|req(A)|22\n"),
                        "1 T1:!B:12[A:11] T2:!A:22[B:21]\n");
    /* A handler of a signal may still run in a thread that hangs. */
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT2|acq(B)|21\nT1|req(B)|12\nT2|req(A)|22\n"
                                   "T1|w(V)|30\nT1|sem_post(S)|31\n"),
                        "1 T1:!B:12[A:11] T2:!A:22[B:21]\n");
}

static void a_request_that_gave_up_is_none(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT2|acq(B)|21\nT1|treq(B)|12\nT2|req(A)|22\n"),
                        "");
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT2|acq(B)|21\nT1|req(B)|12\nT1|rel(A)|13\n"
                                   "T2|req(A)|22\n"),
                        "");
}

static void a_thread_can_wait_for_itself(void **state)
{
    (void)state;
    assert_string_equal(said("T0|acq(A)|1\nT0|acq(B)|2\nT0|req(A)|3\n"), "1 T0:!A:3[A:1 B:2]\n");
    assert_string_equal(said("T0|racq(A)|1\nT0|wreq(A)|2\n"), "1 T0:!A:2[A:1]\n");
    assert_string_equal(said("T0|racq(A)|1\nT0|rreq(A)|2\n"), "");
}

static void a_join_waits_for_all_that_its_thread_waits_for(void **state)
{
    (void)state;
    assert_string_equal(said("T0|fork(T1)|1\nT1|acq(A)|11\nT1|rel(A)|12\nT1|exit()|13\n"
                             "T0|acq(A)|2\nT0|join(T1)|3\nT0|rel(A)|4\n"),
                        "1 T1:A:11[] T0:join T1:3[A:2]\n");
    /* Over two joins: nobody holds a lock in the middle. */
    assert_string_equal(said("T0|fork(T1)|1\nT1|fork(T2)|10\nT2|acq(A)|21\nT2|rel(A)|22\n"
                             "T1|join(T2)|11\nT0|acq(A)|2\nT0|join(T1)|3\nT0|rel(A)|4\n"),
                        "1 T2:A:21[] T0:join T1:3[A:2] T1:join T2:11[]\n");
    assert_string_equal(said("T0|fork(T1)|1\nT1|acq(A)|11\nT1|rel(A)|12\nT1|exit()|13\n"
                             "T0|acq(B)|2\nT0|join(T1)|3\nT0|rel(B)|4\nT0|acq(A)|5\n"),
                        "");
}

static void the_same_places_with_other_locks_are_counted(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|1\nT1|acq(B)|2\nT1|rel(B)|3\nT1|rel(A)|4\n"
                                   "T1|acq(C)|1\nT1|acq(D)|2\nT1|rel(D)|3\nT1|rel(C)|4\n"
                                   "T2|acq(B)|1\nT2|acq(A)|2\nT2|rel(A)|3\nT2|rel(B)|4\n"
                                   "T2|acq(D)|1\nT2|acq(C)|2\nT2|rel(C)|3\nT2|rel(D)|4\n"),
                        "2 T1:B:2[A:1] T2:A:2[B:1]\n");
    assert_int_equal(fixture.dynamic, 2);
}

static void other_places_with_the_same_locks_are_reported(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|1\nT1|acq(B)|2\nT1|rel(B)|3\nT1|rel(A)|4\n"
                                   "T2|acq(B)|21\nT2|acq(A)|22\nT2|rel(A)|23\nT2|rel(B)|24\n"
                                   "T3|acq(B)|31\nT3|acq(A)|32\n"),
                        "1 T1:B:2[A:1] T2:A:22[B:21]\n1 T1:B:2[A:1] T3:A:32[B:31]\n");
}

static uint32_t tens(const void *context, uint32_t site)
{
    (void)context;
    return site - site % 10;
}

static void places_are_what_the_caller_says(void **state)
{
    struct darn_engine_config config = {.place_of = tens};

    (void)state;
    assert_string_equal(fixture_run(&fixture, &darn_engine_deadlock, &config,
                                    FORKS "T1|acq(A)|10\nT1|acq(B)|20\nT1|rel(B)|50\nT1|rel(A)|50\n"
                                          "T2|acq(B)|31\nT2|acq(A)|41\nT2|rel(A)|50\nT2|rel(B)|50\n"
                                          "T3|acq(B)|32\nT3|acq(A)|42\n"),
                        "1 T1:B:20[A:10] T2:A:41[B:31]\n");
}

static void without_sites_stacks_are_the_places(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|@1\nT1|acq(B)|@2\nT1|rel(B)|@3\nT1|rel(A)|@4\n"
                                   "T2|acq(B)|@1\nT2|acq(A)|@2\nT2|rel(A)|@3\nT2|rel(B)|@4\n"
                                   "T3|acq(B)|@5\nT3|acq(A)|@2\n"),
                        "1 T1:B:@2[A:@1] T2:A:@2[B:@1]\n1 T1:B:@2[A:@1] T3:A:@2[B:@5]\n");
}

static void without_places_locks_take_their_part(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|-\nT1|acq(B)|-\nT1|rel(B)|-\nT1|rel(A)|-\n"
                                   "T1|acq(C)|-\nT1|acq(D)|-\nT1|rel(D)|-\nT1|rel(C)|-\n"
                                   "T2|acq(B)|-\nT2|acq(A)|-\nT2|rel(A)|-\nT2|rel(B)|-\n"
                                   "T2|acq(D)|-\nT2|acq(C)|-\n"),
                        "1 T1:B:-[A:-] T2:A:-[B:-]\n1 T1:D:-[C:-] T2:C:-[D:-]\n");
}

static void the_lock_of_a_freed_block_is_another(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|acq(B)|12\nT1|rel(B)|13\nT1|rel(A)|14\n"
                                   "T1|free(A)|15\nT2|acq(B)|21\nT2|acq(A)|22\n"),
                        "");
    /* Not while somebody holds it. */
    assert_string_equal(said(FORKS "T1|acq(A)|11\nT1|free(A)|12\nT1|acq(B)|13\nT1|rel(B)|13\n"
                                   "T1|rel(A)|14\nT2|acq(B)|21\nT2|acq(A)|22\n"),
                        "1 T1:B:13[A:11] T2:A:22[B:21]\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_locks_in_both_orders_are_a_deadlock),
        cmocka_unit_test(three_threads_in_a_circle_are_a_deadlock),
        cmocka_unit_test(five_philosophers_are_one_deadlock),
        cmocka_unit_test(a_gate_lock_keeps_them_apart),
        cmocka_unit_test(threads_that_are_joined_first_cannot_meet),
        cmocka_unit_test(one_thread_with_both_orders_is_never_reported),
        cmocka_unit_test(a_gate_of_two_steps_out_of_three_is_enough),
        cmocka_unit_test(locks_held_besides_are_named),
        cmocka_unit_test(locks_need_not_be_nested),
        cmocka_unit_test(a_parent_can_deadlock_with_its_child_until_it_joins_it),
        cmocka_unit_test(a_barrier_orders_what_is_before_and_after_it),
        cmocka_unit_test(signals_and_posts_order_nothing),
        cmocka_unit_test(readers_do_not_wait_for_readers),
        cmocka_unit_test(readers_and_writers_wait_for_each_other),
        cmocka_unit_test(a_gate_of_two_readers_is_open),
        cmocka_unit_test(a_cycle_with_a_cycle_in_it_is_not_reported),
        cmocka_unit_test(trylock_never_waits_but_what_it_holds_counts),
        cmocka_unit_test(a_recursive_lock_is_no_dependency),
        cmocka_unit_test(the_mutex_that_comes_back_from_a_wait_is_asked_for_again),
        cmocka_unit_test(a_deadlock_that_happened_is_reported),
        cmocka_unit_test(a_request_that_gave_up_is_none),
        cmocka_unit_test(a_thread_can_wait_for_itself),
        cmocka_unit_test(a_join_waits_for_all_that_its_thread_waits_for),
        cmocka_unit_test(the_same_places_with_other_locks_are_counted),
        cmocka_unit_test(other_places_with_the_same_locks_are_reported),
        cmocka_unit_test(places_are_what_the_caller_says),
        cmocka_unit_test(without_sites_stacks_are_the_places),
        cmocka_unit_test(without_places_locks_take_their_part),
        cmocka_unit_test(the_lock_of_a_freed_block_is_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
