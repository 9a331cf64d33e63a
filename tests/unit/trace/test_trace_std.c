/* The STD text form: reading, writing, and what is wrong with a line. */
#include "trace_fixture.h"

#include "trace/std_write.h"

static struct darn_trace *open_text(const char *text)
{
    return must_open_memory(text, strlen(text), false);
}

static struct read_back read_text(const char *text, struct darn_trace **trace)
{
    struct read_back back;

    *trace = open_text(text);
    back = read_all(*trace);
    if (back.result)
        fail_msg("%s", darn_trace_error(*trace));
    return back;
}

static void every_operation_is_read(void **state)
{
    static const struct {
        unsigned kind, thread, size;
        const char *name;
    } expected[] = {
        {DARN_EVENT_FORK, 0, 0, "T2"},   {DARN_EVENT_READ, 1, 8, "x"},
        {DARN_EVENT_WRITE, 1, 8, "y"},   {DARN_EVENT_ACQUIRE, 0, 0, "x"},
        {DARN_EVENT_RELEASE, 0, 0, "x"}, {DARN_EVENT_BEGIN, 0, 0, NULL},
        {DARN_EVENT_END, 0, 0, NULL},    {DARN_EVENT_BEGIN, 0, 0, "f"},
        {DARN_EVENT_END, 0, 0, NULL},    {DARN_EVENT_JOIN, 0, 0, "T2"},
    };
    struct darn_trace *trace;
    struct read_back back = read_text("main|fork(T2)|1\n"
                                      "T2|r(x)|2\n"
                                      "T2|w(y)|3\n"
                                      "main|acq(x)|4\n"
                                      "main|rel(x)|5\n"
                                      "main|begin|6\n"
                                      "main|end|6\n"
                                      "main|begin(f)|6\n"
                                      "main|end()|7\n"
                                      "main|join(T2)|8\n",
                                      &trace);

    (void)state;
    assert_int_equal(back.count, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < back.count; i++) {
        const char *name = darn_trace_target_name(trace, &back.events[i]);

        assert_int_equal(back.events[i].kind, expected[i].kind);
        assert_int_equal(back.events[i].thread, expected[i].thread);
        assert_int_equal(back.events[i].size, expected[i].size);
        if (expected[i].name)
            assert_string_equal(name, expected[i].name);
        else
            assert_null(name);
    }
    assert_int_equal(back.events[0].target, 1);
    assert_int_equal(back.events[2].target - back.events[1].target, 8);
    assert_int_not_equal(back.events[3].target, back.events[1].target); /* a lock named as x */
    assert_string_equal(darn_trace_thread_name(trace, 0), "main");
    assert_string_equal(darn_trace_thread_name(trace, 1), "T2");
    assert_null(darn_trace_thread_name(trace, 2));
    assert_int_equal(darn_trace_thread_count(trace), 2);
    assert_true(darn_trace_about(trace).is_text);
    free(back.events);
    darn_trace_close(trace);
}

static void blocks_and_pointers_are_read(void **state)
{
    struct darn_trace *trace;
    struct read_back back = read_text("t|alloc(a[1,2])|1\n"
                                      "t|store(a[1,2], b)|2\n"
                                      "t|give(b)|3\n"
                                      "t|free(a[1,2])|4\n"
                                      "t|w(b)|5\n",
                                      &trace);
    const struct darn_event *e = back.events;

    (void)state;
    assert_int_equal(back.count, 5);
    assert_int_equal(e[0].kind, DARN_EVENT_ALLOC);
    assert_int_equal(e[0].extra, 8);
    assert_string_equal(darn_trace_target_name(trace, &e[0]), "a[1,2]");
    assert_int_equal(e[1].kind, DARN_EVENT_POINTER);
    assert_int_equal(e[1].target, e[0].target);
    assert_int_equal(e[1].extra, e[4].target);
    assert_string_equal(darn_trace_target_name(trace, &e[1]), "a[1,2]");
    assert_string_equal(darn_trace_pointee_name(trace, &e[1]), "b");
    assert_int_equal(e[2].kind, DARN_EVENT_POINTER);
    assert_int_equal(e[2].target, 0);
    assert_null(darn_trace_target_name(trace, &e[2]));
    assert_string_equal(darn_trace_pointee_name(trace, &e[2]), "b");
    assert_int_equal(e[3].kind, DARN_EVENT_FREE);
    assert_int_equal(e[3].target, e[0].target);
    assert_null(darn_trace_pointee_name(trace, &e[4]));
    free(back.events);
    darn_trace_close(trace);
}

