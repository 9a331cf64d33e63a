/* Findings about threads that wait, as text: deadlocks and notifications. */
#include "waits_fixture.h"

#define SOURCE                                                                                     \
    "void transfer(void)\n"                                                                        \
    "{\n"                                                                                          \
    "    lock(&a);\n"                                                                              \
    "    lock(&b);\n"                                                                              \
    "}\n"                                                                                          \
    "void audit(void)\n"                                                                           \
    "{\n"                                                                                          \
    "    lock(&b);\n"                                                                              \
    "    lock(&a);\n"                                                                              \
    "}\n"

/* Prints the finding and frees it. The text is valid until the next call. */
static const char *print(struct darn_finding *finding)
{
    static char *text;

    free(text);
    text = print_finding("text", finding, NULL);
    darn_finding_free(finding);
    return text;
}

static void a_deadlock_says_who_holds_what_and_waits_where(void **state)
{
    write_file(*state, "bank.c", SOURCE);
    assert_string_equal(
        print(deadlock(*state)),
        "bank.c:4:5: warning: deadlock between T1 and T2 [deadlock]\n"
        "    4 |     lock(&b);\n"
        "      |     ^\n"
        "  thread T1 'teller' holds mutex 'a' (taken at bank.c:3:5 in transfer) and waits for "
        "mutex 'b'\n"
        "    #0 transfer       bank.c:4:5\n"
        "    #1 teller_thread  bank.c:31:9\n"
        "bank.c:9:5: note: thread T2 'audit' holds mutex 'b' (taken at bank.c:8:5 in audit) and "
        "waits for mutex 'a'\n"
        "    9 |     lock(&a);\n"
        "      |     ^\n"
        "    #0 audit  bank.c:9:5\n"
        "  thread T1 'teller' was created by main thread T0\n"
        "  next: take mutex 'b' and mutex 'a' in the same order everywhere, or one lock around "
        "them all\n"
        "  again: darn run --noise=random:100/1000 -- /nowhere/bank\n"
        "  suppress: deadlock:transfer\n");
}

static void a_predicted_deadlock_is_called_possible(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    const char *text;

    (void)state;
    finding->certainty = "predicted";
    finding->engine = "deadlock";
    text = print(finding);
    expect_part(text, "bank.c:4:5: warning: possible deadlock between T1 and T2 [deadlock, "
                      "predicted]\n");
    expect_part(text, " holds mutex 'a' (taken at bank.c:3:5 in transfer) and then takes mutex "
                      "'b'\n");
    expect_part(text, "  why: each thread can come to hold what the next one takes: they hold no "
                      "lock in common, and no start or end of a thread puts one after the other\n");
    expect_part(text, "  see it: darn run --noise=random:100/1000 -- /nowhere/bank\n");
    expect_no_part(text, "again:");
    expect_no_part(text, "waits");
}

static void nothing_known_is_still_a_report(void **state)
{
    struct darn_finding *finding = read_finding(RAW_DEADLOCK);
    const char *text;

    (void)state;
    darn_resolve(finding);
    text = print(finding);
    expect_part(text, "/nowhere/bank: warning: deadlock between T1 and T2 [deadlock]\n"
                      "  thread T1 'teller' holds mutex 0x404040 and waits for mutex 0x404080\n");
    expect_part(text, "    #0 ??  (/nowhere/bank+0x1234)\n");
}

static void threads_are_counted_when_they_are_many(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    struct darn_finding_access *accesses = darn_pool_get(&finding->pool, 5, sizeof(*accesses));

    (void)state;
    for (size_t i = 0; i < 5; i++)
        accesses[i] = finding->accesses[i % 2];
    finding->accesses = accesses;
    finding->access_count = 3;
    accesses[2].thread = "T3";
    expect_part(print(finding), "deadlock among T1, T2 and T3 [deadlock]\n");

    finding = deadlock("/nowhere");
    accesses = darn_pool_get(&finding->pool, 5, sizeof(*accesses));
    for (size_t i = 0; i < 5; i++)
        accesses[i] = finding->accesses[i % 2];
    finding->accesses = accesses;
    finding->access_count = 5;
    expect_part(print(finding), "deadlock among 5 threads [deadlock]\n");
}

static void a_thread_can_wait_for_itself(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    const char *text;

    (void)state;
    finding->access_count = 1;
    finding->accesses[0].target = finding->accesses[0].locks[0];
    text = print(finding);
    expect_part(text, "warning: deadlock: T1 waits for mutex 'a', which it holds itself "
                      "[deadlock]\n");
    expect_part(text, "  next: give it back first, or let the callers take it; only a recursive "
                      "mutex can be taken twice\n");

    finding = deadlock("/nowhere");
    finding->access_count = 1;
    finding->accesses[0].target = finding->accesses[0].locks[0];
    finding->accesses[0].target.kind = "write";
    finding->accesses[0].locks[0].kind = "read";
    text = print(finding);
    expect_part(text, "T1 waits for write lock 'a', which it holds itself");
    expect_part(text, "  next: a read lock cannot be made a write lock: give it back first\n");
}

