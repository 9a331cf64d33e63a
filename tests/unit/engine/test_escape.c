/* When memory escapes (src/engine/common/escape.h): on the module itself, and as STD text on an engine. */
#include "atomicity_fixture.h"

#include "engine/common/escape.h"
#include "engine/common/pointers.h"

static struct darn_escape *escape;

static int open_escape(void **state)
{
    (void)state;
    escape = darn_escape_create();
    return escape ? 0 : -1;
}

static int close_escape(void **state)
{
    (void)state;
    darn_escape_destroy(escape);
    return 0;
}

static void on(struct darn_event event)
{
    darn_escape_event(escape, &event);
}

#define A      0x1000
#define B      0x2000
#define C      0x3000
#define GLOBAL 0x100

#define HAS(thread, address) darn_escape_has(escape, address, thread)

static void alloc(uint32_t thread, uint64_t block)
{
    on(EVENT(thread, ALLOC, block, .extra = 64));
}

static void store(uint32_t thread, uint64_t at, uint64_t value)
{
    on(EVENT(thread, POINTER, at, .extra = value));
}

static void a_block_is_private_until_it_is_stored_in_a_global(void **state)
{
    (void)state;
    alloc(1, A);
    assert_true(HAS(1, GLOBAL));
    assert_false(HAS(1, A + 8));
    store(1, GLOBAL, A + 32);
    assert_true(HAS(1, A));
    assert_true(HAS(1, A + 63));
    assert_true(HAS(1, A + 64)); /* in no block */
}

static void what_it_points_to_escapes_with_it(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(1, B);
    alloc(1, C);
    store(1, A + 8, B);
    store(1, B, C + 8);
    store(1, C, A); /* a ring */
    assert_false(HAS(1, A) || HAS(1, B) || HAS(1, C));
    store(1, GLOBAL, A);
    assert_true(HAS(1, A) && HAS(1, B) && HAS(1, C));
}

static void what_is_stored_in_an_escaped_block_escapes(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(2, B);
    store(1, GLOBAL, A);
    store(2, A + 16, B);
    assert_true(HAS(2, B));
}

static void what_a_new_thread_is_given_escapes(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(1, B);
    store(1, A, B);
    store(1, 0, A);
    assert_true(HAS(1, A) && HAS(1, B));
}

static void a_pointer_that_was_replaced_is_not_followed(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(1, B);
    alloc(1, C);
    store(1, A, B);
    store(1, A, C);
    store(1, GLOBAL, A);
    assert_false(HAS(1, B));
    assert_true(HAS(1, C));
}

static void a_touch_of_another_thread_lets_all_of_it_go(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(1, B);
    store(1, A, B);
    assert_false(HAS(1, B));
    assert_true(HAS(2, A + 40));
    assert_true(HAS(1, A) && HAS(1, B));
}

/* The other thread has the address of the block, however it came by it. */
static void a_store_of_another_thread_does_so_too(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(2, B);
    store(2, A, B);
    assert_true(HAS(1, A) && HAS(2, B));
}

static void freed_memory_is_private_again(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(1, B);
    store(1, A, B);
    on(EVENT(1, FREE, A, .extra = 64));
    alloc(1, A);
    store(1, GLOBAL, A);
    assert_true(HAS(1, A));
    assert_false(HAS(1, B)); /* that pointer is gone */
    on(EVENT(1, FREE, A, .extra = 64));
    alloc(2, A);
    assert_false(HAS(2, A));
}

/* Blocks that nobody has looked at are freed without an event. */
static void a_new_block_makes_old_ones_go(void **state)
{
    (void)state;
    alloc(1, A);
    alloc(1, B);
    store(1, A + 32, B);
    on(EVENT(1, ALLOC, A + 16, .extra = 64));
    store(1, GLOBAL, A + 40);
    assert_true(HAS(1, A + 16) && HAS(1, A));
    assert_false(HAS(1, B));
}

#define STACK 0x700000

static void on_stack(uint32_t thread, uint64_t start)
{
    on(EVENT(thread, STACK, start, .extra = 0x1000));
}

