/* RapidBin, the binary form of STD: what is read is what the text form says. */
#include "trace_fixture.h"

#include "trace/std_write.h"

enum { ACQ, REL, READ, WRITE, FORK, JOIN, BEGIN, END, REQUEST };

struct bytes {
    uint8_t at[512];
    size_t length;
};

static void add(struct bytes *bytes, uint64_t value, unsigned count)
{
    for (unsigned i = count; i-- > 0;)
        bytes->at[bytes->length++] = (uint8_t)(value >> 8 * i);
}

static void add_header(struct bytes *bytes, uint64_t threads, uint64_t events)
{
    add(bytes, threads, 2);
    add(bytes, 1, 4);
    add(bytes, 1, 4);
    add(bytes, events, 8);
}

static void add_event(struct bytes *bytes, uint64_t thread, uint64_t operation, uint64_t operand,
                      uint64_t location)
{
    add(bytes, location << 48 | operand << 14 | operation << 10 | thread, 8);
}

static void each_event_is_that_of_a_line(void **state)
{
    struct bytes bytes = {.length = 0};
    char text[512] = "";
    FILE *to = fmemopen(text, sizeof(text), "w");
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    add_header(&bytes, 2, 9);
    add_event(&bytes, 0, FORK, 1023, 42);
    add_event(&bytes, 0, REQUEST, 0, 43);
    add_event(&bytes, 0, ACQ, 0, 44);
    add_event(&bytes, 0, READ, (UINT64_C(1) << 34) - 1, 32767);
    add_event(&bytes, 0, REL, 0, 45);
    add_event(&bytes, 1023, BEGIN, 1, 46);
    add_event(&bytes, 1023, WRITE, 0, 47);
    add_event(&bytes, 1023, END, 1, 48);
    add_event(&bytes, 0, JOIN, 1023, 0);
    trace = must_open_memory(bytes.at, bytes.length, false);
    back = read_all(trace);
    assert_int_equal(back.result, 0);
    for (size_t i = 0; i < back.count; i++)
        darn_std_write_event(to, trace, &back.events[i]);
    fclose(to);
    assert_string_equal(text, "T0|fork(T1023)|42\nT0|acq(L0)|44\nT0|r(V17179869183)|32767\n"
                              "T0|rel(L0)|45\nT1023|begin(B1)|46\nT1023|w(V0)|47\n"
                              "T1023|end(B1)|48\nT0|join(T1023)|0\n");
    assert_true(darn_trace_about(trace).is_text);
    free(back.events);
    darn_trace_rewind(trace);
    back = read_all(trace);
    assert_int_equal(back.count, 8);
    free(back.events);
    darn_trace_close(trace);
}

/* expect_damage: after so many events, whether or not a prefix is wanted. */
static void expect_damage(const struct bytes *bytes, size_t length, size_t events,
                          const char *message)
{
    for (int prefix = 0; prefix < 2; prefix++) {
        struct darn_trace *trace = must_open_memory(bytes->at, length, prefix);
        struct read_back back = read_all(trace);

        assert_int_equal(back.count, events);
        assert_int_equal(back.result, prefix ? 0 : -1);
        assert_string_equal(darn_trace_error(trace), message);
        free(back.events);
        darn_trace_close(trace);
    }
}

static void an_end_that_is_missing_is_told(void **state)
{
    struct bytes bytes = {.length = 0};

    (void)state;
    add_header(&bytes, 1, 3);
    for (uint64_t i = 0; i < 3; i++)
        add_event(&bytes, 0, WRITE, i, 1);
    expect_damage(&bytes, bytes.length - 1, 2,
                  "t.trace:3: the file was cut off: it should have 3 events");
    expect_damage(&bytes, bytes.length - 8, 2,
                  "t.trace:3: the file was cut off: it should have 3 events");
}

static void an_operation_that_is_not_known_is_told(void **state)
{
    struct bytes bytes = {.length = 0};

    (void)state;
    add_header(&bytes, 1, 2);
    add_event(&bytes, 0, WRITE, 1, 1);
    add_event(&bytes, 0, REQUEST + 1, 1, 1);
    expect_damage(&bytes, bytes.length, 1,
                  "t.trace:2: '9' is no operation; there are r, w, acq, rel, fork, join, begin, "
                  "end, alloc, free, destroy, store and give");
}

static void other_bytes_are_no_trace(void **state)
{
    struct bytes none = {.length = 0}, more = {.length = 0}, few = {.length = 0};

    (void)state;
    add_header(&none, 0, 0);
    add_header(&more, 1, 1);
    add_event(&more, 0, WRITE, 1, 1);
    add(&more, 0, 1);
    add(&few, 1, 2);
    for (int i = 0; i < 3; i++) {
        const struct bytes *bytes = i == 0 ? &none : i == 1 ? &more : &few;

        assert_null(darn_trace_open_memory("t.trace", bytes->at, bytes->length, false, error,
                                           sizeof(error)));
        assert_non_null(strstr(error, "t.trace: byte 0: this is no trace"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_is_that_of_a_line),
        cmocka_unit_test(an_end_that_is_missing_is_told),
        cmocka_unit_test(an_operation_that_is_not_known_is_told),
        cmocka_unit_test(other_bytes_are_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
