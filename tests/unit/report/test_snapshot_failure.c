/* How a controlled run ended badly, as a finding: who waits for whom, and where it failed. */
#include "snapshot_fixture.h"

#include <signal.h>

static struct darn_block_thread *blocked(struct darn_snapshot *snapshot, uint32_t number,
                                         enum darn_step_op op, uint64_t object,
                                         const char *function, const char *mark)
{
    uint64_t place = call_at(function, mark);
    struct darn_block_thread *thread =
        add_thread(snapshot, number, DARN_STATE_BLOCKED, op, object, place);

    push(thread, place);
    return thread;
}

static struct darn_finding *failure(struct darn_snapshot *snapshot, const char *outcome)
{
    struct darn_finding *finding = darn_snapshot_failure(snapshot, outcome);

    assert_string_equal(finding->certainty, "confirmed");
    assert_int_equal(finding->outcome_count, 1);
    assert_string_equal(finding->outcomes[0], outcome);
    assert_non_null(finding->id);
    return finding;
}

static struct darn_finding *standstill(struct darn_snapshot *snapshot)
{
    block_of(snapshot)->result.end = DARN_END_DEADLOCK;
    return failure(snapshot, "deadlock");
}

/* Prints the finding and frees it. */
static void expect_text(struct darn_finding *finding, const char *const *parts)
{
    char *text = print_finding("text", finding, NULL);

    for (; *parts; parts++)
        expect_part(text, *parts);
    free(text);
    darn_finding_free(finding);
}

#define EXPECT(finding, ...) expect_text(finding, (const char *const[]){__VA_ARGS__, NULL})

/* T1 holds a and wants b, T2 the other way round; T0 waits for the end of T1. */
static void two_in_a_circle(struct darn_snapshot *snapshot)
{
    struct darn_block_thread *thread = blocked(snapshot, 0, DARN_STEP_JOIN, 0x7000, "main", "join");

    thread->owner = 1 + 1;
    thread = blocked(snapshot, 1, DARN_STEP_LOCK, address_of("b"), "one", "one-second");
    thread->owner = 2 + 1;
    hold(thread, address_of("a"), call_at("one", "one-first"));
    thread = blocked(snapshot, 2, DARN_STEP_LOCK, address_of("a"), "other", "other-second");
    thread->owner = 1 + 1;
    hold(thread, address_of("b"), call_at("other", "other-first"));
}

static void a_circle_of_locks_is_a_deadlock(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding;

    (void)state;
    two_in_a_circle(&snapshot);
    finding = standstill(&snapshot);
    assert_string_equal(finding->kind, "deadlock");
    assert_string_equal(finding->engine, "scheduler");
    assert_int_equal(finding->access_count, 2);
    assert_int_equal(finding->accesses[0].op, DARN_OP_ACQUIRE);
    assert_int_equal(finding->accesses[0].line, line_of("one-second"));
    assert_int_equal(finding->accesses[1].line, line_of("other-second"));
    assert_string_equal(finding->variable, "a, b");
    EXPECT(finding, "shop.c:29:5: warning: deadlock between T1 and T2 [deadlock, confirmed]\n",
           "thread T1 holds mutex 'a' (taken at shop.c:28:5 in one) and waits for mutex 'b'\n",
           "thread T2 holds mutex 'b' (taken at shop.c:37:5 in other) and waits for mutex 'a'\n",
           "  proof: it happened in a controlled run\n");
    free_snapshot(&snapshot);
}

/* Which threads they were, and in which order they are listed, is chance. */
static void the_same_circle_has_the_same_id(void **state)
{
    struct darn_snapshot snapshot = new_snapshot(), again = new_snapshot();
    struct darn_finding *one, *other;
    struct darn_result *result = &block_of(&again)->result;
    struct darn_block_thread swap;

    (void)state;
    two_in_a_circle(&snapshot);
    two_in_a_circle(&again);
    swap = result->threads[1];
    result->threads[1] = result->threads[2];
    result->threads[2] = swap;
    for (int i = 0; i < 3; i++) {
        result->threads[i].thread += 5;
        result->threads[i].owner += 5;
    }
    one = standstill(&snapshot);
    other = standstill(&again);
    assert_string_equal(one->id, other->id);
    darn_finding_free(one);
    darn_finding_free(other);
    free_snapshot(&snapshot);
    free_snapshot(&again);
}

