/* Shadow memory: every byte has the past that it would have if it were alone in the world, and what
 * is freed is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/common/shadow.h"

/* The past of a byte is a number that depends on all visits and their order. The block belongs to
 * the cell: whoever loses one or frees it twice is caught. */
struct cell {
    uint64_t past;
    int *block;
};

static int blocks;
static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

static void copy(void *context, void *memory)
{
    struct cell *cell = memory;

    assert_ptr_equal(context, &blocks);
    if (cell->block) {
        cell->block = malloc(sizeof(int));
        blocks++;
    }
}

static void drop(void *context, void *memory)
{
    struct cell *cell = memory;

    assert_ptr_equal(context, &blocks);
    blocks -= cell->block != NULL;
    free(cell->block);
    cell->block = NULL;
}

static struct darn_shadow *create(bool merge)
{
    struct darn_shadow_type type = {.size = sizeof(struct cell),
                                    .copy = copy,
                                    .drop = drop,
                                    .context = &blocks,
                                    .merge = merge};
    struct darn_shadow *shadow = darn_shadow_create(&type);

    assert_non_null(shadow);
    return shadow;
}

static uint64_t next_past(uint64_t past, uint64_t what)
{
    return (past * 31 + what) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

/* A visit that brings all cells to a new past, and counts them. */
struct look {
    uint64_t what;
    size_t cells;
    uint64_t first;
    bool with_block;
};

static void visit(void *to, void *memory, uint64_t address)
{
    struct look *look = to;
    struct cell *cell = memory;

    if (!look->cells++)
        look->first = address;
    cell->past = next_past(cell->past, look->what);
    if (look->with_block && !cell->block) {
        cell->block = malloc(sizeof(int));
        blocks++;
    }
}

static void read_past(void *to, void *memory, uint64_t address)
{
    (void)address;
    *(uint64_t *)to = ((struct cell *)memory)->past;
}

static struct look look_at(struct darn_shadow *shadow, uint64_t address, uint64_t size)
{
    struct look look = {.what = 1};

    darn_shadow_visit(shadow, address, size, visit, &look);
    return look;
}

static void an_access_to_the_same_bytes_finds_its_cell(void **state)
{
    struct darn_shadow *shadow = create(false);

    (void)state;
    assert_null(darn_shadow_exact(shadow, 0x1004, 4));
    assert_int_equal(look_at(shadow, 0x1004, 4).cells, 1);
    assert_non_null(darn_shadow_exact(shadow, 0x1004, 4));
    assert_null(darn_shadow_exact(shadow, 0x1004, 2));
    assert_null(darn_shadow_exact(shadow, 0x1004, 0));
    assert_null(darn_shadow_exact(shadow, 0x1000, 8));
    assert_null(darn_shadow_exact(shadow, 0x1004, 8));
    assert_int_equal(look_at(shadow, 0x1004, 4).cells, 1);
    assert_int_equal(darn_shadow_cells(shadow), 1);
    darn_shadow_destroy(shadow);
}

static void neighbours_in_a_granule_have_cells_of_their_own(void **state)
{
    struct darn_shadow *shadow = create(false);
    struct cell *low, *high;

    (void)state;
    look_at(shadow, 0x1000, 4);
    look_at(shadow, 0x1004, 4);
    look_at(shadow, 0x1004, 4);
    low = darn_shadow_exact(shadow, 0x1000, 4);
    high = darn_shadow_exact(shadow, 0x1004, 4);
    assert_true(low->past == next_past(0, 1));
    assert_true(high->past == next_past(next_past(0, 1), 1));
    darn_shadow_destroy(shadow);
}

static void a_cell_that_is_touched_in_part_is_split_and_both_parts_keep_its_past(void **state)
{
    struct darn_shadow *shadow = create(false);
    struct cell *cell;
    struct look look;

    (void)state;
    look_at(shadow, 0x1000, 8);
    look = look_at(shadow, 0x1002, 2);
    assert_int_equal(look.cells, 1);
    assert_int_equal(look.first, 0x1002);
    cell = darn_shadow_exact(shadow, 0x1002, 2);
    assert_true(cell->past == next_past(next_past(0, 1), 1));
    cell = darn_shadow_at(shadow, 0x1000);
    assert_true(cell->past == next_past(0, 1));
    cell = darn_shadow_at(shadow, 0x1007);
    assert_true(cell->past == next_past(0, 1));
    darn_shadow_destroy(shadow);
}

static void bytes_that_were_filled_one_by_one_become_one_cell_again(void **state)
{
    struct darn_shadow *shadow = create(true);

    (void)state;
    for (uint64_t i = 0; i < 8 * 4096; i++)
        look_at(shadow, 0x1000 + i, 1);
    assert_int_equal(darn_shadow_cells(shadow), 4096);
    assert_non_null(darn_shadow_exact(shadow, 0x1000, 8));
    darn_shadow_destroy(shadow);
}

static void a_long_range_is_one_cell_for_each_page(void **state)
{
    struct darn_shadow *shadow = create(true);

    (void)state;
    assert_int_equal(look_at(shadow, 0x10000, 1 << 20).cells, (1 << 20) / DARN_SHADOW_PAGE);
    assert_int_equal(darn_shadow_cells(shadow), (1 << 20) / DARN_SHADOW_PAGE);
    /* One that does not begin and end with a page has granules at its ends. */
    assert_int_equal(look_at(shadow, 0x10000 - 8, 2 * DARN_SHADOW_PAGE).cells,
                     1 + 1 + (DARN_SHADOW_PAGE - 8) / 8);
    darn_shadow_destroy(shadow);
}

static void a_page_that_was_looked_at_closely_closes_again(void **state)
{
    struct darn_shadow *shadow = create(true);

    (void)state;
    for (uint64_t i = 0; i < DARN_SHADOW_PAGE; i += 8)
        look_at(shadow, 0x10000 + i, 8);
    assert_int_equal(darn_shadow_cells(shadow), DARN_SHADOW_PAGE / 8);
    look_at(shadow, 0x10000, DARN_SHADOW_PAGE);
    assert_int_equal(darn_shadow_cells(shadow), 1);
    look_at(shadow, 0x10008, 4);
    assert_int_equal(darn_shadow_cells(shadow), DARN_SHADOW_PAGE / 8 + 1);
    darn_shadow_destroy(shadow);
}

static void bytes_in_gaps_are_not_touched(void **state)
{
    struct darn_shadow *shadow = create(false);
    struct darn_event event = {.target = 0x1006, .size = 70, .flags = DARN_EVENT_GAPS, .extra = 5};
    struct look look = {.what = 1};

    (void)state;
    /* Bytes 0 and 2, in two granules; what is behind byte 63 has no gaps. */
    darn_shadow_access(shadow, &event, visit, &look);
    assert_non_null(darn_shadow_exact(shadow, 0x1006, 1));
    assert_null(darn_shadow_exact(shadow, 0x1007, 1));
    assert_non_null(darn_shadow_exact(shadow, 0x1008, 1));
    assert_non_null(darn_shadow_exact(shadow, 0x1046, 2));
    assert_non_null(darn_shadow_exact(shadow, 0x1048, 4));
    assert_int_equal(look.cells, 4);
    darn_shadow_destroy(shadow);
}

static void the_ends_of_the_address_space_are_memory_like_any_other(void **state)
{
    struct darn_shadow *shadow = create(true);

    (void)state;
    look_at(shadow, 0, 8);
    look_at(shadow, UINT64_MAX - 3, 100);
    look_at(shadow, UINT64_MAX - 700, UINT64_MAX);
    assert_non_null(darn_shadow_at(shadow, 0));
    darn_shadow_forget(shadow, UINT64_MAX - 5, UINT64_MAX);
    darn_shadow_forget(shadow, 1, UINT64_MAX);
    assert_int_equal(darn_shadow_cells(shadow), 1);
    darn_shadow_forget(shadow, 0, UINT64_MAX);
    assert_int_equal(darn_shadow_cells(shadow), 0);
    darn_shadow_destroy(shadow);
}

static void memory_does_not_grow_when_blocks_come_and_go(void **state)
{
    struct darn_shadow *shadow = create(true);
    size_t early = 0;

    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t block = UINT64_C(0x7f0000000000) + i * 4096;

        look_at(shadow, block, 64);
        look_at(shadow, block + 100, 2000);
        if (i >= 100)
            darn_shadow_forget(shadow, block - 100 * 4096, 4096);
        if (i == 1000)
            early = darn_shadow_memory(shadow);
    }
    assert_int_equal(darn_shadow_memory(shadow), early);
    darn_shadow_destroy(shadow);
}

