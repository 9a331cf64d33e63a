/* When two accesses touch a byte in common, and when that is an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/state.h"
#include "runtime/watch/touch.h"

static int start(void **state)
{
    (void)state;
    darn_state.options.report_volatile = true;
    return 0;
}

static struct darn_touch touch(enum darn_touch_op op, uintptr_t address, uint64_t size)
{
    return (struct darn_touch){.address = address, .size = size, .op = (uint8_t)op};
}

static struct darn_touch with_gaps(uintptr_t address, uint64_t size, uint64_t gaps)
{
    struct darn_touch result = touch(DARN_OP_READ, address, size);

    result.gaps = gaps;
    return result;
}

static struct darn_touch atomic(enum darn_touch_op op)
{
    struct darn_touch result = touch(op, 100, 4);

    result.atomic = true;
    return result;
}

static struct darn_touch is_volatile(enum darn_touch_op op)
{
    struct darn_touch result = touch(op, 100, 4);

    result.is_volatile = true;
    return result;
}

static struct darn_touch asserted(enum darn_assertion assertion)
{
    struct darn_touch result = touch(DARN_OP_READ, 100, 4);

    result.assertion = (uint8_t)assertion;
    return result;
}

/* Both questions have the same answer from either side. */
static bool overlap(struct darn_touch a, struct darn_touch b)
{
    bool answer = darn_touch_overlap(&a, &b);

    assert_int_equal(darn_touch_overlap(&b, &a), answer);
    return answer;
}

static bool conflict(struct darn_touch a, struct darn_touch b)
{
    bool answer = darn_touch_conflict(&a, &b);

    assert_int_equal(darn_touch_conflict(&b, &a), answer);
    return answer;
}

static bool ranges_overlap(uintptr_t a, uint64_t a_size, uintptr_t b, uint64_t b_size)
{
    return overlap(touch(DARN_OP_READ, a, a_size), touch(DARN_OP_WRITE, b, b_size));
}

static void a_byte_in_common_is_an_overlap(void **state)
{
    (void)state;
    assert_true(ranges_overlap(100, 4, 100, 4));
    assert_true(ranges_overlap(100, 4, 103, 1));
    assert_true(ranges_overlap(100, 4, 103, 8));
    assert_true(ranges_overlap(100, 16, 104, 2));
    assert_true(ranges_overlap(0, 1 << 20, 1 << 19, 1));
}

static void neighbours_do_not_overlap(void **state)
{
    (void)state;
    assert_false(ranges_overlap(100, 4, 104, 4));
    assert_false(ranges_overlap(100, 1, 101, 1));
    assert_false(ranges_overlap(100, 4, 1000, 4));
}

static void nothing_touches_nothing(void **state)
{
    (void)state;
    assert_false(ranges_overlap(100, 0, 100, 4));
    assert_false(ranges_overlap(102, 0, 100, 4));
}

static void the_bytes_in_a_gap_are_not_touched(void **state)
{
    struct darn_touch every_other_int = with_gaps(100, 16, 0x0f0f);

    (void)state;
    assert_true(overlap(every_other_int, touch(DARN_OP_WRITE, 100, 4)));
    assert_false(overlap(every_other_int, touch(DARN_OP_WRITE, 104, 4)));
    assert_true(overlap(every_other_int, touch(DARN_OP_WRITE, 104, 5)));
    assert_true(overlap(every_other_int, touch(DARN_OP_WRITE, 108, 4)));
    assert_false(overlap(every_other_int, touch(DARN_OP_WRITE, 112, 4)));
    assert_false(overlap(every_other_int, touch(DARN_OP_WRITE, 116, 4)));
    assert_true(overlap(every_other_int, touch(DARN_OP_WRITE, 0, 1000)));
}

static void gaps_on_both_sides_can_interlock(void **state)
{
    (void)state;
    assert_false(overlap(with_gaps(100, 16, 0x0f0f), with_gaps(100, 16, 0xf0f0)));
    assert_true(overlap(with_gaps(100, 16, 0x0f0f), with_gaps(100, 16, 0x00f8)));
    assert_false(overlap(with_gaps(100, 16, 0x0f0f), with_gaps(104, 16, 0x0f0f)));
    assert_true(overlap(with_gaps(100, 16, 0x0f0f), with_gaps(108, 16, 0x0f0f)));
}

static void the_last_of_64_bytes_has_its_bit(void **state)
{
    (void)state;
    assert_true(overlap(with_gaps(0x1000, 64, UINT64_C(1) << 63), touch(DARN_OP_WRITE, 0x103f, 1)));
    assert_false(
        overlap(with_gaps(0x1000, 64, UINT64_C(1) << 63), touch(DARN_OP_WRITE, 0x1000, 63)));
}

static void a_write_conflicts_with_every_access_and_reads_do_not(void **state)
{
    (void)state;
    assert_true(conflict(touch(DARN_OP_WRITE, 100, 4), touch(DARN_OP_READ, 100, 4)));
    assert_true(conflict(touch(DARN_OP_WRITE, 100, 4), touch(DARN_OP_WRITE, 100, 4)));
    assert_true(conflict(touch(DARN_OP_WRITE, 100, 4), touch(DARN_OP_WRITE, 102, 8)));
    assert_false(conflict(touch(DARN_OP_READ, 100, 4), touch(DARN_OP_READ, 100, 4)));
    assert_false(conflict(touch(DARN_OP_WRITE, 100, 4), touch(DARN_OP_WRITE, 104, 4)));
}

