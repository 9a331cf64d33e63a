/* Clocks, stamps and slots: who knows what, with as little copying and as few slots as can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/common/clock.h"
#include "engine/common/thread_slots.h"

static struct darn_clocks clocks;
static struct darn_slots slots;
static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

static int tear_down(void **state)
{
    (void)state;
    darn_slots_free(&slots);
    darn_clocks_free(&clocks);
    return 0;
}

/* `to` acquires what `from` hands on. */
static void pass(struct darn_stamp *from, struct darn_stamp *to)
{
    struct darn_stamp stamp = darn_stamp_take(&clocks, from);

    darn_stamp_acquire(&clocks, to, &stamp);
    darn_stamp_drop(&clocks, &stamp);
}

static void
what_is_done_before_a_release_is_known_after_the_acquire_and_what_is_done_later_not(void **state)
{
    struct darn_stamp a = darn_slots_take(&slots, 0, NULL), b = darn_slots_take(&slots, 1, NULL);
    darn_epoch early = darn_stamp_epoch(&a), late;

    (void)state;
    assert_true(darn_stamp_knows(&a, early));
    assert_false(darn_stamp_knows(&b, early));
    pass(&a, &b);
    late = darn_stamp_epoch(&a);
    assert_true(late != early);
    assert_true(darn_stamp_knows(&b, early));
    assert_false(darn_stamp_knows(&b, late));
    assert_true(darn_stamp_knows(&a, early));
    darn_stamp_drop(&clocks, &a);
    darn_stamp_drop(&clocks, &b);
}

static void a_release_copies_nothing(void **state)
{
    struct darn_stamp a = darn_slots_take(&slots, 0, NULL), b = darn_slots_take(&slots, 1, NULL);
    struct darn_stamp locks[100];
    size_t memory;

    (void)state;
    pass(&a, &b);
    memory = clocks.memory;
    for (size_t i = 0; i < 100; i++) {
        locks[i] = darn_stamp_take(&clocks, &b);
        assert_ptr_equal(locks[i].clock, b.clock);
    }
    /* Nor does it copy anything to acquire what one knows. */
    for (size_t i = 0; i < 100; i++)
        darn_stamp_acquire(&clocks, &b, &locks[i]);
    assert_int_equal(clocks.memory, memory);
    assert_int_equal(b.clock->refs, 101);
    for (size_t i = 0; i < 100; i++)
        darn_stamp_drop(&clocks, &locks[i]);
    darn_stamp_drop(&clocks, &a);
    darn_stamp_drop(&clocks, &b);
}

static void what_was_handed_on_does_not_change_when_its_thread_learns_more(void **state)
{
    struct darn_stamp a = darn_slots_take(&slots, 0, NULL), b = darn_slots_take(&slots, 1, NULL),
                      c = darn_slots_take(&slots, 2, NULL), lock;
    darn_epoch of_c = darn_stamp_epoch(&c);

    (void)state;
    pass(&a, &b);
    lock = darn_stamp_take(&clocks, &b);
    pass(&c, &b);
    assert_true(darn_stamp_knows(&b, of_c));
    assert_false(darn_stamp_knows(&lock, of_c));
    darn_stamp_acquire(&clocks, &a, &lock);
    assert_false(darn_stamp_knows(&a, of_c));
    darn_stamp_drop(&clocks, &lock);
    darn_stamp_drop(&clocks, &a);
    darn_stamp_drop(&clocks, &b);
    darn_stamp_drop(&clocks, &c);
}

/* Those who have all met share one vector. */
static void clocks_that_know_the_same_are_one(void **state)
{
    struct darn_stamp all = {.slot = DARN_SLOT_NONE}, threads[8];

    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        threads[i] = darn_slots_take(&slots, i, NULL);
    for (size_t i = 0; i < 8; i++) {
        struct darn_stamp stamp = darn_stamp_take(&clocks, &threads[i]);

        darn_stamp_join(&clocks, &all, &stamp);
        darn_stamp_drop(&clocks, &stamp);
    }
    for (size_t i = 0; i < 8; i++) {
        darn_stamp_join(&clocks, &threads[i], &all);
        assert_ptr_equal(threads[i].clock, all.clock);
    }
    for (size_t i = 0; i < 8; i++)
        darn_stamp_drop(&clocks, &threads[i]);
    darn_stamp_drop(&clocks, &all);
}

static void of_two_stamps_of_one_slot_the_later_is_kept(void **state)
{
    struct darn_stamp a = darn_slots_take(&slots, 0, NULL), b = darn_slots_take(&slots, 1, NULL);
    struct darn_stamps_item early = {.stamp = darn_stamp_take(&clocks, &a), .number = 1};
    struct darn_stamps_item late = {.stamp = darn_stamp_take(&clocks, &a), .number = 2};
    struct darn_stamps set = {0};

    (void)state;
    darn_stamps_put(&clocks, &set, &late);
    darn_stamps_put(&clocks, &set, &early);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.items[0].number, 2);
    darn_stamps_acquire(&clocks, &b, &set);
    assert_true(darn_stamp_knows(&b, darn_epoch_make(a.slot, a.time - 1)));
    darn_stamps_free(&clocks, &set);
    darn_stamp_drop(&clocks, &a);
    darn_stamp_drop(&clocks, &b);
}