static void a_stack_is_private_but_for_the_frames_that_are_handed_out(void **state)
{
    (void)state;
    assert_true(HAS(1, STACK));
    on_stack(1, STACK);
    assert_false(HAS(1, STACK) || HAS(1, STACK + 0xfff));
    assert_true(HAS(1, STACK + 0x1000));
    assert_true(HAS(2, STACK)); /* who can touch it has its address */
    assert_false(HAS(1, STACK));
    on(EVENT(1, POINTER, GLOBAL, .extra = STACK + 0x100, .size = 0x40));
    assert_true(HAS(1, STACK + 0x100) && HAS(1, STACK + 0x13f));
    assert_false(HAS(1, STACK + 0xff) || HAS(1, STACK + 0x140));
    on(EVENT(1, EXIT, 0));
    assert_true(HAS(1, STACK)); /* another's by now */
}

static void pointers_in_a_frame_are_followed_and_lead_to_frames(void **state)
{
    (void)state;
    on_stack(1, STACK);
    alloc(1, A);
    alloc(1, B);
    alloc(1, C);
    store(1, STACK + 0x108, A);
    store(1, STACK + 0x208, B);
    on(EVENT(1, POINTER, C, .extra = STACK + 0x100, .size = 0x40));
    store(1, 0, C);
    assert_true(HAS(1, STACK + 0x100) && HAS(1, A));
    assert_false(HAS(1, STACK + 0x200) || HAS(1, B));
    store(1, STACK + 0x110, B); /* the frame has escaped */
    assert_true(HAS(1, B));
}

static void a_stack_with_many_holes_has_escaped(void **state)
{
    (void)state;
    on_stack(1, STACK);
    for (uint64_t i = 0; i < 64; i++)
        on(EVENT(1, POINTER, GLOBAL, .extra = STACK + i * 32, .size = 16));
    assert_true(HAS(1, STACK + 32));
    assert_false(HAS(1, STACK + 16));
    on(EVENT(1, POINTER, GLOBAL, .extra = STACK + 64 * 32, .size = 16));
    assert_true(HAS(1, STACK + 16));
}

/* ---- numbers of which nothing is known ---- */

static uint64_t seed = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 12) % below;
}

static uint64_t draw_address(void)
{
    return draw(8) ? draw(64) * 8 : UINT64_MAX - draw(64);
}

static void nothing_that_a_trace_may_say_does_harm(void **state)
{
    static const uint8_t kinds[] = {DARN_EVENT_ALLOC,   DARN_EVENT_FREE,    DARN_EVENT_STACK,
                                    DARN_EVENT_POINTER, DARN_EVENT_POINTER, DARN_EVENT_EXIT};

    (void)state;
    for (int i = 0; i < 200000; i++) {
        struct darn_event event = {.kind = kinds[draw(sizeof(kinds))],
                                   .thread = (uint32_t)draw(4),
                                   .target = draw_address(),
                                   .extra = draw(2) ? draw(40) : draw_address(),
                                   .size = (uint32_t)draw(3) * 16};

        on(event);
        HAS((uint32_t)draw(4), draw_address());
    }
    assert_true(darn_escape_memory(escape) < 100000);
}

/* ---- the same as a model that scans ---- */

#define BLOCKS 12u
#define WORDS  4u

static struct {
    int points_to[WORDS]; /* block + 1, or 0 */
    bool has_escaped;
} model[BLOCKS];

static uint64_t address_of(unsigned block)
{
    return 0x10000 + block * 0x100;
}

static void model_escapes(unsigned block)
{
    if (model[block].has_escaped)
        return;
    model[block].has_escaped = true;
    for (unsigned i = 0; i < WORDS; i++) {
        if (model[block].points_to[i])
            model_escapes((unsigned)model[block].points_to[i] - 1);
    }
}

static void renew(unsigned block)
{
    memset(&model[block], 0, sizeof(model[block]));
    on(EVENT(0, FREE, address_of(block), .extra = WORDS * 8));
    on(EVENT(0, ALLOC, address_of(block), .extra = WORDS * 8));
}

static void a_model_that_scans_memory_says_the_same(void **state)
{
    (void)state;
    for (unsigned block = 0; block < BLOCKS; block++)
        renew(block);
    for (int step = 0; step < 100000; step++) {
        unsigned from = (unsigned)draw(BLOCKS), to = (unsigned)draw(BLOCKS);
        unsigned word = (unsigned)draw(WORDS);

        if (draw(8) == 0) { /* nobody points to what is freed */
            renew(from);
            for (unsigned block = 0; block < BLOCKS; block++) {
                for (unsigned i = 0; i < WORDS; i++) {
                    if (model[block].points_to[i] == (int)from + 1) {
                        model[block].points_to[i] = (int)block + 1;
                        store(0, address_of(block) + i * 8, address_of(block));
                    }
                }
            }
        } else if (draw(12) == 0) {
            model_escapes(to);
            store(0, GLOBAL, address_of(to) + draw(32));
        } else {
            model[from].points_to[word] = (int)to + 1;
            if (model[from].has_escaped)
                model_escapes(to);
            store(0, address_of(from) + word * 8, address_of(to) + draw(32));
        }
        for (unsigned block = 0; block < BLOCKS; block++)
            assert_int_equal(HAS(0, address_of(block)), model[block].has_escaped);
    }
}