#define BYTES 2048u
#define BASE  UINT64_C(0x5000c0)

static void compare(struct darn_shadow *shadow, const uint64_t *pasts)
{
    for (uint32_t i = 0; i < BYTES; i++) {
        uint64_t past = 0;

        darn_shadow_visit(shadow, BASE + i, 1, read_past, &past);
        if (past != pasts[i])
            fail_msg("byte %u", i);
    }
}

static void random_steps(bool merge)
{
    static uint64_t pasts[BYTES];
    struct darn_shadow *shadow = create(merge);

    memset(pasts, 0, sizeof(pasts));
    for (uint32_t step = 0; step < 400; step++) {
        uint32_t size = draw(4) ? 1 + draw(16) : 1 + draw(BYTES), at = draw(BYTES - size + 1);
        struct darn_event event = {.target = BASE + at, .size = size};
        struct look look = {.what = draw(3), .with_block = !draw(16)};

        if (draw(2))
            event.target = BASE + (at &= ~7u);
        if (!draw(4)) {
            darn_shadow_forget(shadow, event.target, size);
            memset(pasts + at, 0, size * sizeof(pasts[0]));
            continue;
        }
        if (!draw(3)) {
            event.flags = DARN_EVENT_GAPS;
            event.extra = seed;
        }
        darn_shadow_access(shadow, &event, visit, &look);
        for (uint32_t i = 0; i < size; i++) {
            if (!(event.flags & DARN_EVENT_GAPS) || i >= 64 || (event.extra >> i & 1))
                pasts[at + i] = next_past(pasts[at + i], look.what);
        }
    }
    compare(shadow, pasts);
    darn_shadow_forget(shadow, BASE, BYTES);
    assert_int_equal(darn_shadow_cells(shadow), 0);
    assert_int_equal(blocks, 0);
    darn_shadow_destroy(shadow);
}