static void a_lock_that_is_taken_twice_is_a_circle_of_one(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_thread *thread =
        blocked(&snapshot, 1, DARN_STEP_LOCK, address_of("a"), "one", "one-second");

    (void)state;
    thread->owner = 1 + 1;
    hold(thread, address_of("a"), call_at("one", "one-first"));
    EXPECT(standstill(&snapshot),
           "warning: deadlock: T1 waits for mutex 'a', which it holds itself [deadlock, confirmed]",
           "  next: give it back first");
    free_snapshot(&snapshot);
}

static void who_waits_for_a_thread_that_needs_its_lock_is_in_the_circle(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_thread *thread = blocked(&snapshot, 0, DARN_STEP_JOIN, 0, "main", "join");
    struct darn_finding *finding;

    (void)state;
    thread->owner = 1 + 1;
    hold(thread, address_of("a"), 0);
    blocked(&snapshot, 1, DARN_STEP_LOCK, address_of("a"), "one", "one-first")->owner = 0 + 1;
    finding = standstill(&snapshot);
    assert_string_equal(finding->kind, "deadlock");
    assert_int_equal(finding->access_count, 2);
    assert_int_equal(finding->accesses[0].op, DARN_OP_JOIN);
    assert_string_equal(finding->accesses[0].awaited, "T1");
    EXPECT(finding, "waits for the end of thread T1");
    free_snapshot(&snapshot);
}

/* A lock that readers hold has no owner: who has it is seen by what the threads hold. */
static void readers_that_are_waited_for_are_found(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding;

    (void)state;
    add_step(&snapshot, 1, DARN_STEP_READLOCK, address_of("a"), 0);
    hold(blocked(&snapshot, 1, DARN_STEP_WRITELOCK, address_of("b"), "one", "one-second"),
         address_of("a"), 0);
    hold(blocked(&snapshot, 2, DARN_STEP_WRITELOCK, address_of("a"), "other", "other-second"),
         address_of("b"), 0);
    finding = standstill(&snapshot);
    assert_int_equal(finding->access_count, 2);
    assert_string_equal(finding->accesses[0].locks[0].kind, "read");
    assert_string_equal(finding->accesses[0].target.kind, "write");
    EXPECT(finding, "thread T1 holds read lock 'a' and waits for write lock 'b'");
    free_snapshot(&snapshot);
}

/* When nobody can go on, who seems to be ready is not: a writer that readers keep waiting. */
static void at_a_standstill_nobody_is_ready(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_thread *thread =
        blocked(&snapshot, 1, DARN_STEP_WRITELOCK, address_of("a"), "one", "one-first");
    struct darn_finding *finding;

    (void)state;
    thread->state = DARN_STATE_READY;
    hold(thread, address_of("a"), 0);
    finding = standstill(&snapshot);
    assert_string_equal(finding->kind, "deadlock");
    EXPECT(finding, "T1 waits for write lock 'a', which it holds itself");
    free_snapshot(&snapshot);
}

static void the_shortest_circle_is_told(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding;

    (void)state;
    /* T0 -> T1 -> T2 -> T0, and T2 -> T3 -> T2 by a lock that both readers hold. */
    blocked(&snapshot, 0, DARN_STEP_LOCK, HEAP, "one", "one-first")->owner = 1 + 1;
    blocked(&snapshot, 1, DARN_STEP_LOCK, HEAP + 64, "one", "one-first")->owner = 2 + 1;
    blocked(&snapshot, 2, DARN_STEP_WRITELOCK, HEAP + 128, "one", "one-first")->owner = 0 + 1;
    blocked(&snapshot, 3, DARN_STEP_LOCK, HEAP + 192, "one", "one-first")->owner = 2 + 1;
    hold(&block_of(&snapshot)->result.threads[3], HEAP + 128, 0);
    finding = standstill(&snapshot);
    assert_int_equal(finding->access_count, 2);
    assert_string_equal(finding->accesses[0].thread, "T2");
    assert_string_equal(finding->accesses[1].thread, "T3");
    darn_finding_free(finding);
    free_snapshot(&snapshot);
}

