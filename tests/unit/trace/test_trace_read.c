/* Reading binary traces: those of killed programs, with holes, with losses, of many threads. */
#include "trace_fixture.h"

#include "trace_writer.h"

static struct image image;

static void a_thread_goes_on_until_its_next_stamp(void **state)
{
    static const struct {
        uint32_t thread, kind, site;
    } expected[SAMPLE_EVENTS] = {
        {0, DARN_EVENT_START, 0},   {0, DARN_EVENT_WRITE, 1},   {0, DARN_EVENT_FORK, 0},
        {0, DARN_EVENT_READ, 1},    {1, DARN_EVENT_START, 0},   {1, DARN_EVENT_WRITE, 2},
        {0, DARN_EVENT_ACQUIRE, 1}, {0, DARN_EVENT_RELEASE, 1}, {1, DARN_EVENT_ALLOC, 3},
        {1, DARN_EVENT_SPIN, 3},    {1, DARN_EVENT_EXIT, 0},    {0, DARN_EVENT_JOIN, 0},
        {0, DARN_EVENT_EXIT, 0},
    };
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_sample(&image);
    trace = must_open_memory(image.bytes, image.length, false);
    back = read_all(trace);
    assert_int_equal(back.count, SAMPLE_EVENTS);
    for (size_t i = 0; i < SAMPLE_EVENTS; i++) {
        assert_int_equal(back.events[i].thread, expected[i].thread);
        assert_int_equal(back.events[i].kind, expected[i].kind);
        assert_int_equal(back.events[i].site, expected[i].site);
    }
    assert_int_equal(back.events[6].lock, DARN_EVENT_WRLOCK);
    assert_int_equal(back.events[6].stack, 1);
    assert_int_equal(darn_trace_thread_count(trace), 2);
    free(back.events);
    darn_trace_close(trace);
}

static void accesses_of_recognised_spins_are_marked_and_no_others(void **state)
{
    const struct darn_trace_sync *syncs;
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_sample(&image);
    trace = must_open_memory(image.bytes, image.length, false);
    assert_int_equal(darn_trace_syncs(trace, &syncs), 1);
    assert_true(syncs[0].reader == 3 && syncs[0].writer == 2);
    back = read_all(trace);
    for (size_t i = 0; i < back.count; i++) {
        bool is_sync = darn_event_is_access(&back.events[i]) && back.events[i].site == 2;

        assert_int_equal(!!(back.events[i].flags & DARN_EVENT_SYNC), is_sync);
    }
    free(back.events);
    darn_trace_close(trace);
}

/* The owner of a site or stack that is not in the tables is not known; it is no damage: the program
 * may have been killed before it wrote them. */
static void a_place_that_is_not_in_the_tables_is_unknown(void **state)
{
    static struct payload payload;
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_start(&image, 0);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_READ, .target = 64, .size = 4}, 7,
              1);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_READ, .target = 64, .size = 4}, 2,
              0);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_SPIN, .extra = 9}, 2, 2);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 0, &payload, 0);
    put_numbers(&payload, DARN_RECORD_WHERE, 2, 5, 6);
    put_numbers(&payload, DARN_RECORD_SYNC, 1, 5, 6);
    image_block(&image, DARN_BLOCK_TABLE, 0, 0, &payload, 0);
    trace = must_open_memory(image.bytes, image.length, false);
    back = read_all(trace);
    assert_int_equal(back.count, 3);
    for (size_t i = 0; i < back.count; i++) {
        assert_int_equal(back.events[i].site, 0);
        assert_int_equal(back.events[i].stack, 0);
        assert_int_equal(back.events[i].flags, 0);
        assert_int_equal(back.events[i].extra, 0);
    }
    free(back.events);
    darn_trace_close(trace);
}

static void a_killed_program_leaves_a_trace(void **state)
{
    static struct payload payload, rest;
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_start(&image, 0);
    put_sample_main(&payload, &rest);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 0, &payload,
                DARN_TRACE_PAGE - sizeof(struct darn_block_header) - (uint32_t)payload.used);
    image_hole(&image); /* reserved */
    put_sample_teller(&payload);
    image_block(&image, DARN_BLOCK_EVENTS, 1, 0, &payload,
                DARN_TRACE_PAGE - sizeof(struct darn_block_header) - (uint32_t)payload.used);
    for (int i = 0; i < 5; i++)
        image_hole(&image);
    rest.used = 0;
    trace = must_open_memory(image.bytes, image.length, false);
    assert_false(darn_trace_about(trace).finished);
    assert_int_equal(darn_trace_about(trace).cut_at, 0);
    back = read_all(trace);
    assert_int_equal(back.result, 0);
    assert_int_equal(back.count, 9);
    free(back.events);
    darn_trace_close(trace);
}

/* Files of killed programs are as long as they may become, and mostly a hole. */
static void a_file_with_holes_is_read(void **state)
{
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_sample(&image);
    write_bytes(path_of("b"), image.bytes, image.length);
    assert_int_equal(truncate(path_of("b"), (off_t)8 << 30), 0);
    trace = must_open(path_of("b"));
    assert_true(darn_trace_about(trace).bytes < 1 << 20);
    back = read_all(trace);
    assert_int_equal(back.count, SAMPLE_EVENTS);
    free(back.events);
    darn_trace_close(trace);
}

