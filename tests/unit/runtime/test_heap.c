/* The memory of where heap blocks were allocated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/report/counters.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/heap.h"

#define WORDS  64
#define BLOCKS 40000 /* more than are remembered */

/* Blocks are addresses only: nobody looks into them. */
#define BLOCK UINT64_C(0x5555000000)

static struct darn_thread thread;
static uintptr_t stack[WORDS];
static struct darn_heap_block found;

/* Frames of two words, one above the other, up to the end of the stack. */
static int start(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORDS; i += 2) {
        stack[i] = (uintptr_t)&stack[i + 2];
        stack[i + 1] = 0x401000 + i / 2;
    }
    thread = (struct darn_thread){.number = 3, .stack_end = (uintptr_t)(stack + WORDS)};
    darn_thread_record = &thread;
    darn_state.ready = true;
    memset(&found, 0xa5, sizeof(found));
    return 0;
}

static void add(uintptr_t block, size_t size)
{
    darn_heap_add((const void *)block, size, stack);
}

static int forget(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < BLOCKS; i++)
        darn_heap_remove((const void *)(BLOCK + 32 * i));
    return 0;
}

static void every_byte_of_a_block_leads_to_it(void **state)
{
    (void)state;
    add(BLOCK, 40);
    for (uintptr_t i = 0; i < 40; i++) {
        assert_true(darn_heap_find(BLOCK + i, &found));
        assert_int_equal(found.address, BLOCK);
        assert_int_equal(found.size, 40);
        assert_int_equal(found.thread, 3);
    }
    assert_false(darn_heap_find(BLOCK + 40, &found));
    assert_false(darn_heap_find(BLOCK - 1, &found));
}

static void the_allocating_calls_are_remembered_innermost_first(void **state)
{
    (void)state;
    add(BLOCK, 8);
    assert_true(darn_heap_find(BLOCK, &found));
    assert_in_range(found.stack.depth, 3, DARN_STACK_DEPTH);
    for (uint32_t i = 0; i < found.stack.depth; i++)
        assert_int_equal(found.stack.pcs[i], 0x401000 + i);
}

static void a_short_stack_is_remembered_as_it_is(void **state)
{
    (void)state;
    stack[2] = 0; /* the second frame is the outermost */
    add(BLOCK, 8);
    assert_true(darn_heap_find(BLOCK, &found));
    assert_int_equal(found.stack.depth, 2);
    assert_int_equal(found.stack.pcs[1], 0x401001);
}

static void frames_beyond_the_end_of_the_stack_are_not_read(void **state)
{
    (void)state;
    stack[0] = (uintptr_t)(stack + WORDS);
    add(BLOCK, 8);
    assert_true(darn_heap_find(BLOCK, &found));
    assert_int_equal(found.stack.depth, 1);
    stack[0] = (uintptr_t)&stack[2] + 1;
    add(BLOCK, 8);
    assert_true(darn_heap_find(BLOCK, &found));
    assert_int_equal(found.stack.depth, 1);
}

static void a_block_that_was_given_back_is_forgotten(void **state)
{
    (void)state;
    add(BLOCK, 40);
    add(BLOCK + 64, 40);
    darn_heap_remove((const void *)BLOCK);
    assert_false(darn_heap_find(BLOCK, &found));
    assert_true(darn_heap_find(BLOCK + 64, &found));
    darn_heap_remove((const void *)(BLOCK + 65)); /* not the start of a block */
    assert_true(darn_heap_find(BLOCK + 64, &found));
}

static void a_block_that_is_used_again_is_the_new_one(void **state)
{
    (void)state;
    add(BLOCK, 40);
    darn_heap_remove((const void *)BLOCK);
    thread.number = 5;
    add(BLOCK, 10);
    assert_true(darn_heap_find(BLOCK + 9, &found));
    assert_int_equal(found.thread, 5);
    assert_false(darn_heap_find(BLOCK + 10, &found));
}

static void an_empty_block_contains_no_byte(void **state)
{
    (void)state;
    add(BLOCK, 0);
    assert_false(darn_heap_find(BLOCK, &found));
}

static void a_failed_allocation_is_no_block(void **state)
{
    (void)state;
    add(0, 40);
    assert_false(darn_heap_find(0, &found));
    assert_false(darn_heap_find(8, &found));
}

static void before_the_start_and_without_a_thread_nothing_is_remembered(void **state)
{
    (void)state;
    darn_state.ready = false;
    add(BLOCK, 40);
    assert_false(darn_heap_find(BLOCK, &found));
    darn_state.ready = true;
    darn_thread_record = NULL;
    add(BLOCK, 40);
    assert_false(darn_heap_find(BLOCK, &found));
    darn_thread_record = DARN_THREAD_ENDED;
    add(BLOCK, 40);
    assert_false(darn_heap_find(BLOCK, &found));
}

static void what_is_forgotten_for_newer_blocks_is_counted(void **state)
{
    uint64_t before = darn_counter_value(DARN_COUNT_BLOCKS_FORGOTTEN), forgotten;
    uint64_t missing = 0;

    (void)state;
    for (uintptr_t i = 0; i < BLOCKS; i++)
        add(BLOCK + 32 * i, 16);
    forgotten = darn_counter_value(DARN_COUNT_BLOCKS_FORGOTTEN) - before;
    /* Each search looks at the whole table: every hundredth block says enough. */
    for (uintptr_t i = 0; i < BLOCKS; i += 100)
        missing += !darn_heap_find(BLOCK + 32 * i, &found);
    assert_in_range(forgotten, BLOCKS / 2, BLOCKS - 1000);
    assert_in_range(missing, BLOCKS / 200, BLOCKS / 100 - 10);
    assert_true(darn_heap_find(BLOCK + 32 * (BLOCKS - 1), &found)); /* the newest is there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_byte_of_a_block_leads_to_it, start, forget),
        cmocka_unit_test_setup_teardown(the_allocating_calls_are_remembered_innermost_first, start,
                                        forget),
        cmocka_unit_test_setup_teardown(a_short_stack_is_remembered_as_it_is, start, forget),
        cmocka_unit_test_setup_teardown(frames_beyond_the_end_of_the_stack_are_not_read, start,
                                        forget),
        cmocka_unit_test_setup_teardown(a_block_that_was_given_back_is_forgotten, start, forget),
        cmocka_unit_test_setup_teardown(a_block_that_is_used_again_is_the_new_one, start, forget),
        cmocka_unit_test_setup_teardown(an_empty_block_contains_no_byte, start, forget),
        cmocka_unit_test_setup_teardown(a_failed_allocation_is_no_block, start, forget),
        cmocka_unit_test_setup_teardown(before_the_start_and_without_a_thread_nothing_is_remembered,
                                        start, forget),
        cmocka_unit_test_setup_teardown(what_is_forgotten_for_newer_blocks_is_counted, start,
                                        forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
