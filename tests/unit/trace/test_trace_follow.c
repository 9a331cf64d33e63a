/* Reading the trace of a program that still runs: threads write, take stamps and are interrupted in
 * between, in random order, and we look at the file now and then. */
#include "trace_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "trace_image.h"

#define THREADS 6
#define PAGES   512
#define STAMPS  4096
#define AHEAD   12345

struct writer {
    struct darn_block_header *block;
    struct darn_codec codec;
    uint8_t *at;
    uint32_t sequence;
    uint64_t written, read; /* events */
    uint64_t stamp;         /* taken, and not yet written */
    bool is_over;
};

struct world {
    uint8_t *file;
    uint32_t next_page;
    uint64_t next_stamp, seen_stamp;
    bool lost[STAMPS];                 /* the thread has jumped away with it */
    uint64_t written[STAMPS][THREADS]; /* by whom, when the stamp was taken */
    struct writer writers[THREADS];
    struct darn_trace *trace;
};

static struct world world;

static struct darn_block_header *new_block(enum darn_block_type type, uint32_t thread,
                                           uint32_t sequence, uint32_t pages)
{
    struct darn_block_header *block =
        (struct darn_block_header *)(world.file + (size_t)world.next_page * DARN_TRACE_PAGE);

    world.next_page += pages;
    assert_true(world.next_page <= PAGES);
    *block = (struct darn_block_header){.type = (uint16_t)type,
                                        .thread = thread,
                                        .sequence = sequence,
                                        .capacity = pages * DARN_TRACE_PAGE - sizeof(*block)};
    block->magic = DARN_BLOCK_MAGIC;
    return block;
}

/* The target of an event is its number in its thread; `extra` tells the stamp. */
static void put(uint32_t thread, uint8_t kind, uint64_t stamp)
{
    struct writer *writer = &world.writers[thread];
    struct darn_coded coded = {.event = {.kind = kind, .target = writer->written, .extra = stamp},
                               .where = 1,
                               .stamp = stamp};
    uint8_t *start;

    if (!writer->block ||
        writer->at + DARN_CODEC_MOST > (uint8_t *)(writer->block + 1) + writer->block->capacity) {
        writer->block = new_block(DARN_BLOCK_EVENTS, thread, writer->sequence++, 1);
        writer->at = (uint8_t *)(writer->block + 1);
        writer->codec = (struct darn_codec){0};
    }
    start = (uint8_t *)(writer->block + 1);
    writer->at = darn_codec_put(&writer->codec, writer->at, &coded);
    writer->block->used = (uint32_t)(writer->at - start);
    writer->written++;
}

static void take_stamp(uint32_t thread)
{
    world.writers[thread].stamp = world.next_stamp;
    for (uint32_t i = 0; i < THREADS; i++)
        world.written[world.next_stamp][i] = world.writers[i].written;
    world.next_stamp++;
}

static void act(uint64_t *random)
{
    uint32_t thread = (uint32_t)(darn_random_below(random, THREADS));
    struct writer *writer = &world.writers[thread];
    unsigned what = (unsigned)darn_random_below(random, 100);

    if (writer->is_over)
        return;
    if (writer->stamp && what < 50) {
        put(thread, DARN_EVENT_RELEASE, writer->stamp);
        writer->stamp = 0;
    } else if (writer->stamp && what == 50 && world.next_stamp > STAMPS / 2) {
        world.lost[writer->stamp] = true;
        writer->stamp = 0;
    } else if (!writer->stamp && what < 20) {
        take_stamp(thread);
    } else if (!writer->stamp && what == 20) {
        take_stamp(thread);
        put(thread, DARN_EVENT_EXIT, writer->stamp);
        writer->is_over = true;
    } else if (!writer->stamp) {
        put(thread, DARN_EVENT_WRITE, 0);
    }
}

static bool has_room(void)
{
    return world.next_stamp < STAMPS && world.next_page < PAGES - THREADS;
}

/* All that there is for now; with `random`, more is written meanwhile. Without `ended` no stamp is
 * passed over. */
static void look(bool ended, uint64_t *random)
{
    struct darn_event event;
    int result;

    while ((result = darn_trace_next(world.trace, &event)) == 1) {
        struct writer *writer = &world.writers[event.thread];

        assert_int_equal(event.site, 1);
        assert_int_equal(event.target, writer->read);
        if (event.extra) {
            for (world.seen_stamp++; ended && world.lost[world.seen_stamp]; world.seen_stamp++)
                continue;
            assert_int_equal(event.extra, world.seen_stamp);
            for (uint32_t i = 0; i < THREADS; i++)
                assert_true(i == event.thread ||
                            world.writers[i].read >= world.written[event.extra][i]);
        }
        writer->read++;
        for (int i = 0; random && i < 2 && has_room(); i++)
            act(random);
    }
    assert_int_equal(result, 0);
}

