/* The notify engine on small traces: what it must say, and what it must never say. */
#include "events_fixture.h"

#define FORKS "T0|fork(T1)|1\nT0|fork(T2)|2\nT0|fork(T3)|3\n"

/* A wait is four events; this is the first half, and the second. */
#define WAIT(thread, cond, mutex, where)                                                           \
    "T" #thread "|wait(" #cond "," #mutex ")|" #where "\nT" #thread "|rel(" #mutex ")|" #where "\n"
#define WAKE(thread, cond, mutex, where)                                                           \
    "T" #thread "|acq(" #mutex ")|" #where "\nT" #thread "|wake(" #cond "," #mutex ")|" #where "\n"

static struct fixture fixture;

/* Sites from 100 on wait for the predicate that their hundreds say. */
static uint64_t hundreds(const void *context, uint32_t site)
{
    (void)context;
    return site / 100;
}

static const char *said(const char *text)
{
    static const struct darn_engine_config config = {.predicate_of = hundreds};

    return fixture_run(&fixture, &darn_engine_notify, &config, text);
}

static void a_signal_before_its_wait_is_lost(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(M)|10\nT1|sig(C)|11\nT1|rel(M)|12\n"
                                   "T2|acq(M)|20\n" WAIT(2, C, M, 21)),
                        "1 T1:sig C:11[M:10] T2:wait C:21[M:20]\n");
    assert_string_equal(said(FORKS "T1|bcast(C)|11\nT2|acq(M)|20\n" WAIT(2, C, M, 21)),
                        "1 T1:bcast C:11[] T2:wait C:21[M:20]\n");
    assert_int_equal(fixture.dynamic, 1);
}

static void a_wait_that_ends_lost_nothing(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|sig(C)|11\nT2|acq(M)|20\n" WAIT(
                            2, C, M, 21) "T1|sig(C)|12\n" WAKE(2, C, M, 21)),
                        "");
    /* The signal is on its way when the trace ends. */
    assert_string_equal(
        said(FORKS "T1|sig(C)|11\nT2|acq(M)|20\n" WAIT(2, C, M, 21) "T1|sig(C)|12\n"), "");
    assert_string_equal(
        said(FORKS "T1|sig(C)|11\nT2|acq(M)|20\n" WAIT(2, C, M, 21) "T1|bcast(C)|12\n"), "");
}

static void a_wait_without_a_lost_signal_just_waits(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T2|acq(M)|20\n" WAIT(2, C, M, 21)), "");
    assert_string_equal(said(FORKS "T1|sig(D)|11\nT2|acq(M)|20\n" WAIT(2, C, M, 21)), "");
}

static void a_wait_with_a_timeout_is_never_lost(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|sig(C)|11\nT2|acq(M)|20\nT2|twait(C,M)|21\nT2|rel(M)|21\n"),
                        "");
}

static void the_second_of_two_signals_for_one_waiter_is_lost(void **state)
{
    (void)state;
    assert_string_equal(
        said(FORKS "T2|acq(M)|20\n" WAIT(2, C, M, 21) "T1|sig(C)|11\nT1|sig(C)|12\n" WAKE(
            2, C, M, 21) WAIT(2, C, M, 22)),
        "1 T1:sig C:12[] T2:wait C:22[M:21]\n");
    /* A timeout takes no signal with it. */
    assert_string_equal(
        said(FORKS
             "T2|acq(M)|20\nT2|twait(C,M)|21\nT2|rel(M)|21\n"
             "T3|acq(M)|30\n" WAIT(3, C, M, 31) "T1|sig(C)|11\n"
                                                "T2|acq(M)|21\nT2|late(C,M)|21\nT2|rel(M)|22\n"),
        "");
}

static void who_signals_does_not_wait_for_its_own_signal(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(M)|10\nT1|sig(C)|11\n" WAIT(1, C, M, 12)), "");
    /* But the one of the other before it may have been for it. */
    assert_string_equal(said(FORKS "T2|sig(C)|21\nT1|acq(M)|10\nT1|sig(C)|11\n" WAIT(1, C, M, 12)),
                        "1 T2:sig C:21[] T1:wait C:12[M:10]\n");
}

