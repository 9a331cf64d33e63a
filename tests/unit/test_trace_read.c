/* Writing and reading binary traces: every event comes back, in an order that is right. */
#include "trace_fixture.h"

#include "trace/writer.h"

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

#define SITES   40u
#define STACKS  30u
#define THREADS 9u

static struct darn_event draw_event(void)
{
    struct darn_event event = {.kind = (uint8_t)(1 + draw() % (DARN_EVENT_KINDS - 1)),
                               .thread = (uint32_t)(draw() % THREADS) * 7,
                               .target = (draw() >> draw() % 64) % (UINT64_MAX - UINT32_MAX),
                               .extra = draw() % 3 ? 0 : draw(),
                               .flags = draw() % 2 ? 0 : draw() & 0xff,
                               .lock = draw() & 3,
                               .site = (uint32_t)(draw() % (SITES + 1)),
                               .stack = (uint32_t)(draw() % (STACKS + 1))};

    if (draw() % 4) /* most of what a program does */
        event.kind = (uint8_t)(1 + draw() % 2);
    if (darn_event_has_size(&event))
        event.size = (uint32_t)(draw() >> 32);
    if (event.kind >= DARN_EVENT_FORK && event.kind <= DARN_EVENT_START)
        event.target %= DARN_TRACE_THREADS;
    if (event.kind == DARN_EVENT_SPIN)
        event.extra = draw() % (SITES + 1);
    return event;
}

static void write_tables(struct darn_trace_writer *writer)
{
    for (uint32_t id = 1; id <= SITES; id++) {
        struct darn_trace_site site = {.file = "bank.c",
                                       .dir = "/home/me",
                                       .function = id % 2 ? "teller" : NULL,
                                       .variable = "balance",
                                       .key = UINT64_C(1) << 63 | id,
                                       .line = 100 * id,
                                       .column = id,
                                       .size = 8,
                                       .kind = 1,
                                       .flags = 3,
                                       .has_copy = id % 2,
                                       .inlined = id % 2 ? UINT64_MAX - id : 0};

        darn_trace_writer_site(writer, id, &site);
    }
    for (uint32_t id = 1; id <= STACKS; id++) {
        const uint64_t pcs[3] = {0x401000 + id, UINT64_MAX, 1};

        darn_trace_writer_stack(writer, id, &(struct darn_trace_stack){id % 4, pcs});
    }
}

/* Who goes where: obviously right, and slow. The first event of a thread and what synchronizes have
 * a number; the others follow the last such event of their thread. */
struct placed {
    uint64_t group, position;
    struct darn_event event;
};

static bool is_ordered(const struct darn_event *event)
{
    if (darn_event_is_access(event))
        return event->flags & (DARN_EVENT_ATOMIC | DARN_EVENT_SYNC);
    return event->kind != DARN_EVENT_BEGIN && event->kind != DARN_EVENT_END;
}

static int compare(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;

    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    return left->position < right->position ? -1 : 1;
}

static void place(struct placed *placed, size_t count)
{
    uint64_t group_of[7 * THREADS] = {0}, groups = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t *group = &group_of[placed[i].event.thread];

        if (!*group || is_ordered(&placed[i].event))
            *group = ++groups;
        placed[i].group = *group;
        placed[i].position = i;
    }
    qsort(placed, count, sizeof(*placed), compare);
}

static void try_random(size_t count)
{
    struct placed *placed = calloc(count, sizeof(*placed));
    struct darn_trace_writer *writer = darn_trace_writer_open(path_of("a"), error, sizeof(error));
    struct darn_trace *trace;
    struct read_back back;

    assert_non_null(placed);
    assert_non_null(writer);
    for (size_t i = 0; i < count; i++) {
        placed[i].event = draw_event();
        darn_trace_writer_event(writer, &placed[i].event);
        if (i == count / 2)
            write_tables(writer);
    }
    assert_int_equal(darn_trace_writer_close(writer, error, sizeof(error)), 0);
    place(placed, count);

    trace = must_open(path_of("a"));
    for (int round = 0; round < 2; round++) {
        back = read_all(trace);
        assert_int_equal(back.result, 0);
        assert_int_equal(back.count, count);
        for (size_t i = 0; i < count; i++)
            expect_same_event(&back.events[i], &placed[i].event);
        free(back.events);
        darn_trace_rewind(trace);
    }
    darn_trace_close(trace);
    free(placed);
}