static void start(const char *path)
{
    static struct payload table;
    struct darn_trace_header header = {
        .magic = DARN_TRACE_MAGIC, .version = DARN_TRACE_VERSION, .pid = INT32_MAX};
    struct darn_block_header *block;
    int error, file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    memset(&world, 0, sizeof(world));
    assert_true(file >= 0 && ftruncate(file, PAGES * DARN_TRACE_PAGE) == 0);
    world.file = mmap(NULL, PAGES * DARN_TRACE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(world.file != MAP_FAILED);
    close(file);
    world.next_page = 1;
    world.next_stamp = 1;
    assert_null(darn_trace_follow(path, AHEAD, &error));
    assert_int_equal(error, 0);
    memcpy(world.file, &header, sizeof(header));
    table.used = 0;
    put_site(&table, 1, 10, "x");
    put_numbers(&table, DARN_RECORD_WHERE, 1, 1, 0);
    block = new_block(DARN_BLOCK_TABLE, 0, 0, 1);
    memcpy(block + 1, table.bytes, table.used);
    block->used = (uint32_t)table.used;
    world.trace = darn_trace_follow(path, AHEAD, &error);
    assert_non_null(world.trace);
}

/* Pages that were written, and are empty again. */
static uint32_t count_holes(void)
{
    uint32_t count = 0;

    for (uint32_t i = 1; i < world.next_page; i++) {
        const struct darn_block_header *block =
            (const void *)(world.file + (size_t)i * DARN_TRACE_PAGE);

        count += !block->magic;
    }
    return count;
}

static void events_come_in_the_order_of_their_stamps_and_none_before_what_was_done(void **state)
{
    const char *path = path_of("a");
    struct darn_trace_header *header;
    uint64_t random;

    (void)state;
    for (int round = 1; round <= 200; round++) {
        random = (uint64_t)round * 0x9e3779b97f4a7c15u;
        start(path);
        header = (struct darn_trace_header *)world.file;
        assert_int_equal(header->ahead, AHEAD);
        while (has_room()) {
            uint64_t all = 0;

            act(&random);
            if (!darn_random_below(&random, 200))
                look(false, &random);
            for (uint32_t i = 0; i < THREADS; i++)
                all += world.writers[i].is_over;
            if (all == THREADS)
                break;
        }
        look(false, NULL);
        darn_trace_has_ended(world.trace);
        for (uint32_t i = 0; i < THREADS; i++)
            if (world.writers[i].stamp)
                world.lost[world.writers[i].stamp] = true;
        look(true, NULL);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(world.writers[i].read, world.writers[i].written);
        /* What was read is no part of the file any more. */
        assert_int_equal(header->taken, (uint64_t)count_holes() * DARN_TRACE_PAGE);
        darn_trace_close(world.trace);
        munmap(world.file, PAGES * DARN_TRACE_PAGE);
        unlink(path);
    }
}

static void nothing_is_read_from_a_lost_event_on(void **state)
{
    const char *path = path_of("b");

    (void)state;
    start(path);
    put(0, DARN_EVENT_RELEASE, 1);
    put(1, DARN_EVENT_RELEASE, 3);
    ((struct darn_trace_header *)world.file)->lost_at = 2;
    ((struct darn_trace_header *)world.file)->lost = 1;
    world.lost[2] = true;
    darn_trace_has_ended(world.trace);
    look(true, NULL);
    assert_int_equal(world.writers[0].read, 1);
    assert_int_equal(world.writers[1].read, 0);
    assert_int_equal(darn_trace_about(world.trace).lost, 2);
    darn_trace_close(world.trace);
    munmap(world.file, PAGES * DARN_TRACE_PAGE);
    unlink(path);
}

/* Who has started it has ended; a thread may be about to write its stamp. */
static void of_a_program_that_still_runs_no_stamp_is_passed_over(void **state)
{
    const char *path = path_of("b");

    (void)state;
    start(path);
    ((struct darn_trace_header *)world.file)->pid = (uint32_t)getpid();
    put(0, DARN_EVENT_RELEASE, 1);
    put(1, DARN_EVENT_RELEASE, 3);
    darn_trace_has_ended(world.trace);
    put(0, DARN_EVENT_RELEASE, 2);
    look(false, NULL);
    assert_int_equal(world.writers[0].read, 1);
    assert_int_equal(world.writers[1].read, 0);
    darn_trace_close(world.trace);
    munmap(world.file, PAGES * DARN_TRACE_PAGE);
    unlink(path);
}

static void damage_is_told(void **state)
{
    const char *path = path_of("c");
    struct darn_event event;

    (void)state;
    start(path);
    put(0, DARN_EVENT_RELEASE, 1);
    new_block(DARN_BLOCK_EVENTS, 0, 7, 1);
    assert_int_equal(darn_trace_next(world.trace, &event), -1);
    expect_part_of(darn_trace_error(world.trace), "block 7 stands here; block 1 was expected");
    darn_trace_close(world.trace);
    munmap(world.file, PAGES * DARN_TRACE_PAGE);
    unlink(path);
}

static void a_program_that_replaces_itself_begins_another_trace(void **state)
{
    const char *path = path_of("a");

    (void)state;
    start(path);
    assert_true(darn_trace_is_at(world.trace, path));
    write_bytes(path_of("b"), "other", 5);
    assert_int_equal(rename(path_of("b"), path), 0);
    assert_false(darn_trace_is_at(world.trace, path));
    darn_trace_close(world.trace);
    munmap(world.file, PAGES * DARN_TRACE_PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_the_order_of_their_stamps_and_none_before_what_was_done),
        cmocka_unit_test(nothing_is_read_from_a_lost_event_on),
        cmocka_unit_test(of_a_program_that_still_runs_no_stamp_is_passed_over),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(a_program_that_replaces_itself_begins_another_trace),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
