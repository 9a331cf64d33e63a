/* How events are coded: what was put in comes out, and rubbish does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "trace/codec.h"
#include "trace/format.h"
#include "trace_image.h"

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Numbers of all lengths. */
static uint64_t draw_any(void)
{
    return draw() >> draw() % 64;
}

static struct darn_coded draw_coded(uint64_t last_stamp)
{
    struct darn_coded coded = {.event = {.kind = (uint8_t)(1 + draw() % (DARN_EVENT_KINDS - 1)),
                                         .target = draw_any() % (UINT64_MAX - UINT32_MAX),
                                         .extra = draw() % 3 ? 0 : draw_any(),
                                         .flags = draw() % 2 ? 0 : draw() & 0xff,
                                         .lock = draw() & 3},
                               .where = (uint32_t)draw_any(),
                               .stamp = draw() % 2 ? 0 : last_stamp + (draw_any() >> 8)};

    if (darn_event_has_size(&coded.event))
        coded.event.size = (uint32_t)draw_any();
    if (coded.event.kind >= DARN_EVENT_FORK && coded.event.kind <= DARN_EVENT_START)
        coded.event.target %= DARN_TRACE_THREADS;
    return coded;
}

static void random_events_come_out_as_they_went_in(void **state)
{
    static struct darn_coded in[1000];
    static uint8_t bytes[1000 * DARN_CODEC_MOST];

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct darn_codec put = {0, 0}, get = {0, 0};
        uint8_t *end = bytes;
        const uint8_t *at = bytes;
        uint64_t last = 1;

        for (int i = 0; i < 1000; i++) {
            uint8_t *before = end;

            in[i] = draw_coded(last);
            last = in[i].stamp > last ? in[i].stamp : last;
            end = darn_codec_put(&put, end, &in[i]);
            assert_true(end - before <= DARN_CODEC_MOST);
        }
        for (int i = 0; i < 1000; i++) {
            struct darn_coded out;

            at = darn_codec_get(&get, at, end, &out);
            assert_non_null(at);
            assert_true(same_event(&out.event, &in[i].event));
            assert_int_equal(out.where, in[i].where);
            assert_true(out.stamp == in[i].stamp);
        }
        assert_ptr_equal(at, end);
    }
}

static void an_event_that_is_cut_is_none(void **state)
{
    (void)state;
    for (int round = 0; round < 1000; round++) {
        struct darn_coded coded = draw_coded(1);
        struct darn_codec codec = {0, 0};
        uint8_t bytes[DARN_CODEC_MOST];
        uint8_t *end = darn_codec_put(&codec, bytes, &coded);

        for (const uint8_t *cut = bytes; cut < end; cut++) {
            codec = (struct darn_codec){0, 0};
            assert_null(darn_codec_get(&codec, bytes, cut, &coded));
        }
    }
}

static const uint8_t *get(const char *bytes, size_t length, struct darn_codec codec)
{
    struct darn_coded coded;

    return darn_codec_get(&codec, (const uint8_t *)bytes, (const uint8_t *)bytes + length, &coded);
}

#define GET(bytes) get(bytes, sizeof(bytes) - 1, (struct darn_codec){0, 5})

static void rubbish_is_refused(void **state)
{
    (void)state;
    assert_non_null(GET("\x01\x00\x08\x10"));
    assert_null(GET("\x00\x00\x08\x10"));                 /* no kind */
    assert_null(GET("\x21\x80\x80\x10\x00\x08\x10"));     /* unknown flags */
    assert_null(GET("\x01\x80\x80\x80\x80\x10\x08\x10")); /* a place beyond 32 bits */
    assert_null(GET("\x01\x00\x80\x80\x80\x80\x10\x10")); /* a size beyond 32 bits */
    /* a number of 65 bits */
    assert_null(GET("\x01\x00\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"));
    /* an access that ends beyond the last address */
    assert_null(GET("\x01\x00\x08\x01"));
    /* a stamp that is less than the last one */
    assert_null(GET("\x41\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x08\x10"));
    /* fork of thread 2^22 */
    assert_null(GET("\x07\x00\x80\x80\x80\x04"));
    assert_non_null(GET("\x07\x00\x80\x80\x80\x03"));
}

static void a_stamp_of_zero_is_refused(void **state)
{
    (void)state;
    assert_null(get("\x41\x00\x00\x08\x10", 5, (struct darn_codec){0, 0}));
    assert_non_null(get("\x41\x01\x00\x08\x10", 5, (struct darn_codec){0, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events_come_out_as_they_went_in),
        cmocka_unit_test(an_event_that_is_cut_is_none),
        cmocka_unit_test(rubbish_is_refused),
        cmocka_unit_test(a_stamp_of_zero_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
