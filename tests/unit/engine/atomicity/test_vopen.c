/* The blocks that a transaction has, tuple by tuple: Wang & Stoller, section 6, (1), (2), (4), (5)
 * and 6.5. */
#include "engine_fixture.h"

#include "engine/atomicity/vopen.h"

static struct darn_locksets *sets;
static struct darn_held *held;
static struct darn_vopen open_one;

static uint64_t lock_at(char name)
{
    return UINT64_C(0x900) + (uint64_t)name;
}

/* `acq 1 R v W v rel 1`: words of two; all in thread 0. */
static void run(const char *text)
{
    char verb[8], noun;
    int length;

    sets = darn_locksets_create();
    held = darn_held_create(sets);
    darn_vopen_begin(&open_one, held, 0, 1);
    for (; sscanf(text, "%7s %c%n", verb, &noun, &length) == 2; text += length) {
        struct darn_event event = {.target = lock_at(noun)};

        if (strcmp(verb, "acq") == 0) {
            event.kind = DARN_EVENT_ACQUIRE;
            if (!darn_held_find(held, 0, event.target))
                darn_vopen_acquire(&open_one, event.target, true);
            darn_held_event(held, &event);
        } else if (strcmp(verb, "rel") == 0) {
            event.kind = DARN_EVENT_RELEASE;
            if (darn_held_find(held, 0, event.target)->depth == 1)
                darn_vopen_release(&open_one, event.target);
            darn_held_event(held, &event);
        } else {
            (void)darn_vopen_access(&open_one, sets, held, (uint32_t)noun, (uint64_t)noun, &event,
                                    *verb == 'W' ? DARN_VOP_WRITE : DARN_VOP_READ, false);
        }
    }
}

static void put_set(char *text, uint32_t set)
{
    strcat(text, " {");
    for (char name = '0'; name <= '9'; name++) {
        if (darn_lockset_contains(sets, set, lock_at(name)))
            strncat(text, &name, 1);
    }
    strcat(text, "}");
}

static char said[2048];

/* <op op fw fw held1 held2 held12>, each block once. */
static const char *ones(char variable)
{
    static const char ops[] = {
        [DARN_VOP_DUMMY] = '-', [DARN_VOP_READ] = 'R', [DARN_VOP_WRITE] = 'W'};
    char one[128];

    said[0] = '\0';
    for (size_t i = 0; i < open_one.record_count; i++) {
        struct darn_vblock block;
        uint32_t at = 0;

        if (open_one.records[i].variable != (uint32_t)variable)
            continue;
        while (darn_vopen_next(&open_one, sets, &open_one.records[i], &at, &block)) {
            sprintf(one, "<%c %c %c %c", ops[block.side[0].op], ops[block.side[1].op],
                    block.side[0].is_final ? 't' : 'f', block.side[1].is_final ? 't' : 'f');
            put_set(one, block.side[0].set);
            put_set(one, block.side[1].set);
            put_set(one, block.held);
            strcat(one, ">");
            if (!strstr(said, one))
                strcat(said, one);
        }
    }
    return said;
}

static int stop_one(void **state)
{
    (void)state;
    darn_vopen_free(&open_one);
    darn_held_destroy(held);
    darn_locksets_destroy(sets);
    return 0;
}

static void transaction_1_has_the_blocks_2(void **state)
{
    (void)state;
    run("acq 1 R v acq 2 W v R v rel 2 rel 1");
    assert_string_equal(ones('v'), "<R W f t {1} {12} {1}><W R t f {12} {12} {12}>");
}

static void transaction_4_has_one_block(void **state)
{
    (void)state;
    run("W v R v R v R v");
    assert_string_equal(ones('v'), "<W R t f {} {} {}>");
}

static void the_transactions_of_figure_4_have_one_each(void **state)
{
    (void)state;
    run("R x acq 1 acq 2 W x rel 2 rel 1");
    assert_string_equal(ones('x'), "<R W f t {} {12} {}>");
}

static void a_single_access_gets_a_dummy(void **state)
{
    (void)state;
    run("acq 2 R x rel 2");
    assert_string_equal(ones('x'), "<R - f f {2} {} {}>");
}

/* Rule b: the final write with each initial read. Rule a: with the last write before it. */
static void rule_b_pairs_initial_reads_with_the_final_write(void **state)
{
    (void)state;
    run("acq 1 R x rel 1 W x acq 2 W x rel 2");
    assert_string_equal(ones('x'), "<R W f f {1} {} {}><W W f t {} {2} {}><R W f t {1} {2} {}>");
}

