/* Damaged, foreign and future files: never a crash, always one line with a position, and with
 * `prefix` what comes before the damage. */
#include "trace_fixture.h"

#include "trace_writer.h"

static struct image image;
static uint8_t *packed;
static size_t packed_length;

/* A small packed file; its 4 KiB of header are mostly zeroes. */
static int make_packed(void **state)
{
    struct darn_trace_writer *writer;

    if (make_directory(state))
        return -1;
    writer = darn_trace_writer_open(path_of("a"), error, sizeof(error));
    assert_non_null(writer);
    for (uint32_t i = 0; i < 300; i++) {
        struct darn_event event = {.kind = i % 5 ? DARN_EVENT_READ : DARN_EVENT_ACQUIRE,
                                   .thread = i % 3,
                                   .target = 0x404000 + i * 8 % 64,
                                   .site = 1 + i % 4};

        event.size = i % 5 ? 8 : 0;
        if (i < 3) /* thread 0 starts the others */
            event =
                (struct darn_event){.kind = i ? DARN_EVENT_FORK : DARN_EVENT_START, .target = i};
        darn_trace_writer_event(writer, &event);
    }
    for (uint32_t id = 1; id <= 4; id++)
        darn_trace_writer_site(writer, id, &(struct darn_trace_site){.file = "bank.c", .line = id});
    assert_int_equal(darn_trace_writer_close(writer, error, sizeof(error)), 0);
    packed = read_bytes(path_of("a"), &packed_length);
    return 0;
}

static int drop_packed(void **state)
{
    free(packed);
    return remove_directory(state);
}

static struct read_back whole; /* what an undamaged file has */
static bool must_be_same;      /* whatever is read to its end has these events */

/* Where something is left out, the rest is what the run began with. Sites may be missing: the
 * tables come later in the file. */
static void expect_beginning(const struct read_back *back)
{
    assert_true(back->count <= whole.count);
    for (size_t i = 0; i < back->count; i++) {
        assert_int_equal(back->events[i].kind, whole.events[i].kind);
        assert_int_equal(back->events[i].thread, whole.events[i].thread);
        assert_true(back->events[i].target == whole.events[i].target);
    }
}

/* Looks at everything. How many events there were; *ok: whether it was read to the end. */
static size_t walk(const uint8_t *bytes, size_t length, bool prefix, bool *ok)
{
    struct darn_trace *trace;
    struct read_back back;

    error[0] = '\0';
    trace = darn_trace_open_memory("t.trace", bytes, length, prefix, error, sizeof(error));
    *ok = false;
    if (!trace)
        return 0;
    back = read_all(trace);
    *ok = back.result == 0;
    if (*ok && must_be_same) {
        assert_int_equal(back.count, whole.count);
        for (size_t i = 0; i < back.count; i++)
            expect_same_event(&back.events[i], &whole.events[i]);
    }
    if (!*ok)
        snprintf(error, sizeof(error), "%s", darn_trace_error(trace));
    if (prefix) {
        assert_true(*ok);
        assert_true(darn_trace_about(trace).cut_at <= length);
        if (whole.count && darn_trace_about(trace).cut_at)
            expect_beginning(&back);
    }
    for (uint32_t id = 0; id <= darn_trace_site_count(trace); id++)
        (void)darn_trace_site(trace, id);
    for (uint32_t id = 0; id <= darn_trace_stack_count(trace); id++)
        (void)darn_trace_stack(trace, id);
    free(back.events);
    darn_trace_close(trace);
    return back.count;
}

static void read_whole(const uint8_t *bytes, size_t length)
{
    struct darn_trace *trace = must_open_memory(bytes, length, false);

    whole = read_all(trace);
    darn_trace_close(trace);
}

static int forget_whole(void **state)
{
    (void)state;
    free(whole.events);
    whole = (struct read_back){NULL, 0, 0};
    return 0;
}

/* "t.trace: byte N: …", in one line, with N within the file. */
static void expect_position(size_t length)
{
    unsigned long at;
    int used = 0;

    if (sscanf(error, "t.trace: byte %lu: %n", &at, &used) != 1 || !used || !error[used])
        fail_msg("no position in '%s'", error);
    assert_true(at <= length);
    assert_null(strchr(error, '\n'));
}