static void locations_become_sites(void **state)
{
    struct darn_trace *trace;
    struct read_back back = read_text("T|r(x)|4000000000\nT|w(y)|17\nT|r(x)\nT|r(x)|\nT|w(z)|17\n"
                                      "T|acq(L)|0\n",
                                      &trace);

    (void)state;
    assert_int_equal(back.events[0].site, 1);
    assert_int_equal(back.events[1].site, 2);
    assert_int_equal(back.events[2].site, 0);
    assert_int_equal(back.events[3].site, 0);
    assert_int_equal(back.events[4].site, 2);
    assert_int_equal(back.events[5].site, 3);
    assert_int_equal(darn_trace_site_count(trace), 3);
    assert_true(darn_trace_site(trace, 1)->line == 4000000000);
    assert_true(darn_trace_site(trace, 2)->line == 17);
    assert_string_equal(darn_trace_site(trace, 2)->variable, "y");
    assert_null(darn_trace_site(trace, 4));
    assert_null(darn_trace_site(trace, 0));
    free(back.events);
    darn_trace_close(trace);
}

static void blank_lines_comments_and_foreign_line_ends_are_skipped(void **state)
{
    struct darn_trace *trace;
    struct read_back back =
        read_text("# a trace\r\n\r\n  T1 | acq( L ) | 12 \r\n\t\n#T1|bad\nT1|rel(L)", &trace);

    (void)state;
    assert_int_equal(back.count, 2);
    assert_int_equal(back.events[0].target, back.events[1].target);
    assert_int_equal(darn_trace_site(trace, 1)->line, 12);
    free(back.events);
    darn_trace_close(trace);
}

static void names_may_be_anything(void **state)
{
    struct darn_trace *trace;
    struct read_back back = read_text("T|w(a.b[f(3)])|1\nT|w(map<int, long>::size)|1\n", &trace);

    (void)state;
    assert_string_equal(darn_trace_target_name(trace, &back.events[0]), "a.b[f(3)]");
    assert_string_equal(darn_trace_target_name(trace, &back.events[1]), "map<int, long>::size");
    free(back.events);
    darn_trace_close(trace);
}

/* Traces of other tools begin and end in the middle. */
static void what_makes_no_sense_to_an_engine_is_read_all_the_same(void **state)
{
    struct darn_trace *trace;
    struct read_back back =
        read_text("T1|rel(L)|1\nT1|join(T9)|2\nT1|fork(T1)|3\nT1|end|4\n", &trace);

    (void)state;
    assert_int_equal(back.count, 4);
    free(back.events);
    darn_trace_close(trace);
}

static void a_text_without_events_has_none(void **state)
{
    struct darn_trace *trace;
    struct read_back back = read_text("\n# nothing\n", &trace);

    (void)state;
    assert_int_equal(back.count, 0);
    free(back.events);
    darn_trace_close(trace);
}

static void a_second_reading_is_the_same(void **state)
{
    struct darn_trace *trace;
    struct read_back first = read_text("T1|r(x)|1\nT2|w(y)|2\nT1|r(y)|3\n", &trace), second;

    (void)state;
    darn_trace_rewind(trace);
    second = read_all(trace);
    assert_int_equal(first.count, second.count);
    for (size_t i = 0; i < first.count; i++)
        expect_same_event(&second.events[i], &first.events[i]);
    free(first.events);
    free(second.events);
    darn_trace_close(trace);
}

