/* Atomicity by blocks, of events: what a recorded run has besides the examples of the paper. */
#include "atomicity_fixture.h"

#include "engine/atomicity/vblocks.h"

static void each_step_has_its_locks_and_its_transaction(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);

    (void)state;
    give(&trial, (struct darn_event){.kind = DARN_EVENT_BEGIN, .site = 7});
    give(&trial, (struct darn_event){.kind = DARN_EVENT_ACQUIRE, .target = 0x900, .site = 8});
    give(&trial, (struct darn_event){
                     .kind = DARN_EVENT_READ, .target = 0x10, .size = 4, .site = 9, .stack = 3});
    give(&trial, (struct darn_event){.kind = DARN_EVENT_RELEASE, .target = 0x900});
    give(&trial,
         (struct darn_event){.kind = DARN_EVENT_READ, .target = 0x10, .size = 4, .site = 10});
    give(&trial, (struct darn_event){.kind = DARN_EVENT_END, .site = 7});
    give(&trial, (struct darn_event){
                     .kind = DARN_EVENT_WRITE, .target = 0x10, .size = 4, .site = 11, .thread = 1});
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].kind, DARN_PREDICTS_ATOMICITY);
    assert_int_equal(trial.predictions[0].target, 0x10);
    assert_int_equal(trial.predictions[0].step_count, 3);
    assert_int_equal(trial.predictions[0].steps[0].unit, 7);
    assert_int_equal(trial.predictions[0].steps[0].event.stack, 3);
    assert_int_equal(trial.predictions[0].steps[0].event.size, 4);
    assert_int_equal(trial.predictions[0].steps[0].lock_count, 1);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].lock, 0x900);
    assert_int_equal(trial.predictions[0].steps[0].locks[0].site, 8);
    assert_int_equal(trial.predictions[0].steps[1].event.thread, 1);
    assert_int_equal(trial.predictions[0].steps[1].unit, 0);
    assert_int_equal(trial.predictions[0].steps[2].lock_count, 0);
    stop(&trial);
}

static bool is_even(const void *context, uint32_t site)
{
    (void)context;
    return site % 2 == 0;
}

/* `x += 1` is recorded as a write that stands for the read, too. */
static void a_write_that_stands_for_a_read_is_both(void **state)
{
    struct darn_engine_config config = {.reads_too = is_even};

    (void)state;
    for (uint32_t odd = 0; odd < 2; odd++) {
        struct trial trial = start(&darn_engine_blocks, &config);

        give(&trial, EVENT(0, BEGIN, 0));
        give(&trial, at_site(10 + odd, ACCESS(0, WRITE, 0x10)));
        give(&trial, EVENT(0, END, 0));
        give(&trial, at_site(21, ACCESS(1, WRITE, 0x10)));
        finish(&trial);
        assert_int_equal(trial.count, !odd);
        if (!odd) {
            assert_int_equal(trial.predictions[0].steps[0].event.kind, DARN_EVENT_READ);
            assert_int_equal(trial.predictions[0].steps[0].event.site, 10);
            assert_int_equal(trial.predictions[0].steps[1].event.site, 21);
            assert_int_equal(trial.predictions[0].steps[2].event.kind, DARN_EVENT_WRITE);
        }
        stop(&trial);
    }
}

/* An atomic update, taken for a plain access, is one event: nothing comes between. */
static void an_update_is_one_event(void **state)
{
    struct darn_engine_config config = {.ignore_atomic = true};

    (void)state;
    for (uint32_t twice = 0; twice < 2; twice++) {
        struct trial trial = start(&darn_engine_blocks, &config);

        give(&trial, EVENT(0, BEGIN, 0));
        for (uint32_t i = 0; i <= twice; i++)
            give(&trial, ACCESS(0, UPDATE, 0x10, .flags = DARN_EVENT_ATOMIC));
        give(&trial, EVENT(0, END, 0));
        give(&trial, ACCESS(1, UPDATE, 0x10, .flags = DARN_EVENT_ATOMIC));
        finish(&trial);
        assert_int_equal(trial.count > 0, twice);
        stop(&trial);
    }
}