/* ---- as text ---- */

/* T1 reads and writes b in one transaction; T2 writes it later. */
#define CHANGE "t1|begin|1\nt1|r(b)|10\nt1|w(b)|11\nt1|end|2\nt2|w(b)|20\n"

static const char *said_by_blocks(const char *text)
{
    return said_of(&darn_engine_blocks, text, NULL);
}

static void events_before_the_escape_are_dropped_and_no_others(void **state)
{
    (void)state;
    assert_string_equal(said_by_blocks("t1|alloc(b)|3\n" CHANGE), "");
    assert_string_equal(said_by_blocks("t1|alloc(b)|3\nt1|store(g,b)|4\n" CHANGE), "r10 w20 w11");
    assert_string_equal(said_by_blocks("t1|alloc(b)|3\nt1|give(b)|4\n" CHANGE), "r10 w20 w11");
    assert_string_equal(said_by_blocks("t1|alloc(a)|3\nt1|alloc(b)|3\nt1|store(a,b)|4\n" CHANGE),
                        "");
    assert_string_equal(
        said_by_blocks("t1|alloc(a)|3\nt1|alloc(b)|3\nt1|store(a,b)|4\nt1|store(g,a)|5\n" CHANGE),
        "r10 w20 w11");
    assert_string_equal(
        said_by_blocks("t1|alloc(b)|3\nt1|store(g,b)|4\nt1|free(b)|5\nt1|alloc(b)|6\n" CHANGE), "");
}

static void the_share_that_is_dropped_is_told(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];

    (void)state;
    give(&trial, EVENT(0, ALLOC, A, .extra = 64));
    give(&trial, ACCESS(0, WRITE, A));
    give(&trial, ACCESS(0, WRITE, A + 8));
    give(&trial, EVENT(0, POINTER, GLOBAL, .extra = A));
    give(&trial, ACCESS(0, WRITE, A));
    give(&trial, ACCESS(1, READ, A));
    finish(&trial);
    darn_engine_blocks.facts(trial.state, facts);
    assert_int_equal(facts[1].value, 4);
    assert_int_equal(facts[2].value, 2);
    stop(&trial);
}

/* Who takes part in an atomic operation on a block knows the block. */
static void an_atomic_access_is_a_touch_as_well(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);

    (void)state;
    give(&trial, EVENT(0, ALLOC, A, .extra = 64));
    give(&trial, ACCESS(1, UPDATE, A + 32, .flags = DARN_EVENT_ATOMIC));
    give(&trial, EVENT(0, BEGIN, 0));
    give(&trial, ACCESS(0, READ, A));
    give(&trial, ACCESS(0, WRITE, A));
    give(&trial, EVENT(0, END, 0));
    give(&trial, ACCESS(1, WRITE, A));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    stop(&trial);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_escape, close_escape)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_block_is_private_until_it_is_stored_in_a_global),
        TEST(what_it_points_to_escapes_with_it),
        TEST(what_is_stored_in_an_escaped_block_escapes),
        TEST(what_a_new_thread_is_given_escapes),
        TEST(a_pointer_that_was_replaced_is_not_followed),
        TEST(a_touch_of_another_thread_lets_all_of_it_go),
        TEST(a_store_of_another_thread_does_so_too),
        TEST(freed_memory_is_private_again),
        TEST(a_new_block_makes_old_ones_go),
        TEST(a_stack_is_private_but_for_the_frames_that_are_handed_out),
        TEST(pointers_in_a_frame_are_followed_and_lead_to_frames),
        TEST(a_stack_with_many_holes_has_escaped),
        TEST(nothing_that_a_trace_may_say_does_harm),
        TEST(a_model_that_scans_memory_says_the_same),
        cmocka_unit_test(events_before_the_escape_are_dropped_and_no_others),
        cmocka_unit_test(the_share_that_is_dropped_is_told),
        cmocka_unit_test(an_atomic_access_is_a_touch_as_well),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
