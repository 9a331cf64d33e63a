/* The blocks of the heap by any address in them, against a plain list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/common/blocks.h"

#define BLOCKS 300
#define STEPS  200000

static struct darn_blocks *blocks;

static int open_blocks(void **state)
{
    (void)state;
    blocks = darn_blocks_create();
    return blocks ? 0 : -1;
}

static int close_blocks(void **state)
{
    (void)state;
    darn_blocks_destroy(blocks);
    return 0;
}

static void assert_owner(uint64_t address, uint32_t owner)
{
    uint32_t found = 0;

    assert_true(darn_blocks_find(blocks, address, &found));
    assert_int_equal(found, owner);
}

static void assert_nobody(uint64_t address)
{
    uint32_t found;

    assert_false(darn_blocks_find(blocks, address, &found));
}

static void a_block_is_found_from_its_first_byte_to_its_last(void **state)
{
    (void)state;
    darn_blocks_add(blocks, 0x10f0, 0x40, 7);
    assert_nobody(0x10ef);
    assert_owner(0x10f0, 7);
    assert_owner(0x112f, 7);
    assert_nobody(0x1130);
    darn_blocks_remove(blocks, 0x10f0);
    assert_nobody(0x1100);
}

static void blocks_of_all_sizes_are_found(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 47; i++)
        darn_blocks_add(blocks, (UINT64_C(1) << 48) + (UINT64_C(3) << i), UINT64_C(1) << i, i);
    for (uint32_t i = 2; i < 47; i++) {
        uint64_t start = (UINT64_C(1) << 48) + (UINT64_C(3) << i);

        assert_owner(start, i);
        assert_owner(start + (UINT64_C(1) << i) - 1, i);
        assert_nobody(start - 1);
    }
    assert_nobody(0);
    assert_nobody(UINT64_MAX);
}

static void a_block_that_was_never_freed_makes_room(void **state)
{
    (void)state;
    darn_blocks_add(blocks, 0x1000, 0x4000, 1);
    darn_blocks_add(blocks, 0x1000, 0x10, 2);
    assert_owner(0x1000, 2);
    assert_nobody(0x1010);
    darn_blocks_remove(blocks, 0x1000);
    assert_nobody(0x1000);
    darn_blocks_remove(blocks, 0x1000);
}

static void a_block_of_no_bytes_contains_nothing(void **state)
{
    (void)state;
    darn_blocks_add(blocks, 0x1000, 0, 1);
    assert_nobody(0x1000);
    darn_blocks_remove(blocks, 0x1000);
}

static uint64_t seed = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 12) % below;
}

struct plain {
    uint64_t start, size;
    uint32_t thread;
};

static struct plain known[BLOCKS];
static size_t known_count;

static bool overlaps(uint64_t start, uint64_t size)
{
    for (size_t i = 0; i < known_count; i++) {
        if (known[i].start < start + size && start < known[i].start + known[i].size)
            return true;
    }
    return false;
}

static void assert_overlap(uint64_t start, uint64_t size)
{
    const struct darn_block *found = darn_blocks_overlapping(blocks, start, size);

    assert_int_equal(found != NULL, overlaps(start, size));
    if (found)
        assert_true(found->start < start + size && start < found->start + found->size);
}

static void change(uint32_t thread)
{
    if (known_count && draw(known_count < BLOCKS ? 3 : 1) == 0) {
        size_t which = draw(known_count);

        darn_blocks_remove(blocks, known[which].start);
        known[which] = known[--known_count];
    } else {
        uint64_t size = 1 + draw(UINT64_C(1) << (1 + draw(14))), start = 0x10000 + draw(0x40000);

        if (overlaps(start, size))
            return;
        known[known_count++] = (struct plain){start, size, thread};
        darn_blocks_add(blocks, start, size, thread);
    }
}

static void the_owner_is_the_one_that_a_plain_list_says(void **state)
{
    (void)state;
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t address = 0x10000 + draw(0x48000);
        const struct plain *expected = NULL;

        change(step);
        for (size_t i = 0; i < known_count; i++) {
            if (address >= known[i].start && address - known[i].start < known[i].size)
                expected = &known[i];
        }
        if (expected)
            assert_owner(address, expected->thread);
        else
            assert_nobody(address);
        assert_overlap(address, 1 + draw(2048));
    }
    assert_true(darn_blocks_memory(blocks) < 50000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_blocks, close_blocks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_block_is_found_from_its_first_byte_to_its_last),
        TEST(blocks_of_all_sizes_are_found),
        TEST(a_block_that_was_never_freed_makes_room),
        TEST(a_block_of_no_bytes_contains_nothing),
        TEST(the_owner_is_the_one_that_a_plain_list_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
