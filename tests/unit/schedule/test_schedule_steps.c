/* From the steps of a control block to places in modules, and back to where they are another time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>

#include "schedule/schedule.h"

/* A block is large, and what is not touched takes no memory. */
static struct darn_control_block *new_block(void)
{
    struct darn_control_block *block = calloc(1, sizeof(*block));

    assert_non_null(block);
    return block;
}

static void add_module(struct darn_control_block *block, uint64_t base, uint64_t size,
                       const char *path)
{
    struct darn_block_module *module = &block->modules[block->module_count++];

    module->base = base;
    module->size = size;
    strcpy(module->path, path);
}

static void add_step(struct darn_control_block *block, uint32_t thread, enum darn_step_op op,
                     uint64_t place)
{
    block->steps[block->result.steps++] = (struct darn_step){
        .thread = thread, .op = (uint8_t)op, .flags = DARN_STEP_PREEMPTS, .place = place};
}

static struct darn_schedule *taken_from(const struct darn_control_block *block)
{
    struct darn_schedule *schedule = calloc(1, sizeof(*schedule));

    assert_non_null(schedule);
    assert_int_equal(darn_schedule_take_steps(schedule, block), 0);
    return schedule;
}

static void expect_place(const struct darn_schedule_step *step, uint32_t module, uint64_t offset)
{
    assert_int_equal(step->place.module, module);
    assert_int_equal(step->place.offset, offset);
}

static void places_are_named_by_the_modules_that_have_them(void **state)
{
    struct darn_control_block *block = new_block();
    struct darn_schedule *schedule;

    (void)state;
    add_module(block, 0x7000, 0x1000, "/lib/unused.so");
    add_module(block, 0x1000, 0x1000, "/bin/p");
    add_module(block, 0x5000, 0x1000, "/lib/q.so");
    add_step(block, 0, DARN_STEP_START, 0);
    add_step(block, 1, DARN_STEP_LOCK, 0x1000);
    add_step(block, 1, DARN_STEP_READ, 0x1fff);
    add_step(block, 2, DARN_STEP_READ, 0x2000);
    add_step(block, 0, DARN_STEP_EXIT, 0x5001);
    schedule = taken_from(block);
    assert_int_equal(schedule->module_count, 2);
    assert_string_equal(schedule->modules[0], "/bin/p");
    assert_string_equal(schedule->modules[1], "/lib/q.so");
    assert_int_equal(schedule->step_count, 5);
    assert_int_equal(schedule->steps[1].thread, 1);
    assert_int_equal(schedule->steps[1].op, DARN_STEP_LOCK);
    assert_int_equal(schedule->steps[1].flags, DARN_STEP_PREEMPTS);
    expect_place(&schedule->steps[0], 2, 0);
    expect_place(&schedule->steps[1], 0, 0);
    expect_place(&schedule->steps[2], 0, 0xfff);
    expect_place(&schedule->steps[3], 2, 0x2000);
    expect_place(&schedule->steps[4], 1, 1);
    darn_schedule_free(schedule);
    free(block);
}

static void steps_follow_a_module_that_moved(void **state)
{
    struct darn_control_block *block = new_block(), *other = new_block();
    struct darn_schedule *schedule;

    (void)state;
    add_module(block, 0x1000, 0x1000, "/bin/p");
    add_module(block, 0x5000, 0x1000, "/old/lib/q.so");
    add_step(block, 0, DARN_STEP_LOCK, 0x1234);
    add_step(block, 7, DARN_STEP_READ, 0x5678);
    add_step(block, 0, DARN_STEP_START, 0xffff0000);
    schedule = taken_from(block);
    add_module(other, 0x8000, 0x1000, "/new/lib/q.so");
    add_module(other, 0x2000, 0x1000, "/elsewhere/p");
    add_module(other, 0x3000, 0x1000, "/bin/p"); /* by its path before one of its name */
    assert_int_equal(darn_schedule_give_steps(schedule, other), 3);
    assert_int_equal(other->follow[0].place, 0x3234);
    assert_int_equal(other->follow[0].op, DARN_STEP_LOCK);
    assert_int_equal(other->follow[0].flags, DARN_STEP_PREEMPTS);
    assert_int_equal(other->follow[1].place, 0x8678);
    assert_int_equal(other->follow[1].thread, 7);
    assert_int_equal(other->follow[2].place, 0xffff0000);
    darn_schedule_free(schedule);
    free(block);
    free(other);
}

static void steps_end_before_a_module_that_is_not_there(void **state)
{
    struct darn_control_block *block = new_block();
    struct darn_schedule *schedule;

    (void)state;
    add_module(block, 0x1000, 0x1000, "/bin/p");
    add_module(block, 0x5000, 0x1000, "/lib/q.so");
    add_step(block, 0, DARN_STEP_LOCK, 0x1234);
    add_step(block, 0, DARN_STEP_LOCK, 0x5678);
    add_step(block, 0, DARN_STEP_LOCK, 0x1234);
    schedule = taken_from(block);
    block->module_count = 1;
    assert_int_equal(darn_schedule_give_steps(schedule, block), 1);
    darn_schedule_free(schedule);
    free(block);
}

static void a_second_take_replaces_the_first(void **state)
{
    struct darn_control_block *block = new_block();
    struct darn_schedule *schedule;

    (void)state;
    add_module(block, 0x1000, 0x1000, "/bin/p");
    add_step(block, 0, DARN_STEP_LOCK, 0x1234);
    schedule = taken_from(block);
    block->result.steps = 0;
    assert_int_equal(darn_schedule_take_steps(schedule, block), 0);
    assert_int_equal(schedule->module_count, 0);
    assert_int_equal(schedule->step_count, 0);
    darn_schedule_free(schedule);
    free(block);
}

/* The block is memory of the program under test: anything may stand in it. */
static void a_block_that_was_scribbled_on_is_refused_or_bounded(void **state)
{
    struct darn_control_block *block = new_block();
    struct darn_schedule *schedule = calloc(1, sizeof(*schedule));

    (void)state;
    assert_non_null(schedule);
    block->module_count = UINT32_MAX;
    memset(block->modules, 0xff, sizeof(block->modules));
    add_step(block, 0, DARN_STEP_OPS, 0);
    assert_int_equal(darn_schedule_take_steps(schedule, block), -EINVAL);
    assert_int_equal(schedule->step_count, 0);
    for (size_t i = 0; i < DARN_BLOCK_STEPS; i++)
        block->steps[i] = (struct darn_step){.op = DARN_STEP_YIELD, .place = UINT64_MAX};
    block->result.steps = UINT64_MAX;
    assert_int_equal(darn_schedule_take_steps(schedule, block), 0);
    assert_int_equal(schedule->step_count, DARN_BLOCK_STEPS);
    (void)darn_schedule_give_steps(schedule, block);
    darn_schedule_free(schedule);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_named_by_the_modules_that_have_them),
        cmocka_unit_test(steps_follow_a_module_that_moved),
        cmocka_unit_test(steps_end_before_a_module_that_is_not_there),
        cmocka_unit_test(a_second_take_replaces_the_first),
        cmocka_unit_test(a_block_that_was_scribbled_on_is_refused_or_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