static void random_events_come_back_in_order(void **state)
{
    (void)state;
    try_random(1);
    for (int round = 0; round < 20; round++)
        try_random(1 + draw() % 300);
    try_random(100000); /* several blocks for each thread */
}

static void tables_come_back(void **state)
{
    struct darn_trace_writer *writer = darn_trace_writer_open(path_of("a"), error, sizeof(error));
    struct darn_trace_thread thread = {
        .number = 3, .tid = 77, .has_parent = true, .name = "worker"};
    struct darn_trace_module module = {0x1000, 0x2000, 0x40, "/lib/x.so"};
    const struct darn_trace_site *site;
    const struct darn_trace_stack *stack;
    const struct darn_trace_thread *back;
    struct darn_trace *trace;

    (void)state;
    write_tables(writer);
    thread.stack = 2;
    darn_trace_writer_thread(writer, &thread);
    darn_trace_writer_module(writer, 1, &module);
    darn_trace_writer_program(writer, "/tmp/bank", 4711);
    assert_int_equal(darn_trace_writer_close(writer, error, sizeof(error)), 0);
    trace = must_open(path_of("a"));

    assert_int_equal(darn_trace_site_count(trace), SITES);
    site = darn_trace_site(trace, 7);
    assert_string_equal(site->file, "bank.c");
    assert_string_equal(site->dir, "/home/me");
    assert_string_equal(site->function, "teller");
    assert_string_equal(site->variable, "balance");
    assert_true(site->key == (UINT64_C(1) << 63 | 7));
    assert_true(site->line == 700 && site->column == 7 && site->size == 8);
    assert_true(site->kind == 1 && site->flags == 3);
    assert_true(site->has_copy && site->inlined == UINT64_MAX - 7);
    assert_false(darn_trace_site(trace, 8)->has_copy);
    assert_null(darn_trace_site(trace, 8)->function);
    assert_null(darn_trace_site(trace, 0));
    assert_null(darn_trace_site(trace, SITES + 1));
    assert_null(darn_trace_site(trace, UINT32_MAX));

    assert_int_equal(darn_trace_stack_count(trace), STACKS);
    stack = darn_trace_stack(trace, 3);
    assert_true(stack->depth == 3 && stack->pcs[0] == 0x401003 && stack->pcs[1] == UINT64_MAX);
    back = darn_trace_thread(trace, 3);
    assert_true(back->number == 3 && back->tid == 77 && back->has_parent && back->parent == 0);
    assert_int_equal(back->stack, 2);
    assert_string_equal(back->name, "worker");
    assert_null(darn_trace_thread(trace, 0));
    assert_null(darn_trace_thread(trace, UINT32_MAX));
    assert_string_equal(darn_trace_module(trace, 0x1fff)->path, "/lib/x.so");
    assert_null(darn_trace_module(trace, 0x2000));
    assert_string_equal(darn_trace_about(trace).program, "/tmp/bank");
    assert_int_equal(darn_trace_about(trace).pid, 4711);
    assert_true(darn_trace_about(trace).finished && darn_trace_about(trace).packed);
    assert_false(darn_trace_about(trace).is_text);
    darn_trace_close(trace);
}

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

static void a_trace_that_cannot_be_written_is_told(void **state)
{
    struct darn_trace_writer *writer;

    (void)state;
    assert_null(darn_trace_writer_open("/nowhere/t.trace", error, sizeof(error)));
    assert_string_equal(error, "/nowhere/t.trace: cannot be written: No such file or directory");
    writer = darn_trace_writer_open("/dev/full", error, sizeof(error));
    assert_non_null(writer);
    write_tables(writer);
    assert_int_equal(darn_trace_writer_close(writer, error, sizeof(error)), -1);
    assert_string_equal(error, "/dev/full: cannot be written: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events_come_back_in_order),
        cmocka_unit_test(tables_come_back),
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
        cmocka_unit_test(a_trace_that_cannot_be_written_is_told),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