static void a_pool_at_rest_has_lost_nothing(void **state)
{
    (void)state;
    /* T1 puts work in, and nobody waits yet; T2 takes it, and waits for more. */
    assert_string_equal(said(FORKS "T1|acq(M)|10\nT1|sig(C)|11\nT1|rel(M)|12\n"
                                   "T2|acq(M)|20\nT2|rel(M)|21\nT2|acq(M)|20\n" WAIT(2, C, M, 22)),
                        "");
    /* T3, another worker, has taken it, and comes to wait later. */
    assert_string_equal(said(FORKS
                             "T1|acq(M)|10\nT1|sig(C)|11\nT1|rel(M)|12\n"
                             "T3|acq(M)|20\nT3|rel(M)|21\n"
                             "T2|acq(M)|20\n" WAIT(2, C, M, 22) "T3|acq(M)|20\n" WAIT(3, C, M, 22)),
                        "");
    /* A thread that never waits for C is no worker. */
    assert_string_equal(said(FORKS "T1|acq(M)|10\nT1|sig(C)|11\nT1|rel(M)|12\n"
                                   "T3|acq(M)|30\nT3|rel(M)|31\n"
                                   "T2|acq(M)|20\n" WAIT(2, C, M, 22)),
                        "1 T1:sig C:11[M:10] T2:wait C:22[M:20]\n");
}

static void a_loop_that_tests_its_predicate_loses_only_what_comes_between(void **state)
{
    (void)state;
    /* Whoever signals holds the mutex, or comes before the test. */
    assert_string_equal(said(FORKS "T1|acq(M)|10\nT1|sig(C)|11\nT1|rel(M)|12\n"
                                   "T2|acq(M)|20\n" WAIT(2, C, M, 121)),
                        "");
    /* The signal comes between the test and the wait. */
    assert_string_equal(said(FORKS "T2|acq(M)|20\nT1|sig(C)|11\n" WAIT(2, C, M, 121)),
                        "1 T1:sig C:11[] T2:wait C:121[M:20]\n");
    /* After a wait, the test is made again. */
    assert_string_equal(said(FORKS "T2|acq(M)|20\n" WAIT(2, C, M, 121) "T1|sig(C)|11\n" WAKE(
                            2, C, M, 121) "T1|sig(C)|12\n" WAIT(2, C, M, 121)),
                        "1 T1:sig C:12[] T2:wait C:121[M:121]\n");
}

static void the_same_places_are_one_lost_signal(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS
                             "T1|sig(C)|11\nT1|sig(D)|11\n"
                             "T2|acq(M)|20\n" WAIT(2, C, M, 21) "T3|acq(N)|20\n" WAIT(3, D, N, 21)),
                        "2 T1:sig C:11[] T2:wait C:21[M:20]\n");
    /* Not if they are not known. */
    assert_string_equal(said(FORKS
                             "T1|sig(C)|-\nT1|sig(D)|-\n"
                             "T2|acq(M)|-\n" WAIT(2, C, M, -) "T3|acq(N)|-\n" WAIT(3, D, N, -)),
                        "1 T1:sig C:-[] T2:wait C:-[M:-]\n1 T1:sig D:-[] T3:wait D:-[N:-]\n");
}

static void the_condition_variable_of_a_freed_block_is_another(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|sig(C)|11\nT1|free(C)|12\nT2|acq(M)|20\n" WAIT(2, C, M, 21)),
                        "");
}

/* T1 and T2 wait at the given places, and wake. */
#define TWO_WAITS(one, two)                                                                        \
    "T1|acq(M)|10\n" WAIT(1, C, M, one) "T2|acq(M)|20\n" WAIT(2, C, M, two)                        \
        WAKE(1, C, M, one) "T1|rel(M)|13\n" WAKE(2, C, M, two) "T2|rel(M)|23\n"

static void a_signal_among_waits_for_different_things_may_wake_the_wrong_one(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS TWO_WAITS(111, 211) "T3|sig(C)|30\n"),
                        "1 T3:sig C:30[] T1:wait C:111[M:10] T2:wait C:211[M:20]\n");
}

static void a_broadcast_wakes_all(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS TWO_WAITS(111, 211) "T3|bcast(C)|30\n"), "");
}

static void waits_for_the_same_or_for_something_unknown_are_never_wrong(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS TWO_WAITS(111, 122) "T3|sig(C)|30\n"), "");
    assert_string_equal(said(FORKS TWO_WAITS(111, 22) "T3|sig(C)|30\n"), "");
    assert_string_equal(said(FORKS TWO_WAITS(11, 22) "T3|sig(C)|30\n"), "");
    assert_string_equal(fixture_run(&fixture, &darn_engine_notify, NULL,
                                    FORKS TWO_WAITS(111, 211) "T3|sig(C)|30\n"),
                        "");
}

static void one_producer_and_one_consumer_cannot_both_wait(void **state)
{
    (void)state;
    assert_string_equal(
        said(FORKS "T1|acq(M)|10\n" WAIT(
            1, C, M, 111) "T2|acq(M)|20\nT2|sig(C)|21\n"
                          "T2|rel(M)|22\n" WAKE(
                              1, C, M, 111) "T1|rel(M)|12\n"
                                            "T2|acq(M)|20\n" WAIT(
                                                2, C, M, 211) "T1|acq(M)|10\n"
                                                              "T1|sig(C)|13\nT1|rel(M)|14\n" WAKE(
                                                                  2, C, M, 211)),
        "");
}

