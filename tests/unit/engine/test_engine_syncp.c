/* Sync-preserving races: what must be predicted, and what must never be. */
#include "engine_fixture.h"

static const struct darn_engine *syncp = &darn_engine_syncp;

static void the_order_of_sections_with_nothing_in_common_hides_nothing(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hb, "syncp-lock-order.std"), "");
    assert_string_equal(lines_of(syncp, "syncp-lock-order.std"), "1-6");
}

static void a_value_that_was_seen_orders(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hybrid, "syncp-seen-value.std"), "1-8");
    assert_string_equal(lines_of(syncp, "syncp-seen-value.std"), "");
}

static void a_section_that_has_begun_has_to_end_before_the_next_one(void **state)
{
    (void)state;
    assert_string_equal(lines_of(syncp, "syncp-closure.std"), "2-5 4-7 11-12");
}

/* A miss: it can happen, but only with T2's section first. */
static void a_race_that_needs_sections_the_other_way_round_is_not_predicted(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hb, "syncp-reversed.std"), "");
    assert_string_equal(lines_of(syncp, "syncp-reversed.std"), "");
}

/* RaceFuzzer's figure 2 is found whichever thread came first; of figure 1 only what is real. */
static void racefuzzers_figures(void **state)
{
    (void)state;
    assert_string_equal(lines_of(&darn_engine_hb, "racefuzzer-figure2.std"), "");
    assert_string_equal(lines_of(syncp, "racefuzzer-figure2.std"), "8-10");
    assert_string_equal(lines_of(syncp, "racefuzzer-figure2-late.std"), "8-10");
    assert_string_equal(lines_of(syncp, "racefuzzer-figure1.std"), "5-7");
}

static void add_up(struct trial *trial)
{
    for (uint32_t thread = 1; thread <= 2; thread++) {
        give(trial, ACCESS(thread, WRITE, 0x100));
        give(trial, EVENT(thread, ACQUIRE, 0x200));
        give(trial, at_site(1000, ACCESS(thread, WRITE, 0x300)));
        give(trial, EVENT(thread, RELEASE, 0x200));
    }
    give(trial, ACCESS(2, WRITE, 0x100));
}

static bool only_site_1000(const void *context, uint32_t site)
{
    (void)context;
    return site == 1000;
}

/* `n += 1` is one write in a trace, and has seen the value before. */
static void an_addition_is_a_read_too(void **state)
{
    struct darn_engine_config config = {.reads_too = only_site_1000};

    (void)state;
    /* The first writes of the two threads race in any case. */
    assert_int_equal(races_in(syncp, add_up, NULL), 2);
    assert_int_equal(races_in(syncp, add_up, &config), 1);
}

static void free_after_use(struct trial *trial)
{
    give(trial, ACCESS(1, WRITE, 0x100));
    give(trial, EVENT(1, ACQUIRE, 0x200));
    give(trial, EVENT(1, RELEASE, 0x200));
    give(trial, EVENT(2, ACQUIRE, 0x200));
    give(trial, EVENT(2, RELEASE, 0x200));
    give(trial, EVENT(2, FREE, 0x100, .extra = 8));
}

static void the_end_of_a_block_races_with_its_use(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, free_after_use, NULL), 0);
    assert_int_equal(races_in(syncp, free_after_use, NULL), 1);
}

static void thinned_in_between(struct trial *trial)
{
    give(trial, EVENT(1, ACQUIRE, 0x200));
    give(trial, EVENT(3, SEND, DARN_EVENT_THINNED));
    give(trial, ACCESS(1, WRITE, 0x100));
    give(trial, EVENT(1, RELEASE, 0x200));
    give(trial, EVENT(2, ACQUIRE, 0x200));
    give(trial, EVENT(2, RELEASE, 0x200));
    give(trial, ACCESS(2, WRITE, 0x100));
}

static void thinned_and_racing(struct trial *trial)
{
    give(trial, EVENT(1, SEND, DARN_EVENT_THINNED));
    give(trial, ACCESS(1, WRITE, 0x100));
    give(trial, ACCESS(2, WRITE, 0x100));
}

static void polled_in_between(struct trial *trial)
{
    give(trial, EVENT(3, SEND, DARN_EVENT_POLLED));
    give(trial, ACCESS(1, WRITE, 0x100));
    give(trial, EVENT(1, ACQUIRE, 0x200));
    give(trial, EVENT(1, RELEASE, 0x200));
    give(trial, EVENT(2, ACQUIRE, 0x200));
    give(trial, EVENT(2, RELEASE, 0x200));
    give(trial, ACCESS(2, WRITE, 0x100));
}

static void a_channel_that_is_polled_says_nothing_of_what_was_left_out(void **state)
{
    (void)state;
    assert_int_equal(races_in(&darn_engine_hb, polled_in_between, NULL), 0);
    assert_int_equal(races_in(syncp, polled_in_between, NULL), 1);
}

/* Who does not know which values were seen goes by locks, like hb. */
static void where_accesses_are_left_out_locks_order(void **state)
{
    (void)state;
    assert_int_equal(races_in(syncp, thinned_in_between, NULL), 0);
    assert_int_equal(races_in(syncp, thinned_and_racing, NULL), 1);
}

/* So many sections later nobody knows whether the first one had to end. */
static void what_is_forgotten_is_counted_and_never_predicted(void **state)
{
    struct trial trial = start(syncp, NULL);

    (void)state;
    give(&trial, EVENT(1, ACQUIRE, 0x200));
    give(&trial, ACCESS(1, WRITE, 0x100));
    give(&trial, EVENT(1, RELEASE, 0x200));
    for (int i = 0; i < 1000; i++) {
        give(&trial, EVENT(2, ACQUIRE, 0x200));
        give(&trial, EVENT(2, RELEASE, 0x200));
    }
    give(&trial, ACCESS(2, WRITE, 0x100));
    finish(&trial);
    assert_int_equal(trial.count, 0);
    assert_int_equal(syncp->cost(trial.state).dropped, 1);
    stop(&trial);
}

static void memory_does_not_grow_with_the_trace(void **state)
{
    struct trial trial = start(syncp, NULL);
    size_t early = 0;

    (void)state;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t thread = 1 + i % 3;

        give(&trial, EVENT(thread, ACQUIRE, 0x200 + 8 * (i % 7)));
        give(&trial, ACCESS(thread, READ, 0x1000 + 4 * (i % 64)));
        give(&trial, ACCESS(thread, WRITE, 0x1000 + 4 * (i % 64)));
        give(&trial, EVENT(thread, RELEASE, 0x200 + 8 * (i % 7)));
        if (i == 50000)
            early = syncp->cost(trial.state).memory;
    }
    finish(&trial);
    assert_true(syncp->cost(trial.state).memory <= early + early / 8);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_sections_with_nothing_in_common_hides_nothing),
        cmocka_unit_test(a_value_that_was_seen_orders),
        cmocka_unit_test(a_section_that_has_begun_has_to_end_before_the_next_one),
        cmocka_unit_test(a_race_that_needs_sections_the_other_way_round_is_not_predicted),
        cmocka_unit_test(racefuzzers_figures),
        cmocka_unit_test(an_addition_is_a_read_too),
        cmocka_unit_test(the_end_of_a_block_races_with_its_use),
        cmocka_unit_test(where_accesses_are_left_out_locks_order),
        cmocka_unit_test(a_channel_that_is_polled_says_nothing_of_what_was_left_out),
        cmocka_unit_test(what_is_forgotten_is_counted_and_never_predicted),
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
