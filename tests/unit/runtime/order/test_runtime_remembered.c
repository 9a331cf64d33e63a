/* Accesses that are remembered: which two conflict, what is forgotten with the memory, and what
 * goes when there is no room. And how deep stacks were touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runtime/order/remembered.h"
#include "runtime/order/stacks.h"
#include "runtime/report/counters.h"
#include "runtime/state.h"

enum { THREADS = 12 };

#include "clocks_stage.h"

static struct darn_memory_cell found;

/* Memory of this test alone; nobody looks into it. */
static uintptr_t memory = UINTPTR_MAX / 4 & ~UINT64_C(4095);

static int start(void **state)
{
    (void)state;
    darn_state.options.report_volatile = true;
    memory += 1 << 20;
    begin_clocks();
    return 0;
}

static int open_both(void **state)
{
    (void)state;
    return !darn_clocks_open() || !darn_memory_open();
}

/* Whether it races with one that is remembered; it is at place 1 + the number of its thread. */
static bool touches(int thread, struct darn_touch touch)
{
    touch.address += memory;
    return darn_memory_access(&clocks[thread], &touch, 1 + (uint32_t)thread, &found);
}

static bool reads(int thread, uintptr_t at, uint64_t size)
{
    return touches(thread, (struct darn_touch){.address = at, .size = size, .op = DARN_OP_READ});
}

static bool writes(int thread, uintptr_t at, uint64_t size)
{
    return touches(thread, (struct darn_touch){.address = at, .size = size, .op = DARN_OP_WRITE});
}

static bool frees(int thread, uintptr_t at, uint64_t size)
{
    struct darn_touch touch = {.address = memory + at, .size = size, .op = DARN_OP_FREE};

    return darn_memory_access(&clocks[thread], &touch, 0, &found);
}

/* What the one did comes before what the other does. */
static void order(int one, int other)
{
    static uint64_t object = UINT64_C(1) << 40;

    darn_clock_release(&clocks[one], ++object);
    darn_clock_acquire(&clocks[other], object);
}

/* ---- conflicts ---- */

static void two_writes_that_nothing_orders_conflict(void **state)
{
    (void)state;
    assert_false(writes(0, 8, 8));
    assert_true(writes(1, 8, 8));
    assert_int_equal(found.where, 1);
    assert_int_equal(found.slot, clocks[0].slot);
    assert_int_equal(found.granule * 8, memory + 8);
    assert_int_equal(found.bytes, 0xff);
    assert_int_equal(found.op, DARN_OP_WRITE);
}

static void what_is_ordered_does_not(void **state)
{
    (void)state;
    assert_false(writes(0, 0, 8));
    order(0, 1);
    assert_false(writes(1, 0, 8));
    order(1, 2);
    assert_false(reads(2, 0, 8));
    assert_false(writes(2, 0, 8));
    assert_true(writes(0, 0, 8)); /* it does not know of the others */
}

static void reads_do_not_conflict_with_reads(void **state)
{
    (void)state;
    assert_false(reads(0, 0, 4));
    assert_false(reads(1, 0, 4));
    assert_true(writes(2, 0, 4));
}

static void only_bytes_in_common_conflict(void **state)
{
    (void)state;
    assert_false(writes(0, 0, 1));
    assert_false(writes(1, 1, 1));
    assert_false(writes(2, 4, 4));
    assert_false(writes(3, 2, 2));
    assert_true(reads(4, 3, 1));
    assert_int_equal(found.where, 1 + 3);
    assert_true(reads(5, 6, 4)); /* over the edge of eight bytes */
    assert_int_equal(found.where, 1 + 2);
}

static void gaps_are_not_touched(void **state)
{
    struct darn_touch touch = {.size = 16, .gaps = 0xff0f, .op = DARN_OP_WRITE};

    (void)state;
    assert_false(touches(0, touch));
    assert_false(writes(1, 4, 4));
    assert_true(writes(2, 0, 4));
    assert_true(writes(3, 8, 1));
}

static void atomics_conflict_only_with_plain_accesses(void **state)
{
    struct darn_touch atomic = {.size = 8, .op = DARN_OP_UPDATE, .atomic = true};

    (void)state;
    assert_false(touches(0, atomic));
    assert_false(touches(1, atomic));
    assert_true(reads(2, 0, 8));
    assert_true(touches(3, atomic)); /* with that read */
    assert_int_equal(found.where, 1 + 2);
}