static void a_malformed_line_is_told(void **state)
{
#define OPERATIONS                                                                                 \
    "is no operation; there are r, w, acq, rel, fork, join, begin, end, alloc, free, destroy, "    \
    "store and give"
#define NO_EVENT "is no event; a line is THREAD|OPERATION|LOCATION, as in T1|acq(L)|12"
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"acq(L)", "'acq(L)' " NO_EVENT},
        {"|acq(L)|1", "'|acq(L)|1' " NO_EVENT},
        {"T1|", "'' " OPERATIONS},
        {"T1|lock(L)|1", "'lock(L)' " OPERATIONS},
        {"T1|R(x)|1", "'R(x)' " OPERATIONS},
        {"T1|acq|1", "'acq' lacks its operand, as in acq(L)"},
        {"T1|acq()|1", "'acq()' lacks its operand, as in acq(L)"},
        {"T1|store(x)|1", "'x' lacks an operand, as in store(V,W)"},
        {"T1|store(x,)|1", "'x,' lacks an operand, as in store(V,W)"},
        {"T1|store(,x)|1", "',x' lacks an operand, as in store(V,W)"},
        {"T1|give()|1", "'give()' lacks its operand, as in acq(L)"},
        {"T1|acq(L|1", "'acq(L' lacks its ')'"},
        {"T1|acq(L)x|1", "'acq(L)x' lacks its ')'"},
        {"T1|acq(L)|-1", "'-1' is no location: a number up to 4294967295 was expected"},
        {"T1|acq(L)|4294967296",
         "'4294967296' is no location: a number up to 4294967295 was expected"},
        {"T1|acq(L)|a.c:12", "'a.c:12' is no location: a number up to 4294967295 was expected"},
        {"T1|acq(L)|1|2",
         "'1|2' is too much; a line is THREAD|OPERATION|LOCATION, as in T1|acq(L)|12"},
        {"T1|acq(\033[1m)\001|1", "'acq(?[1m)?' lacks its ')'"},
        {"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
         "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' " NO_EVENT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[5000], expected[512];
        struct darn_trace *trace;
        struct read_back back;

        /* Far enough behind that it does not pass for a file that is no text. */
        memset(text, '\n', sizeof(text));
        memcpy(text, "T1|r(x)|1\n", 10);
        strcpy(text + 4200, wrong[i].line);
        snprintf(expected, sizeof(expected), "t.trace:4192: %s", wrong[i].message);
        trace = open_text(text);
        back = read_all(trace);
        assert_int_equal(back.result, -1);
        assert_int_equal(back.count, 1);
        assert_string_equal(darn_trace_error(trace), expected);
        free(back.events);
        darn_trace_close(trace);

        trace = must_open_memory(text, strlen(text), true);
        back = read_all(trace);
        assert_int_equal(back.result, 0);
        assert_int_equal(back.count, 1);
        assert_int_equal(darn_trace_about(trace).cut_at, 4200);
        free(back.events);
        darn_trace_close(trace);
    }
}

/* All events of a trace in STD form. The caller frees it. */
static char *exported(struct darn_trace *trace)
{
    char *text;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    struct darn_event event;

    while (darn_trace_next(trace, &event) > 0)
        darn_std_write_event(to, trace, &event);
    fclose(to);
    return text;
}

static void a_text_comes_back_as_it_was(void **state)
{
    const char *text = "main|fork(worker 1)|3\n"
                       "worker 1|acq(m)|40\n"
                       "worker 1|w(count[3])|41\n"
                       "worker 1|begin|0\n"
                       "worker 1|end(f)|0\n"
                       "worker 1|rel(m)|42\n"
                       "worker 1|alloc(node)|43\n"
                       "worker 1|store(head,node)|44\n"
                       "worker 1|give(node)|45\n"
                       "worker 1|free(node)|46\n"
                       "main|r(count[3])|4\n"
                       "main|join(worker 1)|5\n";
    struct darn_trace *trace = open_text(text);
    char *back = exported(trace);

    (void)state;
    assert_string_equal(back, text);
    free(back);
    darn_trace_close(trace);
}

static void a_binary_trace_is_written_as_text(void **state)
{
    static struct image image;
    struct darn_trace *trace, *again;
    struct read_back back;
    char *text;

    (void)state;
    image_sample(&image);
    trace = must_open_memory(image.bytes, image.length, false);
    text = exported(trace);
    assert_string_equal(text, "T0|w(V404010)|1\n"
                              "T0|fork(T1)|0\n"
                              "T0|r(V404010)|1\n"
                              "T1|acq(A404018)|2\n"
                              "T1|w(V404018)|2\n"
                              "T1|rel(A404018)|2\n"
                              "T0|acq(L404040)|1\n"
                              "T0|rel(L404040)|1\n"
                              "T0|join(T1)|0\n");
    again = open_text(text);
    back = read_all(again);
    assert_int_equal(back.result, 0);
    assert_int_equal(back.count, 9);
    free(back.events);
    free(text);
    darn_trace_close(again);
    darn_trace_close(trace);
}