/* After 2^32 - 1 releases by one thread there is no time left; what then happens is known too
 * early, never too late, and it is counted. */
static void the_end_of_time_makes_nothing_up(void **state)
{
    struct darn_stamp a = darn_slots_take(&slots, 0, NULL), b = darn_slots_take(&slots, 1, NULL),
                      c = darn_slots_take(&slots, 2, NULL);
    darn_epoch of_c;

    (void)state;
    a.time = UINT32_MAX - 1;
    pass(&a, &b);
    assert_int_equal(clocks.exhausted, 0);
    pass(&a, &b);
    assert_int_equal(clocks.exhausted, 1);
    assert_true(darn_stamp_knows(&b, darn_stamp_epoch(&a)));
    /* What the thread learns at the end of time it still hands on. */
    of_c = darn_stamp_epoch(&c);
    pass(&c, &a);
    pass(&a, &b);
    assert_true(darn_stamp_knows(&b, of_c));
    /* And the slot is not used again. */
    darn_slots_leave(&slots, &a, true);
    assert_int_equal(darn_slots_take(&slots, 9, &b).slot, 3);
    darn_stamp_drop(&clocks, &a);
    darn_stamp_drop(&clocks, &b);
    darn_stamp_drop(&clocks, &c);
}

/* Forks, ends and joins a thread; `main` knows all of it then. */
static uint32_t come_and_go(struct darn_stamp *creator, uint32_t number, bool joined)
{
    struct darn_stamp child = darn_slots_take(&slots, number, creator), end;
    uint32_t slot = child.slot;

    if (slots.forced)
        clocks.careful = true;
    pass(creator, &child);
    darn_slots_leave(&slots, &child, true);
    end = darn_stamp_take(&clocks, &child);
    if (joined)
        darn_stamp_join(&clocks, creator, &end);
    darn_stamp_drop(&clocks, &end);
    assert_int_equal(darn_slots_thread(&slots, darn_epoch_make(slot, child.time - 1)), number);
    darn_stamp_drop(&clocks, &child);
    return slot;
}

static void threads_that_follow_each_other_share_a_slot(void **state)
{
    struct darn_stamp main_thread = darn_slots_take(&slots, 0, NULL);

    (void)state;
    for (uint32_t i = 1; i < 10000; i++)
        assert_int_equal(come_and_go(&main_thread, i, true), 1);
    assert_int_equal(main_thread.clock->count, 2);
    assert_int_equal(slots.forced, 0);
    darn_stamp_drop(&clocks, &main_thread);
}

static void a_slot_is_not_given_to_a_thread_that_might_run_beside_the_old_one(void **state)
{
    struct darn_stamp a = darn_slots_take(&slots, 0, NULL), b = darn_slots_take(&slots, 1, NULL);
    uint32_t slot = come_and_go(&a, 2, true);

    (void)state;
    /* b has never heard of the thread that was there. */
    assert_true(come_and_go(&b, 3, true) != slot);
    pass(&a, &b);
    assert_int_equal(come_and_go(&b, 4, true), slot);
    darn_stamp_drop(&clocks, &a);
    darn_stamp_drop(&clocks, &b);
}

static void threads_that_nobody_joins_take_a_bounded_number_of_slots(void **state)
{
    struct darn_stamp main_thread = darn_slots_take(&slots, 0, NULL);

    (void)state;
    for (uint32_t i = 1; i < 5000; i++)
        come_and_go(&main_thread, i, false);
    assert_true(slots.count <= DARN_SLOTS_DEAD + 1);
    assert_int_equal(slots.forced, 4999 - DARN_SLOTS_DEAD);
    darn_stamp_drop(&clocks, &main_thread);
}

#define THREADS 400
#define LOCKS   6

/* The same told in full: how much of each thread is known. */
struct full {
    uint32_t known[THREADS];
};

static void learn(struct full *to, const struct full *from)
{
    for (size_t i = 0; i < THREADS; i++) {
        if (to->known[i] < from->known[i])
            to->known[i] = from->known[i];
    }
}

struct model {
    struct darn_stamp now[THREADS], end[THREADS], locks[LOCKS];
    struct full full[THREADS], full_locks[LOCKS];
    bool alive[THREADS], used[THREADS];
    uint32_t count;
    struct {
        darn_epoch epoch;
        uint32_t thread, step;
    } steps[4000];
    size_t step_count;
};

