/* Which places of a text trace share memory, and which were only handed over. */
#include "shared_fixture.h"

/* The locations of a text trace that are shared, in their order: "3 7". */
static const char *shared_of(const char *text)
{
    static char lines[256];
    char error[256] = "";
    struct darn_trace *trace =
        darn_trace_open_memory("text", text, strlen(text), false, error, sizeof(error));
    struct darn_shared *shared = start_shared();
    struct darn_event event;
    size_t length = 0;

    if (!trace)
        fail_msg("%s", error);
    while (darn_trace_next(trace, &event) > 0)
        darn_shared_event(shared, &event);
    lines[0] = '\0';
    for (uint32_t line = 1; line < 100; line++) {
        for (uint32_t id = 1; id <= darn_trace_site_count(trace); id++) {
            if (darn_trace_site(trace, id)->line == line && has(shared, id))
                length += (size_t)snprintf(lines + length, sizeof(lines) - length, "%s%u",
                                           length ? " " : "", line);
        }
    }
    darn_trace_close(trace);
    darn_shared_destroy(shared);
    return lines;
}

#define FORKS                "T0|fork(T1)\nT0|fork(T2)\n"
#define LOCKED(thread, what) thread "|acq(L)\n" thread "|" what "\n" thread "|rel(L)\n"

static void what_is_done_under_one_lock_is_shared(void **state)
{
    (void)state;
    assert_string_equal(shared_of(FORKS LOCKED("T1", "w(x)|1") LOCKED("T2", "r(x)|2")), "1 2");
    /* Also long after the other has ended. */
    assert_string_equal(
        shared_of("T0|fork(T1)\n" LOCKED("T1", "w(x)|1") "T0|join(T1)\n" LOCKED("T0", "r(x)|2")),
        "1 2");
    /* Two locks order them by chance of what comes before, and are not the same. */
    assert_string_equal(shared_of(FORKS "T1|acq(M)\nT1|w(x)|1\nT1|rel(M)\nT1|acq(L)\nT1|rel(L)\n"
                                        "T2|acq(L)\nT2|w(x)|2\nT2|rel(L)\n"),
                        "");
}

static void races_are_shared(void **state)
{
    (void)state;
    assert_string_equal(shared_of(FORKS "T1|w(x)|1\nT2|r(x)|2\n"), "1 2");
    assert_string_equal(shared_of(FORKS LOCKED("T1", "w(x)|1") "T2|w(x)|2\n"), "1 2");
}

static void reads_alone_are_not(void **state)
{
    (void)state;
    assert_string_equal(shared_of("T0|w(x)|9\n" FORKS "T1|r(x)|1\nT2|r(x)|2\n"), "");
    assert_string_equal(
        shared_of("T0|w(x)|9\n" FORKS LOCKED("T1", "r(x)|1") LOCKED("T2", "r(x)|2")), "");
}

static void what_goes_through_a_queue_is_handed_over(void **state)
{
    (void)state;
    assert_string_equal(
        shared_of(FORKS "T1|w(block)|1\n" LOCKED("T1", "w(queue)|2") LOCKED(
            "T2", "r(queue)|3") "T2|r(block)|4\nT2|w(block)|5\n" LOCKED("T2", "w(queue)|2")
                      LOCKED("T1", "r(queue)|3") "T1|w(block)|1\n"),
        "2 3");
}

static void start_and_join_hand_over(void **state)
{
    (void)state;
    assert_string_equal(
        shared_of("T0|w(x)|1\nT0|fork(T1)\nT1|w(x)|2\nT0|join(T1)\nT0|r(x)|3\nT0|w(x)|4\n"), "");
    assert_string_equal(
        shared_of("T0|w(x)|1\nT0|fork(T1)\nT1|w(x)|2\nT0|r(x)|3\nT0|join(T1)\nT0|w(x)|4\n"), "2 3");
}

static void memory_that_was_freed_has_no_past(void **state)
{
    (void)state;
    assert_string_equal(shared_of(FORKS "T1|alloc(x)\n" LOCKED(
                            "T1", "w(x)|1") "T1|free(x)\n"
                                            "T2|alloc(x)\n" LOCKED("T2", "w(x)|2") "T2|free(x)\n"),
                        "");
    /* While it is alive, it is one variable. */
    assert_string_equal(shared_of(FORKS "T1|alloc(x)\n" LOCKED("T1", "w(x)|1")
                                      LOCKED("T2", "w(x)|2") "T2|free(x)\n"),
                        "1 2");
}

/* One place that only reads, one that only writes, and one that is private: each for itself. */
static void a_place_is_not_shared_because_its_neighbours_are(void **state)
{
    (void)state;
    assert_string_equal(shared_of("T0|w(x)|1\nT0|r(x)|2\n" FORKS LOCKED("T1", "w(x)|3")
                                      LOCKED("T2", "r(x)|4") "T1|w(y)|5\nT1|r(y)|6\n"),
                        "3 4");
    /* T1 has it first, then T2; only the accesses in between meet. */
    assert_string_equal(
        shared_of(FORKS "T1|w(x)|1\n" LOCKED("T1", "w(x)|2") LOCKED("T2", "w(x)|3") "T2|w(x)|4\n"),
        "2 3");
}

/* What was handed over and what is shared may be accessed by the same code. */
static void the_second_thread_need_not_be_the_last_one(void **state)
{
    (void)state;
    /* 1 and 2 are of one thread, and the other's accesses with the lock came before both. */
    assert_string_equal(
        shared_of(FORKS LOCKED("T2", "w(x)|3") LOCKED("T1", "w(x)|1") LOCKED("T1", "w(x)|2")),
        "1 2 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_under_one_lock_is_shared),
        cmocka_unit_test(races_are_shared),
        cmocka_unit_test(reads_alone_are_not),
        cmocka_unit_test(what_goes_through_a_queue_is_handed_over),
        cmocka_unit_test(start_and_join_hand_over),
        cmocka_unit_test(memory_that_was_freed_has_no_past),
        cmocka_unit_test(a_place_is_not_shared_because_its_neighbours_are),
        cmocka_unit_test(the_second_thread_need_not_be_the_last_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