static void giving_a_block_back_conflicts_with_every_access(void **state)
{
    struct darn_touch given_back = touch(DARN_OP_FREE, 96, 32);

    (void)state;
    assert_true(conflict(given_back, touch(DARN_OP_READ, 100, 4)));
    assert_true(conflict(given_back, touch(DARN_OP_WRITE, 100, 4)));
    assert_true(conflict(given_back, atomic(DARN_OP_READ)));
    assert_true(conflict(given_back, given_back));
}

static void atomics_do_not_conflict_with_each_other(void **state)
{
    (void)state;
    assert_false(conflict(atomic(DARN_OP_WRITE), atomic(DARN_OP_WRITE)));
    assert_false(conflict(atomic(DARN_OP_UPDATE), atomic(DARN_OP_READ)));
    assert_false(conflict(atomic(DARN_OP_UPDATE), atomic(DARN_OP_UPDATE)));
}

static void an_atomic_conflicts_with_a_plain_access_if_one_writes(void **state)
{
    (void)state;
    assert_true(conflict(atomic(DARN_OP_READ), touch(DARN_OP_WRITE, 100, 4)));
    assert_true(conflict(atomic(DARN_OP_WRITE), touch(DARN_OP_READ, 100, 4)));
    assert_true(conflict(atomic(DARN_OP_UPDATE), touch(DARN_OP_READ, 100, 4)));
    assert_false(conflict(atomic(DARN_OP_READ), touch(DARN_OP_READ, 100, 4)));
}

static void volatile_counts_as_plain(void **state)
{
    (void)state;
    assert_true(conflict(is_volatile(DARN_OP_WRITE), is_volatile(DARN_OP_READ)));
    assert_true(conflict(is_volatile(DARN_OP_WRITE), touch(DARN_OP_READ, 100, 4)));
}

static void volatile_is_let_alone_when_asked(void **state)
{
    (void)state;
    darn_state.options.report_volatile = false;
    assert_false(conflict(is_volatile(DARN_OP_WRITE), is_volatile(DARN_OP_READ)));
    assert_false(conflict(is_volatile(DARN_OP_WRITE), touch(DARN_OP_WRITE, 100, 4)));
    assert_false(conflict(is_volatile(DARN_OP_READ), touch(DARN_OP_WRITE, 100, 4)));
    assert_true(conflict(touch(DARN_OP_WRITE, 100, 4), touch(DARN_OP_WRITE, 100, 4)));
}

static void an_exclusive_writer_forbids_writes_also_atomic_ones(void **state)
{
    struct darn_touch writer = asserted(DARN_ASSERT_WRITER);

    (void)state;
    assert_true(conflict(writer, touch(DARN_OP_WRITE, 100, 4)));
    assert_true(conflict(writer, atomic(DARN_OP_WRITE)));
    assert_true(conflict(writer, atomic(DARN_OP_UPDATE)));
    assert_true(conflict(writer, touch(DARN_OP_FREE, 96, 32)));
    assert_false(conflict(writer, touch(DARN_OP_READ, 100, 4)));
    assert_false(conflict(writer, atomic(DARN_OP_READ)));
    assert_false(conflict(writer, touch(DARN_OP_WRITE, 104, 4)));
}

static void exclusive_access_forbids_everything(void **state)
{
    struct darn_touch access = asserted(DARN_ASSERT_ACCESS);

    (void)state;
    assert_true(conflict(access, touch(DARN_OP_READ, 100, 4)));
    assert_true(conflict(access, atomic(DARN_OP_READ)));
    assert_true(conflict(access, touch(DARN_OP_WRITE, 103, 1)));
    assert_false(conflict(access, touch(DARN_OP_READ, 104, 4)));
}

static void assertions_hold_for_volatile_whatever_is_asked(void **state)
{
    (void)state;
    darn_state.options.report_volatile = false;
    assert_true(conflict(asserted(DARN_ASSERT_WRITER), is_volatile(DARN_OP_WRITE)));
    assert_true(conflict(asserted(DARN_ASSERT_ACCESS), is_volatile(DARN_OP_READ)));
}

static void two_assertions_are_no_accesses(void **state)
{
    (void)state;
    assert_false(conflict(asserted(DARN_ASSERT_WRITER), asserted(DARN_ASSERT_WRITER)));
    assert_false(conflict(asserted(DARN_ASSERT_ACCESS), asserted(DARN_ASSERT_ACCESS)));
    assert_false(conflict(asserted(DARN_ASSERT_ACCESS), asserted(DARN_ASSERT_WRITER)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_byte_in_common_is_an_overlap, start),
        cmocka_unit_test_setup(neighbours_do_not_overlap, start),
        cmocka_unit_test_setup(nothing_touches_nothing, start),
        cmocka_unit_test_setup(the_bytes_in_a_gap_are_not_touched, start),
        cmocka_unit_test_setup(gaps_on_both_sides_can_interlock, start),
        cmocka_unit_test_setup(the_last_of_64_bytes_has_its_bit, start),
        cmocka_unit_test_setup(a_write_conflicts_with_every_access_and_reads_do_not, start),
        cmocka_unit_test_setup(giving_a_block_back_conflicts_with_every_access, start),
        cmocka_unit_test_setup(atomics_do_not_conflict_with_each_other, start),
        cmocka_unit_test_setup(an_atomic_conflicts_with_a_plain_access_if_one_writes, start),
        cmocka_unit_test_setup(volatile_counts_as_plain, start),
        cmocka_unit_test_setup(volatile_is_let_alone_when_asked, start),
        cmocka_unit_test_setup(an_exclusive_writer_forbids_writes_also_atomic_ones, start),
        cmocka_unit_test_setup(exclusive_access_forbids_everything, start),
        cmocka_unit_test_setup(assertions_hold_for_volatile_whatever_is_asked, start),
        cmocka_unit_test_setup(two_assertions_are_no_accesses, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