static void volatile_accesses_conflict_if_wanted(void **state)
{
    struct darn_touch touch = {.size = 8, .op = DARN_OP_WRITE, .is_volatile = true};

    (void)state;
    assert_false(touches(0, touch));
    assert_true(touches(1, touch));
    darn_state.options.report_volatile = false;
    assert_false(touches(2, touch));
}

/* ---- ranges ---- */

static void each_piece_of_a_range_is_remembered(void **state)
{
    (void)state;
    assert_false(writes(0, 3, 4090));
    assert_false(reads(1, 0, 3));
    assert_false(reads(1, 4093, 3));
    for (uintptr_t at = 3; at < 4093; at += 131)
        assert_true(reads(1, at, 1));
    assert_true(reads(2, 0, 8192));
    order(0, 3);
    assert_false(reads(3, 0, 8192));
}

static void of_a_long_range_pieces_are_remembered(void **state)
{
    (void)state;
    assert_false(writes(0, 0, 1 << 19));
    assert_true(reads(1, 0, 1));
    assert_true(reads(2, 0, 1 << 19));
}

static void each_byte_of_a_long_range_counts(void **state)
{
    (void)state;
    assert_false(writes(0, 100, 1 << 19));
    assert_true(reads(1, 77701, 1));
    assert_int_equal(found.granule, (memory + 77701) / 8);
    assert_int_equal(found.bytes, 1 << 77701 % 8);
    assert_false(reads(1, 99, 1));
    assert_false(reads(1, 100 + (1 << 19), 1));
    order(0, 2);
    assert_false(reads(2, 77702, 1));
    assert_true(darn_memory_is_touched(memory + 77001, 1));
    darn_memory_forget(memory + 77000, 8);
    assert_false(reads(3, 77701, 1));
}

static void a_long_range_is_compared_with_each_byte(void **state)
{
    (void)state;
    assert_false(writes(0, 77701, 1));
    assert_true(reads(1, 0, 1 << 19));
    assert_false(reads(2, 77702, 1 << 18));
    assert_true(writes(3, 77702, 1 << 18));
    assert_int_equal(found.where, 3);
}

/* ---- the end of memory ---- */

static void a_free_is_a_write_of_all_of_it(void **state)
{
    (void)state;
    assert_false(reads(0, 40, 4));
    assert_true(frees(1, 0, 64));
    assert_int_equal(found.where, 1);
    order(0, 2);
    assert_false(frees(2, 0, 64));
    assert_false(writes(0, 0, 8)); /* it is not remembered itself */
}

static bool ends(int thread, uintptr_t at, uint64_t size, bool all)
{
    struct darn_touch touch = {.address = memory + at, .size = size, .op = DARN_OP_FREE};

    return darn_memory_end(&clocks[thread], &touch, 1 + (uint32_t)thread, all, &found);
}

static void an_end_is_remembered_until_the_memory_has_a_new_owner(void **state)
{
    (void)state;
    assert_false(writes(0, 40, 8));
    assert_false(ends(0, 0, 4096, false));
    assert_true(reads(1, 40, 4));
    assert_int_equal(found.where, 1);
    assert_int_equal(found.op, DARN_OP_FREE);
    assert_false(reads(1, 80, 4)); /* nobody had touched that */
    order(0, 2);
    assert_false(reads(2, 40, 4));
    darn_memory_forget(memory, 4096);
    assert_false(reads(3, 40, 4));
    assert_false(writes(3, 40, 4));
}

/* Every free comes by, and whenever a time advances all clocks have to hear of it. */
static void the_end_of_what_is_not_remembered_takes_no_time(void **state)
{
    uint32_t version;

    (void)state;
    assert_false(writes(0, 0, 8));
    order(0, 1); /* the time is given away: the next thing that is remembered has another one */
    version = clocks[0].version;
    assert_false(ends(0, 1024, 64, false));
    assert_int_equal(clocks[0].version, version);
    assert_false(ends(0, 0, 64, false));
    assert_int_not_equal(clocks[0].version, version);
}

static void the_beginning_of_an_untouched_block_is_remembered(void **state)
{
    (void)state;
    assert_false(ends(0, 0, 64, true));
    assert_true(reads(1, 48, 4));
    assert_false(reads(1, 64, 4));
    assert_true(ends(2, 0, 64, true)); /* twice */
}