static void every_byte_has_the_past_that_it_would_have_alone(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++)
        random_steps(i % 2);
}

/* Many pages come and go in the table of pages. */
static void pages_are_found_after_others_have_gone(void **state)
{
    enum { PAGES = 3000 };
    static uint64_t pasts[PAGES];
    struct darn_shadow *shadow = create(true);

    (void)state;
    for (uint32_t step = 0; step < 60000; step++) {
        uint32_t page = draw(PAGES);
        uint64_t address = UINT64_C(0x7f0000000000) + (page * UINT64_C(7919) % 65536) * 256;
        struct look look = {.what = step};

        if (draw(3)) {
            darn_shadow_visit(shadow, address, 8, visit, &look);
            pasts[page] = next_past(pasts[page], step);
        } else {
            darn_shadow_forget(shadow, address, draw(2) ? 8 : 256);
            pasts[page] = 0;
        }
    }
    for (uint32_t page = 0; page < PAGES; page++) {
        struct cell *cell = darn_shadow_exact(
            shadow, UINT64_C(0x7f0000000000) + (page * UINT64_C(7919) % 65536) * 256, 8);

        assert_true((cell ? cell->past : 0) == pasts[page]);
    }
    darn_shadow_forget(shadow, 1, UINT64_MAX);
    assert_int_equal(darn_shadow_cells(shadow), 0);
    darn_shadow_destroy(shadow);
}

static void what_is_left_at_the_end_is_dropped(void **state)
{
    struct darn_shadow *shadow = create(false);
    struct look look = {.with_block = true};

    (void)state;
    darn_shadow_visit(shadow, 0x1000, 1000, visit, &look);
    assert_true(blocks > 0);
    darn_shadow_destroy(shadow);
    assert_int_equal(blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_to_the_same_bytes_finds_its_cell),
        cmocka_unit_test(neighbours_in_a_granule_have_cells_of_their_own),
        cmocka_unit_test(a_cell_that_is_touched_in_part_is_split_and_both_parts_keep_its_past),
        cmocka_unit_test(bytes_that_were_filled_one_by_one_become_one_cell_again),
        cmocka_unit_test(a_long_range_is_one_cell_for_each_page),
        cmocka_unit_test(a_page_that_was_looked_at_closely_closes_again),
        cmocka_unit_test(bytes_in_gaps_are_not_touched),
        cmocka_unit_test(the_ends_of_the_address_space_are_memory_like_any_other),
        cmocka_unit_test(memory_does_not_grow_when_blocks_come_and_go),
        cmocka_unit_test(every_byte_has_the_past_that_it_would_have_alone),
        cmocka_unit_test(pages_are_found_after_others_have_gone),
        cmocka_unit_test(what_is_left_at_the_end_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