static void a_wait_that_nobody_ends_is_a_notification(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding;

    (void)state;
    blocked(&snapshot, 0, DARN_STEP_JOIN, 0, "main", "join")->owner = 1 + 1;
    blocked(&snapshot, 1, DARN_STEP_WAIT, address_of("ready"), "waiter", "wait")->mutex =
        address_of("a");
    finding = standstill(&snapshot);
    assert_string_equal(finding->kind, "notification");
    assert_string_equal(finding->reason, "no-signaller");
    assert_string_equal(finding->variable, "ready");
    assert_int_equal(finding->access_count, 1);
    EXPECT(finding,
           "warning: T1 waits for condition variable 'ready' for ever: no thread is left to "
           "signal it [notification, confirmed]",
           "thread T1 waits for condition variable 'ready' with mutex 'a'\n");
    free_snapshot(&snapshot);
}

static void semaphores_barriers_and_spins_are_waited_for_too(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_thread *thread =
        blocked(&snapshot, 1, DARN_STEP_TAKE, address_of("ready"), "waiter", "wait");

    (void)state;
    EXPECT(standstill(&snapshot),
           "T1 waits for semaphore 'ready' for ever: no thread is left to post it",
           "  next: post it as often");
    thread->op = DARN_STEP_BARRIER;
    EXPECT(standstill(&snapshot),
           "T1 waits for barrier 'ready' for ever: no thread is left to come to it");
    thread->op = DARN_STEP_SPIN;
    thread->object = address_of("done");
    thread->place = site_at("spin", DARN_SITE_READ);
    thread->depth = 0;
    EXPECT(standstill(&snapshot),
           "T1 waits for variable 'done' for ever: no thread is left to change it");
    free_snapshot(&snapshot);
}

/* A wait gives back its own mutex only. */
static void a_wait_that_holds_what_the_signaller_needs_is_a_deadlock(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_block_thread *waiter =
        blocked(&snapshot, 1, DARN_STEP_WAIT, address_of("ready"), "waiter", "wait");
    struct darn_finding *finding;

    (void)state;
    waiter->mutex = address_of("a");
    hold(waiter, address_of("b"), call_at("other", "other-first"));
    blocked(&snapshot, 2, DARN_STEP_LOCK, address_of("b"), "other", "other-first")->owner = 1 + 1;
    finding = standstill(&snapshot);
    assert_string_equal(finding->kind, "deadlock");
    assert_int_equal(finding->access_count, 2);
    EXPECT(finding, "deadlock between T1 and T2", "do not wait while holding a lock");
    free_snapshot(&snapshot);
}

static void a_lock_whose_owner_has_ended_is_waited_for_for_ever(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding;

    (void)state;
    blocked(&snapshot, 0, DARN_STEP_JOIN, 0, "main", "join")->owner = 2 + 1;
    blocked(&snapshot, 2, DARN_STEP_LOCK, address_of("a"), "other", "other-second")->owner = 1 + 1;
    finding = standstill(&snapshot);
    assert_int_equal(finding->access_count, 1);
    EXPECT(finding, "deadlock: T2 waits for mutex 'a' for ever");
    free_snapshot(&snapshot);
}

static struct darn_result *struck(struct darn_snapshot *snapshot, uint32_t thread, int number)
{
    struct darn_result *result = &block_of(snapshot)->result;

    result->end = DARN_END_EXIT;
    result->status = number;
    result->signal = (uint32_t)number;
    result->signal_thread = thread;
    return result;
}

