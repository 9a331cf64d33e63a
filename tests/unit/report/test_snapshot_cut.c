/* What a story leaves out when it is too long, and what it never does. */
#include "snapshot_fixture.h"

/* Six turns of 20 steps each, of which two in each turn concern both threads. Each has locks of its
 * own: nothing is repeated. */
static struct darn_snapshot long_run(void)
{
    struct darn_snapshot snapshot = new_snapshot();
    for (uint32_t turn = 0; turn < 6; turn++) {
        uint32_t thread = turn % 2;

        for (uint32_t i = 0; i < 20; i++) {
            bool shared = i == 5 || i == 12;

            add_step(&snapshot, thread, i % 2 ? DARN_STEP_LOCK : DARN_STEP_UNLOCK,
                     shared ? address_of("a") : HEAP + 4096 * turn + 64 * i, 0);
        }
    }
    block_of(&snapshot)->result.end = DARN_END_STEPS;
    return snapshot;
}

static void what_concerns_one_thread_alone_is_left_out_first(void **state)
{
    struct darn_snapshot snapshot = long_run();
    char *text = tell(&snapshot, 0);

    (void)state;
    assert_int_equal(count_lines(text), 1 + 120 + 5 + 1); /* titles, steps, switches, the end */
    expect_no_part(text, "...");
    free(text);
    text = tell(&snapshot, 50);
    /* The first and the last step of a turn, both that matter, and three times what lies between.
     */
    assert_int_equal(count_lines(text), 1 + 6 * 7 + 5 + 1);
    expect_part(text, "       ... 4 steps\n");
    expect_part(text, "    5  lock a\n");
    expect_part(text, "   12  unlock a\n");
    free(text);
    free_snapshot(&snapshot);
}

static void a_story_that_is_still_too_long_is_cut_in_the_middle(void **state)
{
    struct darn_snapshot snapshot = long_run();
    char *text = tell(&snapshot, 30);

    (void)state;
    assert_int_equal(count_lines(text), 1 + 6 * 3 + 5 + 1);
    expect_no_part(text, "lock a");
    free(text);
    text = tell(&snapshot, 12);
    assert_int_equal(count_lines(text), 1 + 12 + 1);
    expect_part(text, "\n    0  unlock mutex#1\n");
    expect_part(text, "\n       ... 60 steps, 3 switches\n");
    expect_part(text, "\n  119 ");
    free(text);
    free_snapshot(&snapshot);
}

static void the_steps_of_what_was_met_are_kept_however_long_it_is(void **state)
{
    struct darn_snapshot snapshot = long_run();
    struct darn_result *result = &block_of(&snapshot)->result;
    static const uint64_t of_triple[] = {67, 47, 27}; /* the end, the remote one, the entry */
    char *text;

    (void)state;
    result->met_count = 1;
    result->met[0] = (struct darn_block_met){.kind = DARN_MET_TRIPLE, .step = of_triple[0]};
    for (int i = 0; i < 3; i++) {
        const struct darn_step *step = &block_of(&snapshot)->steps[of_triple[i]];

        result->met[0].threads[i] = (struct darn_block_thread){
            .thread = step->thread, .op = step->op, .place = step->place, .object = step->object};
    }
    text = tell(&snapshot, 13);
    assert_int_equal(count_lines(text), 1 + 13 + 1);
    expect_part(text, "\n   27 ");
    expect_part(text, "\n   47 ");
    expect_part(text, "\n    * ");
    expect_part(text, "\n   67 ");
    expect_part(text, "\n  119 ");
    free(text);
    free_snapshot(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_concerns_one_thread_alone_is_left_out_first),
        cmocka_unit_test(a_story_that_is_still_too_long_is_cut_in_the_middle),
        cmocka_unit_test(the_steps_of_what_was_met_are_kept_however_long_it_is),
    };

    return cmocka_run_group_tests(tests, snapshot_build, snapshot_remove);
}
