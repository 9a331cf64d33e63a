/* What is written to a trace comes back: random events in an order that is right, and the tables;
 * or it is said. */
#include "trace_fixture.h"

#include "trace_writer.h"

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
        cmocka_unit_test(a_trace_that_cannot_be_written_is_told),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