static void a_lock_that_was_given_back_is_not_held_without_a_break(void **state)
{
    (void)state;
    run("acq 1 acq 2 R x rel 1 acq 1 R x rel 1 rel 2");
    assert_string_equal(ones('x'), "<R R f f {12} {12} {2}>");
}

static void an_acquisition_of_a_lock_that_is_held_does_not_count(void **state)
{
    (void)state;
    run("acq 1 R x acq 1 rel 1 R x rel 1");
    assert_string_equal(ones('x'), "<R R f f {1} {1} {1}>");
}

/* Of (5): R1(x), W3(x) and W4(y). */
static void transaction_5_has_its_initial_reads_and_final_writes(void **state)
{
    const struct darn_vrecord *x, *y;

    (void)state;
    run("R x W y W x W y R x");
    x = &open_one.records[0];
    y = &open_one.records[1];
    assert_int_equal(x->read_count, 1);
    assert_int_equal(x->reads[0].time, 1);
    assert_int_equal(x->last_write.time, 3);
    assert_int_equal(y->read_count, 0);
    assert_int_equal(y->last_write.time, 4);
}

/* The final write is where it was last, however often it was repeated before. */
static void a_repeated_write_is_final_where_it_was_last(void **state)
{
    (void)state;
    run("W x W x W x W x W x W y W x");
    assert_int_equal(open_one.records[0].last_write.time, 7);
    assert_int_equal(open_one.records[1].last_write.time, 6);
    assert_string_equal(ones('x'), "<W W f f {} {} {}><W W f t {} {} {}>");
}

static void heldmid_is_what_was_taken_and_given_back_between(void **state)
{
    const struct darn_vevent *x, *y;
    char text[64] = "";

    (void)state;
    run("acq 1 R x acq 2 rel 2 acq 3 rel 3 acq 1 rel 1 rel 1 acq 3 W y rel 3 acq 4 rel 4");
    x = &open_one.records[0].reads[0];
    y = &open_one.records[1].last_write;
    put_set(text, darn_vopen_mid(&open_one, sets, x, y));
    put_set(text, darn_vopen_held(&open_one, sets, x, y));
    assert_string_equal(text, " {2} {}");
}

/* Nodes of locks that nobody asks for are dropped on the way; what is needed is not. */
static void a_long_transaction_stays_small(void **state)
{
    struct darn_event lock = {.target = lock_at('7')};

    (void)state;
    run("acq 1 R x");
    for (int i = 0; i < 100000; i++) {
        lock.kind = DARN_EVENT_ACQUIRE;
        darn_vopen_acquire(&open_one, lock.target, true);
        darn_held_event(held, &lock);
        (void)darn_vopen_access(&open_one, sets, held, 'y', 'y',
                                &(struct darn_event){.site = (uint32_t)(i % 3)}, DARN_VOP_WRITE,
                                false);
        lock.kind = DARN_EVENT_RELEASE;
        darn_vopen_release(&open_one, lock.target);
        darn_held_event(held, &lock);
    }
    (void)darn_vopen_access(&open_one, sets, held, 'x', 'x', &(struct darn_event){.site = 9},
                            DARN_VOP_WRITE, false);
    assert_string_equal(ones('x'), "<R W f t {1} {1} {1}>");
    assert_true(darn_vopen_memory(&open_one) < 1000000);
    assert_true(open_one.is_cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(transaction_1_has_the_blocks_2, stop_one),
        cmocka_unit_test_teardown(transaction_4_has_one_block, stop_one),
        cmocka_unit_test_teardown(the_transactions_of_figure_4_have_one_each, stop_one),
        cmocka_unit_test_teardown(a_single_access_gets_a_dummy, stop_one),
        cmocka_unit_test_teardown(rule_b_pairs_initial_reads_with_the_final_write, stop_one),
        cmocka_unit_test_teardown(a_lock_that_was_given_back_is_not_held_without_a_break, stop_one),
        cmocka_unit_test_teardown(an_acquisition_of_a_lock_that_is_held_does_not_count, stop_one),
        cmocka_unit_test_teardown(transaction_5_has_its_initial_reads_and_final_writes, stop_one),
        cmocka_unit_test_teardown(a_repeated_write_is_final_where_it_was_last, stop_one),
        cmocka_unit_test_teardown(heldmid_is_what_was_taken_and_given_back_between, stop_one),
        cmocka_unit_test_teardown(a_long_transaction_stays_small, stop_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