/* The instruction itself is looked up, not the one before it. */
static void a_crash_is_where_the_signal_struck(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_result *result = struck(&snapshot, 1, SIGSEGV);
    struct darn_finding *finding;
    uint64_t crash = call_at("waiter", "crash") - 1, first = crash;
    struct darn_frame frames[DARN_SYMBOLIZE_DEPTH];
    struct darn_text_pool pool = {0};

    (void)state;
    /* The first byte of the line: the byte before it is that of another. */
    do {
        crash = first--;
        darn_symbolize_code(&shop.modules, &pool, shop.program, first - BASE, frames);
    } while (frames[0].line == line_of("crash"));
    darn_pool_release(&pool);
    result->signal_pc = crash;
    /* The runtime has it on the stack as if it were a return address. */
    push(add_thread(&snapshot, 1, DARN_STATE_RUNNING, DARN_STEP_LOCK, 0, 0), crash + 1);
    finding = failure(&snapshot, "crash");
    assert_int_equal(finding->accesses[0].stack.count, 1);
    assert_string_equal(finding->kind, "failure");
    assert_string_equal(finding->reason, "crash");
    assert_string_equal(finding->detail, "SIGSEGV");
    assert_int_equal(finding->accesses[0].op, DARN_OP_STOP);
    assert_int_equal(finding->accesses[0].line, line_of("crash"));
    EXPECT(finding, "warning: T1 crashes with SIGSEGV [failure, confirmed]",
           "thread T1 was here when the run ended, holding no lock\n", "#0 waiter  shop.c:");
    free_snapshot(&snapshot);
}

static void an_abort_is_shown_where_the_program_called_it(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_control_block *block = block_of(&snapshot);
    struct darn_block_thread *thread =
        add_thread(&snapshot, 2, DARN_STATE_RUNNING, DARN_STEP_NONE, 0, 0);
    struct darn_finding *finding;

    (void)state;
    block->modules[1] = (struct darn_block_module){0x7000000, 0x1000, "/nowhere/libc.so.6"};
    block->module_count = 2;
    struck(&snapshot, 2, SIGABRT)->signal_pc = 0x7000100;
    push(thread, 0x7000100);
    push(thread, 0x7000200);
    push(thread, call_at("one", "one-second"));
    finding = failure(&snapshot, "assertion");
    assert_int_equal(finding->accesses[0].line, line_of("one-second"));
    EXPECT(finding, "shop.c:29:5: warning: T2 fails an assertion [failure, confirmed]",
           "  suppress: failure:one\n");
    free_snapshot(&snapshot);
}

/* The C library keeps no frame pointers: a stack may end in there. */
static void an_abort_without_a_stack_is_after_the_last_step(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_control_block *block = block_of(&snapshot);
    struct darn_finding *one, *other;

    (void)state;
    block->modules[1] = (struct darn_block_module){0x7000000, 0x1000, "/nowhere/libc.so.6"};
    block->module_count = 2;
    add_step(&snapshot, 1, DARN_STEP_LOCK, address_of("a"), call_at("one", "one-first"));
    add_step(&snapshot, 2, DARN_STEP_LOCK, address_of("b"), call_at("other", "other-first"));
    struck(&snapshot, 1, SIGABRT)->signal_pc = 0x7000100;
    one = failure(&snapshot, "abort");
    assert_true(one->accesses[0].last_seen);
    assert_int_equal(one->accesses[0].line, line_of("one-first"));
    block->result.signal_thread = 2;
    other = failure(&snapshot, "abort");
    assert_string_not_equal(one->id, other->id);
    EXPECT(one, "shop.c:28:5: warning: T1 aborts [failure, confirmed]",
           "thread T1 was last seen here, holding no lock\n");
    darn_finding_free(other);
    free_snapshot(&snapshot);
}

static void the_id_of_a_failure_is_its_place_and_its_outcome(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_result *result = struck(&snapshot, 1, SIGSEGV);
    struct darn_finding *findings[4];

    (void)state;
    result->signal_pc = call_at("waiter", "crash") - 1;
    findings[0] = failure(&snapshot, "crash");
    result->signal_thread = 9;
    findings[1] = failure(&snapshot, "crash");
    findings[2] = failure(&snapshot, "sanitizer");
    result->signal_pc = call_at("one", "one-first");
    findings[3] = failure(&snapshot, "crash");
    assert_string_equal(findings[0]->id, findings[1]->id);
    assert_string_not_equal(findings[0]->id, findings[2]->id);
    assert_string_not_equal(findings[0]->id, findings[3]->id);
    for (int i = 0; i < 4; i++)
        darn_finding_free(findings[i]);
    free_snapshot(&snapshot);
}

