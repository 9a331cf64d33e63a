/* Pairs of accesses that follow each other, over STD traces: what counts as a pair, what interrupts
 * it (AtomRace, table 1), which variables count at all, and several traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/atomicity/invariants.h"
#include "site/site_section.h"
#include "trace/trace.h"

/* From this location on, a write stands for a read, too. */
#define COVERS 100
/* And these are never in a pair. */
#define NEVER  200

static uint32_t place_of(void *context, uint32_t site)
{
    uint32_t line = darn_trace_site(context, site)->line;

    return line < NEVER ? line : 0;
}

static bool covers(void *context, uint32_t site)
{
    return darn_trace_site(context, site)->line >= COVERS;
}

static void learn(struct darn_invariants *invariants, const char *text)
{
    char error[256] = "";
    struct darn_trace *trace =
        darn_trace_open_memory("test", text, strlen(text), false, error, sizeof(error));
    struct darn_invariants_sites sites = {place_of, covers, trace};
    struct darn_event event;

    if (!trace)
        fail_msg("%s", error);
    darn_invariants_begin(invariants, &sites);
    while (darn_trace_next(trace, &event) > 0)
        darn_invariants_event(invariants, &event);
    darn_trace_close(trace);
}

/* "1-2 3/1 ; …": entry, end, how often seen and violated; `!` if it holds. */
static const char *said(const struct darn_invariants *invariants)
{
    static char text[1024];
    const struct darn_invariant *all;
    size_t count, length = 0;

    all = darn_invariants_all(invariants, &count);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%u-%u %u/%u%s", i ? "; " : "",
                             all[i].entry, all[i].end, (unsigned)all[i].seen,
                             (unsigned)all[i].violated, darn_invariant_holds(&all[i]) ? "!" : "");
    return text;
}

static const char *said_of(const char *text)
{
    static char kept[1024];
    struct darn_invariants *invariants = darn_invariants_create();

    assert_non_null(invariants);
    learn(invariants, text);
    snprintf(kept, sizeof(kept), "%s", said(invariants));
    darn_invariants_destroy(invariants);
    return kept;
}

static void two_accesses_that_nobody_interrupts_hold(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T1|w(x)|2\n"
                                "T2|r(x)|1\n"
                                "T2|w(x)|2\n"),
                        "1-2 2/0!");
}

/* Table 1, the cases that are not serializable, and those that are. */
static void each_row_of_table_1_is_violated_by_what_it_does_not_allow(void **state)
{
    static const struct {
        const char *entry, *between, *end;
        int violated;
    } rows[] = {
        {"r", "r", "r", 0}, {"r", "w", "r", 1}, {"r", "r", "w", 0}, {"r", "w", "w", 1},
        {"w", "r", "r", 0}, {"w", "w", "r", 1}, {"w", "r", "w", 1}, {"w", "w", "w", 0},
    };
    char text[128], expected[64];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* Somebody has written it in any case. */
        snprintf(text, sizeof(text), "T0|w(x)|9\nT1|%s(x)|1\nT2|%s(x)|3\nT1|%s(x)|2\n",
                 rows[i].entry, rows[i].between, rows[i].end);
        snprintf(expected, sizeof(expected), "1-2 1/%d%s", rows[i].violated,
                 rows[i].violated ? "" : "!");
        assert_string_equal(said_of(text), expected);
    }
}

static void what_the_thread_itself_does_interrupts_nothing(void **state)
{
    (void)state;
    assert_string_equal(said_of("T2|w(x)|9\n"
                                "T1|r(x)|1\n"
                                "T1|w(x)|2\n"
                                "T1|w(x)|3\n"),
                        "1-2 1/0!; 2-3 1/0!");
}

/* The last access of all to the variable is one's own; that of the others must be remembered. */
static void an_interruption_is_seen_behind_accesses_of_ones_own(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T2|w(x)|5\n"
                                "T3|r(x)|6\n"
                                "T3|w(x)|7\n"
                                "T1|w(x)|2\n"
                                "T3|w(x)|8\n"),
                        "6-7 1/0!; 1-2 1/1; 7-8 1/0!");
}

