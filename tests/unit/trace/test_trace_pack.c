/* Packing what a program has left: smaller, and the same events. */
#include "trace_fixture.h"

#include <sys/stat.h>

#include "trace/pack.h"

static struct image image;

static void expect_same_trace(const char *path, const void *bytes, size_t length)
{
    struct darn_trace *left = must_open(path), *right = must_open_memory(bytes, length, false);
    struct read_back got = read_all(left), want = read_all(right);
    struct darn_trace_about about = darn_trace_about(left), before = darn_trace_about(right);

    assert_int_equal(got.result, want.result);
    assert_int_equal(got.count, want.count);
    for (size_t i = 0; i < got.count; i++)
        expect_same_event(&got.events[i], &want.events[i]);
    assert_int_equal(darn_trace_site_count(left), darn_trace_site_count(right));
    assert_int_equal(darn_trace_stack_count(left), darn_trace_stack_count(right));
    assert_int_equal(about.finished, before.finished);
    assert_int_equal(about.lost, before.lost);
    assert_int_equal(about.pid, before.pid);
    assert_true(about.packed);
    free(got.events);
    free(want.events);
    darn_trace_close(left);
    darn_trace_close(right);
}

static void pack_image(void)
{
    write_bytes(path_of("t.trace"), image.bytes, image.length);
    if (darn_trace_pack(path_of("t.trace"), error, sizeof(error)))
        fail_msg("%s", error);
    expect_same_trace(path_of("t.trace"), image.bytes, image.length);
}

static void packing_keeps_all_events(void **state)
{
    (void)state;
    image_sample(&image);
    pack_image();
}

/* A long stream: real blocks, with unused pages between them, of a program that was killed. */
static void packing_keeps_long_streams_and_drops_unused_pages(void **state)
{
    static struct payload payload;
    uint64_t stamp = 0;
    size_t packed_length;

    (void)state;
    image_start(&image, 0);
    for (uint32_t sequence = 0; sequence < 4; sequence++) {
        image_hole(&image);
        while (payload.used + DARN_CODEC_MOST <= sizeof(payload.bytes)) {
            stamp++;
            put_event(&payload,
                      (struct darn_event){.kind = DARN_EVENT_WRITE,
                                          .size = 8,
                                          .target = 0x404000 + stamp * stamp % 4096},
                      0, stamp % 10 ? 0 : stamp);
        }
        image_block(&image, DARN_BLOCK_EVENTS, 3, sequence, &payload,
                    (uint32_t)(sizeof(payload.bytes) - payload.used));
        image_hole(&image);
    }
    pack_image();
    free(read_bytes(path_of("t.trace"), &packed_length));
    assert_true(packed_length < image.length / 2);
}

static void an_empty_trace_can_be_packed(void **state)
{
    (void)state;
    image_start(&image, 1);
    pack_image();
}

static void a_packed_trace_stays_as_it_is(void **state)
{
    struct stat before, after;

    (void)state;
    image_sample(&image);
    pack_image();
    assert_int_equal(stat(path_of("t.trace"), &before), 0);
    assert_int_equal(darn_trace_pack(path_of("t.trace"), error, sizeof(error)), 0);
    assert_int_equal(stat(path_of("t.trace"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static void a_link_stays_a_link(void **state)
{
    struct stat about;

    (void)state;
    image_sample(&image);
    write_bytes(path_of("t.trace"), image.bytes, image.length);
    unlink(path_of("b"));
    assert_int_equal(symlink("t.trace", path_of("b")), 0);
    assert_int_equal(darn_trace_pack(path_of("b"), error, sizeof(error)), 0);
    assert_int_equal(lstat(path_of("b"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    expect_same_trace(path_of("t.trace"), image.bytes, image.length);
}

static void expect_untouched(const char *message)
{
    size_t length;
    uint8_t *bytes;

    write_bytes(path_of("t.trace"), image.bytes, image.length);
    assert_int_equal(darn_trace_pack(path_of("t.trace"), error, sizeof(error)), -1);
    expect_part_of(error, message);
    bytes = read_bytes(path_of("t.trace"), &length);
    assert_int_equal(length, image.length);
    assert_memory_equal(bytes, image.bytes, length);
    free(bytes);
}

static void a_failure_leaves_the_old_file(void **state)
{
    (void)state;
    image_sample(&image);
    image.bytes[DARN_TRACE_HEADER] ^= 1;
    expect_untouched("t.trace: byte 4096: no block begins here");
    image_sample(&image);
    image.length -= 150;
    expect_untouched("t.trace: byte ");
    image_sample(&image);
    image.bytes[0] = 'x';
    expect_untouched("t.trace: byte 0: this is no trace of a program");

    assert_int_equal(darn_trace_pack("/nowhere/t.trace", error, sizeof(error)), -1);
    assert_string_equal(error, "/nowhere/t.trace: cannot be read: No such file or directory");
    assert_int_equal(darn_trace_pack("/dev/null", error, sizeof(error)), -1);
    assert_string_equal(error, "/dev/null: byte 0: this is no trace of a program");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_keeps_all_events),
        cmocka_unit_test(packing_keeps_long_streams_and_drops_unused_pages),
        cmocka_unit_test(an_empty_trace_can_be_packed),
        cmocka_unit_test(a_packed_trace_stays_as_it_is),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(a_failure_leaves_the_old_file),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