static void waits_that_are_ordered_by_a_join_do_not_meet(void **state)
{
    (void)state;
    assert_string_equal(
        said(
            "T0|fork(T3)|1\nT0|fork(T1)|1\nT1|acq(M)|10\n" WAIT(1, C, M, 111) "T3|sig(C)|30\n" WAKE(
                1, C, M, 111) "T1|rel(M)|12\nT0|join(T1)|2\nT0|fork(T2)|3\n"
                              "T2|acq(N)|20\n" WAIT(2, C, N, 211) "T3|sig(C)|30\n" WAKE(2, C, N,
                                                                                        211)),
        "");
}

static void waits_with_two_mutexes_are_reported(void **state)
{
    (void)state;
    assert_string_equal(said(FORKS "T1|acq(M)|10\n" WAIT(1, C, M, 11) "T2|acq(N)|20\n" WAIT(
                            2, C, N, 21) "T3|bcast(C)|30\n"),
                        "1 T1:wait C:11[M:10] T2:wait C:21[N:20]\n");
    /* One place, and two objects mixed up. */
    assert_string_equal(said(FORKS "T1|acq(M)|10\n" WAIT(1, C, M, 11) "T2|acq(N)|10\n" WAIT(
                            2, C, N, 11) "T3|bcast(C)|30\n"),
                        "1 T1:wait C:11[M:10] T2:wait C:11[N:10]\n");
    assert_string_equal(
        said(FORKS "T1|acq(M)|10\n" WAIT(1, C, M, 11) "T2|acq(N)|20\n" WAIT(2, D, N, 21)), "");
}

static void one_thread_may_wait_with_one_mutex_after_the_other(void **state)
{
    (void)state;
    assert_string_equal(
        said(FORKS "T1|acq(M)|10\n" WAIT(1, C, M, 11) "T3|bcast(C)|30\n" WAKE(
            1, C, M, 11) "T1|rel(M)|12\nT1|acq(N)|13\n" WAIT(1, C, N,
                                                             14) "T3|bcast(C)|30\n" WAKE(1, C, N,
                                                                                         14)),
        "");
}

static void two_mutexes_of_many_threads_are_one_prediction(void **state)
{
    static char text[65536];
    char *at = text;

    (void)state;
    for (int i = 1; i <= 100; i++)
        at += sprintf(at, "T0|fork(T%d)|1\n", i);
    for (int i = 1; i <= 100; i++)
        at += sprintf(at, "T%d|acq(%s)|10\nT%d|wait(C,%s)|11\nT%d|rel(%s)|11\n", i,
                      i % 2 ? "M" : "N", i, i % 2 ? "M" : "N", i, i % 2 ? "M" : "N");
    sprintf(at, "T0|bcast(C)|2\n");
    assert_string_equal(said(text), "1 T1:wait C:11[M:10] T2:wait C:11[N:10]\n");
    assert_int_equal(fixture.cost.dropped, 0);
    assert_true(fixture.cost.memory > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_before_its_wait_is_lost),
        cmocka_unit_test(a_wait_that_ends_lost_nothing),
        cmocka_unit_test(a_wait_without_a_lost_signal_just_waits),
        cmocka_unit_test(a_wait_with_a_timeout_is_never_lost),
        cmocka_unit_test(the_second_of_two_signals_for_one_waiter_is_lost),
        cmocka_unit_test(who_signals_does_not_wait_for_its_own_signal),
        cmocka_unit_test(a_pool_at_rest_has_lost_nothing),
        cmocka_unit_test(a_loop_that_tests_its_predicate_loses_only_what_comes_between),
        cmocka_unit_test(the_same_places_are_one_lost_signal),
        cmocka_unit_test(the_condition_variable_of_a_freed_block_is_another),
        cmocka_unit_test(a_signal_among_waits_for_different_things_may_wake_the_wrong_one),
        cmocka_unit_test(a_broadcast_wakes_all),
        cmocka_unit_test(waits_for_the_same_or_for_something_unknown_are_never_wrong),
        cmocka_unit_test(one_producer_and_one_consumer_cannot_both_wait),
        cmocka_unit_test(waits_that_are_ordered_by_a_join_do_not_meet),
        cmocka_unit_test(waits_with_two_mutexes_are_reported),
        cmocka_unit_test(one_thread_may_wait_with_one_mutex_after_the_other),
        cmocka_unit_test(two_mutexes_of_many_threads_are_one_prediction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