/* Whatever the kind, STD says something that orders as much, or nothing. */
static void every_kind_has_its_form(void **state)
{
    static const struct {
        uint8_t kind;
        uint16_t flags;
        const char *form;
    } forms[] = {
        {DARN_EVENT_READ, 0, "T2|r(V40)|0\n"},
        {DARN_EVENT_READ, DARN_EVENT_ATOMIC, "T2|acq(A40)|0\nT2|r(V40)|0\nT2|rel(A40)|0\n"},
        {DARN_EVENT_UPDATE, DARN_EVENT_ATOMIC,
         "T2|acq(A40)|0\nT2|r(V40)|0\nT2|w(V40)|0\nT2|rel(A40)|0\n"},
        {DARN_EVENT_WRITE, DARN_EVENT_SYNC, "T2|acq(A40)|0\nT2|w(V40)|0\nT2|rel(A40)|0\n"},
        {DARN_EVENT_ACQUIRE, 0, "T2|acq(L40)|0\n"},
        {DARN_EVENT_RELEASE, 0, "T2|rel(L40)|0\n"},
        {DARN_EVENT_REQUEST, 0, ""},
        {DARN_EVENT_FORK, 0, "T2|fork(T64)|0\n"},
        {DARN_EVENT_JOIN, 0, "T2|join(T64)|0\n"},
        {DARN_EVENT_START, 0, ""},
        {DARN_EVENT_EXIT, 0, ""},
        {DARN_EVENT_ARRIVE, 0, "T2|acq(B40)|0\nT2|rel(B40)|0\n"},
        {DARN_EVENT_DEPART, 0, "T2|acq(B40)|0\nT2|rel(B40)|0\n"},
        {DARN_EVENT_WAIT, 0, ""},
        {DARN_EVENT_WAKE, 0, "T2|acq(C40)|0\nT2|rel(C40)|0\n"},
        {DARN_EVENT_WAKE, DARN_EVENT_TIMEOUT, ""},
        {DARN_EVENT_SIGNAL, 0, "T2|acq(C40)|0\nT2|rel(C40)|0\n"},
        {DARN_EVENT_BROADCAST, 0, "T2|acq(C40)|0\nT2|rel(C40)|0\n"},
        {DARN_EVENT_POST, 0, "T2|acq(S40)|0\nT2|rel(S40)|0\n"},
        {DARN_EVENT_TAKE, 0, "T2|acq(S40)|0\nT2|rel(S40)|0\n"},
        {DARN_EVENT_SEND, 0, "T2|acq(M40)|0\nT2|rel(M40)|0\n"},
        {DARN_EVENT_RECEIVE, 0, "T2|acq(M40)|0\nT2|rel(M40)|0\n"},
        {DARN_EVENT_FENCE, 0, ""},
        {DARN_EVENT_ALLOC, 0, ""},
        {DARN_EVENT_FREE, 0, ""},
        {DARN_EVENT_BEGIN, 0, "T2|begin|0\n"},
        {DARN_EVENT_END, 0, "T2|end|0\n"},
        {DARN_EVENT_SPIN, 0, ""},
        {DARN_EVENT_STACK, 0, ""},
        {DARN_EVENT_POINTER, 0, ""},
    };
    static struct image image;
    struct darn_trace *trace;

    (void)state;
    image_sample(&image);
    trace = must_open_memory(image.bytes, image.length, false);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct darn_event event = {
            .kind = forms[i].kind, .flags = forms[i].flags, .thread = 2, .target = 0x40};
        char text[256] = "";
        FILE *to = fmemopen(text, sizeof(text), "w");

        darn_std_write_event(to, trace, &event);
        fclose(to);
        assert_string_equal(text, forms[i].form);
    }
    darn_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_read),
        cmocka_unit_test(blocks_and_pointers_are_read),
        cmocka_unit_test(locations_become_sites),
        cmocka_unit_test(blank_lines_comments_and_foreign_line_ends_are_skipped),
        cmocka_unit_test(names_may_be_anything),
        cmocka_unit_test(what_makes_no_sense_to_an_engine_is_read_all_the_same),
        cmocka_unit_test(a_text_without_events_has_none),
        cmocka_unit_test(a_second_reading_is_the_same),
        cmocka_unit_test(a_malformed_line_is_told),
        cmocka_unit_test(a_text_comes_back_as_it_was),
        cmocka_unit_test(a_binary_trace_is_written_as_text),
        cmocka_unit_test(every_kind_has_its_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
