/* How a run ended, from its status and its output. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "driver/play/verdict.h"

static struct darn_result result;
static struct darn_evidence evidence;
static char text[256];

/* A run that has exited or, with a signal, was killed. */
static void ended(int status, const char *output)
{
    result = (struct darn_result){.end = DARN_END_EXIT, .status = status};
    evidence = (struct darn_evidence){
        .how = DARN_SERVER_RAN,
        .result = &result,
        .output = output,
        .length = strlen(output),
        .timeout_ms = 10000,
    };
}

static int exited(int status)
{
    return status << 8;
}

static void expect(enum darn_verdict_kind kind, const char *words)
{
    assert_string_equal(darn_verdict_word(darn_verdict_of(&evidence)), darn_verdict_word(kind));
    darn_verdict_text(&evidence, kind, text, sizeof(text));
    assert_string_equal(text, words);
}

static void success_is_ok_whatever_it_prints(void **state)
{
    (void)state;
    ended(exited(0), "Assertion `x' failed.\nsegmentation fault\nruntime error: of my own\n");
    expect(DARN_VERDICT_OK, "");
    ended(exited(0), "");
    expect(DARN_VERDICT_OK, "");
}

static void a_status_is_an_exit(void **state)
{
    (void)state;
    ended(exited(3), "");
    expect(DARN_VERDICT_EXIT, "exited with status 3");
}

static void a_signal_is_a_crash_and_names_its_thread(void **state)
{
    (void)state;
    ended(SIGSEGV, "");
    expect(DARN_VERDICT_CRASH, "crashed with SIGSEGV");
    result.signal = SIGSEGV;
    result.signal_thread = 2;
    expect(DARN_VERDICT_CRASH, "crashed with SIGSEGV in T2");
}

static void a_signal_that_was_sent_has_killed_it(void **state)
{
    (void)state;
    ended(SIGKILL, "");
    expect(DARN_VERDICT_CRASH, "killed by SIGKILL");
    ended(SIGTERM, "");
    expect(DARN_VERDICT_CRASH, "killed by SIGTERM");
}

static void an_abort_says_what_was_printed_last(void **state)
{
    (void)state;
    ended(SIGABRT, "");
    expect(DARN_VERDICT_ABORT, "aborted");
    ended(SIGABRT, "hello\nterminate called without an active exception\n\n");
    expect(DARN_VERDICT_ABORT, "aborted: terminate called without an active exception");
    ended(SIGABRT, "\n\n");
    expect(DARN_VERDICT_ABORT, "aborted");
}

static void an_assertion_is_shown_without_the_name_of_the_program(void **state)
{
    (void)state;
    ended(SIGABRT, "start\nprog: prog.c:12: main: Assertion `x == 1' failed.\nend");
    expect(DARN_VERDICT_ASSERTION, "aborted: prog.c:12: main: Assertion `x == 1' failed.");
    ended(SIGABRT, "Assertion failed: x == 1");
    expect(DARN_VERDICT_ASSERTION, "aborted: Assertion failed: x == 1");
}

/* A sanitizer ends the program with a status or by abort, or lets it go on: its report counts. */
static void what_a_sanitizer_reports_comes_before_the_status(void **state)
{
    (void)state;
    ended(exited(1), "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n#0 f\n");
    expect(DARN_VERDICT_SANITIZER, "AddressSanitizer: heap-use-after-free on address 0x60");
    ended(SIGABRT, "==12==ERROR: AddressSanitizer: SEGV");
    expect(DARN_VERDICT_SANITIZER, "AddressSanitizer: SEGV");
    ended(exited(0), "a.c:3:5: runtime error: signed integer overflow: 1 + 2\n");
    expect(DARN_VERDICT_SANITIZER, "a.c:3:5: runtime error: signed integer overflow: 1 + 2");
}

static void deadlocks_and_hangs_do_not_depend_on_the_status(void **state)
{
    (void)state;
    ended(exited(0), "");
    result.end = DARN_END_DEADLOCK;
    expect(DARN_VERDICT_DEADLOCK, "deadlock: no thread can go on");
    result.end = DARN_END_LIVELOCK;
    expect(DARN_VERDICT_HANG, "hangs: a state came again, with every thread given its turn");
}