static void a_use_conflicts_with_an_end_alone(void **state)
{
    struct darn_touch use = {.address = 0, .size = 1, .op = DARN_OP_USE};

    (void)state;
    assert_false(touches(0, use));
    assert_false(writes(1, 0, 8));
    assert_false(touches(2, use));
    order(1, 3);
    assert_true(ends(3, 0, 16, false));
    assert_true(found.where == 1 || found.where == 3);
    assert_true(touches(0, use));
    assert_int_equal(found.op, DARN_OP_FREE);
}

static void what_is_forgotten_conflicts_no_more(void **state)
{
    (void)state;
    assert_false(writes(0, 0, 8));
    assert_false(writes(0, 128, 8));
    darn_memory_forget(memory, 64);
    assert_false(writes(1, 0, 8));
    assert_true(writes(1, 128, 8)); /* that is another line */
    assert_true(writes(2, 0, 8));   /* what came after counts */
    assert_int_equal(found.where, 1 + 1);
}

static void neighbours_on_a_line_have_lives_of_their_own(void **state)
{
    (void)state;
    assert_false(writes(0, 8, 8));
    assert_false(writes(0, 16, 8));
    assert_false(writes(0, 48, 8));
    darn_memory_forget(memory + 16, 24);
    assert_true(writes(1, 8, 8));
    assert_false(writes(1, 16, 8));
    assert_true(writes(1, 48, 8));
}

/* Wherever in a long block the one piece lies that was touched; the block begins and ends amid a
 * line. */
static void one_piece_of_a_long_block_is_found(void **state)
{
    enum { FIRST = 528, END = FIRST + 3056, ALL = 8192 };
    struct darn_touch end = {.address = memory + FIRST, .size = END - FIRST, .op = DARN_OP_FREE};

    (void)state;
    for (uint64_t offset = 0; offset < ALL; offset += 8) {
        bool is_inside = offset >= FIRST && offset < END;

        assert_false(writes(0, offset, 8));
        assert_int_equal(darn_memory_end(&clocks[1], &end, 0, false, &found), is_inside);
        assert_int_equal(writes(1, offset, 8), !is_inside);
        darn_memory_forget(memory + FIRST, END - FIRST);
        assert_int_equal(writes(2, offset, 8), !is_inside);
        darn_memory_forget(memory, ALL);
    }
}

static void lives_follow_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_false(writes(i % THREADS, 0, 8));
        assert_true(reads((i + 1) % THREADS, 0, 8));
        darn_memory_forget(memory, 8);
    }
}

static void very_much_is_forgotten_at_once(void **state)
{
    (void)state;
    assert_false(writes(0, 4096, 8));
    darn_memory_forget(memory, UINT64_C(1) << 30);
    assert_false(writes(1, 4096, 8));
}

/* ---- room ---- */

/* Reads of many threads do not fit; the newest are there. */
static void the_oldest_goes_first(void **state)
{
    uint64_t before = darn_counter_value(DARN_COUNT_FORGOTTEN);

    (void)state;
    for (int i = 0; i < THREADS - 1; i++)
        assert_false(reads(i, 0, 8));
    assert_true(darn_counter_value(DARN_COUNT_FORGOTTEN) > before);
    for (int i = 0; i < THREADS - 2; i++)
        order(i, THREADS - 1);
    assert_true(writes(THREADS - 1, 0, 8)); /* only the last one was left out */
    assert_int_equal(found.where, 1 + THREADS - 2);
}

/* Where there is room for a few: of many threads that come often, the one that came once. */
static void what_comes_often_goes_first(void **state)
{
    struct darn_touch often = {.size = 8, .op = DARN_OP_READ, .is_often = true};

    (void)state;
    assert_false(reads(0, 0, 8));
    for (int i = 0; i < 100; i++)
        assert_false(touches(1 + i % (THREADS - 2), often));
    for (int i = 1; i < THREADS - 1; i++)
        order(i, THREADS - 1);
    assert_true(writes(THREADS - 1, 0, 8));
    assert_int_equal(found.where, 1);
}

static void of_what_comes_often_the_oldest_goes_first(void **state)
{
    struct darn_touch often = {.size = 8, .op = DARN_OP_READ, .is_often = true};

    (void)state;
    for (int i = 0; i < THREADS - 1; i++)
        assert_false(touches(i, often));
    for (int i = 0; i < THREADS - 2; i++)
        order(i, THREADS - 1);
    assert_true(writes(THREADS - 1, 0, 8));
    assert_int_equal(found.where, 1 + THREADS - 2);
}