static void variables_are_told_apart(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T2|w(y)|5\n"
                                "T1|r(y)|3\n"
                                "T1|w(x)|2\n"
                                "T2|r(x)|6\n"),
                        "1-2 1/0!");
}

static void what_only_one_thread_touches_does_not_hold(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T1|w(x)|2\n"
                                "T2|r(y)|3\n"),
                        "1-2 1/0");
}

static void what_nobody_writes_does_not_hold(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T1|r(x)|2\n"
                                "T2|r(x)|1\n"
                                "T2|r(x)|2\n"),
                        "1-2 2/0");
}

/* Whether a variable is shared shows late: the pairs before that count as well. */
static void a_pair_counts_although_the_second_thread_comes_later(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T1|r(x)|2\n"
                                "T2|r(x)|3\n"
                                "T1|r(x)|4\n"
                                "T2|w(x)|5\n"),
                        "1-2 1/0!; 2-4 1/0!; 3-5 1/0!");
}

static void accesses_that_are_never_in_a_pair_still_interrupt(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|r(x)|1\n"
                                "T2|w(x)|200\n"
                                "T2|w(x)|3\n"
                                "T1|r(x)|2\n"),
                        "1-2 1/1");
}

/* A write that covers a read ends like a read: after a write, a write of another thread hurts, and
 * a read of another thread does not. It interrupts by both. */
static void a_write_that_covers_a_read_reads_first(void **state)
{
    (void)state;
    assert_string_equal(said_of("T1|w(x)|1\nT2|w(x)|3\nT1|w(x)|100\n"), "1-100 1/1");
    assert_string_equal(said_of("T1|w(x)|1\nT2|r(x)|3\nT1|w(x)|100\n"), "1-100 1/0!");
    assert_string_equal(said_of("T1|w(x)|1\nT2|w(x)|100\nT1|w(x)|2\n"), "1-2 1/1");
}

static void counts_of_several_traces_are_added_and_nothing_else_is_kept(void **state)
{
    struct darn_invariants *invariants = darn_invariants_create();

    (void)state;
    learn(invariants, "T1|r(x)|1\nT1|w(x)|2\nT2|r(x)|5\nT2|w(x)|6\n");
    assert_string_equal(said(invariants), "1-2 1/0!; 5-6 1/0!");
    learn(invariants, "T1|r(x)|1\nT2|w(x)|6\nT1|w(x)|2\n");
    assert_string_equal(said(invariants), "1-2 2/1; 5-6 1/0!");
    learn(invariants, "T1|r(x)|1\nT1|w(x)|2\n");
    assert_string_equal(said(invariants), "1-2 3/1; 5-6 1/0!");
    darn_invariants_destroy(invariants);
}

static uint32_t same(void *context, uint32_t site)
{
    (void)context;
    return site;
}

#define ACCESS(who, what, where, bytes, line)                                                      \
    {                                                                                              \
        .thread = (who), .kind = DARN_EVENT_##what, .target = (where), .size = (bytes),            \
        .site = (line)                                                                             \
    }

static const char *said_of_events(const struct darn_event *events, size_t count)
{
    static char kept[1024];
    const struct darn_invariants_sites sites = {.place_of = same};
    struct darn_invariants *invariants = darn_invariants_create();

    assert_non_null(invariants);
    darn_invariants_begin(invariants, &sites);
    for (size_t i = 0; i < count; i++)
        darn_invariants_event(invariants, &events[i]);
    snprintf(kept, sizeof(kept), "%s", said(invariants));
    darn_invariants_destroy(invariants);
    return kept;
}

#define SAID(events) said_of_events(events, sizeof(events) / sizeof((events)[0]))