static void do_something(struct model *model, uint32_t thread)
{
    model->full[thread].known[thread]++;
    model->used[thread] = true;
    model->steps[model->step_count].epoch = darn_stamp_epoch(&model->now[thread]);
    model->steps[model->step_count].thread = thread;
    model->steps[model->step_count++].step = model->full[thread].known[thread];
}

static void fork_one(struct model *model, uint32_t parent)
{
    uint32_t child = model->count++;
    struct darn_stamp stamp = darn_stamp_take(&clocks, &model->now[parent]);

    model->used[parent] = false;
    model->now[child] = darn_slots_take(&slots, child, &stamp);
    darn_stamp_join(&clocks, &model->now[child], &stamp);
    learn(&model->full[child], &model->full[parent]);
    darn_stamp_drop(&clocks, &stamp);
    model->alive[child] = true;
}

static void end_one(struct model *model, uint32_t thread)
{
    darn_slots_leave(&slots, &model->now[thread], model->used[thread]);
    model->end[thread] = darn_stamp_take(&clocks, &model->now[thread]);
    darn_stamp_drop(&clocks, &model->now[thread]);
    model->alive[thread] = false;
}

static void release(struct model *model, uint32_t thread, uint32_t lock)
{
    darn_stamp_drop(&clocks, &model->locks[lock]);
    model->locks[lock] = darn_stamp_take(&clocks, &model->now[thread]);
    model->used[thread] = false;
    model->full_locks[lock] = model->full[thread];
}

static void random_step(struct model *model)
{
    uint32_t thread = draw(model->count), lock = draw(LOCKS), what = draw(12);

    if (!model->alive[thread]) {
        uint32_t by = draw(model->count);

        if (model->alive[by]) {
            darn_stamp_join(&clocks, &model->now[by], &model->end[thread]);
            learn(&model->full[by], &model->full[thread]);
        }
    } else if (what < 4) {
        do_something(model, thread);
    } else if (what < 6) {
        release(model, thread, lock);
    } else if (what < 9) {
        darn_stamp_acquire(&clocks, &model->now[thread], &model->locks[lock]);
        learn(&model->full[thread], &model->full_locks[lock]);
    } else if (what < 11 && model->count < THREADS) {
        fork_one(model, thread);
    } else if (thread) {
        end_one(model, thread);
    }
}

static void check(const struct model *model)
{
    for (uint32_t thread = 0; thread < model->count; thread++) {
        for (size_t i = 0; model->alive[thread] && i < model->step_count; i++) {
            assert_int_equal(darn_stamp_knows(&model->now[thread], model->steps[i].epoch),
                             model->full[thread].known[model->steps[i].thread] >=
                                 model->steps[i].step);
        }
    }
    for (size_t i = 0; i < model->step_count; i++)
        assert_int_equal(darn_slots_thread(&slots, model->steps[i].epoch), model->steps[i].thread);
}

static void slots_that_are_used_again_change_no_answer(void **state)
{
    static struct model model;

    (void)state;
    for (int round = 0; round < 30; round++) {
        memset(&model, 0, sizeof(model));
        model.now[0] = darn_slots_take(&slots, 0, NULL);
        model.alive[0] = true;
        model.count = 1;
        for (int step = 0; step < 3000; step++)
            random_step(&model);
        check(&model);
        /* Most of them were used again and again. */
        assert_true(model.count < THREADS / 2 || slots.count < THREADS * 2 / 3);
        for (size_t i = 0; i < THREADS; i++) {
            darn_stamp_drop(&clocks, &model.now[i]);
            darn_stamp_drop(&clocks, &model.end[i]);
        }
        for (size_t i = 0; i < LOCKS; i++)
            darn_stamp_drop(&clocks, &model.locks[i]);
        tear_down(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(
            what_is_done_before_a_release_is_known_after_the_acquire_and_what_is_done_later_not,
            tear_down),
        cmocka_unit_test_teardown(a_release_copies_nothing, tear_down),
        cmocka_unit_test_teardown(what_was_handed_on_does_not_change_when_its_thread_learns_more,
                                  tear_down),
        cmocka_unit_test_teardown(clocks_that_know_the_same_are_one, tear_down),
        cmocka_unit_test_teardown(of_two_stamps_of_one_slot_the_later_is_kept, tear_down),
        cmocka_unit_test_teardown(the_end_of_time_makes_nothing_up, tear_down),
        cmocka_unit_test_teardown(threads_that_follow_each_other_share_a_slot, tear_down),
        cmocka_unit_test_teardown(a_slot_is_not_given_to_a_thread_that_might_run_beside_the_old_one,
                                  tear_down),
        cmocka_unit_test_teardown(threads_that_nobody_joins_take_a_bounded_number_of_slots,
                                  tear_down),
        cmocka_unit_test_teardown(slots_that_are_used_again_change_no_answer, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
