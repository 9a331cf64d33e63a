/* Walking a stack by its frame pointers, on stacks that were made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "runtime/thread/stack.h"
#include "runtime/thread/thread.h"

#define WORDS ((3u << 20) / sizeof(uintptr_t)) /* larger than any frame that is believed */

static uintptr_t memory[WORDS];
static struct darn_stack stack;

static int clear(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    memset(&stack, 0xa5, sizeof(stack));
    return 0;
}

/* Walks in a thread whose stack is the memory from `start` to `end`. */
static void walk(size_t at, size_t start, size_t end)
{
    struct darn_thread thread = {.stack_start = (uintptr_t)&memory[start],
                                 .stack_end = (uintptr_t)&memory[end]};

    darn_stack_walk(&stack, &thread, &memory[at]);
}

/* A frame at this word: the caller's frame, and where to return to. */
static void put_frame(size_t at, size_t caller, uintptr_t pc)
{
    memory[at] = (uintptr_t)&memory[caller];
    memory[at + 1] = pc;
}

static void walk_from(size_t at)
{
    walk(at, 0, WORDS);
}

static void expect_pcs(uint32_t count, const uintptr_t *pcs)
{
    assert_int_equal(stack.depth, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(stack.pcs[i], pcs[i]);
}

static void a_chain_of_frames_is_followed_to_its_end(void **state)
{
    (void)state;
    put_frame(10, 20, 0x401000);
    put_frame(20, 500, 0x402000);
    put_frame(500, 0, 0x403000); /* the outermost frame has no caller */
    memory[500] = 0;
    walk_from(10);
    expect_pcs(3, (uintptr_t[]){0x401000, 0x402000, 0x403000});
}

static void a_frame_at_the_end_of_the_stack_is_the_last(void **state)
{
    (void)state;
    put_frame(10, WORDS - 2, 0x401000);
    put_frame(WORDS - 2, WORDS - 2, 0x402000);
    walk(10, 0, 20);
    expect_pcs(1, (uintptr_t[]){0x401000});
    memory[10] = (uintptr_t)&memory[18];
    memory[19] = 0x403000;
    walk(10, 0, 20);
    expect_pcs(2, (uintptr_t[]){0x401000, 0x403000});
}

static void half_a_frame_at_the_end_is_not_read(void **state)
{
    (void)state;
    put_frame(10, 19, 0x401000);
    put_frame(19, 30, 0x402000);
    walk(10, 0, 20);
    expect_pcs(1, (uintptr_t[]){0x401000});
}

static void on_another_stack_only_the_own_frame_is_read(void **state)
{
    (void)state;
    put_frame(10, 20, 0x401000);
    put_frame(20, 30, 0x402000);
    walk(10, 100, 200);
    expect_pcs(1, (uintptr_t[]){0x401000});
    walk(10, 0, 0);
    expect_pcs(1, (uintptr_t[]){0x401000});
}

static void a_frame_that_was_made_up_is_the_whole_stack(void **state)
{
    (void)state;
    memory[10] = DARN_STACK_ALONE;
    memory[11] = (uintptr_t)memset; /* code that there is a way out of */
    memory[12] = memory[13] = (uintptr_t)memset;
    walk_from(10);
    expect_pcs(1, (uintptr_t[]){(uintptr_t)memset});
}

static void frames_that_do_not_lie_above_each_other_end_the_walk(void **state)
{
    (void)state;
    put_frame(20, 20, 0x401000); /* its own caller */
    walk_from(20);
    expect_pcs(1, (uintptr_t[]){0x401000});
    put_frame(20, 10, 0x401000);
    put_frame(10, 20, 0x402000); /* a circle */
    walk_from(20);
    expect_pcs(1, (uintptr_t[]){0x401000});
}

static void a_frame_that_is_not_aligned_is_not_read(void **state)
{
    (void)state;
    put_frame(10, 20, 0x401000);
    put_frame(20, 30, 0x402000);
    memory[10] += 4;
    walk_from(10);
    expect_pcs(1, (uintptr_t[]){0x401000});
}

static void a_return_address_that_is_none_ends_the_walk(void **state)
{
    (void)state;
    put_frame(10, 20, 0x401000);
    put_frame(20, 30, 0);
    put_frame(30, 40, 0x403000);
    walk_from(10);
    expect_pcs(1, (uintptr_t[]){0x401000});
    memory[21] = 4095;
    walk_from(10);
    expect_pcs(1, (uintptr_t[]){0x401000});
}

static void a_frame_of_more_than_a_megabyte_is_not_believed(void **state)
{
    size_t megabyte = (1u << 20) / sizeof(uintptr_t);

    (void)state;
    put_frame(10, 10 + megabyte, 0x401000);
    put_frame(10 + megabyte, 11 + 2 * megabyte, 0x402000);
    put_frame(11 + 2 * megabyte, 0, 0x403000);
    walk_from(10);
    expect_pcs(2, (uintptr_t[]){0x401000, 0x402000});
}

static void a_deep_recursion_shows_its_innermost_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * DARN_STACK_DEPTH; i++)
        put_frame(2 * i, 2 * i + 2, 0x401000 + i);
    walk_from(0);
    assert_int_equal(stack.depth, DARN_STACK_DEPTH);
    for (size_t i = 0; i < DARN_STACK_DEPTH; i++)
        assert_int_equal(stack.pcs[i], 0x401000 + i);
}

/* The stack of another thread: two pages of it, and then only the first. */
static void a_stack_that_is_gone_is_not_read(void **state)
{
    size_t page = 4096;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t *inner = (uintptr_t *)(pages + 64), *outer = (uintptr_t *)(pages + page + 64);
    struct darn_thread thread = {.stack_start = (uintptr_t)pages,
                                 .stack_end = (uintptr_t)(pages + 2 * page)};

    (void)state;
    assert_ptr_not_equal(pages, MAP_FAILED);
    inner[0] = (uintptr_t)outer;
    inner[1] = 0x401000;
    outer[1] = 0x402000;
    darn_stack_copy(&stack, &thread, inner);
    expect_pcs(2, (uintptr_t[]){0x401000, 0x402000});
    munmap(pages + page, page);
    darn_stack_copy(&stack, &thread, inner);
    expect_pcs(1, (uintptr_t[]){0x401000});
    munmap(pages, page);
    darn_stack_copy(&stack, &thread, inner);
    expect_pcs(0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_chain_of_frames_is_followed_to_its_end, clear),
        cmocka_unit_test_setup(a_frame_at_the_end_of_the_stack_is_the_last, clear),
        cmocka_unit_test_setup(half_a_frame_at_the_end_is_not_read, clear),
        cmocka_unit_test_setup(on_another_stack_only_the_own_frame_is_read, clear),
        cmocka_unit_test_setup(a_frame_that_was_made_up_is_the_whole_stack, clear),
        cmocka_unit_test_setup(frames_that_do_not_lie_above_each_other_end_the_walk, clear),
        cmocka_unit_test_setup(a_frame_that_is_not_aligned_is_not_read, clear),
        cmocka_unit_test_setup(a_return_address_that_is_none_ends_the_walk, clear),
        cmocka_unit_test_setup(a_frame_of_more_than_a_megabyte_is_not_believed, clear),
        cmocka_unit_test_setup(a_deep_recursion_shows_its_innermost_frames, clear),
        cmocka_unit_test_setup(a_stack_that_is_gone_is_not_read, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