static void who_waits_for_the_end_of_a_thread_is_said_to(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    const char *text;

    (void)state;
    finding->accesses[0].op = DARN_OP_JOIN;
    finding->accesses[0].target = (struct darn_lock){.kind = NULL};
    finding->accesses[0].awaited = "T2";
    text = print(finding);
    expect_part(text, "  thread T1 'teller' holds mutex 'a' (taken at bank.c:3:5 in transfer) and "
                      "waits for the end of thread T2 'audit'\n");
    expect_part(text, "  next: do not wait for the end of a thread while holding what it needs to "
                      "get there\n");
}

static void who_waits_for_a_condition_holds_more_than_its_mutex(void **state)
{
    struct darn_finding *finding = deadlock("/nowhere");
    struct darn_finding_access *access = &finding->accesses[0];
    const char *text;

    (void)state;
    access->op = DARN_OP_WAIT;
    access->target = (struct darn_lock){.kind = "cond", .symbol = {.name = "ready"}};
    access->mutex = (struct darn_lock){.kind = "mutex", .address = 1, .symbol = {.name = "m"}};
    text = print(finding);
    expect_part(text, " holds mutex 'a' (taken at bank.c:3:5 in transfer) and waits for condition "
                      "variable 'ready' with mutex 'm'\n");
    expect_part(text, "  next: do not wait while holding a lock that");
}

static void a_lost_signal_names_the_signal_and_the_wait(void **state)
{
    (void)state;
    assert_string_equal(
        print(notification(NOTIFICATION("predicted", "lost-signal", SIGNAL "," WAIT("T2")))),
        "queue.c:3:5: warning: possible lost signal: condition variable 'ready' is signalled while "
        "nobody waits for it [notification, predicted]\n"
        "  thread T1 signals condition variable 'ready', holding no lock\n"
        "    #0 put  queue.c:3:5\n"
        "queue.c:7:9: note: thread T2 waits for condition variable 'ready' with mutex 'm', testing "
        "'queue->count'\n"
        "    #0 take  queue.c:7:9\n"
        "  why: a signal is not kept for later, and in this run nobody ended the wait that came "
        "after it\n"
        "  next: under the mutex, set a variable before the signal, and wait only while it is not "
        "set: while (!set) wait\n"
        "  see it: darn run --noise=random:100/1000 -- /nowhere/queue\n"
        "  suppress: notification:put\n");
}

static void a_signal_for_the_wrong_waiter_is_to_be_a_broadcast(void **state)
{
    const char *text = print(notification(
        NOTIFICATION("predicted", "wrong-waiter", SIGNAL "," WAIT("T2") "," WAIT("T3"))));

    (void)state;
    expect_part(
        text, "queue.c:3:5: warning: possible wrong waiter: a signal of condition variable "
              "'ready' wakes one of several threads that wait for different things [notification, "
              "predicted]\n");
    expect_part(text,
                "  next: use broadcast, or a condition variable for each thing to wait for\n");
}

static void two_mutexes_of_one_condition_are_named(void **state)
{
    struct darn_finding *finding =
        notification(NOTIFICATION("predicted", "two-mutexes", WAIT("T1") "," WAIT("T2")));
    const char *text;

    (void)state;
    finding->accesses[1].mutex.symbol.name = "n";
    text = print(finding);
    expect_part(text, "possible undefined behaviour: condition variable 'ready' is waited for with "
                      "different mutexes [notification, predicted]\n");
    expect_part(text, "thread T1 waits for condition variable 'ready' with mutex 'm', testing");
    expect_part(text, "thread T2 waits for condition variable 'ready' with mutex 'n', testing");
    expect_part(text, "  next: wait for it with one and the same mutex everywhere\n");
}

static void a_wait_for_ever_is_observed(void **state)
{
    const char *text = print(notification(NOTIFICATION("observed", "no-signaller", WAIT("T2"))));

    (void)state;
    expect_part(text, "queue.c:7:9: warning: T2 waits for condition variable 'ready' for ever: no "
                      "thread is left to signal it [notification]\n");
    expect_no_part(text, "why:");
    expect_part(text, "  again: darn run");
    text = print(notification(NOTIFICATION("observed", "no-signaller", WAIT("T2") "," WAIT("T3"))));
    expect_part(text, "warning: T2 and T3 wait for condition variable 'ready' for ever");
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(a_deadlock_says_who_holds_what_and_waits_where),
        cmocka_unit_test(a_predicted_deadlock_is_called_possible),
        cmocka_unit_test(nothing_known_is_still_a_report),
        cmocka_unit_test(threads_are_counted_when_they_are_many),
        cmocka_unit_test(a_thread_can_wait_for_itself),
        cmocka_unit_test(who_waits_for_the_end_of_a_thread_is_said_to),
        cmocka_unit_test(who_waits_for_a_condition_holds_more_than_its_mutex),
        cmocka_unit_test(a_lost_signal_names_the_signal_and_the_wait),
        cmocka_unit_test(a_signal_for_the_wrong_waiter_is_to_be_a_broadcast),
        cmocka_unit_test(two_mutexes_of_one_condition_are_named),
        cmocka_unit_test(a_wait_for_ever_is_observed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