static void a_bad_exit_needs_no_place(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_result *result = &block_of(&snapshot)->result;
    struct darn_finding *finding;
    char *json;

    (void)state;
    result->end = DARN_END_EXIT;
    result->status = 3 << 8;
    finding = failure(&snapshot, "exit");
    json = print_finding("json", finding, NULL);
    expect_part(json, "\"kind\":\"failure\",\"certainty\":\"confirmed\"");
    expect_part(json, "\"outcomes\":[\"exit\"]");
    expect_part(json, "\"detail\":\"status 3\"");
    free(json);
    EXPECT(finding, "warning: the program fails: it exits with status 3 [failure, confirmed]");
    EXPECT(failure(&snapshot, "output"),
           "warning: the program prints something else than in other runs [failure, confirmed]");
    EXPECT(failure(&snapshot, "melted"), "the program ends badly: melted (status 3)");
    free_snapshot(&snapshot);
}

static void a_run_that_does_not_end_shows_all_who_are_alive(void **state)
{
    struct darn_snapshot snapshot = new_snapshot();
    struct darn_finding *finding;

    (void)state;
    block_of(&snapshot)->result.end = DARN_END_LIVELOCK;
    blocked(&snapshot, 0, DARN_STEP_JOIN, 0, "main", "join")->owner = 1 + 1;
    blocked(&snapshot, 1, DARN_STEP_YIELD, 0, "one", "one-first")->state = DARN_STATE_READY;
    blocked(&snapshot, 2, DARN_STEP_CALL, 0, "other", "other-first")->state = DARN_STATE_OUTSIDE;
    blocked(&snapshot, 3, DARN_STEP_EXIT, 0, "waiter", "waiter")->state = DARN_STATE_ENDED;
    finding = failure(&snapshot, "hang");
    assert_int_equal(finding->access_count, 3);
    assert_string_equal(finding->accesses[0].thread, "T2"); /* it is stuck in a call */
    EXPECT(finding, "warning: the program hangs: every thread gets its turn, and the same state comes again",
           "main thread T0 waits for the end of thread T1",
           "thread T1 was here when the run ended");
    free_snapshot(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_of_locks_is_a_deadlock),
        cmocka_unit_test(the_same_circle_has_the_same_id),
        cmocka_unit_test(a_lock_that_is_taken_twice_is_a_circle_of_one),
        cmocka_unit_test(who_waits_for_a_thread_that_needs_its_lock_is_in_the_circle),
        cmocka_unit_test(readers_that_are_waited_for_are_found),
        cmocka_unit_test(at_a_standstill_nobody_is_ready),
        cmocka_unit_test(the_shortest_circle_is_told),
        cmocka_unit_test(a_wait_that_nobody_ends_is_a_notification),
        cmocka_unit_test(semaphores_barriers_and_spins_are_waited_for_too),
        cmocka_unit_test(a_wait_that_holds_what_the_signaller_needs_is_a_deadlock),
        cmocka_unit_test(a_lock_whose_owner_has_ended_is_waited_for_for_ever),
        cmocka_unit_test(a_crash_is_where_the_signal_struck),
        cmocka_unit_test(an_abort_is_shown_where_the_program_called_it),
        cmocka_unit_test(an_abort_without_a_stack_is_after_the_last_step),
        cmocka_unit_test(the_id_of_a_failure_is_its_place_and_its_outcome),
        cmocka_unit_test(a_bad_exit_needs_no_place),
        cmocka_unit_test(a_run_that_does_not_end_shows_all_who_are_alive),
    };

    return cmocka_run_group_tests(tests, snapshot_build, snapshot_remove);
}