/* Who comes by again and again takes no more room, and nobody else's. */
static void what_says_the_same_takes_the_same_room(void **state)
{
    uint64_t before = darn_counter_value(DARN_COUNT_FORGOTTEN);

    (void)state;
    assert_false(reads(0, 0, 8));
    for (int i = 0; i < 100; i++) {
        assert_false(reads(1, 0, 8));
        order(1, 2);
    }
    assert_int_equal(darn_counter_value(DARN_COUNT_FORGOTTEN), before);
    order(1, 3);
    assert_true(writes(3, 0, 8)); /* of thread 0 it does not know */
    assert_int_equal(found.where, 1);
}

/* One that is known goes only if the new one touches as much, and writes if that did. */
static void only_what_is_covered_goes(void **state)
{
    (void)state;
    assert_false(writes(0, 0, 8));
    order(0, 1);
    assert_false(writes(1, 0, 4));
    assert_true(reads(2, 4, 4));
    assert_int_equal(found.where, 1);
    assert_false(writes(0, 64, 8));
    order(0, 1);
    assert_false(reads(1, 64, 8));
    assert_true(reads(2, 64, 8));
    assert_int_equal(found.where, 1);
    assert_false(writes(0, 128, 8));
    order(0, 1);
    assert_false(writes(1, 128, 8));
    assert_true(reads(2, 128, 8));
    assert_int_equal(found.where, 1 + 1);
}

/* ---- stacks ---- */

enum { STACK = 0x100000, SIZE = 0x10000 };

static void the_deepest_touch_of_a_stack_is_known(void **state)
{
    uint32_t one = clocks[0].slot, other = clocks[1].slot;

    (void)state;
    darn_stacks_begin(one, STACK, STACK + SIZE);
    darn_stacks_begin(other, STACK + 2 * SIZE, STACK + 3 * SIZE);
    darn_stacks_touch(one, STACK + 5000);
    darn_stacks_touch(one, STACK + 7000);
    darn_stacks_touch(other, STACK + 4000); /* not its own */
    darn_stacks_touch(other, STACK + SIZE); /* nobody's */
    darn_stacks_touch(other, 8);
    assert_int_equal(darn_stacks_end(one), STACK + 4000);
    assert_int_equal(darn_stacks_end(other), 0);
    darn_stacks_touch(one, STACK + 100); /* nobody has it now */
    darn_stacks_begin(one, STACK, STACK + SIZE);
    assert_int_equal(darn_stacks_end(one), 0);
}

static void who_has_no_slot_has_no_stack(void **state)
{
    (void)state;
    darn_stacks_begin(DARN_CLOCK_SLOTS, STACK, STACK + SIZE);
    assert_int_equal(darn_stacks_end(DARN_CLOCK_SLOTS), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end_clocks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_writes_that_nothing_orders_conflict),
        TEST(what_is_ordered_does_not),
        TEST(reads_do_not_conflict_with_reads),
        TEST(only_bytes_in_common_conflict),
        TEST(gaps_are_not_touched),
        TEST(atomics_conflict_only_with_plain_accesses),
        TEST(volatile_accesses_conflict_if_wanted),
        TEST(each_piece_of_a_range_is_remembered),
        TEST(of_a_long_range_pieces_are_remembered),
        TEST(each_byte_of_a_long_range_counts),
        TEST(a_long_range_is_compared_with_each_byte),
        TEST(a_free_is_a_write_of_all_of_it),
        TEST(an_end_is_remembered_until_the_memory_has_a_new_owner),
        TEST(the_beginning_of_an_untouched_block_is_remembered),
        TEST(a_use_conflicts_with_an_end_alone),
        TEST(what_is_forgotten_conflicts_no_more),
        TEST(neighbours_on_a_line_have_lives_of_their_own),
        TEST(lives_follow_each_other),
        TEST(very_much_is_forgotten_at_once),
        TEST(the_oldest_goes_first),
        TEST(what_comes_often_goes_first),
        TEST(of_what_comes_often_the_oldest_goes_first),
        TEST(what_says_the_same_takes_the_same_room),
        TEST(only_what_is_covered_goes),
        TEST(the_deepest_touch_of_a_stack_is_known),
        TEST(who_has_no_slot_has_no_stack),
        TEST(the_end_of_what_is_not_remembered_takes_no_time),
        TEST(one_piece_of_a_long_block_is_found), /* last: it leaves little room */
    };

    return cmocka_run_group_tests(tests, open_both, NULL);
}