static void a_run_that_is_cut_off_is_no_failure(void **state)
{
    (void)state;
    ended(exited(0), "");
    result.end = DARN_END_STEPS;
    result.steps = 100;
    expect(DARN_VERDICT_CUT, "cut off after 100 steps");
    evidence.how = DARN_SERVER_TIMEOUT;
    result.end = DARN_END_EXIT;
    expect(DARN_VERDICT_CUT, "cut off after 10 s");
    evidence.timeout_ms = 500;
    expect(DARN_VERDICT_CUT, "cut off after 0.5 s");
    assert_false(darn_verdict_is_failure(DARN_VERDICT_CUT));
}

static void nobody_can_say_how_a_run_ended_that_darn_has_ended(void **state)
{
    static const enum darn_end ends[] = {DARN_END_NONE, DARN_END_DIVERGED, DARN_END_MET,
                                         DARN_END_THREADS};

    (void)state;
    ended(exited(1), "");
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        result.end = ends[i];
        expect(DARN_VERDICT_NONE, "");
    }
    result.end = DARN_END_EXIT;
    evidence.how = DARN_SERVER_STOPPED;
    expect(DARN_VERDICT_NONE, "");
    evidence.how = DARN_SERVER_LOST;
    expect(DARN_VERDICT_NONE, "");
}

static void the_oracle_judges_statuses_but_no_crashes(void **state)
{
    (void)state;
    ended(exited(3), "");
    evidence.asked = true;
    expect(DARN_VERDICT_OK, "");
    evidence.refused = true;
    expect(DARN_VERDICT_ORACLE, "the oracle says no");
    ended(exited(0), "");
    evidence.asked = evidence.refused = true;
    expect(DARN_VERDICT_ORACLE, "the oracle says no");
    ended(SIGSEGV, "");
    evidence.asked = true;
    expect(DARN_VERDICT_CRASH, "crashed with SIGSEGV");
}

static void other_output_is_a_failure_only_of_a_success(void **state)
{
    (void)state;
    ended(exited(0), "");
    evidence.differs = true;
    expect(DARN_VERDICT_OUTPUT, "printed something else");
    ended(exited(1), "");
    evidence.differs = true;
    expect(DARN_VERDICT_EXIT, "exited with status 1");
}

static void words_lead_back_to_their_kinds(void **state)
{
    (void)state;
    for (int i = 0; i < DARN_VERDICTS; i++)
        assert_int_equal(darn_verdict_named(darn_verdict_word(i)), i);
    assert_int_equal(darn_verdict_named("frob"), DARN_VERDICT_NONE);
    assert_false(darn_verdict_is_failure(DARN_VERDICT_NONE));
    assert_false(darn_verdict_is_failure(DARN_VERDICT_OK));
    for (int i = DARN_VERDICT_CRASH; i < DARN_VERDICTS; i++)
        assert_true(darn_verdict_is_failure(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_ok_whatever_it_prints),
        cmocka_unit_test(a_status_is_an_exit),
        cmocka_unit_test(a_signal_is_a_crash_and_names_its_thread),
        cmocka_unit_test(a_signal_that_was_sent_has_killed_it),
        cmocka_unit_test(an_abort_says_what_was_printed_last),
        cmocka_unit_test(an_assertion_is_shown_without_the_name_of_the_program),
        cmocka_unit_test(what_a_sanitizer_reports_comes_before_the_status),
        cmocka_unit_test(deadlocks_and_hangs_do_not_depend_on_the_status),
        cmocka_unit_test(a_run_that_is_cut_off_is_no_failure),
        cmocka_unit_test(nobody_can_say_how_a_run_ended_that_darn_has_ended),
        cmocka_unit_test(the_oracle_judges_statuses_but_no_crashes),
        cmocka_unit_test(other_output_is_a_failure_only_of_a_success),
        cmocka_unit_test(words_lead_back_to_their_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