static void events_before_the_first_stamp_of_a_thread_come_first(void **state)
{
    static struct payload payload;
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_start(&image, 1);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_START}, 0, 1);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 0, &payload, 0);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_READ, .size = 1}, 0, 0);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_EXIT}, 0, 2);
    image_block(&image, DARN_BLOCK_EVENTS, 5, 0, &payload, 0);
    trace = must_open_memory(image.bytes, image.length, false);
    back = read_all(trace);
    assert_int_equal(back.count, 3);
    assert_true(back.events[0].thread == 5 && back.events[0].kind == DARN_EVENT_READ);
    assert_true(back.events[1].thread == 0 && back.events[2].thread == 5);
    free(back.events);
    darn_trace_close(trace);
}

/* Thread 0 fills its only block, then the file is full; thread 1 goes on for a while. What it does
 * then may depend on what thread 0 did and nobody has seen. */
static void nothing_is_read_after_events_were_lost(void **state)
{
    static struct payload payload;
    struct darn_trace_header header;
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    image_start(&image, 1);
    memcpy(&header, image.bytes, sizeof(header));
    header.lost = 3;
    memcpy(image.bytes, &header, sizeof(header));
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_START}, 0, 1);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_FORK, .target = 1}, 0, 2);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_RELEASE, .target = 64}, 0, 4);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 0, &payload, DARN_CODEC_MOST - 1);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_START}, 0, 3);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_ACQUIRE, .target = 64}, 0, 5);
    image_block(&image, DARN_BLOCK_EVENTS, 1, 0, &payload, 1000);
    trace = must_open_memory(image.bytes, image.length, false);
    back = read_all(trace);
    assert_int_equal(back.result, 0);
    assert_int_equal(back.count, 4);
    assert_int_equal(back.events[3].kind, DARN_EVENT_RELEASE);
    assert_int_equal(darn_trace_about(trace).lost, 3);
    free(back.events);
    darn_trace_close(trace);
}

/* The stamp of what was lost first is known: what comes before it is read of all threads, also when
 * one of them has no block at all, and what comes after it is counted as missing. */
static void what_comes_before_the_first_loss_is_read(void **state)
{
    static struct payload payload;
    struct darn_trace_header header;
    struct darn_trace_about about;
    struct darn_trace *trace;
    struct read_back back;
    char text[128];

    (void)state;
    image_start(&image, 1);
    memcpy(&header, image.bytes, sizeof(header));
    header.lost = 3;
    header.lost_at = 5;
    header.why = DARN_WHY_DISK;
    header.finished = 1;
    memcpy(image.bytes, &header, sizeof(header));
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_START}, 0, 1);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_FORK, .target = 1}, 0, 2);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_FORK, .target = 2}, 0, 4);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_READ, .target = 8}, 0, 0);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_RELEASE, .target = 64}, 0, 6);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_READ, .target = 8}, 0, 0);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 0, &payload, 1000);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_START}, 0, 3);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_ACQUIRE, .target = 64}, 0, 7);
    image_block(&image, DARN_BLOCK_EVENTS, 1, 0, &payload, DARN_CODEC_MOST - 1);
    trace = must_open_memory(image.bytes, image.length, false);
    for (int round = 0; round < 2; round++) {
        back = read_all(trace);
        assert_int_equal(back.result, 0);
        assert_int_equal(back.count, 5);
        assert_int_equal(back.events[4].kind, DARN_EVENT_READ);
        free(back.events);
        about = darn_trace_about(trace);
        assert_int_equal(about.lost, 3 + 3);
        assert_false(about.at_least);
        assert_string_equal(about.why, "disk");
        assert_string_equal(darn_trace_missing(&about, text, sizeof(text)),
                            "6 events are missing, because the disk was full");
        darn_trace_rewind(trace);
    }
    darn_trace_close(trace);
}

static void many_threads_are_read(void **state)
{
    struct darn_trace_writer *writer = darn_trace_writer_open(path_of("a"), error, sizeof(error));
    struct darn_trace *trace;
    struct read_back back;

    (void)state;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t thread = 0; thread < 500; thread++) {
            struct darn_event event = {
                .kind = DARN_EVENT_POST, .thread = (thread * 7) % 500, .target = round};

            darn_trace_writer_event(writer, &event);
        }
    assert_int_equal(darn_trace_writer_close(writer, error, sizeof(error)), 0);
    trace = must_open(path_of("a"));
    back = read_all(trace);
    assert_int_equal(back.count, 1500);
    for (size_t i = 0; i < back.count; i++) {
        assert_int_equal(back.events[i].thread, (i % 500 * 7) % 500);
        assert_int_equal(back.events[i].target, i / 500);
    }
    assert_int_equal(darn_trace_thread_count(trace), 500);
    free(back.events);
    darn_trace_close(trace);
}

static void visit(void *to, uint64_t value, const char *text)
{
    sprintf(to, "%d %s", (int)value, text);
}

static void counters_are_told(void **state)
{
    struct darn_trace *trace;
    char told[64] = "";

    (void)state;
    image_sample(&image);
    trace = must_open_memory(image.bytes, image.length, false);
    darn_trace_counters(trace, visit, told);
    assert_string_equal(told, "17 stacks were cut");
    darn_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_goes_on_until_its_next_stamp),
        cmocka_unit_test(accesses_of_recognised_spins_are_marked_and_no_others),
        cmocka_unit_test(a_place_that_is_not_in_the_tables_is_unknown),
        cmocka_unit_test(a_killed_program_leaves_a_trace),
        cmocka_unit_test(a_file_with_holes_is_read),
        cmocka_unit_test(events_before_the_first_stamp_of_a_thread_come_first),
        cmocka_unit_test(nothing_is_read_after_events_were_lost),
        cmocka_unit_test(what_comes_before_the_first_loss_is_read),
        cmocka_unit_test(many_threads_are_read),
        cmocka_unit_test(counters_are_told),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