/* What the owner of a block does with it before others come is left out, and counted. */
static void what_happens_before_a_block_escapes_does_not_count(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];

    (void)state;
    give(&trial, EVENT(0, ALLOC, 0x1000, .extra = 64));
    give(&trial, EVENT(0, BEGIN, 0));
    give(&trial, ACCESS(0, READ, 0x1000));
    give(&trial, ACCESS(0, WRITE, 0x1000));
    give(&trial, EVENT(0, END, 0));
    give(&trial, ACCESS(1, WRITE, 0x1010));
    give(&trial, ACCESS(1, WRITE, 0x1000));
    assert_int_equal(darn_engine_blocks.facts(trial.state, facts), 7);
    finish(&trial);
    assert_int_equal(trial.count, 0);
    darn_engine_blocks.facts(trial.state, facts);
    assert_int_equal(facts[1].value, 4);
    assert_int_equal(facts[2].value, 2);
    stop(&trial);

    trial = start(&darn_engine_blocks, NULL);
    give(&trial, EVENT(0, ALLOC, 0x1000, .extra = 64));
    give(&trial, ACCESS(1, WRITE, 0x1010));
    give(&trial, EVENT(0, BEGIN, 0));
    give(&trial, ACCESS(0, READ, 0x1000));
    give(&trial, ACCESS(0, WRITE, 0x1000));
    give(&trial, EVENT(0, END, 0));
    give(&trial, ACCESS(1, WRITE, 0x1000));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    stop(&trial);
}

/* A variable that is touched in parts: the halves have the past of the whole. */
static void halves_of_a_variable_have_its_past(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);

    (void)state;
    give(&trial, EVENT(0, BEGIN, 0));
    give(&trial, EVENT(0, READ, 0x1000, .size = 8));
    give(&trial, ACCESS(1, WRITE, 0x1004));
    give(&trial, EVENT(0, READ, 0x1000, .size = 8));
    give(&trial, EVENT(0, END, 0));
    finish(&trial);
    assert_int_equal(trial.count, 1);
    assert_int_equal(trial.predictions[0].target, 0x1004);
    stop(&trial);
}

static void freed_memory_is_not_what_is_there_next(void **state)
{
    struct trial trial = start(&darn_engine_blocks, NULL);

    (void)state;
    give(&trial, EVENT(0, BEGIN, 0));
    give(&trial, ACCESS(0, READ, 0x1000));
    give(&trial, ACCESS(0, READ, 0x1000));
    give(&trial, EVENT(0, FREE, 0x1000, .extra = 8));
    give(&trial, EVENT(0, END, 0));
    give(&trial, EVENT(1, ALLOC, 0x1000, .extra = 8));
    give(&trial, ACCESS(1, WRITE, 0x1000));
    finish(&trial);
    assert_int_equal(trial.count, 0);
    stop(&trial);
}

/* The bound is kept, and said. */
static void a_limit_that_is_reached_is_said(void **state)
{
    struct darn_engine_config config = {.block_work = 1, .block_events = 2};
    struct darn_engine_fact facts[DARN_ENGINE_FACTS];
    struct trial trial = start(&darn_engine_blocks, &config);
    size_t count, limits = 0;

    (void)state;
    for (uint32_t thread = 0; thread < 3; thread++) {
        give(&trial, EVENT(thread, BEGIN, 0));
        for (uint64_t i = 0; i < 3; i++)
            give(&trial,
                 at_site(100 + thread * 10 + (uint32_t)i, ACCESS(thread, WRITE, 0x1000 + 8 * i)));
        give(&trial, EVENT(thread, END, 0));
    }
    finish(&trial);
    count = darn_engine_blocks.facts(trial.state, facts);
    for (size_t i = 0; i < count; i++)
        limits += facts[i].is_limit;
    /* Comparisons, pairs of accesses, and the search for cycles. */
    assert_int_equal(limits, 3);
    assert_true(trial.engine->cost(trial.state).dropped > 0);
    stop(&trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_step_has_its_locks_and_its_transaction),
        cmocka_unit_test(a_write_that_stands_for_a_read_is_both),
        cmocka_unit_test(an_update_is_one_event),
        cmocka_unit_test(what_happens_before_a_block_escapes_does_not_count),
        cmocka_unit_test(halves_of_a_variable_have_its_past),
        cmocka_unit_test(freed_memory_is_not_what_is_there_next),
        cmocka_unit_test(a_limit_that_is_reached_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