static void freed_memory_is_another_variable(void **state)
{
    static const struct darn_event events[] = {
        ACCESS(1, WRITE, 0x1000, 8, 1),
        ACCESS(2, WRITE, 0x1000, 8, 1),
        {.thread = 1, .kind = DARN_EVENT_FREE, .target = 0x1000, .extra = 16},
        ACCESS(1, WRITE, 0x1000, 8, 2),
        ACCESS(2, WRITE, 0x1000, 8, 2),
        {.thread = 1, .kind = DARN_EVENT_ALLOC, .target = 0xff0, .extra = 0x20},
        ACCESS(1, WRITE, 0x1000, 8, 3),
    };

    (void)state;
    assert_string_equal(SAID(events), "");
}

/* The second half of an atomic update is no access. */
static void an_atomic_update_is_one_access(void **state)
{
    static const struct darn_event events[] = {
        ACCESS(1, READ, 0x1000, 8, 1),
        ACCESS(1, UPDATE, 0x1000, 8, 2),
        {.thread = 1,
         .kind = DARN_EVENT_READ,
         .flags = DARN_EVENT_HALF,
         .target = 0x1000,
         .size = 8,
         .site = 2},
        ACCESS(2, UPDATE, 0x1000, 8, 2),
        ACCESS(1, WRITE, 0x1000, 8, 3),
    };

    (void)state;
    assert_string_equal(SAID(events), "1-2 1/0!; 2-3 1/1");
}

/* A part that another thread writes interrupts the whole, and a long access counts once. */
static void accesses_that_overlap_are_seen_byte_by_byte(void **state)
{
    static const struct darn_event events[] = {
        ACCESS(1, READ, 0x1000, 64, 1),  ACCESS(2, WRITE, 0x1012, 1, 9),
        ACCESS(1, WRITE, 0x1000, 64, 2), ACCESS(2, READ, 0x1030, 4, 8),
        ACCESS(1, READ, 0x1010, 2, 3),
    };

    (void)state;
    assert_string_equal(SAID(events), "1-2 1/1; 2-3 1/0");
}

/* Thread numbers are never used again: of thousands, only those that live are kept, and the answers
 * are the same. */
static void thousands_of_threads_that_end_cost_nothing(void **state)
{
    static struct darn_event events[40000];
    size_t count = 0;

    (void)state;
    for (uint32_t thread = 1; thread <= 10000; thread++) {
        events[count++] = (struct darn_event)ACCESS(thread, READ, 0x1000, 8, 1);
        events[count++] = (struct darn_event)ACCESS(thread, WRITE, 0x1000, 8, 2);
        events[count++] = (struct darn_event){.thread = thread, .kind = DARN_EVENT_EXIT};
    }
    assert_string_equal(said_of_events(events, count), "1-2 10000/0!");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_accesses_that_nobody_interrupts_hold),
        cmocka_unit_test(each_row_of_table_1_is_violated_by_what_it_does_not_allow),
        cmocka_unit_test(what_the_thread_itself_does_interrupts_nothing),
        cmocka_unit_test(an_interruption_is_seen_behind_accesses_of_ones_own),
        cmocka_unit_test(variables_are_told_apart),
        cmocka_unit_test(what_only_one_thread_touches_does_not_hold),
        cmocka_unit_test(what_nobody_writes_does_not_hold),
        cmocka_unit_test(a_pair_counts_although_the_second_thread_comes_later),
        cmocka_unit_test(accesses_that_are_never_in_a_pair_still_interrupt),
        cmocka_unit_test(a_write_that_covers_a_read_reads_first),
        cmocka_unit_test(counts_of_several_traces_are_added_and_nothing_else_is_kept),
        cmocka_unit_test(freed_memory_is_another_variable),
        cmocka_unit_test(an_atomic_update_is_one_access),
        cmocka_unit_test(accesses_that_overlap_are_seen_byte_by_byte),
        cmocka_unit_test(thousands_of_threads_that_end_cost_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