static void every_length_of_a_packed_file_is_told(void **state)
{
    size_t before = 0;
    bool ok;

    (void)state;
    read_whole(packed, packed_length);
    for (size_t length = 1; length < packed_length; length++) {
        size_t count;

        walk(packed, length, false, &ok);
        assert_false(ok);
        expect_position(length);
        count = walk(packed, length, true, &ok);
        if (length >= 12)
            assert_true(ok);
        assert_true(count >= before); /* more of the file is never less of the trace */
        before = count;
    }
    assert_int_equal(walk(packed, packed_length, false, &ok), 300);
    assert_true(ok);
}

/* Files that a program leaves have no length in their header: a cut between two blocks does not
 * show, and is no harm. */
static void every_length_of_an_unpacked_file_can_be_read(void **state)
{
    size_t most = 0;
    bool ok;

    (void)state;
    image_sample(&image);
    read_whole(image.bytes, image.length);
    for (size_t length = 1; length <= image.length; length++) {
        uint8_t *copy = malloc(length); /* so that ASan sees where it ends */
        size_t count;

        assert_non_null(copy);
        memcpy(copy, image.bytes, length);
        walk(copy, length, false, &ok);
        if (!ok)
            expect_position(length);
        count = walk(copy, length, true, &ok);
        most = count > most ? count : most;
        free(copy);
    }
    assert_int_equal(most, SAMPLE_EVENTS);
}

static void flip_all(const uint8_t *bytes, size_t length, uint8_t bits)
{
    uint8_t *copy = malloc(length);
    bool ok;

    assert_non_null(copy);
    memcpy(copy, bytes, length);
    for (size_t i = 0; i < length; i++) {
        if (i == 64)
            i = DARN_TRACE_HEADER; /* nobody looks at the rest of the header */
        copy[i] ^= bits;
        walk(copy, length, false, &ok);
        if (!ok && i >= 8)
            expect_position(length);
        walk(copy, length, true, &ok);
        copy[i] ^= bits;
    }
    free(copy);
}

static void no_byte_that_is_wrong_does_harm(void **state)
{
    (void)state;
    image_sample(&image);
    flip_all(image.bytes, image.length, 0xff);
    flip_all(image.bytes, image.length, 0x01);
    flip_all(image.bytes, image.length, 0x80);
    flip_all(packed, packed_length, 0xff);
    flip_all(packed, packed_length, 0x01);
}

/* Payloads have a checksum (and some bits that zstd takes no notice of), and headers are checked
 * against one another; only the thread of a block has to be believed. */
static void a_wrong_byte_in_a_packed_block_is_noticed(void **state)
{
    const size_t room = offsetof(struct darn_block_header, room);
    size_t block = DARN_TRACE_HEADER;
    bool ok;

    (void)state;
    read_whole(packed, packed_length);
    while (block < packed_length) {
        struct darn_block_header header;
        size_t end;

        memcpy(&header, packed + block, sizeof(header));
        end = block + sizeof(header) + header.capacity;
        for (size_t i = block; i < end; i++) {
            bool matters = i - block < room || i - block >= room + 4;

            if (i - block >= offsetof(struct darn_block_header, thread) &&
                i - block < offsetof(struct darn_block_header, sequence))
                matters = false;
            packed[i] ^= 0x20;
            must_be_same = i - block >= sizeof(header);
            walk(packed, packed_length, false, &ok);
            must_be_same = false;
            if (ok && matters && i - block < sizeof(header))
                fail_msg("byte %zu of the block at %zu", i - block, block);
            packed[i] ^= 0x20;
        }
        block = end;
    }
}

static void refuse(const void *bytes, size_t length, const char *message)
{
    for (int prefix = 0; prefix < 2; prefix++) {
        error[0] = '\0';
        assert_null(darn_trace_open_memory("t.trace", bytes, length, prefix, error, sizeof(error)));
        assert_string_equal(error, message);
    }
}

static void what_is_no_trace_is_told(void **state)
{
    (void)state;
    refuse("", 0,
           "t.trace: byte 0: the file is empty; darn record -o FILE -- PROGRAM makes a trace");
    refuse("\x7f"
           "ELF\x02\x01\x01",
           8,
           "t.trace: byte 0: this is no trace: neither one of darn record nor a text with lines as "
           "T1|acq(L)|12");
    refuse("int main(void)\n{\n}\n", 19,
           "t.trace:1: 'int main(void)' is no event; a line is THREAD|OPERATION|LOCATION, as in "
           "T1|acq(L)|12");
    assert_null(darn_trace_open("/nowhere/t.trace", false, error, sizeof(error)));
    assert_string_equal(error, "/nowhere/t.trace: cannot be read: No such file or directory");
    assert_null(darn_trace_open("/", false, error, sizeof(error)));
    assert_string_equal(error, "/: cannot be read: Is a directory");
}

