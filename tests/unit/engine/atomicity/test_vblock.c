/* Blocks by themselves: what makes two of them one, and how two of them can be interleaved. */
#include "engine_fixture.h"

#include "engine/atomicity/vblock.h"
#include "engine/atomicity/vset.h"

#define K 0x910
#define L 0x920

struct bench {
    struct darn_vworld world;
    struct darn_vblocks blocks;
    uint32_t period[2];
    uint32_t k, l, both;
};

static struct bench bench_open(void)
{
    struct bench bench = {.world = {darn_locksets_create(), darn_periods_create()}};

    darn_vblocks_init(&bench.blocks, bench.world.periods);
    for (uint32_t i = 0; i < 2; i++)
        bench.period[i] = darn_periods_keep(bench.world.periods, i);
    bench.k = darn_lockset_add(bench.world.sets, DARN_LOCKSET_EMPTY, K, true);
    bench.l = darn_lockset_add(bench.world.sets, DARN_LOCKSET_EMPTY, L, true);
    bench.both = darn_lockset_add(bench.world.sets, bench.k, L, true);
    return bench;
}

static void bench_close(struct bench *bench)
{
    darn_vblocks_free(&bench->blocks);
    darn_periods_destroy(bench->world.periods);
    darn_locksets_destroy(bench->world.sets);
}

static struct darn_vblock two(const struct bench *bench, uint32_t thread, uint32_t first,
                              uint32_t second, uint32_t held, bool is_flipped)
{
    return (struct darn_vblock){
        .side = {{1, first, DARN_VOP_WRITE, false}, {2, second, DARN_VOP_WRITE, false}},
        .held = held,
        .period = bench->period[thread],
        .is_two = true,
        .is_flipped = is_flipped,
        .example.thread = thread};
}

static void everything_in_the_tuple_tells_blocks_apart(void **state)
{
    struct bench bench = bench_open();
    struct darn_vblock block = two(&bench, 0, bench.k, bench.l, 0, false), other;
    uint32_t id = darn_vblocks_put(&bench.blocks, &block);

    (void)state;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &block), id);
    other = block;
    other.example.stack[0] = 7;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), id);
    other = block, other.mid = bench.k;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 2);
    other = block, other.held = bench.k;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 3);
    other = block, other.is_flipped = true;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 4);
    other = block, other.side[1].is_final = true;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 5);
    other = block, other.side[0].op = DARN_VOP_READ;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 6);
    other = block, other.side[0].site = 9;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 7);
    other = block, other.unit = 9;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 8);
    other = two(&bench, 1, bench.k, bench.l, 0, false);
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 9);
    darn_vblocks_remove(&bench.blocks, 3);
    other = block, other.held = bench.l;
    assert_int_equal(darn_vblocks_put(&bench.blocks, &other), 3);
    bench_close(&bench);
}

static const char *order_of(const struct bench *bench, const struct darn_vblock *a,
                            const struct darn_vblock *b)
{
    static char text[16];
    struct darn_vstep steps[4];

    if (!darn_vblock_check_two(&bench->world, a, b, steps))
        return "";
    for (int i = 0; i < 4; i++)
        sprintf(text + 2 * i, "%c%d", steps[i].block ? 'b' : 'a', steps[i].side + 1);
    return text;
}

/* Neither fits into the other, but they can overlap: with crossed variables this is enough. (The
 * locks are those of a potential deadlock: without one, one always fits into the other.) */
static void crossed_blocks_may_overlap(void **state)
{
    struct bench bench = bench_open();
    struct darn_vblock a = two(&bench, 0, bench.both, bench.l, bench.l, false);
    struct darn_vblock b = two(&bench, 1, bench.k, bench.both, bench.k, true);

    (void)state;
    assert_string_equal(order_of(&bench, &a, &b), "a1b1a2b2");
    assert_string_equal(order_of(&bench, &b, &a), "b1a1b2a2");
    b.is_flipped = false;
    assert_string_equal(order_of(&bench, &a, &b), "");
    bench_close(&bench);
}

static void one_that_fits_inside_is_found_either_way(void **state)
{
    struct bench bench = bench_open();
    struct darn_vblock a = two(&bench, 0, bench.k, bench.k, 0, false);
    struct darn_vblock b = two(&bench, 1, bench.k, bench.k, bench.k, false);

    (void)state;
    assert_string_equal(order_of(&bench, &a, &b), "a1b1b2a2");
    assert_string_equal(order_of(&bench, &b, &a), "b1a1a2b2");
    a.held = bench.k;
    assert_string_equal(order_of(&bench, &a, &b), "");
    /* Of one thread. */
    a.held = 0;
    b.period = a.period;
    assert_string_equal(order_of(&bench, &a, &b), "");
    bench_close(&bench);
}

static void equal_sets_have_equal_numbers(void **state)
{
    struct darn_vsets sets;
    struct darn_vtarget place = {{1, 0}, {4, 0}};
    bool gone[8] = {[2] = true, [5] = true};
    uint32_t a = 0, b = 0, c;

    (void)state;
    darn_vsets_init(&sets);
    a = darn_vsets_add(&sets, darn_vsets_add(&sets, darn_vsets_add(&sets, 0, 5), 2), 7);
    b = darn_vsets_add(&sets, darn_vsets_add(&sets, darn_vsets_add(&sets, 0, 7), 5), 2);
    assert_int_equal(a, b);
    assert_int_equal(darn_vsets_add(&sets, a, 5), a);
    assert_int_equal(darn_vset_at(&sets, a)->references, 2);
    c = darn_vsets_add(&sets, b, 1);
    assert_int_not_equal(c, a);
    assert_int_equal(darn_vset_at(&sets, a)->count, 3);
    assert_int_equal(darn_vset_at(&sets, c)->count, 4);
    darn_vsets_end(&sets, a, &place);
    darn_vsets_leave(&sets, a);
    assert_int_equal(sets.all.used, 2);
    darn_vsets_done(&sets, a);
    assert_int_equal(sets.all.used, 1);
    c = darn_vsets_strip(&sets, c, gone);
    assert_int_equal(darn_vset_at(&sets, c)->count, 2);
    assert_int_equal(darn_vset_at(&sets, c)->members[0], 1);
    assert_int_equal(darn_vset_at(&sets, c)->members[1], 7);
    darn_vsets_leave(&sets, c);
    assert_int_equal(sets.all.used, 0);
    darn_vsets_free(&sets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_in_the_tuple_tells_blocks_apart),
        cmocka_unit_test(crossed_blocks_may_overlap),
        cmocka_unit_test(one_that_fits_inside_is_found_either_way),
        cmocka_unit_test(equal_sets_have_equal_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