static void a_newer_version_is_told(void **state)
{
    (void)state;
    image_sample(&image);
    image.bytes[8] = 7;
    refuse(image.bytes, image.length,
           "t.trace: byte 8: the trace has version 7 of the format, this darn reads up to 4; use "
           "the darn that recorded it, or a newer one");
}

/* Where the sample's blocks begin. */
static size_t block_of_sample(int index)
{
    size_t at = DARN_TRACE_HEADER;
    struct darn_block_header header;

    for (; index > 0; index--) {
        memcpy(&header, image.bytes + at, sizeof(header));
        at += sizeof(header) + header.capacity;
    }
    return at;
}

static void expect_damage(size_t at, const char *what)
{
    char expected[256];
    bool ok;

    snprintf(expected, sizeof(expected), "t.trace: byte %zu: %s", at, what);
    walk(image.bytes, image.length, false, &ok);
    assert_false(ok);
    assert_string_equal(error, expected);
}

static void damage_is_named(void **state)
{
    char text[128];
    size_t block;

    (void)state;
    image_sample(&image);
    block = block_of_sample(2);
    image.bytes[block] ^= 1;
    expect_damage(block, "no block begins here, but one should");
    image_sample(&image);
    image.bytes[block + 4] = 3;
    expect_damage(block + 4, "there is no type 3 of blocks");
    image_sample(&image);
    image.bytes[block + 12] = 1;
    expect_damage(block, "block 1 of a thread stands here; block 0 was expected");
    image_sample(&image);
    image.bytes[block + 32] = 0x40;
    expect_damage(block + 32, "an event of thread 1 makes no sense");
    image_sample(&image);
    image.bytes[block_of_sample(1) + 34] = 99; /* the length of the program's path */
    expect_damage(block_of_sample(1) + 32, "a record of type 1 in the tables makes no sense");
    image_sample(&image);
    block = block_of_sample(3);
    image.length = block + 40;
    snprintf(text, sizeof(text), "the file ends within the block that begins at byte %zu", block);
    expect_damage(image.length, text);
}

static void events_before_the_damage_are_read(void **state)
{
    struct darn_trace *trace;
    struct read_back back;
    size_t block;

    (void)state;
    image_sample(&image);
    block = block_of_sample(3); /* the second block of thread 0: ACQUIRE, RELEASE, … */
    image.bytes[block + 32] = 0;
    trace = must_open_memory(image.bytes, image.length, true);
    back = read_all(trace);
    assert_int_equal(back.result, 0);
    assert_int_equal(back.count, 4);
    assert_int_equal(darn_trace_about(trace).cut_at, block + 32);
    expect_part_of(darn_trace_error(trace), "an event of thread 0 makes no sense");
    free(back.events);
    darn_trace_close(trace);
}

/* An id of four milliards must not make a table of that size. */
static void an_impossible_id_is_damage(void **state)
{
    static struct payload payload;

    (void)state;
    image_start(&image, 1);
    put_site(&payload, UINT32_MAX, 1, "x");
    image_block(&image, DARN_BLOCK_TABLE, 0, 0, &payload, 0);
    expect_damage(DARN_TRACE_HEADER + 32, "there is a site number 4294967295 among 1");
}

static void stamps_that_go_backwards_are_damage(void **state)
{
    static struct payload payload;

    (void)state;
    image_start(&image, 1);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_START}, 0, 100);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 0, &payload, 0);
    put_event(&payload, (struct darn_event){.kind = DARN_EVENT_EXIT}, 0, 99);
    image_block(&image, DARN_BLOCK_EVENTS, 0, 1, &payload, 0);
    expect_damage(block_of_sample(1) + 32, "the stamps of thread 0 go backwards");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_length_of_a_packed_file_is_told, forget_whole),
        cmocka_unit_test_teardown(every_length_of_an_unpacked_file_can_be_read, forget_whole),
        cmocka_unit_test(no_byte_that_is_wrong_does_harm),
        cmocka_unit_test_teardown(a_wrong_byte_in_a_packed_block_is_noticed, forget_whole),
        cmocka_unit_test(what_is_no_trace_is_told),
        cmocka_unit_test(a_newer_version_is_told),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(events_before_the_damage_are_read),
        cmocka_unit_test(an_impossible_id_is_damage),
        cmocka_unit_test(stamps_that_go_backwards_are_damage),
    };

    return cmocka_run_group_tests(tests, make_packed, drop_packed);
}
